"""Parallel text: read line by line, cleaned and encoded. What is wrong with it is told by file and line."""

from __future__ import annotations

import lzma
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain, islice, zip_longest
from multiprocessing import get_context
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
import sentencepiece
from numpy.typing import NDArray

from gridbeam.errors import UserError
from gridbeam.writing import replacing

_CHUNK = 20_000


def lines(path: Path) -> Iterator[str]:
    """The lines of a text file, plain or .xz, without their ends."""
    number = 0
    try:
        with _opened(path) as file:
            for number, line in enumerate(file, 1):
                yield line.decode("utf8" if number > 1 else "utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise UserError(f"{path} line {number}: byte {error.start + 1} is not UTF-8. Convert the file to UTF-8.") from None
    except (lzma.LZMAError, EOFError) as error:
        raise UserError(f"{path} after line {number}: {error}. The file is damaged or no .xz file; fetch it anew.") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror or error}. Check the path.") from None


def aligned(source: Path, target: Path) -> Iterator[tuple[str, str]]:
    """The pairs of two files that are aligned by line number."""
    missing = object()
    for number, pair in enumerate(zip_longest(lines(source), lines(target), fillvalue=missing), 1):
        if missing in pair:
            short, long = (source, target) if pair[0] is missing else (target, source)
            raise UserError(
                f"{short} ends before line {number}, and {long} goes on: files of a pair are aligned line by line. "
                "Give files of the same number of lines."
            )
        yield cast(tuple[str, str], pair)


def _opened(path: Path) -> BinaryIO:
    return cast(BinaryIO, lzma.open(path, "rb")) if path.suffix == ".xz" else path.open("rb")


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
    """Whether a pair of four words or more whose sides are the same is left out: it was not translated."""


@dataclass(frozen=True)
class Pairs:
    """Encoded pairs: the tokens of all sources and of all targets end to end, each text with its end token."""

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
        return Pairs(*_end_to_end([source for source, _ in texts]), *_end_to_end([target for _, target in texts]))

    @staticmethod
    def joined(parts: Iterable[Pairs]) -> Pairs:
        """All these pairs, one part after the other."""
        parts = list(parts)
        sides = []
        for tokens, ends in (("source", "source_ends"), ("target", "target_ends")):
            starts = np.cumsum([0, *(len(getattr(part, tokens)) for part in parts)])
            sides.append(np.concatenate([getattr(part, tokens) for part in parts]))
            sides.append(np.concatenate([getattr(part, ends) + start for part, start in zip(parts, starts, strict=False)]))
        return Pairs(*sides)

    def save(self, path: Path) -> None:
        """Writes the pairs to a file, whole or not at all."""
        sides = {"source": self.source, "target": self.target}
        try:
            with replacing(path) as file:
                np.savez(file, **sides, source_ends=self.source_ends, target_ends=self.target_ends, allow_pickle=False)
        except OSError as error:
            why = error.strerror or error
            raise UserError(f"encoded text cannot be written to {path}: {why}. Make room, or choose another --out.") from None

    @staticmethod
    def load(path: Path) -> Pairs:
        """Reads what `save` has written."""
        with np.load(path, allow_pickle=False) as found:
            return Pairs(found["source"], found["source_ends"], found["target"], found["target_ends"])


def _end_to_end(texts: Sequence[Sequence[int]]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """All tokens, and where each text ends."""
    ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
    return np.fromiter(chain.from_iterable(texts), np.int32), ends


@dataclass(frozen=True)
class Prepared:
    """Encoded pairs, and what became of the text they were made of."""

    pairs: Pairs
    read: int
    dropped: dict[str, int]
    """How many pairs were left out, by reason."""
    first: dict[str, int]
    """The line of the first pair left out, by reason."""


def encode(
    texts: Iterable[tuple[str, str]], vocabulary: Path, *, tag: str = "", cleaning: Cleaning | None = None, workers: int = 1
) -> Prepared:
    """The pairs that are fit to learn from, as token ids, with `tag` before each source."""
    cleaning = cleaning or Cleaning()
    seen: set[bytes] | None = set() if cleaning.unique else None
    parts: list[Pairs] = []
    dropped: Counter[str] = Counter()
    first: dict[str, int] = {}
    read = 0
    for chunk, reasons in _encoded_chunks(_new(texts, seen), vocabulary, tag, cleaning, workers):
        parts.append(chunk)
        for place, reason in enumerate(reasons):
            if reason:
                dropped[reason] += 1
                first.setdefault(reason, read + place + 1)
        read += len(reasons)
    return Prepared(Pairs.joined(parts) if parts else Pairs.of([]), read, dict(dropped), first)


def _new(texts: Iterable[tuple[str, str]], seen: set[bytes] | None) -> Iterator[tuple[str, str, bool]]:
    """Each pair, and whether it is there for the first time."""
    for source, target in texts:
        if seen is None:
            yield source, target, True
            continue
        key = blake2b(f"{source}\t{target}".encode(), digest_size=8).digest()
        yield source, target, key not in seen
        seen.add(key)


def _encoded_chunks(
    texts: Iterator[tuple[str, str, bool]], vocabulary: Path, tag: str, cleaning: Cleaning, workers: int
) -> Iterator[tuple[Pairs, list[str]]]:
    chunks = iter(lambda: list(islice(texts, _CHUNK)), [])
    if workers < 2:
        _load(vocabulary, tag, cleaning)
        yield from map(_encoded, chunks)
        return
    with ProcessPoolExecutor(
        workers, get_context("forkserver"), initializer=_load, initargs=(vocabulary, tag, cleaning)
    ) as pool:
        waiting = [pool.submit(_encoded, chunk) for chunk in islice(chunks, 2 * workers)]
        while waiting:
            yield waiting.pop(0).result()
            waiting += [pool.submit(_encoded, chunk) for chunk in islice(chunks, 1)]


_worker: tuple[sentencepiece.SentencePieceProcessor, list[int], Cleaning]


def _load(vocabulary: Path, tag: str, cleaning: Cleaning) -> None:
    global _worker
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(vocabulary))
    _worker = pieces, [pieces.piece_to_id(tag)] if tag else [], cleaning


def _encoded(chunk: list[tuple[str, str, bool]]) -> tuple[Pairs, list[str]]:
    """The good pairs of a chunk, and for each pair the reason why it is none."""
    pieces, tag, cleaning = _worker
    end = pieces.eos_id()
    # Threads of its own would be as many in each of the workers, and wait for each other.
    sources = pieces.encode([source.strip() for source, _, _ in chunk], num_threads=1)
    targets = pieces.encode([target.strip() for _, target, _ in chunk], num_threads=1)
    kept, reasons = [], []
    for (source, target, is_new), source_ids, target_ids in zip(chunk, sources, targets, strict=True):
        is_copy = cleaning.drop_copies and source == target and source.count(" ") >= 3
        reasons.append(
            _why_not(len(source_ids), len(target_ids), cleaning) or ("" if is_new else "repeated") or is_copy * "copy"
        )
        if not reasons[-1]:
            kept.append(([*tag, *source_ids, end], [*target_ids, end]))
    return Pairs.of(kept), reasons


def _why_not(source: int, target: int, cleaning: Cleaning) -> str:
    short, long = sorted((source, target))
    if not short:
        return "empty"
    if long > cleaning.max_tokens:
        return "too long"
    return "unlike lengths" if long > 10 and long > cleaning.max_ratio * short else ""
