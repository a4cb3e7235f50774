"""The same counting in chunks that are on disk, for text that no memory holds.

Each step reads one chunk, and leaves a sorted run of keys and counts; runs are merged a little at a
time. What is frequent gets numbers that all chunks share, in tables: the only thing that grows with
the text and is held in memory. Counts are sums, so that they are those of the whole text.
"""

from __future__ import annotations

import heapq
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import BinaryIO, Literal, TypeAlias

import numpy as np

from gridbeam.terminology.extract import candidates, compatible, counted
from gridbeam.terminology.ngrams import (
    Bools,
    Ints,
    Longs,
    NGramLength,
    NGrams,
    NumberedText,
    Reader,
    differs,
    parts_as_frequent,
)
from gridbeam.terminology.options import TermOptions
from gridbeam.text.marks import is_mark

TextSide: TypeAlias = Literal["source", "target"]
SIDES: tuple[TextSide, TextSide] = ("source", "target")
_AT_ONCE = 1 << 20
"""How many keys are merged at a time."""
_MOST_OPEN = 200
"""How many files are read from at a time; systems let a process have a thousand or less."""
_NONE: Longs = np.zeros(0, np.int64)


@dataclass(frozen=True)
class ChunkedTerms:
    """What is counted, and the folder where it is done."""

    folder: Path
    options: TermOptions

    @property
    def longest(self) -> int:
        """The most words of an n-gram that is counted."""
        return self.options.max_words + self.options.whole

    def table(self, side: TextSide, length: int) -> Path:
        """Where the frequent n-grams of a length are."""
        return self.folder / f"{side}-{length}.npy"

    def words(self, side: TextSide) -> Path:
        """Where the frequent words are."""
        return self.folder / f"{side}.json"

    def chosen(self, side: TextSide) -> Path:
        """Where the numbers and counts of the n-grams are that may be terms."""
        return self.folder / f"{side}-chosen.npz"


