"""The journal of a run: a file beside the output, a line for each finished segment.

The first line says what the run was begun with. Whoever goes on must have the same, or the output
would be a mixture. A line is handed to the system as soon as its segment is finished; one that was
cut off in the writing counts as not written, and so does one that was damaged since, which its
checksum tells: its segment is translated again. A first line that is damaged is an error, as nobody
can tell any more what the others belong to.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from gridbeam.errors import UserError
from gridbeam.files.outcome import Outcome
from gridbeam.support.line_files import (
    LineFile,
    sealed,
    unsealed,
    warn_of_damage,
    whole_lines,
)

_FURTHEST = 1 << 25
"""How many segments of a file may be skipped, as they were translated before."""
RunHeader = Mapping[str, str]
"""What a run was begun with: a name for each thing that matters, and its digest or value."""


class Journal(Mapping[int, Outcome]):
    """What came of each finished segment, by number: kept on disk, only offsets in memory."""

    def __init__(
        self, path: Path, header: RunHeader, *, resume: bool = False, restart: bool = False
    ) -> None:
        self.path = path
        self._places = array("q")
        self._count = 0
        refuse_old(path, resume=resume, restart=restart)
        self._file = LineFile(path)
        if not resume:
            self._file.clear()
        self._read(header)

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and number < len(self._places) and self._places[number] >= 0

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: int) -> Outcome:
        if number not in self:
            raise KeyError(number)
        self._lines.seek(self._places[number])
        line = unsealed(self._lines.readline())
        if line is None:
            raise UserError(
                f"{self.path} was damaged while it was being read: go on with --resume."
            )
        return Outcome.from_line(line)

    def __iter__(self) -> Iterator[int]:
        return (number for number, place in enumerate(self._places) if place >= 0)

    def add(self, outcome: Outcome) -> None:
        """Takes down what came of a segment."""
        self._note(outcome.number, self._write(outcome.as_line()))

    def close(self) -> None:
        """Ends the writing; what is there stays."""
        self._file.close()
        self._lines.close()

    def remove(self) -> None:
        """Takes the journal away, once it is not needed any more."""
        self.close()
        self.path.unlink(missing_ok=True)

    def _read(self, header: RunHeader) -> None:
        self._lines: BinaryIO = self.path.open("rb")
        if not self._file.end:  # a new one, or broken off before anything was done
            self._write(json.dumps(dict(header), ensure_ascii=False))
            return
        place, damaged = 0, []
        for number, line in enumerate(whole_lines(self.path), 1):
            content = unsealed(line)
            if not place:
                self._check(content, header)
            elif (segment := self._number(content)) is None:
                damaged.append(number)
            else:
                self._note(segment, place)
            place += len(line)
        self._file.cut()  # or it would be read ahead of what is written in its place
        if damaged:
            warn_of_damage(self.path, damaged, "What stood there is translated again.")

    def _check(self, begun: bytes | None, header: RunHeader) -> None:
        known = _header_in(begun)
        if known is None:
            self.close()
            raise UserError(
                f"{self.path} line 1 is not one of a journal. Start anew with --restart."
            )
        try:
            refuse_another(self.path, known, header)
        except UserError:
            self.close()
            raise

    def _number(self, content: bytes | None) -> int | None:
        """The number of the segment that a line is of; None where it is of none."""
        try:
            number = -1 if content is None else Outcome.from_line(content).number
        except ValueError:
            return None
        return number if 0 <= number < len(self._places) + _FURTHEST else None

    def _note(self, number: int, place: int) -> None:
        self._places.extend([-1] * (number + 1 - len(self._places)))
        self._count += self._places[number] < 0
        self._places[number] = place

    def _write(self, line: str) -> int:
        kept = f"{self._count:,} finished segments are kept."
        return self._file.add(sealed(line), f"Make room and go on with --resume; {kept}")


def _header_in(line: bytes | None) -> dict[str, str] | None:
    """What a first line says that a run was begun with; None where it is no first line."""
    try:
        found = None if line is None else json.loads(line)
    except (ValueError, RecursionError):
        return None
    is_one = isinstance(found, dict) and all(isinstance(each, str) for each in found.values())
    return found if is_one else None


def refuse_another(path: Path, known: RunHeader, header: RunHeader) -> None:
    """Raises where what is at a path was begun with something else, and names all that differs."""
    other = [
        f"{name} ({known.get(name)}, not {header.get(name)})" if name.startswith("--") else name
        for name in dict.fromkeys([*known, *header])
        if known.get(name) != header.get(name)
    ]
    if other:
        raise UserError(
            f"{path} was begun with another {' and another '.join(other)}. Go on with what it was"
            " begun with, or give up what it has translated with --restart."
        )


def refuse_old(path: Path, *, resume: bool, restart: bool) -> None:
    """Raises where there is a journal already, and nobody has said what to do with it."""
    if path.exists() and not resume and not restart:
        raise UserError(
            f"{path} is there: a run was broken off. Go on with --resume, or give up what it has"
            " translated with --restart."
        )


def digest_of_folder(path: Path) -> str:
    """A digest of the files of a folder by their names, sizes and times, which is soon done.

    Empty where there is none.
    """
    if not path.is_dir():
        return ""
    files = sorted(
        (each.name, each.stat().st_size, each.stat().st_mtime_ns)
        for each in path.iterdir()
        if each.is_file()
    )
    return sha256(repr(files).encode()).hexdigest()[:16]
