"""What our own API is asked for, as types: texts, what their translations must say, and how.

The options of the search are those of `SearchOptions`, each with its own help.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

from gridbeam.constraints.notation import from_json
from gridbeam.constraints.terms import Avoid, Case, Constraint, Prefix
from gridbeam.decoding.options import FLAGS, SearchOptions
from gridbeam.glossary.entries import Entry, Glossary
from gridbeam.server.running import refuse_higher, refuse_more
from gridbeam.server.settings import RequestLimits
from gridbeam.translation.defaults import TRANSLATION
from gridbeam.workspace.judging import BAR

_EXAMPLE = ["Festplatte", {"any_of": ["Laufwerk", "Platte"]}]


class BodyPart(BaseModel):
    """What a request says; a name that it does not know is refused, as it may be misspelt."""

    model_config = ConfigDict(extra="forbid")


class SaidWish(BodyPart):
    """What a translation must say, and must not."""

    constraints: list[Any] = Field(
        default=[],
        description="What it must say: strings, or terms of the constraint language as JSON.",
        examples=[_EXAMPLE],
    )
    avoid: list[str] = Field(default=[], description="What it must not say.")
    prefix: str | None = Field(default=None, description="What it must begin with.")

    def terms(self, limits: RequestLimits, where: str = "") -> tuple[Constraint, ...]:
        """All of it as constraints."""
        phrases = phrases_in(self.constraints) + len(self.avoid)
        refuse_more(f"phrases in {where}constraints", phrases, limits.constraints)
        written = json.dumps(self.constraints)
        refuse_more(f"characters of {where}constraints", len(written), limits.chars)
        said = from_json(written, name=f"{where}constraints")
        avoided = map(Avoid, self.avoid)
        return (*said, *avoided, *([Prefix(self.prefix)] if self.prefix else ()))


def phrases_in(value: Any) -> int:
    """How many strings constraints in JSON hold, however deep."""
    found, left = 0, [value]
    while left:
        each = left.pop()
        inner = each.values() if isinstance(each, dict) else each if isinstance(each, list) else ()
        left += inner
        found += not inner
    return found


class TextWish(SaidWish):
    """One of several texts, with what its own translation must say."""

    text: str


class EntryWish(BodyPart):
    """A term of a glossary that comes in a request."""

    source: str
    targets: list[str] = Field(default=[], description="It must be translated by one of these.")
    target: str | None = Field(
        default=None, description="The same in one text, several with bars between."
    )
    forbidden: list[str] = Field(default=[], description="It must not be translated so.")
    case: Case | None = Field(default=None, description="exact, sentence or any.")
    do_not_translate: bool = False

    def entry(self, case: Case) -> Entry:
        """The entry; its rule of capitals is the glossary's where it has none."""
        return Entry(
            self.source,
            (*self.targets, *written_targets(self.target or "")),
            tuple(self.forbidden),
            self.case or case,
            self.do_not_translate,
        )


def written_targets(written: str) -> tuple[str, ...]:
    """The targets that one text has, with bars between."""
    return tuple(filter(None, (part.strip() for part in written.split(BAR.strip()))))


class TermsWish(BodyPart):
    """Which glossary holds, and how."""

    glossary: str | list[EntryWish] | None = Field(
        default=None, description="The name or id of a glossary that is kept here, or its entries."
    )
    lemmas: bool = Field(default=False, description="Match terms by their lemmas, too.")
    every_time: bool = Field(default=False, description="A term is due each time, not once.")
    case: Case = Field(default="sentence", description="The rule of capitals of its entries.")


class LanguagesWish(BodyPart):
    """Which model translates, or which languages are spoken."""

    source_language: str | None = Field(default=None, examples=["en"])
    target_language: str | None = Field(default=None, examples=["de"])


def inline(
    entries: Sequence[EntryWish], case: Case, source: str | None, target: str | None
) -> Glossary:
    """The glossary of entries that come in a request."""
    return Glossary(tuple(each.entry(case) for each in entries), source, target)


def _search_fields() -> dict[str, Any]:
    """A field for each option of the search that has a flag; None leaves it as it is."""
    kinds = get_type_hints(SearchOptions)
    known = {each.name: each.metadata["help"] for each in fields(SearchOptions)}
    return {
        name: (Annotated[kinds[name] | None, Field(description=known[name])], None)
        for name in FLAGS
    }


if TYPE_CHECKING:
    SearchWish = BodyPart
else:
    SearchWish = create_model("SearchWish", __base__=BodyPart, **_search_fields())
    """The options of the search, all of which may be left out."""


def options_of(wish: SearchWish, limits: RequestLimits) -> SearchOptions:
    """How to search, within the limits."""
    given = {name: getattr(wish, name) for name in FLAGS}
    options = TRANSLATION.but(**{name: each for name, each in given.items() if each is not None})
    refuse_higher("beam", options.beam, limits.beam)
    refuse_higher("budget", options.budget or 0, limits.beam * limits.constraints)
    refuse_higher("max_length", options.max_length or 0, limits.length)
    return options


def refuse_long(texts: Sequence[str], limits: RequestLimits) -> None:
    """Raises where a text has more characters than it may, or there are too many texts."""
    refuse_more("texts", len(texts), limits.texts)
    for text in texts:
        refuse_more("characters of a text", len(text), limits.chars)