@dataclass(frozen=True)
class TextChunk:
    """A stretch of the segments, and what is on disk of it."""

    terms: ChunkedTerms
    number: int
    first: int
    """How many segments are before it."""

    @property
    def text(self) -> Path:
        """Where its segments are, a pair in a line of JSON."""
        return self._path("text")

    def run(self, side: TextSide | None, length: int) -> Path:
        """Where its n-grams of a length are with their counts; without a side, its pairs."""
        return self._path(f"{side or 'pairs'}-{length}.run")

    def read(self) -> None:
        """Numbers the words of both sides, and counts them."""
        readers = [Reader(), Reader()]
        with self.text.open(encoding="utf8") as lines:
            for line in lines:
                for reader, text in zip(readers, json.loads(line), strict=True):
                    reader.add(text)
        for side, reader in zip(SIDES, readers, strict=True):
            text = reader.text(
                punctuation=self.terms.options.punctuation, fold_case=self.terms.options.fold_case
            )
            self._keep(side, text)

    def grow(self, side: TextSide, length: int) -> None:
        """Counts the n-grams of a length, of those one shorter that are frequent in all chunks."""
        at = self._numbered(side, length - 1)
        np.save(self._path(f"{side}-{length - 1}.at.npy"), at)
        places = np.flatnonzero((at[:-1] >= 0) & (at[1:] >= 0))
        base = _length_of(self.terms, side, length - 1)
        keys = _keys(at, places, base)
        _write_run(self.run(side, length), *_counts(self._segments(side), places, keys))

    def pair(self, segments: int) -> None:
        """Counts the compatible pairs of n-grams that may be terms."""
        tables = [_Chosen.of(self.terms, side) for side in SIDES]
        own = [self.ngrams(side) for side in SIDES]
        (source, own_sources), (target, own_targets) = own
        low, high = compatible(
            tables[0].counts, tables[1].counts, segments, self.terms.options.threshold
        )
        low = np.searchsorted(own_targets, low[own_sources])
        high = np.searchsorted(own_targets, high[own_sources])

        def parts() -> Iterator[tuple[Longs, Longs]]:
            """All pairs of some sources at a time, these in order: so the keys rise."""
            if len(source) and len(target):
                for some in candidates(source, target, low, high, lambda done: None):
                    found = counted(some, len(target))
                    ours = own_sources[found.sources] * len(tables[1].counts)
                    yield ours + own_targets[found.targets], found.joint

        _write_long_run(self.run(None, 0), parts())

    def ngrams(self, side: TextSide) -> tuple[NGrams, Longs]:
        """The n-grams of this chunk that may be terms, and their numbers among those of all."""
        table = _Chosen.of(self.terms, side)
        numbers, places = [_NONE], [_NONE]
        for length in range(1, len(table.numbers) + 1):
            at = self._at(side, length)
            here = np.flatnonzero(at >= 0)
            found = table.numbers[length - 1][at[here]]
            numbers.append(found[found >= 0])
            places.append(here[found >= 0])
        every, where = np.concatenate(numbers), np.concatenate(places)
        order = np.lexsort((where, every))
        every, where = every[order], where[order]
        segments = self._segments(side)
        is_first = differs(every) | differs(segments[where])
        every, where = every[is_first], where[is_first]
        starts = np.flatnonzero(differs(every))
        text = self._text(side)
        sizes = table.sizes[every[starts]]
        bounds = np.append(starts, len(every))
        counts = np.diff(bounds)
        return NGrams(text, sizes, counts, bounds, where.astype(np.int32)), every[starts]

    def examples(self, pairs: Longs) -> ChunkExamples:
        """How this chunk writes the n-grams of pairs, and where it first has each of them."""
        (source, own_sources), (target, own_targets) = (self.ngrams(side) for side in SIDES)
        is_here = np.isin(pairs[:, 0], own_sources) & np.isin(pairs[:, 1], own_targets)
        firsts = {}
        for x, y in pairs[is_here].tolist():
            i, j = _place(own_sources, x), _place(own_targets, y)
            if i is not None and j is not None:
                both = np.intersect1d(source.segments(i), target.segments(j), assume_unique=True)
                if len(both):
                    firsts[x, y] = self.first + int(both[0]) + 1
        forms = tuple(
            {
                number: ngrams.written(place)
                for number in np.unique(column).tolist()
                if (place := _place(own, number)) is not None
            }
            for ngrams, own, column in (
                (source, own_sources, pairs[:, 0]),
                (target, own_targets, pairs[:, 1]),
            )
        )
        return ChunkExamples(firsts, forms[0], forms[1])

    def _keep(self, side: TextSide, text: NumberedText) -> None:
        path = self._path(f"{side}.forms")
        path.write_text(json.dumps(text.forms), encoding="utf8")
        np.save(self._path(f"{side}.written.npy"), text.written)
        np.save(self._path(f"{side}.marks.npy"), text.is_mark)
        places = np.flatnonzero(text.words >= 0)
        keys, counts = _counts(text.segments, places, text.words[places].astype(np.int64))
        some = np.full(int(text.words.max()) + 1 if len(text.words) else 0, -1, np.int64)
        some[text.words[places]] = text.written[places]
        tokens = [self._token(text.forms[some[key]]) for key in keys.tolist()]
        rows = sorted(zip(tokens, counts.tolist(), strict=True))
        with self.run(side, 1).open("w", encoding="utf8") as file:
            file.writelines(f"{json.dumps(row)}\n" for row in rows)

    def _token(self, form: str) -> str:
        token = form.lstrip()
        return token.casefold() if self.terms.options.fold_case else token

    def _numbered(self, side: TextSide, length: int) -> Longs:
        """Which frequent n-gram of a length begins at each token, or -1."""
        if length == 1:
            return self._numbered_words(side)
        keys = _table(self.terms, side, length)[0]
        shorter = self._at(side, length - 1)
        places = np.flatnonzero((shorter[:-1] >= 0) & (shorter[1:] >= 0))
        wanted = _keys(shorter, places, _length_of(self.terms, side, length - 1))
        found = np.full(len(shorter), -1, np.int64)
        if len(keys):
            at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            is_there = keys[at] == wanted
            found[places[is_there]] = at[is_there]
        return found

    def _numbered_words(self, side: TextSide) -> Longs:
        tokens = json.loads(self.terms.words(side).read_text(encoding="utf8"))
        numbers = {token: number for number, token in enumerate(tokens)}
        text = self._text(side)
        of_form = [numbers.get(self._token(form), -1) for form in text.forms]
        # Where no n-gram can go on is not among the words that were counted: see `_keep`.
        return np.array(of_form, np.int64)[text.written]

    def _at(self, side: TextSide, length: int) -> Longs:
        path = self._path(f"{side}-{length}.at.npy")
        if not path.exists():
            new = path.with_name(f"new-{path.name}")  # half a file of a killed worker is none
            np.save(new, self._numbered(side, length))
            new.replace(path)
        found: Longs = np.load(path)
        return found

    def _segments(self, side: TextSide) -> Ints:
        written = np.load(self._path(f"{side}.written.npy"))
        found: Ints = np.cumsum(written == 0, dtype=np.int32) - 1
        return found

    def _text(self, side: TextSide) -> NumberedText:
        forms = json.loads(self._path(f"{side}.forms").read_text(encoding="utf8"))
        written = np.load(self._path(f"{side}.written.npy"))
        marks = np.load(self._path(f"{side}.marks.npy"))
        return NumberedText(forms, written, written, self._segments(side), marks)

    def _path(self, name: str) -> Path:
        return self.terms.folder / f"chunk-{self.number:05}.{name}"


