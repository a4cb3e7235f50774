"""The store: everything that the workspace keeps, in one database.

Each method is one transaction, which is committed, and on the disk, before the method returns.
Any number of threads may use one store, and any number of processes one database.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from gridbeam.store import history
from gridbeam.store.database import Database
from gridbeam.store.entries import EntryStore
from gridbeam.store.glossaries import GlossaryStore
from gridbeam.store.keys import KeyStore
from gridbeam.store.matches import MemoryStore
from gridbeam.store.opening import open_database
from gridbeam.store.projects import ProjectStore
from gridbeam.store.rows import ActRow, NewAct, SegmentRow, Snapshot
from gridbeam.store.segments import SegmentStore

_PATIENCE = 10.0
"""Seconds that a writer waits for others: any one of them is done in a fraction of that."""
_UNDO = NewAct("undo")
_REDO = NewAct("redo")


@dataclass(frozen=True)
class Store:
    """A database that is open, subject by subject; acts on segments are here."""

    database: Database
    projects: ProjectStore
    segments: SegmentStore
    glossaries: GlossaryStore
    entries: EntryStore
    keys: KeyStore
    memory: MemoryStore

    @classmethod
    def open(cls, url: str | Path | None = None, *, patience: float = _PATIENCE) -> Self:
        """The store in a file, at a URL, or in this user's own folder if nothing is said.

        It is made if it is not there, and migrated if it is old.
        """
        database = open_database(url, patience)
        return cls(
            database,
            ProjectStore(database),
            SegmentStore(database),
            GlossaryStore(database),
            EntryStore(database),
            KeyStore(database),
            MemoryStore(database),
        )

    def act(self, segment: int, version: int, act: NewAct, after: Snapshot) -> SegmentRow:
        """The segment after an act that was made on that version of it.

        `Outdated`, with the segment as it is now, if it has another version.
        """
        with self.database.writing() as connection:
            return history.act(connection, segment, version, act, after)

    def undo(self, segment: int, version: int, act: NewAct = _UNDO) -> SegmentRow:
        """The segment with the content before its last act; as it is if there is none."""
        with self.database.writing() as connection:
            return history.undo(connection, segment, version, act)

    def redo(self, segment: int, version: int, act: NewAct = _REDO) -> SegmentRow:
        """The segment with the content before its last undo; as it is if there is none."""
        with self.database.writing() as connection:
            return history.redo(connection, segment, version, act)

    def has_act(self, segment: int, act_id: str) -> bool:
        """Whether an act with this id was stored for a segment."""
        with self.database.reading() as connection:
            return history.has(connection, segment, act_id)

    def history(self, segment: int) -> tuple[ActRow, ...]:
        """Every act on a segment in its order, undone or not."""
        with self.database.reading() as connection:
            return history.of_segment(connection, segment)

    def log(self, project: int) -> tuple[ActRow, ...]:
        """Every act on the segments of a project in its order, for a study."""
        with self.database.reading() as connection:
            return history.of_project(connection, project)

    def close(self) -> None:
        """Lets go of the database."""
        self.database.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
