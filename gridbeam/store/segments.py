"""Segments as they are now: one, some of a project, and those that are confirmed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from gridbeam.errors import UserError
from gridbeam.store.columns import MOST, folded, kept
from gridbeam.store.database import Database
from gridbeam.store.refusals import Absent
from gridbeam.store.rows import (
    Json,
    NewSegment,
    SegmentPage,
    SegmentRow,
    SegmentStatus,
    Snapshot,
)
from gridbeam.store.tables import projects, segments

_SHOWN = (
    *("id", "project", "number", "name", "source", "details", "target", "state", "status"),
    *("review", "findings", "version", "head", "ahead", "touched"),
)
_LONGEST = 5_000
"""Characters; SQLite compares with no pattern of more than 50,000 bytes."""


@dataclass(frozen=True)
class SegmentStore:
    """The segments of all projects."""

    database: Database

    def get(self, segment: int) -> SegmentRow:
        """A segment."""
        with self.database.reading() as connection:
            return segment_row(connection, segment)

    def of(
        self,
        project: int,
        *,
        offset: int = 0,
        limit: int | None = None,
        status: SegmentStatus | None = None,
        review: bool | None = None,
        search: str = "",
        rule: str = "",
    ) -> SegmentPage:
        """The segments of a project in their order, those that meet every condition.

        `search` is looked for in source and target, whatever the capitals; `rule` is that of a
        finding, or `any`.
        """
        meets = [segments.c.project == project]
        if status is not None:
            meets.append(segments.c.status == status)
        if review is not None:
            meets.append(segments.c.review == review)
        if search:
            meets.append(_says(search))
        if rule == "any":
            meets.append(segments.c.rules != "")
        elif rule:
            meets.append(segments.c.rules.contains(f"|{kept(rule)}|", autoescape=True))
        return self._page(project, meets, offset, limit)

    def confirmed(self, project: int) -> tuple[SegmentRow, ...]:
        """The confirmed segments of a project, in their order."""
        return self.of(project, status="confirmed").rows

    def set_findings(self, segment: int, version: int, findings: Sequence[Json]) -> SegmentRow:
        """The segment with what the checks find now, if it still has that version.

        No act of a person: the version stays.
        """
        change = (
            sa.update(segments)
            .where(segments.c.id == segment, segments.c.version == version)
            .values(_findings(findings))
        )
        with self.database.writing() as connection:
            connection.execute(change)
            return segment_row(connection, segment)

    def _page(
        self, project: int, meets: list[sa.ColumnElement[bool]], offset: int, limit: int | None
    ) -> SegmentPage:
        count = sa.select(sa.func.count()).select_from(segments).where(*meets)
        shown = sa.select(*(segments.c[name] for name in _SHOWN)).where(*meets)
        shown = shown.order_by(segments.c.number).offset(_bounded(offset))
        if limit is not None:
            shown = shown.limit(_bounded(limit))
        with self.database.reading() as connection:
            known = sa.select(projects.c.id).where(projects.c.id == project)
            if connection.execute(known).first() is None:
                raise Absent.of("project", project)
            total = connection.execute(count).scalar_one()
            rows = tuple(map(_as_row, connection.execute(shown)))
        return SegmentPage(total, rows)


def segment_row(connection: sa.Connection, segment: int) -> SegmentRow:
    """A segment as a connection sees it."""
    query = sa.select(*(segments.c[name] for name in _SHOWN)).where(segments.c.id == segment)
    found = connection.execute(query).first()
    if found is None:
        raise Absent.of("segment", segment)
    return _as_row(found)


def columns_of(new: NewSegment, moment: datetime) -> dict[str, Any]:
    """The columns of a segment that nobody has acted on."""
    return {
        "name": new.name,
        "source": new.source,
        "source_folded": folded(new.source["text"]),
        "details": new.details,
        "version": 0,
        "head": 0,
        "ahead": 0,
        **content_columns(new.content),
        "touched": moment,
    }


def content_columns(content: Snapshot) -> dict[str, Any]:
    """The columns that an act changes."""
    return {
        "target": content.target,
        "target_folded": folded(content.target["text"] if content.target else ""),
        "state": content.state,
        "status": content.status,
        "review": content.review,
        **_findings(content.findings),
    }


def _findings(findings: Sequence[Json]) -> dict[str, Any]:
    rules = dict.fromkeys(kept(finding["rule"]) for finding in findings)
    return {"findings": list(findings), "rules": f"|{'|'.join(rules)}|" if rules else ""}


def _bounded(number: int) -> int:
    """A number of segments that every database takes."""
    return min(max(number, 0), MOST)


def _says(search: str) -> sa.ColumnElement[bool]:
    if len(search) > _LONGEST:
        raise UserError(f"the text to search has more than {_LONGEST} characters. Shorten it.")
    said = folded(search)
    return sa.or_(
        segments.c.source_folded.contains(said, autoescape=True),
        segments.c.target_folded.contains(said, autoescape=True),
    )


def _as_row(found: sa.Row[Any]) -> SegmentRow:
    values = dict(found._mapping)
    head, ahead = values.pop("head"), values.pop("ahead")
    findings = tuple(values.pop("findings"))
    return SegmentRow(**values, findings=findings, can_undo=head > 0, can_redo=ahead > 0)
