"""Many terms sought in a text at once, by keys of their words: what they are without capitals, or their lemmas."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, count, pairwise
from operator import itemgetter
from typing import Generic, TypeAlias, TypeVar

from ahocorasick_rs import AhoCorasick

from gridbeam.words import spans, words

Term = TypeVar("Term")
Hit: TypeAlias = tuple[int, int, list[Term]]
"""The first word of an occurrence, the number of its words, and the terms that have its keys."""
_MARK = "\n"
"""One character that no word holds, nor a lemma, which may have spaces."""


@dataclass(frozen=True)
class Line:
    """A text and its words; where they stand is worked out when it is asked for."""

    text: str

    @cached_property
    def words(self) -> list[str]:
        """The words, in order."""
        return words(self.text)

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """Where each word begins and ends."""
        return spans(self.text, self.words)

    def gaps(self, start: int, size: int) -> list[bool]:
        """Whether white space follows, for each of so many words but the last."""
        places = self.spans[start : start + size]
        return [left[1] < right[0] for left, right in pairwise(places)]


class Index(Generic[Term]):
    """Terms by the keys of their words, found in a text by Aho and Corasick's automaton.

    It reads keys with a mark before and after each, so that it finds whole words and nothing else.

    >>> index = Index([(Line("hard disk"), 1), (Line("Disk"), 2), (Line("disk"), 3)], str.casefold)
    >>> index.found(Line("A hard disk"))
    [(1, 2, [1]), (2, 1, [2, 3])]
    """

    def __init__(self, terms: Iterable[tuple[Line, Term]], key: Callable[[str], str]) -> None:
        self._key = key
        grouped = defaultdict[str, list[Term]](list)
        for line, term in terms:
            grouped[_marked(map(key, line.words))].append(term)
        self._terms = list(grouped.values())
        self._automaton = AhoCorasick(list(grouped))

    def found(self, line: Line) -> list[Hit[Term]]:
        """All occurrences, which may overlap: the leftmost first, then the longest."""
        keys = list(map(self._key, line.words))
        hits = self._automaton.find_matches_as_indexes(_marked(keys), overlapping=True)
        if not hits:
            return []
        # They come in the order of their ends, so this puts the longest of those that begin together first.
        hits.reverse()
        hits.sort(key=itemgetter(1))
        number_at = dict(zip(accumulate([len(key) + 1 for key in keys], initial=0), count(), strict=False))
        return [(number_at[start], number_at[end - 1] - number_at[start], self._terms[term]) for term, start, end in hits]


def _marked(keys: Iterable[str]) -> str:
    return _MARK + _MARK.join(keys) + _MARK
