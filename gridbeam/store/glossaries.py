"""Glossaries: one of our own has entries for a pair of languages, one of DeepL's form for several.

Languages are kept in small letters, as `language` of `gridbeam.store.memory` writes them.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from gridbeam.glossary.entries import Entry
from gridbeam.store.bulk import insert_all
from gridbeam.store.columns import now
from gridbeam.store.database import Database
from gridbeam.store.entry_json import entry_columns
from gridbeam.store.memory import language
from gridbeam.store.refusals import Absent
from gridbeam.store.rows import DictionaryRow, GlossaryRow, NewDictionary
from gridbeam.store.tables import dictionaries, entries, glossaries


@dataclass(frozen=True)
class GlossaryStore:
    """All glossaries, with their dictionaries as wholes."""

    database: Database

    def add(
        self, name: str, parts: Sequence[NewDictionary] = (), *, origin: str = "own"
    ) -> GlossaryRow:
        """A glossary, under an id that no other ever has."""
        moment = now()
        identity = str(uuid.uuid4())
        values = {"name": name, "origin": origin, "created": moment, "touched": moment}
        with self.database.writing() as connection:
            connection.execute(sa.insert(glossaries).values(id=identity, version=1, **values))
            for part in parts:
                dictionary = dictionary_of(connection, identity, part.source, part.target)
                _fill(connection, dictionary, part.entries)
            return _one(connection, identity)

    def all(self, *, origin: str | None = None) -> tuple[GlossaryRow, ...]:
        """Every glossary, or those of one origin, the oldest first."""
        mine = [] if origin is None else [glossaries.c.origin == origin]
        with self.database.reading() as connection:
            return tuple(_rows(connection, *mine))

    def of_pair(self, source: str, target: str) -> tuple[GlossaryRow, ...]:
        """The glossaries that have a dictionary for a pair of languages, the oldest first."""
        for_pair = sa.select(dictionaries.c.glossary).where(
            dictionaries.c.source.in_(("", language(source))),
            dictionaries.c.target.in_(("", language(target))),
        )
        with self.database.reading() as connection:
            return tuple(_rows(connection, glossaries.c.id.in_(for_pair)))

    def get(self, glossary: str) -> GlossaryRow:
        """A glossary."""
        with self.database.reading() as connection:
            return _one(connection, glossary)

    def rename(self, glossary: str, name: str) -> GlossaryRow:
        """The glossary with another name."""
        with self.database.writing() as connection:
            touch(connection, glossary)
            change = sa.update(glossaries).where(glossaries.c.id == glossary)
            connection.execute(change.values(name=name))
            return _one(connection, glossary)

    def delete(self, glossary: str) -> None:
        """Removes a glossary; projects that used it have none then."""
        with self.database.writing() as connection:
            touch(connection, glossary)
            connection.execute(sa.delete(glossaries).where(glossaries.c.id == glossary))

    def put(self, glossary: str, part: NewDictionary) -> GlossaryRow:
        """The glossary with these entries for their languages, and no others."""
        with self.database.writing() as connection:
            touch(connection, glossary)
            dictionary = dictionary_of(connection, glossary, part.source, part.target)
            connection.execute(sa.delete(entries).where(entries.c.dictionary == dictionary))
            _fill(connection, dictionary, part.entries)
            return _one(connection, glossary)

    def merge(self, glossary: str, part: NewDictionary) -> GlossaryRow:
        """The glossary with these entries, too: one replaces those of the same source term."""
        with self.database.writing() as connection:
            touch(connection, glossary)
            dictionary = dictionary_of(connection, glossary, part.source, part.target)
            terms = {entry.source for entry in part.entries}
            query = sa.select(entries.c.id, entries.c.term)
            known = connection.execute(query.where(entries.c.dictionary == dictionary))
            gone = [{"gone": row.id} for row in known if row.term in terms]
            if gone:
                removal = sa.delete(entries).where(entries.c.id == sa.bindparam("gone"))
                connection.execute(removal, gone)
            _fill(connection, dictionary, part.entries)
            return _one(connection, glossary)

    def remove(self, glossary: str, source: str, target: str) -> GlossaryRow:
        """The glossary without its dictionary for a pair of languages."""
        with self.database.writing() as connection:
            touch(connection, glossary)
            if not _remove(connection, glossary, source, target):
                raise Absent.of(f"dictionary in glossary {glossary}", f"{source} → {target}")
            return _one(connection, glossary)


def touch(connection: sa.Connection, glossary: str) -> None:
    """Counts a change of a glossary, and keeps others from it until the commit."""
    change = sa.update(glossaries).where(glossaries.c.id == glossary)
    values = {"version": glossaries.c.version + 1, "touched": now()}
    if connection.execute(change.values(values)).rowcount == 0:
        raise Absent.of("glossary", glossary)


def dictionary_of(connection: sa.Connection, glossary: str, source: str, target: str) -> int:
    """The number of a dictionary of a glossary, which is made if it is not there."""
    pair = {"source": language(source), "target": language(target)}
    query = sa.select(dictionaries.c.id).filter_by(glossary=glossary, **pair)
    if (found := connection.execute(query).scalar()) is not None:
        return int(found)
    added = sa.insert(dictionaries).values(glossary=glossary, **pair)
    return int(connection.execute(added.returning(dictionaries.c.id)).scalar_one())


def _fill(connection: sa.Connection, dictionary: int, added: Sequence[Entry]) -> None:
    insert_all(
        connection, entries, [{"dictionary": dictionary, **entry_columns(each)} for each in added]
    )


def _remove(connection: sa.Connection, glossary: str, source: str, target: str) -> int:
    removal = sa.delete(dictionaries).where(
        dictionaries.c.glossary == glossary,
        dictionaries.c.source == language(source),
        dictionaries.c.target == language(target),
    )
    return connection.execute(removal).rowcount


def _one(connection: sa.Connection, glossary: str) -> GlossaryRow:
    for row in _rows(connection, glossaries.c.id == glossary):
        return row
    raise Absent.of("glossary", glossary)


def _rows(connection: sa.Connection, *which: sa.ColumnElement[bool]) -> list[GlossaryRow]:
    query = sa.select(glossaries).where(*which).order_by(glossaries.c.created, glossaries.c.id)
    found = connection.execute(query).mappings().all()
    parts = _dictionaries(connection, which)
    return [GlossaryRow(**row, dictionaries=tuple(parts[row["id"]])) for row in found]


def _dictionaries(
    connection: sa.Connection, which: Sequence[sa.ColumnElement[bool]]
) -> dict[str, list[DictionaryRow]]:
    """The dictionaries of each glossary, in the order in which they were made."""
    named = (dictionaries.c.glossary, dictionaries.c.source, dictionaries.c.target)
    query = (
        sa.select(*named, sa.func.count(entries.c.id).label("number"))
        .join(glossaries, glossaries.c.id == dictionaries.c.glossary)
        .outerjoin(entries, entries.c.dictionary == dictionaries.c.id)
        .where(*which)
        .group_by(dictionaries.c.id, *named)
        .order_by(dictionaries.c.id)
    )
    found: dict[str, list[DictionaryRow]] = defaultdict(list)
    for row in connection.execute(query):
        found[row.glossary].append(DictionaryRow(row.source, row.target, row.number))
    return found
