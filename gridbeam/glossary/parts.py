"""Words of the source that contain a term as a part, where the language writes it so.

Beside a hyphen a part is a term in German and its relatives, as Datei is in XML-Datei, and in
English, where disk-based is about a disk, but up-to-date about no date: there all parts must be
words that mean something. In other languages words with hyphens are words of their own. A German
compound is about its first and its last part, whole words both.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache

from gridbeam.glossary.entries import Entry
from gridbeam.glossary.index import TextWords
from gridbeam.text.languages import language
from gridbeam.text.wordforms import compound_parts, is_part, writes_compounds
from gridbeam.text.words import is_word, words

_PARTICLES = """
a about after all and anti around art as at away back before between by co de down ex for from
in inter into it like mid mini multi non not of off on or out over per post pre re self semi so
sub super the through time to under un up via well with
"""
"""English words and beginnings of words that make a word with a hyphen mean something else."""
_LEAST = {"en": 3}
"""How many letters each other part of an English word has; elsewhere two will do."""


def counts_beside_hyphen(line: TextWords, start: int, end: int, code: str | None) -> bool:
    """Whether the words from `start` to `end`, part of a word with hyphens, are still a term.

    >>> line = TextWords("disk-based, to-disk")
    >>> counts_beside_hyphen(line, 0, 1, "en"), counts_beside_hyphen(line, 6, 7, "en")
    (True, False)
    """
    if code is None or not (language(code) == "en" or writes_compounds(code)):
        return False
    others = [word for word in _joined(line, start, end) if is_word(word)]
    least = _LEAST.get(language(code), 2)
    return all(len(word) >= least and word.isalpha() for word in others) and (
        language(code) != "en" or _particles().isdisjoint(word.lower() for word in others)
    )


@cache
def _particles() -> frozenset[str]:
    return frozenset(_PARTICLES.split())


def _joined(line: TextWords, start: int, end: int) -> Iterator[str]:
    """The words that hyphens join to those from `start` to `end`."""
    while line.has_hyphen_before(start):
        start -= 2
        yield line.words[start]
    while line.has_hyphen_behind(end):
        yield line.words[end + 1]
        end += 2


class Compounds:
    """Terms of one word, sought as the first or last part of compounds."""

    def __init__(
        self, entries: Iterable[Entry], code: str | None, lemma: Callable[[str], str]
    ) -> None:
        self._code, self._lemma = code or "", lemma
        self._terms: dict[str, list[Entry]] = {}
        for entry in entries:
            said = words(entry.source)
            if len(said) == 1 and entry.case != "exact":
                self._terms.setdefault(lemma(said[0]), []).append(entry)

    def found(self, line: TextWords, taken: Collection[int]) -> Iterator[tuple[int, list[Entry]]]:
        """The words that are such compounds but no terms themselves, and the terms they have."""
        for place, word in enumerate(line.words):
            if place not in taken and (entries := self._within(word)):
                yield place, entries

    def _within(self, word: str) -> list[Entry]:
        for part in compound_parts(word, self._code):
            entries = self._terms.get(self._lemma(part), [])
            if entries and is_part(part, word, self._code):
                return entries
        return []
