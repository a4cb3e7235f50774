"""A glossary: what a translation must say, or must not, wherever its source says a term.

Plain values; `gridbeam.glossary.formats` reads and writes them, `gridbeam.glossary.matching` finds
them in a text, `gridbeam.glossary.problems` looks for what is wrong with them.

>>> Entry("hard disk", ("Festplatte",), forbidden=("HDD",)).targets
('Festplatte',)
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gridbeam.constraints.terms import CASES, Case
from gridbeam.errors import UserError
from gridbeam.text.words import capitalised, count_of, words

LONGEST = 2_000
"""Characters of a term: no term has more, and what finds them would take seconds over one."""


@dataclass(frozen=True)
class Place:
    """Where an entry was read.

    >>> print(Place("terms.tsv", 14))
    terms.tsv line 14
    """

    file: str
    line: int
    sheet: str | None = None
    """The sheet of a workbook, whose lines are rows."""

    def __str__(self) -> str:
        return (
            f"{self.file} line {self.line}"
            if self.sheet is None
            else f'{self.file} sheet "{self.sheet}" row {self.line}'
        )


@dataclass(frozen=True)
class Entry:
    """A term of the source language, and what is due where it occurs."""

    source: str
    targets: tuple[str, ...] = ()
    """What the translation must say: one of these."""
    forbidden: tuple[str, ...] = ()
    """What it must not say."""
    case: Case = "sentence"
    """Which capitals the source may have to be this term, and those that the translation may
    have."""
    do_not_translate: bool = False
    """Whether the translation must say the source term itself."""
    forms: tuple[str, ...] = ()
    """Other forms of the targets, which will do as well."""
    note: str = ""
    place: Place | None = field(default=None, compare=False)
    exact: bool = False
    """Whether no form of the targets will do but those that are written here."""

    def __post_init__(self) -> None:
        if self.do_not_translate and self.targets == (self.source,):
            object.__setattr__(self, "targets", ())
        if mistake := _mistake(self):
            raise UserError(f"{self.where}: {mistake}")

    @property
    def where(self) -> str:
        """The place of the entry, or else its term, for messages."""
        return f'entry "{self.source}"' if self.place is None else str(self.place)

    @property
    def required(self) -> tuple[str, ...]:
        """Every text that meets the entry; none where it only forbids."""
        return (self.source,) if self.do_not_translate else (*self.targets, *self.forms)

    def forbids(self, text: str) -> str | None:
        """The forbidden text that this one is, by the entry's case rule.

        One that is but a part of it is forbidden elsewhere.
        """
        return next((bad for bad in self.forbidden if _is(text, bad, self.case)), None)

    def requires(self, text: str) -> bool:
        """Whether a text meets the entry, so that it cannot be forbidden."""
        return any(_is(required, text, self.case) for required in self.required)


@dataclass(frozen=True)
class Glossary:
    """Entries of one pair of languages, in the order of their file."""

    entries: tuple[Entry, ...]
    source_language: str | None = None
    target_language: str | None = None
    name: str = "glossary"
    left_out: tuple[str, ...] = field(default=(), compare=False)
    """Columns of its file that a glossary has no use for."""


def times_within(text: str, part: str, case: Case) -> int:
    """How often a text that is more than another says it as whole words, by a case rule.

    >>> [times_within(text, "Mail", "exact") for text in ("E-Mail an E-Mail", "Mails", "Mail")]
    [2, 0, 0]
    """
    if _is(text, part, case):
        return 0
    said = words(text.casefold() if case == "any" else text)
    return max(count_of(own, said) for own in _written(part, case))


def _is(text: str, part: str, case: Case) -> bool:
    return words(text.casefold() if case == "any" else text) in _written(part, case)


def _written(text: str, case: Case) -> list[list[str]]:
    """The words of a text as they may be written; with `any`, without capitals."""
    if case == "any":
        return [words(text.casefold())]
    return [words(text)] + ([words(capitalised(text))] if case == "sentence" else [])


def _mistake(entry: Entry) -> str | None:
    """What makes the entry impossible, and the remedy."""
    if not entry.source.strip():
        return "the source is empty. Write the term to look for, or remove the entry."
    texts = (*entry.targets, *entry.forbidden, *entry.forms)
    if isinstance(entry.targets, str) or not all(
        isinstance(text, str) and text.strip() for text in texts
    ):
        return f'a target, forbidden text or form of "{entry.source}" is empty. Leave it out.'
    if any(len(text) > LONGEST for text in (entry.source, *texts)):
        return (
            f'"{entry.source[:40]}" or a text that belongs to it is longer than {LONGEST:,}'
            " characters. Write a term of a few words, or leave it out."
        )
    if entry.case not in CASES:
        return f'case "{entry.case}" is unknown. Write exact, sentence or any.'
    if entry.do_not_translate and entry.targets:
        return (
            f'"{entry.source}" is not to be translated, and has the target "{entry.targets[0]}".'
            " Remove one of the two."
        )
    if entry.forms and not entry.targets:
        return (
            f'"{entry.source}" has other forms of a target, and no target. Write the target, or'
            " remove the forms."
        )
    if not entry.required and not entry.forbidden:
        return (
            f'"{entry.source}" has no target. Write one, forbid one, or mark the term'
            " do-not-translate."
        )
    for text in entry.required:
        if bad := entry.forbids(text):
            other = "" if text == bad else f', and may be written as "{bad}", which is forbidden'
            what = "required" if other else "both required and forbidden"
            return f'"{text}" is {what}{other}. Remove one of the two.'
    return None
