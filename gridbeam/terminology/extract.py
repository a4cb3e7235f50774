"""Terms of a domain from its parallel text, by normalised PMI (section 4.2 of the paper).

PMI is pointwise mutual information.

An n-gram in a of the N segments on the source side and one in b on the target side, both in j, with
p = a/N, q = b/N and r = j/N, have npmi = log(r / pq) / -log r. For 0 < r < 1 it reaches a threshold
t where

    pq <= r^(1+t)                (1)  multiply by -log r > 0, and take the exponential,
    max(p, q) <= r^t             (2)  divide (1) by min(p, q), which is at least r,
    max(p, q) <= min(p, q)^t     (3)  by (2): for t >= 0 as r <= min(p, q);
                                      for t < 0 the right side is 1 or more anyway.

So (3) must hold, and it speaks of the counts alone: before any pair is counted, it leaves to each
n-gram those with a count in one narrow range. With n-grams in the order of their counts, that range
is one stretch of each segment. (1) then decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple, TypeAlias, Unpack

import numpy as np
from numpy.typing import NDArray

from gridbeam.errors import UserError
from gridbeam.glossary.formats.header import COUNTS
from gridbeam.support.output_files import replacing
from gridbeam.terminology.ngrams import Longs, NGrams, Reader, count
from gridbeam.terminology.options import TERMS, TermKeywords, TermOptions
from gridbeam.text.parallel import aligned

STAGES = ("reading", "source n-grams", "target n-grams", "pairs", "terms")
OnProgress: TypeAlias = Callable[[str, float], None]
"""Told one of the `STAGES` and how much of it is done, from 0 to 1."""

HEADER = ("source", "target", *COUNTS)

ROUNDING = 1e-12
"""How far below the threshold a computed npmi may be: rounding decides nothing."""
_AT_ONCE = 1 << 20
"""About how many candidate pairs are held in memory: few enough for the caches of a processor."""


@dataclass(frozen=True)
class Term:
    """A phrase and its translation."""

    source: str
    target: str
    npmi: float
    source_count: int
    """The number of segments with `source`, whatever their translation says."""
    target_count: int
    joint_count: int
    """The number of segments with both."""
    segment: int
    """The first segment with both, counted from 1: an example."""


def extract(
    source: Path,
    target: Path,
    *,
    progress: OnProgress | None = None,
    options: TermOptions = TERMS,
    **changes: Unpack[TermKeywords],
) -> list[Term]:
    """The n-gram pairs of two aligned files with npmi >= `threshold`, best first.

    Of equally good ones the most frequent comes first. Options are given as keywords, or as one
    value, or both; `TermOptions` says what each means.
    """
    options = options.but(**changes)
    tell = progress or (lambda stage, done: None)
    readers, segments = _read(source, target, tell)
    sides = []
    for stage in STAGES[1:3]:
        tell(stage, 0.0)
        text = readers.pop(0).text(punctuation=options.punctuation, fold_case=options.fold_case)
        sides.append(count(text, options, partial(tell, stage)))
    tell(STAGES[3], 0.0)
    pairs = _pairs(sides[0], sides[1], segments, options.threshold, partial(tell, STAGES[3]))
    tell(STAGES[4], 0.0)
    terms = _terms(sides[0], sides[1], segments, pairs, partial(tell, STAGES[4]))
    return best_first(terms, options)


def best_first(terms: Iterable[Term], options: TermOptions) -> list[Term]:
    """Those translated so often enough, by npmi and joint count, the highest first, then texts."""
    kept = (term for term in terms if options.keeps(term.source_count, term.joint_count))
    return sorted(kept, key=lambda term: (-term.npmi, -term.joint_count, term.source, term.target))


def write(terms: Iterable[Term], path: Path) -> None:
    """Writes terms as tab-separated columns under a `HEADER`, whole or not at all."""
    with replacing(path, "Make room, or choose another file.") as file:
        file.write(("\t".join(HEADER) + "\n").encode())
        for term in terms:
            counts = term.source_count, term.target_count, term.joint_count, term.segment
            row = term.source, term.target, f"{term.npmi:.6f}", *map(str, counts)
            file.write(("\t".join(row) + "\n").encode())


def npmi(joint: Longs, source: Longs, target: Longs, segments: int) -> NDArray[np.float64]:
    """The normalised pointwise mutual information of pairs with these counts.

    >>> npmi(np.array([4, 4]), np.array([4, 4]), np.array([4, 8]), 64).tolist()
    [1.0, 0.75]
    """
    pmi = np.log(joint * segments / (source * target))
    # A pair in every segment divides nothing by nothing: it is 1, as of any two that never stand
    # alone.
    return np.divide(pmi, np.log(segments / joint), out=np.ones_like(pmi), where=joint < segments)


def _read(source: Path, target: Path, tell: OnProgress) -> tuple[list[Reader], int]:
    """Both sides, and the number of segments."""
    tell(STAGES[0], 0.0)
    first, second = readers = [Reader(), Reader()]
    segments = 0
    for one, other in aligned(source, target):
        first.add(one)
        second.add(other)
        segments += 1
    if not segments:
        raise UserError(
            f"{source} and {target} are empty: there is nothing to count. Give files of one segment"
            " a line."
        )
    return readers, segments


class NGramPairs(NamedTuple):
    """Pairs of n-grams: the number of each on its side, and in how many segments they meet."""

    sources: Longs
    targets: Longs
    joint: Longs


def _pairs(
    source: NGrams, target: NGrams, segments: int, threshold: float, tell: Callable[[float], None]
) -> NGramPairs:
    """The pairs that reach the threshold."""
    found = [NGramPairs(*np.zeros((3, 0), np.int64))]
    for some in candidates(
        source, target, *compatible(source.counts, target.counts, segments, threshold), tell
    ):
        pairs = counted(some, len(target))
        scores = npmi(
            pairs.joint, source.counts[pairs.sources], target.counts[pairs.targets], segments
        )
        found.append(NGramPairs(*(column[scores >= threshold - ROUNDING] for column in pairs)))
    return NGramPairs(*map(np.concatenate, zip(*found, strict=True)))


def compatible(
    source: Longs, target: Longs, segments: int, threshold: float
) -> tuple[Longs, Longs]:
    """For each source n-gram the range of target n-grams that (3) leaves to it: first, and end."""
    share = source / segments
    least = share ** (1 / threshold) if threshold > 0 else np.zeros_like(share)
    # Wider than any rounding, and far narrower than from one count to the next.
    low = np.searchsorted(target, least * segments * (1 - 1e-9))
    return low, np.searchsorted(target, share**threshold * segments * (1 + 1e-9), side="right")


def candidates(
    source: NGrams, target: NGrams, low: Longs, high: Longs, tell: Callable[[float], None]
) -> Iterator[Longs]:
    """Every compatible pair of every segment, as the number source * len(target) + target.

    All pairs of a source come at once.
    """
    # One sorted row for all segments: the target n-grams of the first, of the second and so on,
    # each the rarest first.
    row = target.segments(0, len(target)).astype(np.int64) * len(target) + np.repeat(
        np.arange(len(target)), target.counts
    )
    row.sort()
    for first, last in _batches(source.counts, _AT_ONCE):
        tell(first / len(source))
        counts = source.counts[first:last]
        own = np.repeat(np.arange(first, last), counts)
        within = source.segments(first, last)
        before = within.astype(np.int64) * len(target)
        # Searches that go through the row from one end to the other are several times as fast.
        order = np.argsort(within, kind="stable")
        starts, stops = np.empty_like(before), np.empty_like(before)
        starts[order] = np.searchsorted(row, (before + low[own])[order])
        stops[order] = np.searchsorted(row, (before + high[own])[order])
        widths = stops - starts
        ends = np.cumsum(counts)
        for a, b in _batches(np.add.reduceat(widths, ends - counts), _AT_ONCE):
            part = slice(ends[a] - counts[a], ends[b - 1])
            number = np.repeat(own[part] * len(target) - before[part], widths[part])
            yield number + row[_stretches(starts[part], widths[part])]


def _batches(sizes: Longs, limit: int) -> Iterator[tuple[int, int]]:
    """Stretches of one thing, or of as many as stay within the limit together."""
    ends = np.cumsum(sizes)
    first = 0
    while first < len(sizes):
        last = int(np.searchsorted(ends, ends[first] - sizes[first] + limit, side="right"))
        yield first, max(last, first + 1)
        first = max(last, first + 1)


def _stretches(starts: Longs, widths: Longs) -> Longs:
    """The numbers of all stretches, one after the other.

    >>> _stretches(np.array([7, 2]), np.array([3, 2])).tolist()
    [7, 8, 9, 2, 3]
    """
    ends = np.cumsum(widths)
    return np.arange(widths.sum()) + np.repeat(starts - ends + widths, widths)


def counted(candidates: Longs, targets: int) -> NGramPairs:
    """Each pair among candidates, and how often it is there."""
    pairs, joint = np.unique(candidates, return_counts=True)
    return NGramPairs(pairs // max(targets, 1), pairs % max(targets, 1), joint)


def _terms(
    source: NGrams, target: NGrams, segments: int, pairs: NGramPairs, tell: Callable[[float], None]
) -> Iterator[Term]:
    shown = cache(source.shown), cache(target.shown)
    scores = npmi(pairs.joint, source.counts[pairs.sources], target.counts[pairs.targets], segments)
    for done, (x, y, joint, score) in enumerate(
        zip(*(column.tolist() for column in (*pairs, scores)), strict=True)
    ):
        if done % 1000 == 0:
            tell(done / len(scores))
        both = np.intersect1d(source.segments(x), target.segments(y), assume_unique=True)
        counts = int(source.counts[x]), int(target.counts[y]), joint
        yield Term(shown[0](x), shown[1](y), score, *counts, int(both[0]) + 1)
