"""The entries of glossaries, one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from gridbeam.glossary.entries import Entry
from gridbeam.store.database import Database
from gridbeam.store.entry_json import entry_columns, entry_of
from gridbeam.store.glossaries import dictionary_of, touch
from gridbeam.store.memory import language
from gridbeam.store.refusals import Absent
from gridbeam.store.rows import EntryRow
from gridbeam.store.tables import dictionaries, entries, glossaries


@dataclass(frozen=True)
class EntryStore:
    """The entries of all glossaries."""

    database: Database

    def of(
        self, glossary: str, source: str | None = None, target: str | None = None
    ) -> tuple[EntryRow, ...]:
        """The entries of a glossary in their order, all or those of a pair of languages.

        A dictionary for any language has some for every pair.
        """
        which = [dictionaries.c.glossary == glossary]
        if source is not None:
            which.append(dictionaries.c.source.in_(("", language(source))))
        if target is not None:
            which.append(dictionaries.c.target.in_(("", language(target))))
        with self.database.reading() as connection:
            known = sa.select(glossaries.c.id).where(glossaries.c.id == glossary)
            if connection.execute(known).first() is None:
                raise Absent.of("glossary", glossary)
            return tuple(map(_as_row, connection.execute(_query().where(*which))))

    def get(self, entry: int) -> EntryRow:
        """An entry."""
        with self.database.reading() as connection:
            return _one(connection, entry)

    def add(self, glossary: str, source: str, target: str, entry: Entry) -> EntryRow:
        """Adds an entry at the end of a dictionary."""
        with self.database.writing() as connection:
            touch(connection, glossary)
            dictionary = dictionary_of(connection, glossary, source, target)
            added = sa.insert(entries).values(dictionary=dictionary, **entry_columns(entry))
            return _one(connection, connection.execute(added.returning(entries.c.id)).scalar_one())

    def change(self, number: int, entry: Entry) -> EntryRow:
        """Puts another entry in the place of one."""
        with self.database.writing() as connection:
            touch(connection, _one(connection, number).glossary)
            change = sa.update(entries).where(entries.c.id == number)
            connection.execute(change.values(entry_columns(entry)))
            return _one(connection, number)

    def delete(self, number: int) -> None:
        """Removes an entry."""
        with self.database.writing() as connection:
            touch(connection, _one(connection, number).glossary)
            connection.execute(sa.delete(entries).where(entries.c.id == number))


def _query() -> sa.Select[Any]:
    pair = (dictionaries.c.glossary, dictionaries.c.source, dictionaries.c.target)
    return (
        sa.select(entries.c.id, entries.c.entry, *pair)
        .join(dictionaries, dictionaries.c.id == entries.c.dictionary)
        .order_by(dictionaries.c.id, entries.c.id)
    )


def _one(connection: sa.Connection, number: int) -> EntryRow:
    found = connection.execute(_query().where(entries.c.id == number)).first()
    if found is None:
        raise Absent.of("entry", number)
    return _as_row(found)


def _as_row(found: sa.Row[Any]) -> EntryRow:
    return EntryRow(found.id, found.glossary, found.source, found.target, entry_of(found.entry))
