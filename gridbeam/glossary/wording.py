"""Texts of which any will do in a translation, and where a line says one.

This is the one rule of what counts as said, for the constraints, the checks, the scores and the
reports: a line says a text where its words stand, whole and in allowed capitals, be they joined to
others by hyphens; with the lemmas of its words instead where a score asks for that; and, for texts
that may be inflected in a language that writes compounds as one word, where a compound has a text
as its first or last part (`gridbeam.text.wordforms.is_part`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gridbeam.constraints.terms import Case
from gridbeam.glossary.index import TermIndex, TextWords
from gridbeam.text.lemmas import has_inner_capitals
from gridbeam.text.wordforms import is_part
from gridbeam.text.words import WordRange, begins_sentence, capitalised, folded


@dataclass(frozen=True)
class Wording:
    """Texts of which any will do, in the capitals that the case rule allows."""

    texts: tuple[str, ...]
    case: Case = "sentence"
    inflected: tuple[str, ...] = ()
    """Inflected forms of them, which will do as well."""
    compounds_in: str | None = None
    """A language whose compounds will do where they have one of the texts as a part, or none."""

    @property
    def as_written(self) -> Wording:
        """The same texts without their inflected forms, and not in compounds."""
        return Wording(self.texts, self.case)

    @property
    def forms(self) -> tuple[str, ...]:
        """The texts and their inflected forms."""
        return (*self.texts, *self.inflected)

    def places(self, line: TextWords) -> list[tuple[int, int]]:
        """The stretches of words that say one of the texts, from left to right; they may overlap.

        >>> wording = Wording(("Festplatte", "alte Platte"))
        >>> wording.places(TextWords("Alte Platte, Festplatte, Festplatten"))
        [(0, 2), (3, 4)]
        """
        whole = self._places(line, folded, _is_said)
        return sorted({*whole, *self.compounds(line)}) if self.compounds_in else whole

    def compounds(self, line: TextWords) -> list[WordRange]:
        """The compounds of a line that have one of the texts as a part.

        >>> wording = Wording(("Festplatte",), inflected=("Festplatten",), compounds_in="de")
        >>> wording.compounds(TextWords("Festplattenspeicher und Festplatten"))
        [(0, 1)]
        """
        code = self.compounds_in
        if code is None:
            return []
        return [
            (place, place + 1)
            for place, word in enumerate(line.words)
            if word not in self.forms and any(is_part(text, word, code) for text in self.forms)
        ]

    def inflected_places(
        self, line: TextWords, lemma: Callable[[str], str]
    ) -> list[tuple[int, int]]:
        """The stretches of words that have the lemmas of one of the texts."""
        return self._places(line, lemma, _is_said_in_other_forms)

    def _places(
        self,
        line: TextWords,
        key: Callable[[str], str],
        fits: Callable[[TextWords, Case, TextWords, int], bool],
    ) -> list[tuple[int, int]]:
        index = TermIndex([(own, own) for own in map(TextWords, self.forms)], key)
        return [
            (start, start + size)
            for start, size, terms in index.found(line)
            if any(fits(term, self.case, line, start) for term in terms)
        ]


def _is_said(term: TextWords, case: Case, line: TextWords, start: int) -> bool:
    """Whether the words at `start`, those of a text in some capitals, have allowed capitals."""
    if line.has_literally(term, start):
        return True
    own = term.words
    said = line.words[start : start + len(own)]
    if case != "any" and said != own:
        is_capital = said == [capitalised(own[0]), *own[1:]]
        if not (
            case == "sentence" and is_capital and begins_sentence(line.text, line.spans[start][0])
        ):
            return False
    return line.is_spaced_like(term, start)


def _is_said_in_other_forms(term: TextWords, case: Case, line: TextWords, start: int) -> bool:
    """Whether the words at `start`, which have the lemmas of a text, have allowed capitals.

    Words with capitals inside, such as PC, are no others than they are written.
    """
    if not line.is_spaced_like(term, start):
        return False
    if case == "any":
        return True
    own = term.words
    said = line.words[start : start + len(own)]
    if not all(map(_alike, own[1:], said[1:])):
        return False
    if _alike(own[0], said[0]):
        return True
    may_rise = case == "sentence" and begins_sentence(line.text, line.spans[start][0])
    return may_rise and _alike(capitalised(own[0]), said[0])


def _alike(own: str, said: str) -> bool:
    if has_inner_capitals(own) or has_inner_capitals(said):
        return own == said
    return own[:1].isupper() == said[:1].isupper()
