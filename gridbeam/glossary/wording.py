"""Texts of which any will do in a translation, and where a line has one.

It may stand there as written, or in other forms of its words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gridbeam.constraints.terms import Case
from gridbeam.glossary.index import TermIndex, TextWords
from gridbeam.text.lemmas import has_inner_capitals
from gridbeam.text.words import begins_sentence, capitalised, folded


@dataclass(frozen=True)
class Wording:
    """Texts of which any will do, in the capitals that the case rule allows."""

    texts: tuple[str, ...]
    case: Case = "sentence"

    def places(self, line: TextWords) -> list[tuple[int, int]]:
        """The stretches of words that are one of the texts, from left to right; they may overlap.

        >>> wording = Wording(("Festplatte", "alte Platte"))
        >>> wording.places(TextWords("Alte Platte, Festplatte, Festplatten"))
        [(0, 2), (3, 4)]
        """
        return self._places(line, folded, _is_said)

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
        index = TermIndex([(own, own) for own in map(TextWords, self.texts)], key)
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
