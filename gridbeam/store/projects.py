"""Projects: what was uploaded, and how far it is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

import sqlalchemy as sa

from gridbeam.store.bulk import insert_all
from gridbeam.store.columns import now
from gridbeam.store.database import Database
from gridbeam.store.memory import forget_deleted, remember_all
from gridbeam.store.refusals import Absent
from gridbeam.store.rows import STATUSES, Counts, NewProject, NewSegment, ProjectRow
from gridbeam.store.segments import columns_of
from gridbeam.store.tables import files, glossaries, projects, segments


@dataclass(frozen=True)
class ProjectStore:
    """All projects."""

    database: Database

    def add(
        self, new: NewProject, parts: Sequence[NewSegment] = (), content: bytes = b""
    ) -> ProjectRow:
        """A project with its segments, and the bytes of the file that it was made of."""
        moment = now()
        with self.database.writing() as connection:
            _see_glossary(connection, new.glossary)
            values = asdict(new) | {"created": moment, "touched": moment}
            added = connection.execute(sa.insert(projects).values(values).returning(projects.c.id))
            project = added.scalar_one()
            connection.execute(sa.insert(files).values(project=project, content=content))
            rows = [
                {"project": project, "number": number, **columns_of(part, moment)}
                for number, part in enumerate(parts)
            ]
            insert_all(connection, segments, rows)
            remember_all(connection, project, new.source, new.target)
            return _one(connection, project)

    def all(self) -> tuple[ProjectRow, ...]:
        """Every project, the one that was touched last first."""
        with self.database.reading() as connection:
            rows = _rows(connection)
        return tuple(sorted(rows, key=lambda row: (row.touched, row.id), reverse=True))

    def get(self, project: int) -> ProjectRow:
        """A project."""
        with self.database.reading() as connection:
            return _one(connection, project)

    def content(self, project: int) -> bytes:
        """The bytes of the file that a project was made of, as they came."""
        query = sa.select(files.c.content).where(files.c.project == project)
        with self.database.reading() as connection:
            found = connection.execute(query).scalar()
        if found is None:
            raise Absent.of("project", project)
        return bytes(found)

    def rename(self, project: int, name: str) -> ProjectRow:
        """The project with another name."""
        with self.database.writing() as connection:
            return _changed(connection, project, name=name)

    def set_glossary(self, project: int, glossary: str | None) -> ProjectRow:
        """The project with another glossary, or with none."""
        with self.database.writing() as connection:
            _see_glossary(connection, glossary)
            return _changed(connection, project, glossary=glossary)

    def delete(self, project: int) -> None:
        """Removes a project with all that belongs to it, also from the memory."""
        with self.database.writing() as connection:
            row = _one(connection, project)
            # In the order in which an act takes them, so that neither waits for the other.
            connection.execute(sa.delete(segments).where(segments.c.project == project))
            connection.execute(sa.delete(projects).where(projects.c.id == project))
            forget_deleted(connection, row.source, row.target)


def _see_glossary(connection: sa.Connection, glossary: str | None) -> None:
    query = sa.select(glossaries.c.id).where(glossaries.c.id == glossary)
    if glossary is not None and connection.execute(query).first() is None:
        raise Absent.of("glossary", glossary)


def _changed(connection: sa.Connection, project: int, **values: str | None) -> ProjectRow:
    change = sa.update(projects).where(projects.c.id == project)
    connection.execute(change.values({**values, "touched": now()}))
    return _one(connection, project)


def _one(connection: sa.Connection, project: int) -> ProjectRow:
    for row in _rows(connection, project):
        return row
    raise Absent.of("project", project)


def _rows(connection: sa.Connection, project: int | None = None) -> list[ProjectRow]:
    query = sa.select(projects)
    if project is not None:
        query = query.where(projects.c.id == project)
    counts, last = _counted(connection, project)
    return [
        ProjectRow(
            **row | {"touched": max(row["touched"], last.get(row["id"], row["touched"]))},
            counts=counts[row["id"]],
        )
        for row in map(dict, connection.execute(query).mappings())
    ]


def _counted(
    connection: sa.Connection, project: int | None
) -> tuple[dict[int, Counts], dict[int, datetime]]:
    """The counts of each project, and when one of its segments was last changed."""
    number = sa.func.count().label("number")
    last = sa.func.max(segments.c.touched, type_=segments.c.touched.type).label("last")
    group = (segments.c.project, segments.c.status, segments.c.review)
    query = sa.select(*group, number, last).group_by(*group)
    if project is not None:
        query = query.where(segments.c.project == project)
    counts: dict[int, dict[str, int]] = defaultdict(lambda: dict.fromkeys((*STATUSES, "review"), 0))
    touched: dict[int, datetime] = {}
    for row in connection.execute(query):
        of_project = counts[row.project]
        of_project[row.status] += row.number
        of_project["review"] += row.number if row.review else 0
        touched[row.project] = max(touched.get(row.project, row.last), row.last)
    found = defaultdict(Counts, {each: Counts(**named) for each, named in counts.items()})
    return found, touched
