"""What has been begun, counted on disk before it begins: so a death is seen by whoever comes next.

A piece that was begun and is not done is halved, at no cost: it has to be done again anyway. So the
halves that do no harm are soon done, and what is left in the end is one segment. That one is tried
a few times, as a machine may fail too, and is then set aside.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gridbeam.distributed.parts import PartFiles, ShardPiece
from gridbeam.support.line_files import whole_lines

MOST = 3
"""How often a single segment is tried."""
_UNKNOWN = "its worker did not come back"


class Attempts:
    """The attempts at the pieces of a run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "attempts"
        self._folder.mkdir(exist_ok=True)

    def begin(self, piece: ShardPiece) -> None:
        """Counts one more, with the process that makes it."""
        self._note(piece, {"begun": os.getpid(), "on": socket.gethostname()})

    def failed(self, piece: ShardPiece, why: str) -> None:
        """Notes why the last one has failed."""
        self._note(piece, {"failed": why})

    def withdraw(self, piece: ShardPiece) -> None:
        """Does not count the last one: the run was stopped, and the piece is not to blame."""
        if self.count(piece):
            self._note(piece, {"withdrawn": 1})

    def forget(self, piece: ShardPiece) -> None:
        """Takes away the notes on a piece that is done."""
        self._path(piece).unlink(missing_ok=True)

    def forget_all(self, whole: ShardPiece) -> None:
        """Takes away the notes on a shard, and on the pieces that it was done in."""
        for path in (self._path(whole), *self._folder.glob(f"{whole.name}.*")):
            path.unlink(missing_ok=True)

    def count(self, piece: ShardPiece) -> int:
        """How many there have been."""
        notes = [*self._notes(piece)]
        return sum("begun" in each for each in notes) - sum("withdrawn" in each for each in notes)

    def why(self, piece: ShardPiece) -> str:
        """Why the last one has failed, as far as anybody knows."""
        return next(
            (str(each["failed"]) for each in reversed([*self._notes(piece)]) if "failed" in each),
            _UNKNOWN,
        )

    def _path(self, piece: ShardPiece) -> Path:
        return self._folder / piece.name

    def _note(self, piece: ShardPiece, note: dict[str, Any]) -> None:
        # Not for one run alone: a worker and the run that started it write here in turn.
        with self._path(piece).open("a", encoding="utf8") as file:
            file.write(f"{json.dumps(note)}\n")
            file.flush()
            os.fsync(file.fileno())

    def _notes(self, piece: ShardPiece) -> Iterator[dict[str, Any]]:
        for line in whole_lines(self._path(piece)):
            try:
                note = json.loads(line)
            except (ValueError, RecursionError):  # cut off and written on by another
                continue
            if isinstance(note, dict):
                yield note


def left(piece: ShardPiece, parts: PartFiles, attempts: Attempts) -> Iterator[ShardPiece]:
    """What of a piece is still to be done: the whole, or such halves of it as are not done.

    Single segments that were tried too often are among them: see `is_hopeless`.
    """
    if parts.has(piece):
        return
    if piece.is_single or not attempts.count(piece):
        yield piece
        return
    for half in piece.halves():
        yield from left(half, parts, attempts)


def is_hopeless(piece: ShardPiece, attempts: Attempts) -> bool:
    """Whether a piece is a segment that was tried often enough."""
    return piece.is_single and attempts.count(piece) >= MOST


def finished(piece: ShardPiece, parts: PartFiles, attempts: Attempts) -> list[ShardPiece] | None:
    """The pieces that a piece was done in, in their order; None where some are not done."""
    if parts.has(piece):
        return [piece]
    if piece.is_single or not attempts.count(piece):
        return None
    found = [finished(half, parts, attempts) for half in piece.halves()]
    if any(each is None for each in found):
        return None
    return [each for half in found for each in half or ()]
