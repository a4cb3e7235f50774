"""Projects and segments as they are sent: values that JSON knows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from gridbeam.editing.difference import difference
from gridbeam.store import Counts, MatchRow, ProjectRow, SegmentRow
from gridbeam.workspace.judging import limits_of, terms_of
from gridbeam.workspace.kept import is_locked, target_of
from gridbeam.workspace.opened import OpenSegment


def project_view(row: ProjectRow) -> dict[str, Any]:
    """A project, and how many of its segments are how far."""
    return {
        "id": row.id,
        "name": row.name,
        "source": row.source,
        "target": row.target,
        "format": row.format,
        "file": row.file,
        "glossary": row.glossary,
        "created": row.created.isoformat(),
        "touched": row.touched.isoformat(),
        "counts": counts_view(row.counts),
    }


def counts_view(counts: Counts) -> dict[str, int]:
    """How many segments there are of each status, and in all."""
    return {**asdict(counts), "total": counts.total}


def segment_view(opened: OpenSegment) -> dict[str, Any]:
    """A segment with all that is shown of it."""
    row, state = opened.row, opened.state
    target = target_of(row)
    return {
        "id": row.id,
        "project": row.project,
        "number": row.number + 1,
        "name": row.name,
        "source": row.source,
        "target": row.target,
        "status": row.status,
        "review": row.review,
        "locked": is_locked(row),
        "version": row.version,
        "findings": [
            {name: each[name] for name in ("rule", "severity", "message", "spans", "source_spans")}
            for each in row.findings
        ],
        "words": [asdict(word) for word in state.words],
        "locks": [
            {"start": lock.where.start, "end": lock.where.end, "typed": lock.typed}
            for lock in state.locks
        ],
        "forbidden": list(state.avoided),
        "terms": terms_of(opened.matches, None if target is None else str(target)),
        "limits": limits_of(opened.segment, target),
        "quality": (row.state or {}).get("quality"),
        "undo": row.can_undo,
        "redo": row.can_redo,
    }


def match_views(row: SegmentRow, matches: Iterable[MatchRow]) -> list[dict[str, Any]]:
    """Confirmed segments like this one, and how the source of each differs from its own."""
    return [
        {
            "segment": match.segment,
            "source": match.source["text"],
            "target": match.target["text"],
            "percent": match.percent,
            "difference": [
                passage.as_json()
                for passage in difference(match.source["text"], row.source["text"])
            ],
        }
        for match in matches
    ]


def change_view(before: SegmentRow, opened: OpenSegment, seconds: float) -> dict[str, Any]:
    """A segment after an act, and what is different in it."""
    row = opened.row
    old, new = (each.target or {"text": "", "codes": []} for each in (before, row))
    return {
        "segment": segment_view(opened),
        "before": old,
        "difference": [passage.as_json() for passage in difference(old["text"], new["text"])],
        "seconds": round(seconds, 4),
    }
