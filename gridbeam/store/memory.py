"""The memory: confirmed segments of all projects, found again by what their sources are like.

Each language pair counts its changes, and each row has the number of the change that it came with.
Whoever looks for matches has the texts in memory, and asks for what came after the last number he
has seen. The count is locked from its change to the commit, so that numbers come in order, also
when several servers write to one database.
"""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from gridbeam.store.bulk import insert_all
from gridbeam.store.columns import kept
from gridbeam.store.rows import SegmentRow
from gridbeam.store.tables import memory, pairs, projects, segments


def language(code: str) -> str:
    """A language as it is compared.

    >>> language("pt_BR")
    'pt-br'
    """
    return code.strip().lower().replace("_", "-")


def remember(connection: sa.Connection, before: SegmentRow, after: SegmentRow) -> None:
    """Puts a segment that is confirmed into the memory, and takes one out that no longer is."""
    if "confirmed" not in (before.status, after.status):
        return
    query = sa.select(projects.c.source, projects.c.target).where(projects.c.id == after.project)
    pair, change = _next_change(connection, *connection.execute(query).one())
    values: dict[str, object] = {"confirmed": after.status == "confirmed", "change": change}
    known = sa.update(memory).where(memory.c.segment == after.id).values(values)
    if connection.execute(known).rowcount == 0:
        values |= {"segment": after.id, "pair": pair, "text": kept(after.source["text"])}
        connection.execute(sa.insert(memory).values(values))


def remember_all(connection: sa.Connection, project: int, source: str, target: str) -> None:
    """Puts the confirmed segments of a new project into the memory."""
    query = sa.select(segments.c.id, segments.c.source).where(
        segments.c.project == project, segments.c.status == "confirmed"
    )
    found = connection.execute(query).all()
    if not found:
        return
    pair, change = _next_change(connection, source, target)
    shared = {"pair": pair, "confirmed": True, "change": change}
    rows = [{"segment": each.id, "text": kept(each.source["text"]), **shared} for each in found]
    insert_all(connection, memory, rows)


def forget_deleted(connection: sa.Connection, source: str, target: str) -> None:
    """Tells those who have the texts of these languages that some are gone."""
    change = sa.update(pairs).where(
        pairs.c.source == language(source), pairs.c.target == language(target)
    )
    connection.execute(change.values(deletion=pairs.c.deletion + 1))


def _next_change(connection: sa.Connection, source: str, target: str) -> tuple[int, int]:
    """The number of a language pair, and of the change that is under way in it."""
    insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    first = insert(pairs).values(
        source=language(source), target=language(target), change=1, deletion=0
    )
    counted = first.on_conflict_do_update(
        index_elements=["source", "target"], set_={"change": pairs.c.change + 1}
    )
    found = connection.execute(counted.returning(pairs.c.id, pairs.c.change)).one()
    return found.id, found.change
