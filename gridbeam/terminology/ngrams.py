"""Every n-gram of a text that is frequent enough, and the segments it stands in.

An n-gram is the pair of the two (n-1)-grams it begins and ends with, and neither can be rarer than
it is: so each length is counted by sorting pairs of the numbers of the length before, and only
where both were frequent. No hashes: numbers are exact.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gridbeam.terminology.options import Punctuation, TermOptions
from gridbeam.text.marks import ends_sentence, is_mark, pieces, tokens

Ints: TypeAlias = NDArray[np.int32]
Longs: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True)
class NumberedText:
    """Segments as numbers: the tokens of all of them end to end, with a gap before each."""

    forms: list[str]
    """A token as it is written, with a space in front where white space stands before it; the first
    is the gap."""
    written: Ints
    """The form of each token."""
    words: Ints
    """The word of each token, or -1 where no n-gram can go on."""
    segments: Ints
    """The number of the segment of each token, from 0."""
    is_mark: Bools
    """Whether each form is a mark that no n-gram may begin or end with."""


class Reader:
    """Makes a `NumberedText` of segments that are added one by one."""

    def __init__(self) -> None:
        self._forms = {"": 0}
        self._pieces = _FormsOfPieces(self._forms)
        self._written = array("i")

    def add(self, segment: str) -> None:
        """Adds the next segment."""
        self._written.append(0)
        self._written.extend(chain.from_iterable(map(self._pieces.__getitem__, pieces(segment))))

    def text(self, *, punctuation: Punctuation = "inside", fold_case: bool = False) -> NumberedText:
        """All segments that were added."""
        forms, written = list(self._forms), np.frombuffer(self._written, np.int32)
        plain = [form.lstrip() for form in forms]
        marks = np.array([is_mark(token) for token in plain])
        ends = np.array([ends_sentence(token) for token in plain])  # of the gap too
        numbers: dict[str, int] = {}
        folded = (token.casefold() for token in plain) if fold_case else plain
        words = np.array([numbers.setdefault(token, len(numbers)) for token in folded], np.int32)
        words[
            {"inside": ends, "anywhere": np.array(plain) == "", "nowhere": ends | marks}[
                punctuation
            ]
        ] = -1
        segments = np.cumsum(written == 0, dtype=np.int32) - 1
        return NumberedText(
            forms, written, words[written], segments, marks & (punctuation != "anywhere")
        )


class _FormsOfPieces(dict[str, tuple[int, ...]]):
    """The forms of each piece of text between white space, split when it is first asked for."""

    def __init__(self, forms: dict[str, int]) -> None:
        self._forms = forms

    def __missing__(self, piece: str) -> tuple[int, ...]:
        first, *rest = tokens(piece)
        self[piece] = tuple(
            self._forms.setdefault(form, len(self._forms)) for form in (f" {first}", *rest)
        )
        return self[piece]


@dataclass(frozen=True)
class NGrams:
    """N-grams of a text, the rarest first, and of each of them the segments where it stands."""

    text: NumberedText
    sizes: Ints
    """The number of tokens of each."""
    counts: Longs
    """The number of segments with each."""
    bounds: Longs
    """Where the places of each begin in `places`, and after the last where they end."""
    places: Ints
    """For each n-gram, and each of its segments in order, where in the text it first stands
    there."""

    def __len__(self) -> int:
        return len(self.counts)

    def segments(self, first: int, last: int | None = None) -> Ints:
        """The segments of one n-gram, or of several from `first` to before `last`, in turn."""
        last = first + 1 if last is None else last
        return self.text.segments[self.places[self.bounds[first] : self.bounds[last]]]

    def shown(self, number: int) -> str:
        """An n-gram as most of its segments write it.

        Of two forms that are as frequent, the first by alphabet.
        """
        return most_frequent(self.written(number))

    def written(self, number: int) -> Counter[str]:
        """The forms of an n-gram, and how many segments write it so."""
        places = self.places[self.bounds[number] : self.bounds[number + 1], None]
        rows, counts = np.unique(
            self.text.written[places + np.arange(self.sizes[number])], axis=0, return_counts=True
        )
        seen: Counter[str] = Counter()
        for row, count in zip(rows.tolist(), counts.tolist(), strict=True):
            seen["".join(self.text.forms[form] for form in row).lstrip()] += count
        return seen


def most_frequent(forms: Counter[str]) -> str:
    """The form that most segments have, of several the first by alphabet."""
    return min(forms, key=lambda form: (-forms[form], form))


def count(
    text: NumberedText, options: TermOptions, progress: Callable[[float], None] = lambda done: None
) -> NGrams:
    """The n-grams of a text that may be terms."""
    at = text.words
    lengths: list[NGramLength] = []
    longest = options.max_words + options.whole
    while len(lengths) < longest and (not lengths or len(lengths[-1].counts)):
        progress(len(lengths) / longest)
        length, at = _frequent(at, text, options.min_count, lengths[-1] if lengths else None)
        lengths.append(length)
    return _rarest_first(text, _chosen(lengths, text, options))


@dataclass(frozen=True)
class NGramLength:
    """The frequent n-grams of one length, numbered from 0."""

    counts: Longs
    places: Ints
    """Where each first stands in each of its segments."""
    begins: Longs
    """The number of the n-gram of the length before that each begins with."""
    ends: Longs
    """The number of the one that it ends with."""


def _frequent(
    at: Ints, text: NumberedText, min_count: int, shorter: NGramLength | None
) -> tuple[NGramLength, Ints]:
    """The frequent n-grams that are one token longer, and which of them begins at each token.

    `at` says which of the shorter ones begins at each token, or -1. Without any, n-grams are words,
    and `at` says which.
    """
    places = np.flatnonzero((at[:-1] >= 0) & (at[1:] >= 0) if shorter else at >= 0).astype(np.int32)
    base = len(shorter.counts) if shorter else 1
    keys = at[places] * np.int64(base) + (at[places + 1] if shorter else 0)
    order = np.argsort(keys, kind="stable")
    keys, places = keys[order], places[order]
    del order
    is_new = differs(keys)
    is_first = is_new | differs(text.segments[places])
    starts = np.flatnonzero(is_new)
    sizes = np.diff(starts, append=len(keys))
    counts = np.diff(np.append(0, np.cumsum(is_first))[np.append(starts, len(keys))])
    is_frequent = counts >= min_count
    stays = np.repeat(is_frequent, sizes)
    longer = np.full(len(at), -1, np.int32)
    longer[places[stays]] = np.repeat(
        np.arange(is_frequent.sum(), dtype=np.int32), sizes[is_frequent]
    )
    kept = keys[starts[is_frequent]]
    return NGramLength(
        counts[is_frequent], places[is_first & stays], kept // base, kept % base
    ), longer


def differs(values: Longs | Ints) -> Bools:
    """Whether each value differs from the one before; the first does."""
    found = np.ones(len(values), np.bool_)
    found[1:] = values[1:] != values[:-1]
    return found


def _chosen(
    lengths: list[NGramLength], text: NumberedText, options: TermOptions
) -> Iterator[tuple[int, Longs, Ints]]:
    """For each length, longest first: its size, the counts and places of the n-grams wanted."""
    is_within = np.zeros(len(lengths[-1].counts), np.bool_)
    for size, length in zip(range(len(lengths), 0, -1), reversed(lengths), strict=True):
        starts = length.places[np.cumsum(length.counts) - length.counts]
        is_term = ~(
            text.is_mark[text.written[starts]] | text.is_mark[text.written[starts + size - 1]]
        )
        stays = (
            is_term & ~is_within
            if options.min_words <= size <= options.max_words
            else np.zeros_like(is_term)
        )
        yield size, length.counts[stays], length.places[np.repeat(stays, length.counts)]
        if size > 1:
            folds = options.fold if size <= options.max_words else options.whole
            is_within = parts_as_frequent(length, lengths[size - 2], is_within | (is_term & folds))


def parts_as_frequent(length: NGramLength, shorter: NGramLength, which: Bools) -> Bools:
    """Which of the shorter n-grams are part of one of these longer ones and have the same count.

    An n-gram between two of the same count has it too, so that one step at a time leads to all
    parts.
    """
    found = np.zeros(len(shorter.counts), np.bool_)
    for part in (length.begins, length.ends):
        found[part[which & (length.counts == shorter.counts[part])]] = True
    return found


def _rarest_first(text: NumberedText, chosen: Iterable[tuple[int, Longs, Ints]]) -> NGrams:
    found = [
        (np.full(len(counts), size, np.int32), counts, places) for size, counts, places in chosen
    ]
    sizes, counts, places = (np.concatenate(column) for column in zip(*found, strict=True))
    order = np.argsort(counts, kind="stable")
    before, bounds = (np.append(0, np.cumsum(sorted_)) for sorted_ in (counts, counts[order]))
    moves = np.repeat(before[order] - bounds[:-1], counts[order])
    return NGrams(text, sizes[order], counts[order], bounds, places[np.arange(len(places)) + moves])
