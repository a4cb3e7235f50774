"""Parallel text: read line by line, cleaned and encoded.

What is wrong with it is told by file and line.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from itertools import chain, compress, islice
from pathlib import Path

import numpy as np
import sentencepiece
from numpy.typing import NDArray

from gridbeam.support.output_files import replacing
from gridbeam.text.parallel import ahead

_CHUNK = 20_000
"""How many pairs are encoded at a time."""


@dataclass(frozen=True)
class Cleaning:
    """Which pairs are left out, besides those with an empty side."""

    max_tokens: int = 100
    """The longest side of a pair, in tokens."""
    max_ratio: float = 3.0
    """How many times as long as the other a side may be, in tokens, where it has more than ten."""
    unique: bool = True
    """Whether a pair that was there before is left out."""
    drop_copies: bool = True
    """Whether a pair of four words or more whose sides are the same is left out: it was not
    translated."""


@dataclass(frozen=True)
class Pairs:
    """Encoded pairs: the tokens of all sources and of all targets, end to end.

    Each text has its end token.
    """

    source: NDArray[np.int32]
    source_ends: NDArray[np.int64]
    """Where each source ends in `source`."""
    target: NDArray[np.int32]
    target_ends: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.source_ends)

    @property
    def source_lengths(self) -> NDArray[np.int64]:
        """The number of tokens of each source."""
        return np.diff(self.source_ends, prepend=0)

    @property
    def target_lengths(self) -> NDArray[np.int64]:
        """The number of tokens of each target."""
        return np.diff(self.target_ends, prepend=0)

    @staticmethod
    def of(texts: Sequence[tuple[Sequence[int], Sequence[int]]]) -> Pairs:
        """The pairs of these token ids.

        >>> Pairs.of([([5, 0], [7, 8, 0]), ([6, 0], [9, 0])]).target_lengths.tolist()
        [3, 2]
        """
        return Pairs(
            *_end_to_end([source for source, _ in texts]),
            *_end_to_end([target for _, target in texts]),
        )

    @staticmethod
    def joined(parts: Iterable[Pairs]) -> Pairs:
        """All these pairs, one part after the other."""
        parts = list(parts)
        sides = []
        for tokens, ends in (("source", "source_ends"), ("target", "target_ends")):
            starts = np.cumsum([0, *(len(getattr(part, tokens)) for part in parts)])
            sides.append(np.concatenate([getattr(part, tokens) for part in parts]))
            sides.append(
                np.concatenate(
                    [
                        getattr(part, ends) + start
                        for part, start in zip(parts, starts, strict=False)
                    ]
                )
            )
        return Pairs(*sides)

    def save(self, path: Path) -> None:
        """Writes the pairs to a file, whole or not at all."""
        sides = {"source": self.source, "target": self.target}
        with replacing(path, "Make room, or choose another --out.") as file:
            np.savez(
                file,
                **sides,
                source_ends=self.source_ends,
                target_ends=self.target_ends,
                allow_pickle=False,
            )

    @staticmethod
    def load(path: Path) -> Pairs:
        """Reads what `save` has written."""
        with np.load(path, allow_pickle=False) as found:
            return Pairs(
                found["source"], found["source_ends"], found["target"], found["target_ends"]
            )


def _end_to_end(texts: Sequence[Sequence[int]]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """All tokens, and where each text ends."""
    ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
    return np.fromiter(chain.from_iterable(texts), np.int32), ends


@dataclass(frozen=True)
class EncodedText:
    """Encoded pairs, and what became of the text they were made of."""

    pairs: Pairs
    read: int
    dropped: dict[str, int]
    """How many pairs were left out, by reason."""
    first: dict[str, int]
    """The line of the first pair left out, by reason."""


def encode(
    texts: Iterable[tuple[str, str]],
    vocabulary: Path,
    *,
    tag: str = "",
    cleaning: Cleaning | None = None,
    threads: int = 1,
) -> EncodedText:
    """The pairs that are fit to learn from, as token ids, with `tag` before each source.

    SentencePiece encodes in so many threads; a few more read, clean and wait.
    """
    cleaning = cleaning or Cleaning()
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(vocabulary))
    start = [pieces.piece_to_id(tag)] if tag else []
    encoded = partial(_encoded, pieces=pieces, start=start, cleaning=cleaning, threads=threads)
    parts: list[Pairs] = []
    reasons = [np.zeros(0, np.int64)]
    with _uncollected():
        # While SentencePiece is busy with one chunk, Python is with another.
        for part, why_not in ahead(encoded, _chunks(texts, cleaning), threads=2):
            parts.append(part)
            reasons.append(why_not)
    return _counted(Pairs.joined(parts) if parts else Pairs.of([]), np.concatenate(reasons))


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without garbage collection, which would search all of memory time and again.

    It would because millions of lists are made that are soon gone.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _counted(pairs: Pairs, reasons: NDArray[np.int64]) -> EncodedText:
    numbers, places, counts = np.unique(reasons, return_index=True, return_counts=True)
    found = sorted(zip(places.tolist(), numbers.tolist(), counts.tolist(), strict=True))
    dropped = {_REASONS[number]: count for _, number, count in found if number}
    first = {_REASONS[number]: place + 1 for place, number, _ in found if number}
    return EncodedText(pairs, len(reasons), dropped, first)


@dataclass(frozen=True)
class _Chunk:
    """Some pairs, and which of them were there before."""

    sources: list[str]
    targets: list[str]
    is_repeated: list[bool]


def _chunks(texts: Iterable[tuple[str, str]], cleaning: Cleaning) -> Iterator[_Chunk]:
    seen: set[bytes] = set()
    texts = iter(texts)
    while pairs := list(islice(texts, _CHUNK)):
        sources, targets = map(list, zip(*pairs, strict=True))
        yield _Chunk(
            sources, targets, _repeated(pairs, seen) if cleaning.unique else [False] * len(pairs)
        )


def _repeated(pairs: list[tuple[str, str]], seen: set[bytes]) -> list[bool]:
    """For each pair, whether it was there before."""
    found = []
    for source, target in pairs:
        key = blake2b(f"{source}\t{target}".encode(), digest_size=8).digest()
        found.append(key in seen)
        seen.add(key)
    return found


def _encoded(
    chunk: _Chunk,
    *,
    pieces: sentencepiece.SentencePieceProcessor,
    start: list[int],
    cleaning: Cleaning,
    threads: int,
) -> tuple[Pairs, NDArray[np.int64]]:
    """The good pairs of a chunk, and for each pair the number of the reason why it is none."""
    sources, targets = (
        pieces.encode([text.strip() for text in texts], add_eos=True, num_threads=threads)
        for texts in (chunk.sources, chunk.targets)
    )
    reasons = _why_not(
        chunk, np.array([*map(len, sources)]) - 1, np.array([*map(len, targets)]) - 1, cleaning
    )
    is_good = (reasons == 0).tolist()
    good_sources = [start + source for source in compress(sources, is_good)]
    return Pairs(*_end_to_end(good_sources), *_end_to_end([*compress(targets, is_good)])), reasons


_REASONS = ("", "empty", "too long", "unlike lengths", "repeated", "copy")


def _why_not(
    chunk: _Chunk, sources: NDArray[np.int64], targets: NDArray[np.int64], cleaning: Cleaning
) -> NDArray[np.int64]:
    """For each pair, with sides of so many tokens, the first reason to leave it out.

    0 where there is none.
    """
    short, long = np.minimum(sources, targets), np.maximum(sources, targets)
    is_copy = [
        cleaning.drop_copies and source == target and source.count(" ") >= 3
        for source, target in zip(chunk.sources, chunk.targets, strict=True)
    ]
    holds = [
        short == 0,
        long > cleaning.max_tokens,
        (long > 10) & (long > cleaning.max_ratio * short),
        np.array(chunk.is_repeated),
        np.array(is_copy),
    ]
    return np.select(holds, range(1, len(_REASONS)))
