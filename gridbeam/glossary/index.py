"""Many terms sought in a text at once, by their words in lower case or by their lemmas."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, pairwise
from typing import Generic, TypeAlias, TypeVar

from ahocorasick_rs import AhoCorasick

from gridbeam.errors import UserError
from gridbeam.markup.placeholders import placeholders
from gridbeam.text.words import is_word, spans, typed, words

Sought = TypeVar("Sought")
Hit: TypeAlias = tuple[int, int, list[Sought]]
"""The first word of an occurrence, the number of its words, and the terms that have its keys."""
_UNKNOWN = "\0"
"""Stands for every word that no term has."""


@dataclass(frozen=True)
class TextWords:
    """A text and its words; where they stand is worked out when it is asked for."""

    text: str

    @cached_property
    def words(self) -> list[str]:
        """The words, in order, as `gridbeam.text.words.typed`."""
        return self._written if self.text.isascii() else list(map(typed, self._written))

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """Where each word begins and ends."""
        return spans(self.text, self._written)

    @cached_property
    def is_in_capitals(self) -> bool:
        """Whether it has no small letters, but for placeholders and whatever else is not language.

        >>> TextWords("DELETE %s {name}?").is_in_capitals, TextWords("The US").is_in_capitals
        (True, False)
        """
        found = placeholders(self.text)
        starts, ends = [each.start for each in found], [each.end for each in found]
        between = zip([0, *ends], [*starts, len(self.text)], strict=True)
        return "".join(self.text[end:start] for end, start in between).isupper()

    @cached_property
    def _written(self) -> list[str]:
        return words(self.text)

    def has_literally(self, term: TextWords, start: int) -> bool:
        """Whether the text goes on from a word with that of the term, character by character."""
        return self.text.startswith(term.text, self.spans[start][0])

    def is_spaced_like(self, term: TextWords, start: int) -> bool:
        """Whether the words from `start` on have white space where those of the term do."""
        size = len(term.words)
        return size == 1 or self._gaps(start, size) == term._gaps(0, size)

    def is_joined(self, start: int, end: int) -> bool:
        """Whether a hyphen joins the words from `start` to `end` to another word.

        >>> line = TextWords("disk-based, e-mail - hard-")
        >>> [line.is_joined(*at) for at in ((0, 1), (0, 3), (2, 3), (4, 7), (8, 9))]
        [True, False, True, False, False]
        """
        return self.has_hyphen_before(start) or self.has_hyphen_behind(end)

    def has_hyphen_before(self, start: int) -> bool:
        """Whether a hyphen joins a word to the one before."""
        return self._has_hyphen(start - 1, start - 2)

    def has_hyphen_behind(self, end: int) -> bool:
        """Whether a hyphen joins the word before `end` to the one behind it."""
        return self._has_hyphen(end, end + 1)

    def _has_hyphen(self, place: int, beyond: int) -> bool:
        """Whether a word is a hyphen with nothing but another word on either side of it."""
        if not (min(place, beyond) >= 0 and max(place, beyond) < len(self.words)):
            return False
        if self.words[place] != "-" or not is_word(self.words[beyond]):
            return False
        inner = place + 1 if beyond < place else place - 1
        first, last = sorted((inner, beyond))
        return self.spans[first][1] == self.spans[place][0] and (
            self.spans[place][1] == self.spans[last][0]
        )

    def _gaps(self, start: int, size: int) -> list[bool]:
        """Whether white space follows, for each of so many words but the last."""
        places = self.spans[start : start + size]
        return [left[1] < right[0] for left, right in pairwise(places)]


class TermIndex(Generic[Sought]):
    """Terms by the keys of their words, found in a text by Aho and Corasick's automaton.

    To the automaton a word is one character: it finds whole words and nothing else, and where it
    finds a term is the number of its first word.

    >>> from gridbeam.text.words import folded
    >>> terms = [(TextWords("hard disk"), 1), (TextWords("Disk"), 2), (TextWords("disk"), 3)]
    >>> index = TermIndex(terms, folded)
    >>> index.found(TextWords("A hard disk"))
    [(1, 2, [1]), (2, 1, [2, 3])]
    """

    def __init__(
        self, terms: Iterable[tuple[TextWords, Sought]], key: Callable[[str], str]
    ) -> None:
        characters = defaultdict[str, str](_characters().__next__)  # each new key gets the next one
        grouped = defaultdict[str, list[Sought]](list)
        for line, term in terms:
            grouped["".join(characters[key(word)] for word in line.words)].append(term)
        self.terms = list(grouped.values())
        """Those that have the same keys together."""
        self._automaton = AhoCorasick(list(grouped))
        known = dict(characters)
        self._character = lru_cache(maxsize=1 << 16)(lambda word: known.get(key(word), _UNKNOWN))

    def places(self, line: TextWords) -> list[tuple[int, int, int]]:
        """All occurrences: which of the `terms`, and the first word and the word after the last."""
        return self._automaton.find_matches_as_indexes(
            "".join(map(self._character, line.words)), overlapping=True
        )

    def found(self, line: TextWords) -> list[Hit[Sought]]:
        """All occurrences, which may overlap: the leftmost first, then the longest."""
        places = sorted((start, -end, number) for number, start, end in self.places(line))
        return [(start, -end - start, self.terms[number]) for start, end, number in places]


def _characters() -> Iterator[str]:
    """All characters but surrogates and that of unknown words."""
    yield from map(chr, chain(range(1, 0xD800), range(0xE000, 0x110000)))
    raise UserError(
        "the terms have more than 1,100,000 different words, too many to look for at once. Split"
        " the glossary."
    )
