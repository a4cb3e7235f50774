"""Which words of two languages go together: IBM model 1 in both directions (Brown et al., 1993).

Each text is a set of words. The strength of a pair of words is the geometric mean of the chance of
either given the other, so that neither a word that is everywhere nor a rare one that goes with
whatever stood beside it is strong.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_ROUNDS = 6
_WEAKEST = 0.1
_LEAST = 2
"""In how many pairs of texts two words must be together."""

Strengths = dict[str, dict[str, float]]
"""For each target word the source words that it goes with, and how strongly."""
Numbers = NDArray[np.int64]


def strengths(texts: Iterable[tuple[set[str], set[str]]]) -> Strengths:
    """How strongly words go together in pairs of texts."""
    met = _meetings(texts)
    cells, cell_of, counts = np.unique(
        met.source * len(met.target_words) + met.target, return_inverse=True, return_counts=True
    )
    source, target = np.divmod(cells, len(met.target_words))
    forth = _chances(cell_of, source, met.text * len(met.target_words) + met.target)
    back = _chances(cell_of, target, met.text * len(met.source_words) + met.source)
    strong = np.sqrt(forth * back)
    found = defaultdict[str, dict[str, float]](dict)
    for cell in np.flatnonzero((strong >= _WEAKEST) & (counts >= _LEAST)):
        word, other = met.target_words[target[cell]], met.source_words[source[cell]]
        found[word][other] = round(float(strong[cell]), 3)
    return dict(found)


@dataclass(frozen=True)
class _Meetings:
    """Every two words that are in a pair of texts: the pair's number, and theirs."""

    text: Numbers
    source: Numbers
    target: Numbers
    source_words: list[str]
    target_words: list[str]


def _meetings(texts: Iterable[tuple[set[str], set[str]]]) -> _Meetings:
    numbers: tuple[dict[str, int], dict[str, int]] = ({}, {})
    columns: list[list[Numbers]] = [[], [], []]
    for number, pair in enumerate(texts):
        source, target = (
            np.array([known.setdefault(word, len(known)) for word in sorted(words)], dtype=np.int64)
            for known, words in zip(numbers, pair, strict=True)
        )
        size = len(source) * len(target)
        columns[0].append(np.full(size, number, dtype=np.int64))
        columns[1].append(np.repeat(source, len(target)))
        columns[2].append(np.tile(target, len(source)))
    return _Meetings(*map(np.concatenate, columns), *map(list, numbers))


def _chances(cell_of: Numbers, given: Numbers, place: Numbers) -> NDArray[np.float64]:
    """For each cell the chance of its one word, given its other, by expectation maximisation.

    `given` is the other word of a cell; `place` says which word of which text a meeting explains.
    """
    _, group = np.unique(place, return_inverse=True)
    chances = np.ones(len(given))
    for _ in range(_ROUNDS):
        now = chances[cell_of]
        shares = now / np.bincount(group, now)[group]
        counts = np.bincount(cell_of, shares, minlength=len(given))
        chances = counts / np.bincount(given, counts)[given]
    return chances
