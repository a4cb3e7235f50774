"""What is asked of the translation of one segment, and on whose account."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from gridbeam.constraints.occurrences import Span
from gridbeam.constraints.terms import Constraint
from gridbeam.documents import Segment
from gridbeam.errors import UserError
from gridbeam.files.instructions import Instructions
from gridbeam.glossary.matching import Match, Matcher, owed_by_match, refuse_contradictions
from gridbeam.markup.protect import Protected, constraints_of, places_of, protect

Account: TypeAlias = Literal["placeholder", "segment", "everywhere", "term"]


@dataclass(frozen=True)
class TermInSegment:
    """A term of the glossary in a segment: the number of its entry, and how the segment says it."""

    entry: int
    text: str


@dataclass(frozen=True)
class Wish:
    """A constraint, and on whose account it is there."""

    constraint: Constraint
    account: Account
    term: int | None = None
    """Which of the task's terms it belongs to."""
    place: int | None = None
    """Where in the text that term is, or that placeholder, or what else it is the translation
    of."""
    stretch: Span | None = None
    """The characters of the text that it is the translation of."""


@dataclass(frozen=True)
class Task:
    """A segment, its text as the model should see it, and what its translation must say."""

    segment: Segment
    protected: Protected
    terms: tuple[TermInSegment, ...]
    wishes: tuple[Wish, ...]
    """Those that weigh most first: placeholders, what the file says, what holds everywhere, the
    glossary."""
    is_copied: bool
    """Whether there is nothing to translate in it, and nothing that it must say."""
    contradiction: str = ""
    """Why the terms cannot all be met, where that is plain from the glossary."""


class Tasks:
    """Makes the task of each segment."""

    def __init__(self, instructions: Instructions, can_write: Callable[[str], bool]) -> None:
        self._everywhere, self._own, self._can_write = (
            instructions.everywhere,
            instructions.placeholders,
            can_write,
        )
        entries = instructions.glossary.entries
        self._matcher = (
            Matcher(instructions.glossary, lemmas=instructions.lemmas) if entries else None
        )
        self._numbers = {id(entry): number for number, entry in enumerate(entries)}

    def task(self, segment: Segment) -> Task:
        """What is asked of the translation of a segment."""
        protected = protect(segment.source, own=self._own, can_write=self._can_write)
        matches = self._matches(protected)
        has_words = _has_words(protected, matches)
        terms = tuple(
            TermInSegment(self._numbers[id(match.entry)], match.text) for match in matches
        )
        wishes = (
            *(
                Wish(each, "placeholder", place=place)
                for each, place in zip(constraints_of(protected), places_of(protected), strict=True)
            ),
            *_file_wishes(segment, protected),
            *(Wish(each, "everywhere") for each in self._everywhere if has_words),
            *_wishes(matches),
        )
        is_copied = not has_words and not any(wish.account == "segment" for wish in wishes)
        return Task(segment, protected, terms, wishes, is_copied, _contradiction(matches))

    def _matches(self, protected: Protected) -> list[Match]:
        """The terms of a text, but for those within a placeholder."""
        found = [] if self._matcher is None else self._matcher.match(protected.text)
        return [
            match
            for match in found
            if all(
                match.end <= each.start or each.end <= match.start
                for each in protected.placeholders
            )
        ]


def _has_words(protected: Protected, matches: Sequence[Match]) -> bool:
    """Whether anything is left to translate, besides placeholders and names."""
    spans = [(each.start, each.end) for each in protected.placeholders]
    spans += [(match.start, match.end) for match in matches if match.entry.do_not_translate]
    left, done = "", 0
    for start, end in sorted(spans):
        left, done = left + protected.text[done:start], end
    return any(map(str.isalpha, left + protected.text[done:]))


def _file_wishes(segment: Segment, protected: Protected) -> Iterator[Wish]:
    """What the file requires, with what it is the translation of where the file says so."""
    stretches = segment.stretches or (None,) * len(segment.constraints)
    for each, written in zip(segment.constraints, stretches, strict=True):
        stretch = None if written is None else protected.shown(written)
        yield Wish(each, "segment", place=None if stretch is None else stretch[0], stretch=stretch)


def _wishes(matches: Sequence[Match]) -> Iterator[Wish]:
    """What the terms require, and then what they forbid, each text once."""
    for number, each in owed_by_match(matches):
        match = matches[number]
        if each.role.must_occur:
            yield Wish(each, "term", number, match.start, (match.start, match.end))
        else:
            yield Wish(each, "term", number)


def _contradiction(matches: Sequence[Match]) -> str:
    try:
        refuse_contradictions(matches)
    except UserError as error:
        return str(error)
    return ""
