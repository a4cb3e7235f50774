"""What is asked of the translation of one segment, and on whose account."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypeAlias

from gridbeam.constraints.occurrences import Span
from gridbeam.constraints.terms import AnyOf, Constraint, Phrase
from gridbeam.documents import Segment
from gridbeam.errors import UserError
from gridbeam.files.instructions import Instructions
from gridbeam.glossary.index import TextWords
from gridbeam.glossary.matching import (
    Match,
    Matcher,
    once_a_sentence,
    owed_by_match,
    refuse_contradictions,
)
from gridbeam.glossary.wording import Wording
from gridbeam.markup.guide import Guide, guide_of
from gridbeam.markup.numbers import FoundNumber, NumberStyle, lacking
from gridbeam.markup.protect import Protected, constraints_of, places_of, protect
from gridbeam.markup.shown import as_shown
from gridbeam.text.words import capitalised, folded

Account: TypeAlias = Literal["placeholder", "number", "segment", "everywhere", "term"]
Strictness: TypeAlias = Literal["usual", "numbers", "hidden"]
"""How sure a task makes that all that is not language stays: as the table of kinds says; besides,
all numbers are required; or something short stands for all of it."""
OUR_OWN: frozenset[Account] = frozenset(("placeholder", "number"))
"""On whose account a wish is that no user has made."""


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
    wording: Wording | None = None
    """What a translation says to meet it, where it is what a term requires."""

    def with_compounds_of(self, text: str) -> Wish:
        """The wish that a compound meets as well, where a text has one with the term as a part."""
        if self.wording is None:
            return self
        line = TextWords(text)
        found = [line.words[start] for start, _ in self.wording.compounds(line)]
        return replace(self, constraint=_inflected(self.constraint, found)) if found else self

    @property
    def source_place(self) -> int | Span | None:
        """The place for a `Request`: the stretch if there is one, else the offset."""
        has_stretch = self.stretch is not None and self.stretch[0] < self.stretch[1]
        return self.stretch if has_stretch else self.place


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
    numbers: tuple[FoundNumber, ...] = ()
    """The numbers of its text."""
    strictness: Strictness = "usual"
    is_main: bool = True
    whole_term: str | None = None
    """The translation of a text that is a term of the glossary and nothing else, where nothing else
    is asked of it."""
    guidance: str = ""
    """The translation of its `guide`, once there is one."""

    @cached_property
    def guide(self) -> Guide | None:
        """Its text with pairs of tags shown, if it has pairs that have to be looked for."""
        return guide_of(self.protected)

    @property
    def is_asked(self) -> bool:
        """Whether anybody has asked for something that its translation must say."""
        return any(wish.account not in OUR_OWN for wish in self.wishes)

    @property
    def besides_terms(self) -> list[int]:
        """The numbers of the wishes but those for what terms require."""
        return [number for number, wish in enumerate(self.wishes) if wish.wording is None]

    @property
    def may_be_joined(self) -> bool:
        """Whether a compound may say one of its terms."""
        return any(wish.wording and wish.wording.compounds_in for wish in self.wishes)

    def with_compounds_of(self, text: str) -> Task:
        """The task whose terms may be said by the compounds of a text as well."""
        return replace(self, wishes=tuple(wish.with_compounds_of(text) for wish in self.wishes))

    def lost(self, translated: str) -> list[FoundNumber]:
        """The numbers that are not in a translation of its text."""
        shown = (self.protected.text[each.start : each.end] for each in self.protected.placeholders)
        for each in sorted(set(shown), key=len, reverse=True):
            translated = translated.replace(each, " ; ")
        return lacking(self.numbers, translated)


class Tasks:
    """Makes the task of each segment."""

    def __init__(
        self,
        instructions: Instructions,
        can_write: Callable[[str], bool],
        style: NumberStyle = NumberStyle(),  # noqa: B008
    ) -> None:
        self._style = style
        self._everywhere, self._own, self._can_write = (
            instructions.everywhere,
            instructions.placeholders,
            can_write,
        )
        entries = instructions.glossary.entries
        self._matcher = (
            Matcher(instructions.glossary, lemmas=instructions.lemmas) if entries else None
        )
        self._owes_every_time = instructions.every_time
        self._numbers = {id(entry): number for number, entry in enumerate(entries)}

    def task(
        self, segment: Segment, strictness: Strictness = "usual", *, is_main: bool = True
    ) -> Task:
        """What is asked of the translation of a segment.

        One that is not the main part of a longer text need not say what that must, but for the
        terms it has, and the numbers.
        """
        protected = protect(
            segment.source,
            own=self._own,
            can_write=self._can_write,
            shows_nothing=strictness == "hidden",
            is_term=self._is_term,
        )
        matches = self._matches(protected)
        has_words = protected.has_words(
            (match.start, match.end) for match in matches if match.entry.do_not_translate
        )
        owed = matches if self._owes_every_time else once_a_sentence(matches)
        terms = tuple(TermInSegment(self._numbers[id(match.entry)], match.text) for match in owed)
        numbers = self._numbers_of(protected, matches)
        of_all = (
            *_file_wishes(segment, protected),
            *(
                Wish(as_shown(each, protected), "everywhere")
                for each in self._everywhere
                if has_words
            ),
        )
        wishes = (
            *(
                Wish(each, "placeholder", place=place)
                for each, place in zip(constraints_of(protected), places_of(protected), strict=True)
            ),
            *(_number_wish(each) for each in numbers if strictness == "numbers"),
            *(wish for wish in of_all if is_main or not wish.constraint.role.must_occur),
            *_wishes(owed),
        )
        is_term = len(matches) == 1 and all(wish.account == "term" for wish in wishes)
        is_copied = not has_words and not any(wish.account == "segment" for wish in wishes)
        return Task(
            segment,
            protected,
            terms,
            wishes,
            is_copied,
            _contradiction(matches),
            tuple(numbers),
            strictness,
            is_main,
            _whole_term(protected, matches[0]) if is_term else None,
        )

    def _is_term(self, name: str) -> bool:
        """Whether the glossary says how to translate a name, or a part of it."""
        return self._matcher is not None and bool(self._matcher.match(name))

    def _numbers_of(self, protected: Protected, matches: Sequence[Match]) -> list[FoundNumber]:
        """The numbers of a text that are no part of a placeholder or a term."""
        skipped = [(each.start, each.end) for each in protected.placeholders]
        skipped += [(match.start, match.end) for match in matches]
        return self._style.numbers(protected.text, skipped)

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


def _whole_term(protected: Protected, match: Match) -> str | None:
    """What a text becomes that is this term and nothing else, as the glossary writes it."""
    text, own, wording = protected.text, match.entry.source, match.required
    if wording is None or text.strip() != match.text or folded(own) != folded(match.text):
        return None
    target = wording.texts[0]
    if match.is_in_capitals and match.case == "any" and own != match.text:
        target = target.upper()
    elif match.case != "exact" and match.text == capitalised(own):
        target = target if own == match.text else capitalised(target)
    return text.replace(match.text, target)


def _number_wish(number: FoundNumber) -> Wish:
    forms = [Phrase(form, case="exact", whole_word=True) for form in number.forms]
    return Wish(AnyOf(*forms) if len(forms) > 1 else forms[0], "number", place=number.start)


def _file_wishes(segment: Segment, protected: Protected) -> Iterator[Wish]:
    """What the file requires, with what it is the translation of where the file says so."""
    stretches = segment.stretches or (None,) * len(segment.constraints)
    for each, written in zip(segment.constraints, stretches, strict=True):
        stretch = None if written is None else protected.shown(written)
        place = None if stretch is None else stretch[0]
        yield Wish(as_shown(each, protected), "segment", place=place, stretch=stretch)


def _wishes(matches: Sequence[Match]) -> Iterator[Wish]:
    """What the terms require, and then what they forbid, each text once."""
    for number, each in owed_by_match(matches):
        match = matches[number]
        if each.role.must_occur:
            stretch = match.start, match.end
            yield Wish(each, "term", number, match.start, stretch, match.required)
        else:
            yield Wish(each, "term", number)


def _inflected(constraint: Constraint, forms: Sequence[str]) -> Constraint:
    """What a term requires, with other forms of its first target."""
    if isinstance(constraint, AnyOf):
        first, *others = constraint.alternatives
        return (
            AnyOf(_with_forms(first, forms), *others) if isinstance(first, Phrase) else constraint
        )
    return _with_forms(constraint, forms) if isinstance(constraint, Phrase) else constraint


def _with_forms(phrase: Phrase, forms: Sequence[str]) -> Phrase:
    known = dict.fromkeys((*phrase.inflect, *forms))
    return Phrase(phrase.content, case=phrase.case, inflect=known)


def _contradiction(matches: Sequence[Match]) -> str:
    try:
        refuse_contradictions(matches)
    except UserError as error:
        return str(error)
    return ""
