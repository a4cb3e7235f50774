"""How well translations use terms, after the WMT21 terminology task; docs/score.md defines it.

Every measure is a ratio of sums over segments, so that it can be resampled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from itertools import product
from operator import itemgetter

import numpy as np

import gridbeam
from gridbeam.evaluation.due import Due, DueTerms
from gridbeam.evaluation.resampling import Parts
from gridbeam.evaluation.term_edits import term_edit_rate
from gridbeam.glossary.index import TextWords
from gridbeam.glossary.wording import Wording
from gridbeam.text.lemmas import dictionary_of, has_lemmas, lemmatizer
from gridbeam.text.words import WordRange, is_word

_WINDOWS = (2, 3)


@dataclass(frozen=True)
class TermScore:
    """A measure of how terms are used: each segment's part of the numerator and denominator."""

    name: str
    parts: Parts
    signature: str
    is_count: bool
    """Whether things are counted, so many of so many, and not averaged."""


def term_scores(
    texts: Sequence[str], references: Sequence[str], terms: DueTerms
) -> list[TermScore]:
    """All measures of the terms in some texts: by lemma too, where the language has lemmas."""
    said = [
        _ScoredSegment(due, TextWords(text), TextWords(reference))
        for due, text, reference in zip(terms.segments, texts, references, strict=True)
    ]
    segments = [replace(each, due=each.due.as_written) for each in said]
    found = [_measured("terms exact", _exact, segments, is_count=True)]
    if terms.language is not None and has_lemmas(terms.language):
        by_lemma = partial(_by_lemma, lemma=lemmatizer(terms.language, "target"))
        known = lemmas_signature(terms.language)
        found.append(_measured("terms by lemma", by_lemma, segments, known, is_count=True))
    if any(each.due != each.due.as_written for each in said):
        found.append(_measured("terms said", _exact, said, "lemmas:forms", is_count=True))
    if any(due.forbidden for due in terms.segments):
        found.append(_measured("forbidden said", _forbidden, segments, is_count=True))
    found += [
        _measured(f"window {size}", partial(_window_overlap, size=size), segments)
        for size in _WINDOWS
    ]
    return [*found, _measured("1 - TERm", _edited, segments)]


def lemmas_signature(language: str) -> str:
    """The part of a signature that says which dictionary lemmas are from."""
    return f"lemmas:simplemma-{version('simplemma')}-{dictionary_of(language)}"


@dataclass(frozen=True)
class _ScoredSegment:
    due: Due
    said: TextWords
    reference: TextWords

    @property
    def groups(self) -> Counter[Wording]:
        """How often each wording is due."""
        return Counter(self.due.required)


def _measured(
    name: str,
    measure: Callable[[_ScoredSegment], tuple[float, float]],
    segments: Iterable[_ScoredSegment],
    how: str = "lemmas:no",
    *,
    is_count: bool = False,
) -> TermScore:
    parts = np.array([measure(segment) for segment in segments], dtype=np.float64)
    return TermScore(
        name, parts, f"nrefs:1|tok:words|{how}|version:gridbeam-{gridbeam.__version__}", is_count
    )


def _exact(segment: _ScoredSegment) -> tuple[float, float]:
    met = sum(
        min(times, len(disjoint(wording.places(segment.said))))
        for wording, times in segment.groups.items()
    )
    return met, len(segment.due.required)


def _by_lemma(segment: _ScoredSegment, lemma: Callable[[str], str]) -> tuple[float, float]:
    met = 0
    for wording, times in segment.groups.items():
        places = {*wording.places(segment.said), *wording.inflected_places(segment.said, lemma)}
        met += min(times, len(disjoint(places)))
    return met, len(segment.due.required)


def _forbidden(segment: _ScoredSegment) -> tuple[float, float]:
    """How many forbidden texts are said, but for where they are part of what is required."""
    covered = [place for wording in segment.groups for place in wording.places(segment.said)]
    said = [
        any(not _is_within(place, covered) for place in wording.places(segment.said))
        for wording in segment.due.forbidden
    ]
    return sum(said), len(said)


def _is_within(place: WordRange, others: Iterable[WordRange]) -> bool:
    return any(start <= place[0] and place[1] <= end for start, end in others)


def disjoint(places: Iterable[WordRange]) -> list[WordRange]:
    """As many of some stretches as possible that do not overlap, from left to right.

    >>> disjoint([(0, 2), (1, 3), (2, 4)])
    [(0, 2), (2, 4)]
    """
    chosen: list[WordRange] = []
    for start, end in sorted(places, key=itemgetter(1)):
        if not chosen or start >= chosen[-1][1]:
            chosen.append((start, end))
    return chosen


def _said_by_reference(segment: _ScoredSegment) -> dict[Wording, list[WordRange]]:
    """Where the reference says what is due, no more often than it is due."""
    found = {
        wording: disjoint(wording.places(segment.reference))[:times]
        for wording, times in segment.groups.items()
    }
    return {wording: places for wording, places in found.items() if places}


def _window_overlap(segment: _ScoredSegment, size: int) -> tuple[float, float]:
    """The mean overlap of the windows around terms in text and reference.

    For a segment whose reference has any.
    """
    overlaps: list[float] = []
    in_reference = _said_by_reference(segment)
    for wording, theirs in in_reference.items():
        ours = [_window(segment.said, place, size) for place in wording.places(segment.said)]
        overlaps += _best_pairs([_window(segment.reference, place, size) for place in theirs], ours)
    return sum(overlaps) / max(len(overlaps), 1), float(bool(in_reference))


def _window(line: TextWords, place: WordRange, size: int) -> Counter[str]:
    """So many words before a stretch and as many after it; marks do not count."""
    start, end = place
    before = [word for word in line.words[:start] if is_word(word)][-size:]
    after = [word for word in line.words[end:] if is_word(word)][:size]
    return Counter([*before, *after])


def _best_pairs(theirs: Sequence[Counter[str]], ours: Sequence[Counter[str]]) -> list[float]:
    """The overlaps of windows paired one to one, those that overlap most first."""
    overlaps = {
        (their, our): (theirs[their] & ours[our]).total() / max(theirs[their].total(), 1)
        for their, our in product(range(len(theirs)), range(len(ours)))
    }
    chosen: dict[tuple[int, int], float] = {}
    for pair in sorted(overlaps, key=lambda pair: -overlaps[pair]):
        if all(pair[0] != their and pair[1] != our for their, our in chosen):
            chosen[pair] = overlaps[pair]
    return list(chosen.values())


def _edited(segment: _ScoredSegment) -> tuple[float, float]:
    of_terms = {
        word
        for places in _said_by_reference(segment).values()
        for start, end in places
        for word in range(start, end)
    }
    return 1 - term_edit_rate(segment.said.words, segment.reference.words, of_terms), 1
