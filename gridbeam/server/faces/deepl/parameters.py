"""What a call of /v2/translate asks for, checked: each parameter is understood or refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from gridbeam.constraints.notation import from_json
from gridbeam.constraints.terms import Constraint
from gridbeam.markup.blocks import MarkupRules
from gridbeam.markup.elements import has_half_elements
from gridbeam.server.asked import phrases_in
from gridbeam.server.faces.fields import Fields, wrong
from gridbeam.server.refusal import Refusal, Refused
from gridbeam.server.running import refuse_more
from gridbeam.server.settings import RequestLimits

MOST_BYTES = 128 * 1024
_MOST_TEXTS = 50
_MOST_GLOSSARIES = 5
_SPLITS = ("0", "1", "nonewlines")
_FORMALITIES = ("default", "more", "less", "prefer_more", "prefer_less")
_MODELS = ("quality_optimized", "prefer_quality_optimized", "latency_optimized")
_NOT_HERE = {
    "style_id": "style rules",
    "translation_memory_id": "translation memories",
    "custom_instructions": "instructions in words; send constraints, which are kept",
}

SplitSentences = Literal["0", "1", "nonewlines"]


@dataclass(frozen=True)
class TextOptions:
    """How texts are to be translated: what /v2/translate and /v2/document have in common."""

    target: str
    source: str | None
    glossaries: tuple[str, ...] = ()


@dataclass(frozen=True)
class TextsCall:
    """A call of /v2/translate."""

    texts: tuple[str, ...]
    options: TextOptions
    constraints: tuple[tuple[Constraint, ...], ...]
    """For each text what its translation must say."""
    markup: MarkupRules | None
    """How tags are handled; None where there are none."""
    split: SplitSentences
    preserves_formatting: bool
    is_billing_shown: bool
    model_type: str | None
    tag_version: str | None


def call_of(fields: Fields, limits: RequestLimits) -> TextsCall:
    """The call that these fields make; raises where it cannot be answered as it is meant."""
    texts = fields.texts("text")
    if not texts:
        raise Refused(Refusal(400, "Parameter 'text' not specified.", "text"))
    if len(texts) > _MOST_TEXTS:
        told = f"Too many texts: {len(texts)}; the limit is {_MOST_TEXTS}."
        raise Refused(Refusal(400, told, "text"))
    handling = _choice(fields, "tag_handling", ("xml", "html"))
    if handling == "xml" and any(map(has_half_elements, texts)):
        told = "Tag handling parsing failed, please check input."
        raise Refused(
            Refusal(400, told, "text", "Close every tag in the element it was opened in.")
        )
    split = _choice(fields, "split_sentences", _SPLITS, _usual_split(handling))
    return TextsCall(
        tuple(texts),
        options_of(fields),
        tuple(_constraints(fields.values.get("constraints", []), len(texts), limits)),
        _markup(fields, handling, split),
        split,  # type: ignore[arg-type]  # it is one of _SPLITS
        bool(fields.flag("preserve_formatting")),
        bool(fields.flag("show_billed_characters")),
        _choice(fields, "model_type", _MODELS),
        _choice(fields, "tag_handling_version", ("v1", "v2")),
    )


def options_of(fields: Fields) -> TextOptions:
    """The languages and glossaries that are asked for; what there is not is refused."""
    for name, what in _NOT_HERE.items():
        if any(fields.values.get(name, ())):
            raise Refused(Refusal(400, f"'{name}' is not supported: there are no {what}.", name))
    target = fields.text("target_lang")
    if not target:
        raise Refused(Refusal(400, "Parameter 'target_lang' not specified.", "target_lang"))
    source = fields.text("source_lang") or None
    _check_formality(fields, target)
    glossaries = _glossaries(fields)
    if glossaries and source is None:
        told = "Parameter 'source_lang' is required where a glossary is used."
        raise Refused(Refusal(400, told, "source_lang"))
    return TextOptions(target, source, glossaries)


def _usual_split(handling: str | None) -> str:
    return "nonewlines" if handling == "html" else "1"


def _choice(
    fields: Fields, name: str, known: Sequence[str], usual: str | None = None
) -> str | None:
    given = fields.given(name)
    written = {True: "1", False: "0"}.get(given) if isinstance(given, bool) else fields.text(name)
    if not written:
        return usual
    if written.lower() not in known:
        raise wrong(name, f"must be {', '.join(known[:-1])} or {known[-1]}")
    return written.lower()


def _check_formality(fields: Fields, target: str) -> None:
    asked = _choice(fields, "formality", _FORMALITIES)
    if asked in ("more", "less"):
        told = f"Target language {target.upper()} does not support formality."
        remedy = "Leave it out, or send default, prefer_more or prefer_less."
        raise Refused(Refusal(400, told, "formality", remedy))


def _glossaries(fields: Fields) -> tuple[str, ...]:
    one = fields.text("glossary_id")
    several = [part for each in fields.texts("glossary_ids") for part in each.split(",") if part]
    if one and several:
        told = "Parameters 'glossary_id' and 'glossary_ids' exclude each other."
        raise Refused(Refusal(400, told, "glossary_ids"))
    if len(several) > _MOST_GLOSSARIES:
        raise wrong("glossary_ids", f"has {len(several)} of at most {_MOST_GLOSSARIES}")
    return (one,) if one else tuple(part.strip() for part in several)


def _markup(fields: Fields, handling: str | None, split: str | None) -> MarkupRules | None:
    if handling is None:
        return None
    outline = fields.flag("outline_detection")
    return MarkupRules(
        is_html=handling == "html",
        splitting=_tags(fields, "splitting_tags"),
        non_splitting=_tags(fields, "non_splitting_tags"),
        kept=_tags(fields, "ignore_tags"),
        outline=True if outline is None else outline,
        joins_lines=split == "nonewlines",
    )


def _tags(fields: Fields, name: str) -> frozenset[str]:
    parts = (part.strip() for each in fields.texts(name) for part in each.split(","))
    return frozenset(filter(None, parts))


def _constraints(
    given: list[Any], texts: int, limits: RequestLimits
) -> list[tuple[Constraint, ...]]:
    """Our extension: a list for every text, or a list with a list for each; or that as text."""
    if len(given) == 1 and isinstance(given[0], str) and given[0].lstrip().startswith("["):
        try:
            given = json.loads(given[0])
        except (ValueError, RecursionError) as error:
            raise wrong("constraints", f"is not JSON: {error}") from None
    if not any(isinstance(each, list) for each in given):
        return [_terms(given, "constraints", limits)] * texts
    if len(given) != texts:
        raise wrong("constraints", f"has {len(given)} lists for {texts} texts")
    return [_terms(each or [], f"constraints[{n}]", limits) for n, each in enumerate(given)]


def _terms(given: Any, name: str, limits: RequestLimits) -> tuple[Constraint, ...]:
    refuse_more(f"phrases in {name}", phrases_in(given), limits.constraints)
    return from_json(json.dumps(given), name=name)
