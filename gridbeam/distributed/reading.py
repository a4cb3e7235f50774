"""The segments of a piece, wherever it stands in a document."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from gridbeam.distributed.parts import ShardPiece
from gridbeam.documents import Languages, Segment
from gridbeam.documents.lines import segments_since
from gridbeam.documents.registry import format_of


class PieceReader:
    """Reads pieces of a document: in rising order, it reads through the document once.

    In a file of lines it goes to where the shard begins, and reads nothing before it.
    """

    def __init__(self, path: Path, format: str | None, languages: Languages) -> None:
        self.form = format_of(path, format)
        self.document = self.form.open(path, languages)
        self._at = 0
        self._rest: Iterator[Segment] = iter(())

    def segments(self, piece: ShardPiece) -> list[Segment]:
        """The segments of a piece, those that are not due among them."""
        place, unit = piece.shard.place, self.form.unit
        if place is not None and unit is not None and self._at != piece.first:
            self._at, self._rest = place.segments, segments_since(self.document.path, unit, place)
        elif not 0 < self._at <= piece.first:
            self._at, self._rest = 0, self.document.segments()
        found = [*islice(self._rest, piece.first - self._at, piece.end - self._at)]
        self._at = piece.end
        return found
