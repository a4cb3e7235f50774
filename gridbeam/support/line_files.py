"""Files that grow by whole lines, such as journals and logs: a line is there whole or not at all.

A line is handed to the system as soon as it is added. One that a kill or a full disk cut off counts
as not written, and is cut when the next is added.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

from gridbeam.errors import UserError
from gridbeam.support.output_files import claim

_BLOCK = 1 << 16


class LineFile:
    """A file of lines that only this run may add to, until it is closed."""

    def __init__(self, path: Path, remedy: str = "Choose a folder where you may write.") -> None:
        self.path = path
        try:
            self._file = path.open("a+b", buffering=0)
        except OSError as error:
            raise _unwritable(path, error, remedy) from None
        claim(self._file, path)
        self.end = _end_of_lines(path)
        """Where the next line begins, in bytes."""

    def __enter__(self) -> LineFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, line: str, remedy: str = "Make room, then run the same command.") -> int:
        """Writes a line, and gives the place in bytes that it begins at."""
        left = memoryview(f"{line}\n".encode("utf8", "backslashreplace"))
        begin, size = self.end, len(left)
        try:
            self._file.truncate(begin)  # half a line
            while left:
                left = left[self._file.write(left) :]
        except OSError as error:
            raise _unwritable(self.path, error, remedy) from None
        self.end += size
        return begin

    def clear(self) -> None:
        """Takes out all lines."""
        self.end = 0
        self._file.truncate(0)

    def close(self) -> None:
        """Ends the writing; what is there stays."""
        self._file.close()


def whole_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file with their ends, without half a line at its end; none of no file."""
    if path.exists():
        with path.open("rb") as file:
            yield from takewhile(lambda line: line.endswith(b"\n"), file)


def _end_of_lines(path: Path) -> int:
    """The size of a file without half a line at its end, found from the end."""
    with path.open("rb") as file:
        end = file.seek(0, os.SEEK_END)
        while end:
            begin = max(0, end - _BLOCK)
            file.seek(begin)
            found = file.read(end - begin).rfind(b"\n")
            if found >= 0:
                return begin + found + 1
            end = begin
    return 0


def _unwritable(path: Path, error: OSError, remedy: str) -> UserError:
    return UserError(f"{path} cannot be written: {error.strerror or error}. {remedy}")
