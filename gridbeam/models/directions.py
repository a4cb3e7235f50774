"""The languages of a model, and how it is told: by words or a tag before the source, by tokens.

A language may be given by the model's own code, such as `deu_Latn` or `de_DE`, or by a plain one,
`de`.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Literal, TypeAlias

from gridbeam.errors import UserError
from gridbeam.models.telling import PIECES
from gridbeam.text.languages import is_same, is_written_alike, language, plain

Side: TypeAlias = Literal["source", "target"]

_WHITHER = {"source": "from", "target": "into"}
_TASK = re.compile(r"translation_([^_]+)_to_([^_]+)")
_WITH_SCRIPT = re.compile(r"[a-z]{3}_[A-Z][a-z]{3}")
_MOST_NAMED = 8
"""No message names more languages."""


@dataclass(frozen=True)
class Direction:
    """From which language into which a model translates, if known, and how it is told so."""

    source: str | None = None
    """A plain code, as files and glossaries have it."""
    target: str | None = None
    tag: str = ""
    """What is put before each source, such as ">>de<< "."""
    token: int | None = None
    """What each translation begins with: the token of its language."""


def direction(
    name: str, config: Any, tokenizer: Any, *, source: str | None, target: str | None
) -> Direction:
    """The direction of a model of transformers.

    A tokenizer with tokens for languages is told both.
    """
    tokens = language_tokens(tokenizer)
    if tokens:
        return _by_tokens(name, config, tokenizer, tokens, source, target)
    tasks = _tasks(config) if target is not None else {}
    if tasks:
        from_ = chosen(name, "source", source, list(dict.fromkeys(source for source, _ in tasks)))
        words = {into: words for (start, into), words in tasks.items() if start == from_}
        into = chosen(name, "target", target, list(words))
        return Direction(from_ and plain(from_), into and plain(into), tag=words[str(into)])
    known, targets = _said_of(config, tokenizer)
    into = chosen(name, "target", target, targets)
    is_tagged = len(targets) > 1 or f">>{into}<<" in _tags(tokenizer)
    from_ = chosen(name, "source", source, known)
    return Direction(
        from_ and plain(from_), into and plain(into), tag=f">>{into}<< " if is_tagged else ""
    )


def chosen(
    name: str, side: Side, wanted: str | None, known: Sequence[str], usual: str | None = None
) -> str | None:
    """The model's code of the wanted language, or of its usual or only one if none is wanted."""
    whither = _WHITHER[side]
    if wanted is None:
        if usual is None and len(known) > 1:
            raise UserError(
                f"{name} translates {whither} several languages: say with --{side} ({side}=)"
                f" {_named(known)}."
            )
        return usual or next(iter(known), None)
    found = _alike(wanted, known) if known else [wanted]
    if not found:
        nearest = sorted(known, key=lambda code: -SequenceMatcher(None, wanted, code).ratio())
        raise UserError(
            f'{name} does not translate {whither} "{wanted}": say with --{side} ({side}=)'
            f" {_named(nearest)}."
        )
    if len(found) > 1:
        raise UserError(
            f'{name} knows "{wanted}" in several ways: say with --{side} ({side}=) {_named(found)}.'
        )
    return found[0]


def language_tokens(tokenizer: Any) -> Mapping[str, int]:
    """The token of each language, where a tokenizer has such: M2M100, NLLB, mBART and their kin."""
    if not hasattr(tokenizer, "src_lang"):
        return {}
    ids = getattr(tokenizer, "lang_code_to_id", None)
    if ids is None:
        codes = [token for token in tokenizer.all_special_tokens if _WITH_SCRIPT.fullmatch(token)]
        ids = dict(zip(codes, tokenizer.convert_tokens_to_ids(codes), strict=True))
    return {code: token for code, token in ids.items() if token != tokenizer.unk_token_id}


def with_special_tags(tokenizer: Any) -> Any:
    """The tokenizer, with what stands for languages made special.

    No translation holds such a token, and no "<" is written by it.
    """
    tags = [
        *_tags(tokenizer),
        *tokenizer.convert_ids_to_tokens(list(language_tokens(tokenizer).values())),
    ]
    if not set(tags) <= set(tokenizer.all_special_tokens):
        tokenizer.add_special_tokens({"additional_special_tokens": tags})
    return tokenizer


def tag_ids(tokenizer: Any) -> list[int]:
    """The tokens that stand for languages and belong into no translation."""
    return [
        *tokenizer.convert_tokens_to_ids(list(_tags(tokenizer))),
        *language_tokens(tokenizer).values(),
    ]


def beginning_with(token: int, config: Any, tokenizer: Any) -> Any:
    """The generation config by which each text begins with this token.

    Where texts start with the token of a language anyhow, as in the first mBART, it is that one,
    else the one after it.
    """
    config, start = copy.deepcopy(config), config.decoder_start_token_id
    if start is None or start in language_tokens(tokenizer).values():
        config.decoder_start_token_id = token
    else:
        config.forced_bos_token_id = token
    return config


def either(choices: Iterable[str]) -> str:
    """The choices in a sentence.

    >>> either(["a", "b", "c"])
    'a, b or c'
    """
    *most, last = choices
    return f"{', '.join(most)} or {last}" if most else str(last)


def _by_tokens(
    name: str,
    config: Any,
    tokenizer: Any,
    tokens: Mapping[str, int],
    source: str | None,
    target: str | None,
) -> Direction:
    usual = {
        getattr(config, "forced_bos_token_id", None),
        getattr(config, "decoder_start_token_id", None),
    }
    learned = next((code for code, token in tokens.items() if token in usual), None)
    from_ = chosen(name, "source", source, list(tokens), tokenizer.src_lang)
    into = chosen(name, "target", target, list(tokens), tokenizer.tgt_lang or learned)
    assert from_ is not None
    assert into is not None
    tokenizer.src_lang, tokenizer.tgt_lang = from_, into
    return Direction(language(from_), language(into), token=tokens[into])


def _tasks(config: Any) -> dict[tuple[str, str], str]:
    """The words by which a T5 is told what to do, for each source and target."""
    tasks = getattr(config, "task_specific_params", None) or {}
    found = ((_TASK.fullmatch(task), how) for task, how in tasks.items())
    return {
        (match[1], match[2]): how["prefix"] for match, how in found if match and "prefix" in how
    }


def _said_of(config: Any, tokenizer: Any) -> tuple[Sequence[str], Sequence[str]]:
    """The source language and the targets of our own models and of Marian's, where known."""
    known = getattr(config, "gridbeam", {})
    if "source" in known:
        return [known["source"]], known["targets"]
    source, target = (
        getattr(tokenizer, "source_lang", None),
        getattr(tokenizer, "target_lang", None),
    )
    targets = [tag[2:-2] for tag in _tags(tokenizer) if tag not in PIECES.values()]
    return [source] if source else [], targets or ([target] if target else [])


def _tags(tokenizer: Any) -> Sequence[str]:
    """The tags by which a Marian model is told the target language, and its terms."""
    return getattr(tokenizer, "supported_language_codes", [])


def _alike(wanted: str, known: Sequence[str]) -> list[str]:
    """The code itself, however it is written, or else all codes of the same language."""
    same = [code for code in known if is_written_alike(code, wanted)]
    return same or [code for code in known if is_same(code, wanted)]


def _named(codes: Sequence[str]) -> str:
    shown = list(codes[:_MOST_NAMED])
    return either(shown if len(codes) <= _MOST_NAMED else [*shown, f"another of its {len(codes)}"])
