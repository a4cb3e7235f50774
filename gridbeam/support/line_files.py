"""Files that grow by whole lines, such as journals and logs: a line is there whole or not at all.

A line is handed to the system as soon as it is added. One that a kill or a full disk cut off counts
as not written, and is cut when the file is opened, or the next line is added. What happens to a
line later, on a bad disk or in an editor, is told by its seal: a checksum, the last member of the
JSON object that the line holds.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import Path
from zlib import crc32

from gridbeam.errors import UserError, UserNotice
from gridbeam.support.output_files import claim

_BLOCK = 1 << 16
_SHOWN = 10
"""How many damaged lines are named."""
_SEAL = re.compile(rb',"crc":"([0-9a-f]{8})"\}\n?\Z')


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
        left = memoryview(_encoded(f"{line}\n"))
        begin, size = self.end, len(left)
        try:
            self.cut()
            while left:
                left = left[self._file.write(left) :]
        except OSError as error:
            raise _unwritable(self.path, error, remedy) from None
        self.end += size
        return begin

    def cut(self) -> None:
        """Takes away what stands behind the last whole line."""
        self._file.truncate(self.end)

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


def sealed(line: str) -> str:
    """A line that holds a JSON object, with its seal.

    >>> sealed('{"number":1}')
    '{"number":1,"crc":"fd3a2de7"}'
    """
    content = line.removesuffix("}")
    return f'{content},"crc":"{crc32(_encoded(content)):08x}"}}'


def unsealed(line: bytes) -> bytes | None:
    """The line without its seal; None where it has none, or the seal says that it was damaged."""
    found = _SEAL.search(line)
    if found is None or int(found[1], 16) != crc32(line[: found.start()]):
        return None
    return line[: found.start()] + b"}\n"


def has_seal(line: bytes) -> bool:
    """Whether a line has a seal, right or wrong."""
    return _SEAL.search(line) is not None


def warn_of_damage(path: Path, lines: Sequence[int], what_now: str) -> None:
    """A notice that names the damaged lines of a file, the first of very many."""
    shown = ", ".join(map(str, lines[:_SHOWN])) + (", ..." if len(lines) > _SHOWN else "")
    which = f"line {shown} is" if len(lines) == 1 else f"{len(lines)} lines ({shown}) are"
    warnings.warn(f"{path}: {which} damaged. {what_now}", UserNotice, stacklevel=3)


def _encoded(line: str) -> bytes:
    """Half a character of UTF-16 as its escape, which is the same to JSON."""
    return line.encode("utf8", "backslashreplace")


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
