"""The lines of a text file, one at a time, and none so long that it would fill the memory."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO

from gridbeam.documents.segment import Segment
from gridbeam.documents.splice import Edit, Spliced, Unit, opened, stamp
from gridbeam.errors import UserError
from gridbeam.markup.inline import Marked

LONGEST = 1 << 20
"""How many bytes a line, or a segment, may have."""
_PLAIN = r'msgid "..\n"'
"""What every charset writes as ASCII does."""


@dataclass(frozen=True)
class Line:
    """A line without its end, which stands in the file from byte `start` up to `end`."""

    number: int
    start: int
    end: int
    text: str
    path: Path
    raw: bytes
    """All of it, with its end and perhaps a byte order mark."""

    @property
    def where(self) -> str:
        """The place of the line, for messages."""
        return f"{self.path} line {self.number}"

    @property
    def first(self) -> int:
        """The byte of the file that all of it begins at."""
        return self.end - len(self.raw.rstrip(b"\r\n"))

    def spliced(self, edits: Iterable[Edit]) -> bytes:
        """All of the line with new bytes in place of old ones."""
        new, done = b"", 0
        for start, end, replacement in edits:
            new += self.raw[done : start - self.first] + replacement
            done = end - self.first
        return new + self.raw[done:]


@dataclass(frozen=True)
class LinePlace:
    """Where in a file of lines to read on: the byte, and how many lines and segments are before."""

    byte: int = 0
    lines: int = 0
    segments: int = 0


_BEGINNING = LinePlace()


def lines(path: Path, encoding: str = "utf8", since: LinePlace = _BEGINNING) -> Iterator[Line]:
    """The lines of a file, or those from a place on; a byte order mark is none of the first."""
    with opened(path) as file:
        if since.byte:
            file.seek(since.byte)
        yield from lines_of(file, path, encoding, since)


def lines_of(
    file: BinaryIO, path: Path, encoding: str = "utf8", since: LinePlace = _BEGINNING
) -> Iterator[Line]:
    """The lines of an open file, each as soon as it is there; `path` is for messages."""
    place, number = since.byte, since.lines
    while raw := file.readline(LONGEST + 1):
        number += 1
        if len(raw) > LONGEST:
            raise UserError(
                f"{path} line {number}: longer than {LONGEST:,} bytes. Break the line, or say what"
                " format the file has."
            )
        skipped = len(codecs.BOM_UTF8) if number == 1 and raw.startswith(codecs.BOM_UTF8) else 0
        body = raw[skipped:].rstrip(b"\r\n")
        try:
            text = body.decode(encoding)
        except UnicodeDecodeError as error:
            raise _mixed(path, number, skipped + error.start, raw, encoding) from None
        yield Line(number, place + skipped, place + skipped + len(body), text, path, raw)
        place += len(raw)


def _mixed(path: Path, number: int, at: int, raw: bytes, encoding: str) -> UserError:
    is_utf16 = number == 1 and raw[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    name = "UTF-8" if encoding == "utf8" else encoding
    hint = " It looks like UTF-16." if is_utf16 else ""
    return UserError(
        f"{path} line {number}: byte {at + 1} (0x{raw[at]:02X}) is not {name}.{hint} Convert the"
        f" file to {name}."
    )


def charset_of(name: str) -> str | None:
    """What Python calls a charset of files; None where it knows none that writes ASCII as it is.

    Python knows other things under such names, which escape, compress or lose what they are given.

    >>> charset_of("UTF-8"), charset_of("Latin1"), charset_of("unicode_escape"), charset_of("zip")
    ('utf8', 'iso8859-1', None, None)
    """
    try:
        is_one = _PLAIN.encode(name) == _PLAIN.encode("ascii")
        return codecs.lookup(name).name.replace("utf-8", "utf8") if is_one else None
    except (LookupError, UnicodeError):
        return None


def by_line(path: Path, format: str, unit: Callable[[Line, int], Unit | None]) -> Spliced:
    """The document of a file in which a line is a segment, or none."""
    units = partial(_units, path, unit, _BEGINNING)
    return Spliced(path, format, units, partial(opened, path), stamp(path))


def segments_since(
    path: Path, unit: Callable[[Line, int], Unit | None], since: LinePlace
) -> Iterator[Segment]:
    """The segments of a file of lines from a place on, without reading what is before it."""
    for each in _units(path, unit, since):
        yield from each.segments


def places_of(path: Path, first_lines: Sequence[int], segments: Sequence[int]) -> list[LinePlace]:
    """Where the lines with these rising numbers begin, with the number of the segment of each."""
    found: list[LinePlace] = []
    byte = 0
    with opened(path) as file:
        for number, raw in enumerate(file, 1):
            while len(found) < len(first_lines) and first_lines[len(found)] == number:
                found.append(LinePlace(byte, number - 1, segments[len(found)]))
            byte += len(raw)
    return found


def _units(
    path: Path, unit: Callable[[Line, int], Unit | None], since: LinePlace
) -> Iterator[Unit]:
    number = since.segments
    for line in lines(path, since=since):
        if made := unit(line, number):
            number += 1
            yield made


def on_one_line(text: Marked, *, tabs: bool = True, returns: bool = True) -> str:
    """The text without line breaks, which would end the segment, and without tabs if need be.

    Lone carriage returns end no line of a file, and may stay (`returns`).
    """
    breaks = "\n" + "\r" * (not returns) + "\t" * (not tabs)
    return re.sub(rf"\s*[{breaks}]+\s*", " ", str(text))
