"""What came of the pieces of a run, on disk: a file for each, there whole or not at all.

A piece is a shard, or a part of one that had to be halved. That it is done is that its file is
there: so it does not matter who did it, how often, or whether anybody noticed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from gridbeam.distributed.manifest import Manifest, Shard
from gridbeam.errors import UserError
from gridbeam.files.outcome import Outcome
from gridbeam.support.line_files import sealed, unsealed
from gridbeam.support.output_files import replacing

_REMEDY = "Make room; the same command goes on."


@dataclass(frozen=True)
class ShardPiece:
    """A stretch of the segments of a shard that is given to one worker."""

    shard: Shard
    first: int
    end: int

    @classmethod
    def whole(cls, shard: Shard) -> ShardPiece:
        """All of a shard."""
        return cls(shard, shard.first, shard.end)

    @property
    def is_single(self) -> bool:
        """Whether there is but one segment in it."""
        return self.end - self.first <= 1

    def halves(self) -> tuple[ShardPiece, ShardPiece]:
        """The piece in two."""
        middle = (self.first + self.end) // 2
        return ShardPiece(self.shard, self.first, middle), ShardPiece(self.shard, middle, self.end)

    @property
    def name(self) -> str:
        """What its files are called."""
        is_whole = (self.first, self.end) == (self.shard.first, self.shard.end)
        stretch = "" if is_whole else f".{self.first}-{self.end}"
        return f"part-{self.shard.number:05}{stretch}"


class PartFiles:
    """The files of the pieces of one run."""

    def __init__(self, folder: Path, manifest_id: str) -> None:
        self._folder, self._id = folder / "parts", manifest_id
        self._folder.mkdir(exist_ok=True)

    def path(self, piece: ShardPiece) -> Path:
        """Where the file of a piece is."""
        return self._folder / f"{piece.name}.jsonl"

    def has(self, piece: ShardPiece) -> bool:
        """Whether a piece is done."""
        return self.path(piece).exists()

    def write(self, piece: ShardPiece, outcomes: Sequence[Outcome]) -> None:
        """Writes what came of a piece, in the order of the document."""
        with replacing(self.path(piece), _REMEDY) as file:
            file.write(_line(json.dumps(self._about(piece, len(outcomes)))))
            for outcome in outcomes:
                file.write(_line(outcome.as_line()))

    def read(self, piece: ShardPiece) -> list[Outcome]:
        """What came of a piece, in the order of the document."""
        try:
            return self._outcomes(piece)
        except (ValueError, RecursionError):
            raise self.damaged(piece) from None

    def damaged(self, piece: ShardPiece) -> UserError:
        """What there is to say of a piece that is not as it was written."""
        return UserError(
            f"{self.path(piece)} is damaged, or of another run. Remove it and give the same"
            " command, which makes it anew."
        )

    def _outcomes(self, piece: ShardPiece) -> list[Outcome]:
        """What came of a piece; a ValueError where a line is not as it was, or not there."""
        lines = [*map(unsealed, self.path(piece).read_bytes().splitlines(keepends=True))]
        if not lines or None in lines:
            raise ValueError("a line is damaged")
        about, *rest = (line for line in lines if line is not None)
        found = [*map(Outcome.from_line, rest)]
        numbers = [piece.first - 1, *(each.number for each in found), piece.end]
        is_in_order = all(before < after for before, after in pairwise(numbers))
        if json.loads(about) != self._about(piece, len(found)) or not is_in_order:
            raise ValueError("lines are missing, or are others")
        return found

    def join(self, whole: ShardPiece, pieces: Sequence[ShardPiece]) -> None:
        """Makes one file of those of pieces, which are all there."""
        self.write(whole, [each for piece in pieces for each in self.read(piece)])
        for piece in pieces:
            self.path(piece).unlink(missing_ok=True)

    def _about(self, piece: ShardPiece, outcomes: int) -> dict[str, Any]:
        return {"run": self._id, "first": piece.first, "end": piece.end, "outcomes": outcomes}


class Gathered(Mapping[int, Outcome]):
    """What came of every segment, by number; one shard of it is in memory at a time."""

    def __init__(self, parts: PartFiles, manifest: Manifest, *, terms: int) -> None:
        self._parts, self._shards, self._terms = parts, manifest.shards, terms
        self._firsts = [shard.first for shard in manifest.shards]
        self._at = -1
        self._held: dict[int, Outcome] = {}

    def __getitem__(self, number: int) -> Outcome:
        if not 0 <= self._at < len(self._shards) or not self._is_within(number):
            self._open(next((n for n, each in enumerate(self._shards) if number < each.end), -1))
        return self._held[number]

    def __iter__(self) -> Iterator[int]:
        for number in range(len(self._shards)):
            self._open(number)
            yield from [*self._held]

    def __len__(self) -> int:
        return sum(shard.due for shard in self._shards)

    def _is_within(self, number: int) -> bool:
        shard = self._shards[self._at]
        return shard.first <= number < shard.end

    def _open(self, at: int) -> None:
        self._at = at
        found = self._read(ShardPiece.whole(self._shards[at])) if at >= 0 else []
        self._held = {each.number: each for each in found}

    def _read(self, whole: ShardPiece) -> list[Outcome]:
        found = self._parts.read(whole)
        entries = {use.entry for outcome in found for use in outcome.uses}
        if len(found) != whole.shard.due or not entries <= {*range(self._terms)}:
            raise self._parts.damaged(whole)
        return found


def _line(content: str) -> bytes:
    return f"{sealed(content)}\n".encode("utf8", "backslashreplace")
