"""Acts on a segment: each is logged with the content after it, and undo and redo go through them.

The acts of a segment are a tree: the parent of each is the act whose content it was made on. `head`
is the act whose content the segment has now, and `ahead` the one that redo leads to. Undo goes to
the parent; an act after that begins a branch, and what was undone stays in the log only.
An act is known by the version of the segment that it made; 0 is the content before the first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import sqlalchemy as sa

from gridbeam.errors import UserError
from gridbeam.store.columns import now
from gridbeam.store.memory import remember
from gridbeam.store.refusals import Absent, Outdated
from gridbeam.store.rows import ActRow, NewAct, SegmentRow, Snapshot
from gridbeam.store.segments import content_columns, segment_row
from gridbeam.store.tables import acts, projects, segments


def act(
    connection: sa.Connection, segment: int, version: int, new: NewAct, after: Snapshot
) -> SegmentRow:
    """The segment after an act on that version of it."""
    head, _ = _pointers(connection, segment, version)
    return _go(connection, segment, version, new, after, parent=head, head=version + 1, ahead=0)


def undo(connection: sa.Connection, segment: int, version: int, new: NewAct) -> SegmentRow:
    """The segment as it was before its last act; as it is if there is none."""
    head, _ = _pointers(connection, segment, version)
    if head == 0:
        return segment_row(connection, segment)
    to = _found(connection, segment, head).parent
    after = _content(connection, segment, to)
    return _go(connection, segment, version, new, after, parent=head, head=to, ahead=head)


def redo(connection: sa.Connection, segment: int, version: int, new: NewAct) -> SegmentRow:
    """The segment as it was before an undo; as it is if there was none since the last act."""
    head, ahead = _pointers(connection, segment, version)
    if ahead == 0:
        return segment_row(connection, segment)
    after = _content(connection, segment, ahead)
    next_ahead = _youngest(connection, segment, ahead)
    return _go(connection, segment, version, new, after, parent=head, head=ahead, ahead=next_ahead)


def has(connection: sa.Connection, segment: int, act_id: str) -> bool:
    """Whether an act with this id was stored for a segment."""
    query = sa.select(1).where(acts.c.segment == segment, acts.c.act_id == act_id)
    return connection.execute(query).first() is not None


def of_segment(connection: sa.Connection, segment: int) -> tuple[ActRow, ...]:
    """All acts on a segment, in their order."""
    segment_row(connection, segment)
    return _listed(connection, acts.c.segment == segment)


def of_project(connection: sa.Connection, project: int) -> tuple[ActRow, ...]:
    """All acts on the segments of a project, in their order."""
    if connection.execute(sa.select(1).where(projects.c.id == project)).first() is None:
        raise Absent.of("project", project)
    here = sa.select(segments.c.id).where(segments.c.project == project)
    return _listed(connection, acts.c.segment.in_(here))


def _pointers(connection: sa.Connection, segment: int, version: int) -> tuple[int, int]:
    """Where the segment is in its history, if it still has that version."""
    query = sa.select(segments.c.version, segments.c.head, segments.c.ahead)
    found = connection.execute(query.where(segments.c.id == segment)).first()
    if found is None or found.version != version:
        raise Outdated(segment_row(connection, segment))
    return found.head, found.ahead


def _go(
    connection: sa.Connection,
    segment: int,
    version: int,
    new: NewAct,
    after: Snapshot,
    *,
    parent: int,
    head: int,
    ahead: int,
) -> SegmentRow:
    """The segment with other content: changed and logged if it still has that version."""
    if new.seconds is not None and not math.isfinite(new.seconds):
        raise UserError("the seconds of an act are infinite, or none. Leave them out.")
    before = segment_row(connection, segment)
    moment = now()
    values = content_columns(after) | {
        "version": version + 1,
        "head": head,
        "ahead": ahead,
        "touched": moment,
    }
    if version == 0:
        values["start"] = asdict(before.content)
    change = sa.update(segments).where(segments.c.id == segment, segments.c.version == version)
    if connection.execute(change.values(values)).rowcount != 1:
        raise Outdated(segment_row(connection, segment))
    logged = asdict(new) | {"after": asdict(after), "moment": moment, "version": version + 1}
    logged |= {"segment": segment, "parent": parent, "head": head}
    connection.execute(sa.insert(acts).values(logged))
    row = segment_row(connection, segment)
    remember(connection, before, row)
    return row


def _found(connection: sa.Connection, segment: int, version: int) -> sa.Row[Any]:
    query = sa.select(acts).where(acts.c.segment == segment, acts.c.version == version)
    return connection.execute(query).one()


def _content(connection: sa.Connection, segment: int, version: int) -> Snapshot:
    """What the segment held after the act of that version; at 0, before the first."""
    if version:
        return snapshot(_found(connection, segment, version).after)
    query = sa.select(segments.c.start).where(segments.c.id == segment)
    return snapshot(connection.execute(query).scalar_one())


def _youngest(connection: sa.Connection, segment: int, parent: int) -> int:
    """The last act that was made on the content of another; 0 if none was."""
    query = sa.select(sa.func.max(acts.c.version)).where(
        acts.c.segment == segment, acts.c.parent == parent, acts.c.head == acts.c.version
    )
    return connection.execute(query).scalar() or 0


def snapshot(kept: dict[str, Any]) -> Snapshot:
    """The content that was kept as JSON."""
    return replace(Snapshot(**kept), findings=tuple(kept["findings"]))


def _listed(connection: sa.Connection, which: sa.ColumnElement[bool]) -> tuple[ActRow, ...]:
    found: Sequence[sa.Row[Any]] = connection.execute(
        sa.select(acts).where(which).order_by(acts.c.id)
    ).all()
    return tuple(map(_as_row, found))


def _as_row(found: sa.Row[Any]) -> ActRow:
    values = dict(found._mapping)
    del values["id"]
    values["after"] = snapshot(values["after"])
    return ActRow(when=values.pop("moment"), **values)
