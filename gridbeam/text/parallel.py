"""Parallel text read from files, plain or compressed, line by line."""

from __future__ import annotations

import lzma
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, count, islice, zip_longest
from pathlib import Path
from typing import BinaryIO, TypeVar, cast

from gridbeam.errors import UserError

_BLOCK = 1 << 17
"""How many bytes of text are read at a time."""
Item = TypeVar("Item")
Result = TypeVar("Result")


def lines(path: Path) -> Iterator[str]:
    """The lines of a text file, plain or .xz, without their ends."""
    return chain.from_iterable(_blocks(path))


def aligned(source: Path, target: Path) -> Iterator[tuple[str, str]]:
    """The pairs of two files that are aligned by line number."""
    for number, (one, other) in enumerate(
        zip_longest(_lines_ahead(source), _lines_ahead(target)), 1
    ):
        if one is None or other is None:
            short, long = (source, target) if one is None else (target, source)
            raise UserError(
                f"{short} ends before line {number}, and {long} goes on: files of a pair are"
                " aligned line by line. Give files of the same number of lines."
            )
        yield one, other


def _lines_ahead(path: Path) -> Iterator[str]:
    """What `lines` gives, read by a thread of its own."""
    blocks = _blocks(path)
    for block in ahead(lambda _: next(blocks, None), count(), threads=1):
        if block is None:
            return
        yield from block


def _blocks(path: Path) -> Iterator[list[str]]:
    """The lines of a file, some at a time, up to the line where something is wrong."""
    number, texts = 0, list[str]()
    try:
        with _opened(path) as file:
            while block := file.readlines(_BLOCK):
                for line in block:
                    number += 1
                    texts.append(line.decode("utf8" if number > 1 else "utf-8-sig").rstrip("\r\n"))
                yield texts
                texts = []
    except UnicodeDecodeError as error:
        yield texts
        raise UserError(
            f"{path} line {number}: byte {error.start + 1} is not UTF-8. Convert the file to UTF-8."
        ) from None
    except (lzma.LZMAError, EOFError) as error:
        raise UserError(
            f"{path} after line {number}: {error}. The file is damaged or no .xz file; fetch it"
            " anew."
        ) from None
    except OSError as error:
        raise UserError(
            f"{path} cannot be read: {error.strerror or error}. Check the path."
        ) from None


def _opened(path: Path) -> BinaryIO:
    return cast(BinaryIO, lzma.open(path, "rb")) if path.suffix == ".xz" else path.open("rb")


def ahead(
    function: Callable[[Item], Result], items: Iterable[Item], *, threads: int
) -> Iterator[Result]:
    """What `map` gives, made by threads that are a few items ahead."""
    items = iter(items)
    pool = ThreadPoolExecutor(threads)
    try:
        waiting = deque(pool.submit(function, item) for item in islice(items, 4 * threads))
        while waiting:
            yield waiting.popleft().result()
            waiting.extend(pool.submit(function, item) for item in islice(items, 1))
    finally:
        pool.shutdown(cancel_futures=True)
