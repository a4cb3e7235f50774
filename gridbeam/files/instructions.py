"""How segments are to be translated, and the glossary put together from the files that say so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, TypeAlias

from gridbeam.constraints.terms import Case, Constraint
from gridbeam.decoding.options import SearchOptions
from gridbeam.documents import Segment
from gridbeam.documents.lines import lines
from gridbeam.errors import Given, UserError
from gridbeam.glossary.entries import Entry, Glossary, Place
from gridbeam.glossary.formats import GlossaryFiles, paths_of, read_all
from gridbeam.glossary.inflection import harvest_forms
from gridbeam.markup.accelerators import AcceleratorRule, check_rule
from gridbeam.markup.numbers import NUMBER_RULES, NumberRule
from gridbeam.markup.placeholders import expressions
from gridbeam.translation.defaults import TRANSLATION

OnUnmet: TypeAlias = Literal["error", "relax", "skip"]
"""Where a segment's constraints cannot all be met: leave it and fail at the end, drop what
contradicts, or just leave it."""
Retranslate: TypeAlias = Literal["nothing", "drafts", "all"]
"""Which translations that a file has already are made anew."""
FailOn: TypeAlias = Literal["error", "warning", "nothing"]
"""How severe a finding in a translation must be for the run to end as one that failed."""
ON_UNMET: tuple[OnUnmet, ...] = ("error", "relax", "skip")
RETRANSLATE: tuple[Retranslate, ...] = ("nothing", "drafts", "all")
FAIL_ON: tuple[FailOn, ...] = ("error", "warning", "nothing")
_STATUSES = {
    "nothing": {"untranslated"},
    "drafts": {"untranslated", "draft"},
    "all": {"untranslated", "draft", "translated"},
}


@dataclass(frozen=True)
class Instructions:
    """How segments are to be translated."""

    glossary: Glossary = field(default_factory=lambda: Glossary(()))
    lemmas: bool = False
    """Whether the glossary's terms match by lemmas too, and their targets may be inflected."""
    every_time: bool = False
    """Whether a term is owed each time that a sentence has it, and not once."""
    everywhere: tuple[Constraint, ...] = ()
    """What every segment with words in it must say, or avoid."""
    placeholders: tuple[str, ...] = ()
    """Regular expressions for placeholders, besides those that are known."""
    accelerators: AcceleratorRule = "auto"
    """Which mark is that of a key in a label."""
    numbers: NumberRule = "localise"
    """Whether numbers may be written as the target language writes them."""
    keeps_numbers: bool = True
    """Whether a number that a translation has lost is required of another one."""
    on_unmet: OnUnmet = "error"
    retranslate: Retranslate = "nothing"
    fail_on: FailOn = "error"
    review_below: float | None = None
    """The least estimate of a translation that nobody need look at; None: all are to be looked
    at."""
    search: SearchOptions = TRANSLATION
    batch_size: int = 16

    def __post_init__(self) -> None:
        _check("on_unmet", self.on_unmet, ON_UNMET)
        _check("retranslate", self.retranslate, RETRANSLATE)
        _check("fail_on", self.fail_on, FAIL_ON)
        if self.review_below is not None and not 0 <= self.review_below <= 1:
            raise UserError(Given("review_below", self.review_below), ": give a number from 0 to 1")
        _check("numbers", self.numbers, NUMBER_RULES)
        expressions(self.placeholders)
        check_rule(self.accelerators)

    def is_due(self, segment: Segment) -> bool:
        """Whether a segment is to be translated; one that is locked never is."""
        return segment.status in _STATUSES[self.retranslate]


def read_glossary(
    files: GlossaryFiles | None,
    *,
    names: Path | None,
    forms: Path | None,
    source: str | None,
    target: str | None,
    case: Case = "sentence",
    sheet: str | None = None,
) -> Glossary:
    """The glossary of a file or several, with names to keep, and forms from a target text.

    Of several, later ones win for the same term (`gridbeam.glossary.union`), which is told.
    Names are not to be translated; forms are those that a text in the target language has. Names go
    first, so that one which is also a term stays as it is.
    """
    glossary = read_all(paths_of(files), source=source, target=target, case=case, sheet=sheet)
    if names is not None:
        glossary = replace(glossary, entries=(*_entries(names), *glossary.entries))
    return (
        glossary
        if forms is None
        else harvest_forms(glossary, (line.text for line in lines(forms)), target)
    )


def _entries(names: Path) -> Iterator[Entry]:
    """An entry for each line of a file, as it is written there."""
    for line in lines(names):
        if name := line.text.strip():
            yield Entry(
                name, case="exact", do_not_translate=True, place=Place(str(names), line.number)
            )


def _check(name: str, given: str, known: tuple[str, ...]) -> None:
    if given not in known:
        raise UserError(
            f'{name.replace("_", "-")} "{given}" is unknown: write {", ".join(known[:-1])} or'
            f" {known[-1]}."
        )