@dataclass(frozen=True)
class ChunkExamples:
    """What one chunk shows of pairs: forms of their n-grams, and the first segment of each."""

    firsts: dict[tuple[int, int], int]
    sources: dict[int, Counter[str]]
    targets: dict[int, Counter[str]]


@dataclass(frozen=True)
class _Chosen:
    """The n-grams of one side that may be terms, the rarest first."""

    sizes: Ints
    counts: Longs
    numbers: tuple[Longs, ...]
    """For each length: the number of each frequent n-gram among them, or -1."""

    @classmethod
    def of(cls, terms: ChunkedTerms, side: TextSide) -> _Chosen:
        """Those that `choose` has found."""
        with np.load(terms.chosen(side)) as found:
            lengths = tuple(found[f"length{n}"] for n in range(1, len(found.files) - 1))
            return cls(found["sizes"], found["counts"], lengths)


def counts_of_chosen(terms: ChunkedTerms, side: TextSide) -> Longs:
    """In how many segments each n-gram stands that may be a term."""
    return _Chosen.of(terms, side).counts


def tabulate_words(terms: ChunkedTerms, side: TextSide, runs: Sequence[Path]) -> int:
    """Makes the table of the frequent words from the runs of all chunks; gives how many."""
    tokens, counts = [], []
    for token, count in _sums(_few(runs)):
        if count >= terms.options.min_count:
            tokens.append(token)
            counts.append(count)
    terms.words(side).write_text(json.dumps(tokens), encoding="utf8")
    _save_table(terms.table(side, 1), np.arange(len(tokens)), np.array(counts, np.int64))
    return len(tokens)


def tabulate(terms: ChunkedTerms, side: TextSide, length: int, runs: Sequence[Path]) -> int:
    """Makes the table of the frequent n-grams of a length; gives how many there are."""
    keys, counts = [_NONE], [_NONE]
    for some, sums in merged(runs):
        is_frequent = sums >= terms.options.min_count
        keys.append(some[is_frequent])
        counts.append(sums[is_frequent])
    _save_table(terms.table(side, length), np.concatenate(keys), np.concatenate(counts))
    return sum(map(len, keys))


