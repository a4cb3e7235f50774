"""Matches: confirmed segments whose source is like a text."""

from __future__ import annotations

import threading
from collections import defaultdict
from dataclasses import dataclass, field

import sqlalchemy as sa
from rapidfuzz import process
from rapidfuzz.distance import Indel, Levenshtein

from gridbeam.store.columns import kept
from gridbeam.store.database import Database
from gridbeam.store.memory import language
from gridbeam.store.rows import MatchRow
from gridbeam.store.tables import memory, pairs, segments

_AT_ONCE = 50
"""How many segments are asked for at once."""


@dataclass
class Recall:
    """The confirmed sources of a language pair, as far as this process has seen its changes."""

    pair: int
    change: int = 0
    deletion: int = 0
    by_length: dict[int, dict[int, str]] = field(default_factory=lambda: defaultdict(dict))
    """Of each length the texts, by their segments."""
    lengths: dict[int, int] = field(default_factory=dict)
    turn: threading.Lock = field(default_factory=threading.Lock)

    def refresh(self, connection: sa.Connection) -> None:
        """Takes in what came since the last time."""
        query = sa.select(pairs.c.deletion).where(pairs.c.id == self.pair)
        deletion = connection.execute(query).scalar_one()
        if deletion != self.deletion:
            self.change, self.deletion = 0, deletion
            self.by_length.clear()
            self.lengths.clear()
        changed = sa.select(memory.c.segment, memory.c.text, memory.c.confirmed, memory.c.change)
        since = changed.where(memory.c.pair == self.pair, memory.c.change > self.change)
        for row in connection.execute(since):
            self.change = max(self.change, row.change)
            self._put(row.segment, row.text if row.confirmed else None)

    def like(self, text: str, least: int) -> list[tuple[int, int]]:
        """The segments at least so like a text, with their percentages, best first."""
        found = []
        for length, others in self.by_length.items():
            longer = max(len(text), length)
            edits = longer * (100 - least) // 100
            if abs(len(text) - length) <= edits:
                near = _within(edits, text, others)
                found += [(segment, _percent(distance, longer)) for _, distance, segment in near]
        return sorted(found, key=lambda each: (-each[1], -each[0]))

    def _put(self, segment: int, text: str | None) -> None:
        if segment in self.lengths:
            del self.by_length[self.lengths.pop(segment)][segment]
        if text is not None:
            self.lengths[segment] = len(text)
            self.by_length[len(text)][segment] = text


def _within(edits: int, text: str, others: dict[int, str]) -> list[tuple[str, int, int]]:
    """Those of some texts that so many edits at most make of a text, with how many, and which.

    An edit is at most an insertion and a deletion: that these would be too many is found in a
    quarter of the time, and leaves out most.
    """
    possible = process.extract(
        text, others, scorer=Indel.distance, processor=None, limit=None, score_cutoff=2 * edits
    )
    near = {segment: other for other, _, segment in possible}
    return process.extract(
        text, near, scorer=Levenshtein.distance, processor=None, limit=None, score_cutoff=edits
    )


def _percent(edits: int, length: int) -> int:
    """How much of the longer text is left by the edits, rounded down."""
    return 100 if edits == 0 else (length - edits) * 100 // length


@dataclass(frozen=True)
class MemoryStore:
    """The confirmed segments of all projects."""

    database: Database
    _recalls: dict[tuple[str, str], Recall] = field(default_factory=dict)
    _turn: threading.Lock = field(default_factory=threading.Lock)

    def matches(
        self,
        source: str,
        target: str,
        text: str,
        *,
        beside: int | None = None,
        least: int = 70,
        most: int = 5,
    ) -> tuple[MatchRow, ...]:
        """The confirmed segments of these languages most like a text, best first.

        At least `least` percent like it, at most `most` of them and none twice; never the segment
        `beside`, for which they are wanted.
        """
        with self.database.reading() as connection:
            recall = self._recall(connection, language(source), language(target))
            if recall is None:
                return ()
            with recall.turn:
                recall.refresh(connection)
                found = recall.like(kept(text), least)
            # Of those that say the same only one is shown.
            percents = {segment: percent for segment, percent in found if segment != beside}
            return _shown(connection, percents, most)

    def _recall(self, connection: sa.Connection, source: str, target: str) -> Recall | None:
        with self._turn:
            if (source, target) not in self._recalls:
                query = sa.select(pairs.c.id).where(
                    pairs.c.source == source, pairs.c.target == target
                )
                pair = connection.execute(query).scalar()
                if pair is None:
                    return None
                self._recalls[source, target] = Recall(pair)
            return self._recalls[source, target]


def _shown(connection: sa.Connection, percents: dict[int, int], most: int) -> tuple[MatchRow, ...]:
    """The segments of those numbers, in their order, without those that say the same."""
    found: dict[tuple[str, str], MatchRow] = {}
    numbers = list(percents)
    for first in range(0, len(numbers), _AT_ONCE):
        some = numbers[first : first + _AT_ONCE]
        query = sa.select(
            *(segments.c[name] for name in ("id", "project", "source", "target", "touched"))
        ).where(segments.c.id.in_(some), segments.c.status == "confirmed")
        rows = {row.id: row for row in connection.execute(query)}
        for number in some:
            if row := rows.get(number):
                match = MatchRow(
                    row.id, row.project, row.source, row.target, percents[number], row.touched
                )
                found.setdefault((row.source["text"], row.target["text"]), match)
            if len(found) == most:
                return tuple(found.values())
    return tuple(found.values())