def choose(terms: ChunkedTerms, side: TextSide, lengths: int) -> int:
    """Numbers the n-grams that may be terms, the rarest first; gives how many there are."""
    found = [_table(terms, side, length) for length in range(1, lengths + 1)]
    stays = _wanted_of(terms, side, found)
    sizes = np.concatenate([np.full(s.sum(), n, np.int32) for n, s in enumerate(stays, 1)])
    counts = np.concatenate([table[1][s] for table, s in zip(found, stays, strict=True)])
    order = np.argsort(counts, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    numbers, done = {}, 0
    for length, which in enumerate(stays, 1):
        of_length = np.full(len(which), -1, np.int64)
        of_length[which] = rank[done : done + which.sum()]
        done += which.sum()
        numbers[f"length{length}"] = of_length
    with terms.chosen(side).open("wb") as file:
        np.savez(file, sizes=sizes[order], counts=counts[order], **numbers)  # type: ignore[arg-type]
    return len(order)


def merged(runs: Sequence[Path], at_once: int = _AT_ONCE) -> Iterator[tuple[Longs, Longs]]:
    """The keys of all sorted runs with the sums of their counts, in order, a part at a time."""
    files = [_RunFile.of(run) for run in runs]
    starts = [0] * len(files)
    step = max(1, at_once // max(1, len(files)))
    while True:
        ahead = [
            int(file.read(0, (end := min(start + step, file.length)) - 1, end)[0])
            for file, start in zip(files, starts, strict=True)
            if start < file.length
        ]
        if not ahead:
            return
        parts = []
        for number, file in enumerate(files):
            start = starts[number]
            within = file.read(0, start, min(start + step, file.length))
            end = start + int(np.searchsorted(within, min(ahead), side="right"))
            parts.append(np.stack([within[: end - start], file.read(1, start, end)]))
            starts[number] = end
        yield _summed(np.concatenate(parts, axis=1))


@dataclass(frozen=True)
class _RunFile:
    """A run that is read a little at a time: mapped, all of it would count as memory in use."""

    path: Path
    length: int
    header: int
    """How many bytes are before the keys."""

    @classmethod
    def of(cls, path: Path) -> _RunFile:
        """A run that is on disk."""
        length = np.load(path, mmap_mode="r").shape[1]
        return cls(path, length, path.stat().st_size - 16 * length)

    def read(self, row: int, start: int, end: int) -> Longs:
        """The keys, or the counts, from one place up to another."""
        offset = self.header + 8 * (row * self.length + start)
        return np.fromfile(self.path, np.int64, end - start, offset=offset)


def _summed(part: Longs) -> tuple[Longs, Longs]:
    order = np.argsort(part[0], kind="stable")
    keys, counts = part[0][order], part[1][order]
    starts = np.flatnonzero(differs(keys))
    return keys[starts], np.add.reduceat(counts, starts)


def _wanted_of(
    terms: ChunkedTerms, side: TextSide, tables: Sequence[tuple[Longs, Longs]]
) -> list[Bools]:
    """For each length which n-grams may be terms: as `ngrams.count` has it."""
    options = terms.options
    lengths, edges = _lengths(terms, side, tables)
    is_within = np.zeros(len(lengths[-1].counts), np.bool_)
    found: list[Bools] = []
    for size in range(len(lengths), 0, -1):
        length = lengths[size - 1]
        is_term = ~edges[size - 1]
        is_wanted = options.min_words <= size <= options.max_words
        found.append(is_term & ~is_within if is_wanted else np.zeros_like(is_term))
        if size > 1:
            folds = options.fold if size <= options.max_words else options.whole
            which = is_within | (is_term & folds)
            is_within = parts_as_frequent(length, lengths[size - 2], which)
    return found[::-1]


def _lengths(
    terms: ChunkedTerms, side: TextSide, tables: Sequence[tuple[Longs, Longs]]
) -> tuple[list[NGramLength], list[Bools]]:
    """The n-grams of each length without their places, and whether a mark is at an end of each."""
    tokens = json.loads(terms.words(side).read_text(encoding="utf8"))
    may_be_marks = terms.options.punctuation != "anywhere"
    marks = np.array([may_be_marks and is_mark(token) for token in tokens], np.bool_)
    first, last = [marks], [marks]
    lengths = [NGramLength(tables[0][1], np.zeros(0, np.int32), _NONE, _NONE)]
    for keys, counts in tables[1:]:
        base = max(1, len(lengths[-1].counts))
        begins, ends = keys // base, keys % base
        lengths.append(NGramLength(counts, np.zeros(0, np.int32), begins, ends))
        first.append(first[-1][begins])
        last.append(last[-1][ends])
    return lengths, [one | other for one, other in zip(first, last, strict=True)]


def _keys(at: Longs, places: Longs, base: int) -> Longs:
    """The pair of the n-grams that begin at a place and at the next, as one number."""
    return at[places] * max(1, base) + at[places + 1]


def _counts(segments: Ints, places: Longs, keys: Longs) -> tuple[Longs, Longs]:
    """Each key, in order, and in how many segments it stands."""
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    is_new = differs(keys)
    is_first = is_new | differs(segments[places[order]])
    starts = np.flatnonzero(is_new)
    if not len(starts):
        return _NONE, _NONE
    return keys[starts], np.add.reduceat(is_first.astype(np.int64), starts)


def _place(numbers: Longs, number: int) -> int | None:
    """Where a number stands among sorted ones."""
    at = int(np.searchsorted(numbers, number))
    return at if at < len(numbers) and numbers[at] == number else None


def _few(runs: Sequence[Path]) -> list[Path]:
    """The same words in runs that can all be open at a time."""
    left = [*runs]
    while len(left) > _MOST_OPEN:
        some, left = left[:_MOST_OPEN], left[_MOST_OPEN:]
        joined = some[0].with_name(f"joined-{some[0].name}")
        with joined.open("w", encoding="utf8") as file:
            file.writelines(f"{json.dumps(row)}\n" for row in _sums(some))
        left.append(joined)
    return left


def _sums(runs: Sequence[Path]) -> Iterator[tuple[str, int]]:
    """The words of all runs in order, each once, with how often it is there in all."""
    for token, rows in groupby(heapq.merge(*map(_rows, runs)), key=lambda row: row[0]):
        yield token, sum(row[1] for row in rows)


def _rows(path: Path) -> Iterator[tuple[str, int]]:
    with path.open(encoding="utf8") as lines:
        for line in lines:
            token, count = json.loads(line)
            yield token, count


def _write_run(path: Path, keys: Longs, counts: Longs) -> None:
    with path.open("wb") as file:
        np.save(file, np.stack([keys, counts]).astype(np.int64))


def _write_long_run(path: Path, parts: Iterable[tuple[Longs, Longs]]) -> None:
    """What `_write_run` writes of all parts together, with one of them in memory at a time."""
    length = 0
    with path.open("wb") as file, TemporaryFile(dir=path.parent) as beside:
        _write_header(file, length)
        for keys, counts in parts:
            file.write(keys.astype(np.int64).tobytes())
            beside.write(counts.astype(np.int64).tobytes())
            length += len(keys)
        beside.seek(0)
        copyfileobj(beside, file)
        file.seek(0)
        _write_header(file, length)


def _write_header(file: BinaryIO, length: int) -> None:
    """The beginning of a run of numpy, which has as many bytes whatever the length is."""
    about = {"descr": "<i8", "fortran_order": False, "shape": (2, length)}
    np.lib.format.write_array_header_1_0(file, about)


def _save_table(path: Path, keys: Longs, counts: Longs) -> None:
    _write_run(path, keys, counts)


def _table(terms: ChunkedTerms, side: TextSide, length: int) -> tuple[Longs, Longs]:
    found = np.load(terms.table(side, length), mmap_mode="r")
    return found[0], found[1]


def _length_of(terms: ChunkedTerms, side: TextSide, length: int) -> int:
    return len(_table(terms, side, length)[0])
