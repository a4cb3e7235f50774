"""What people did, for a study: every act, and what each segment has cost.

Effort is counted as `gridbeam.editing.effort` says: keystrokes and mouse actions, and KSMR by the
characters of the translation as it is now. Where the page has not counted them, they are those of
typing the words, and of a click for each end of a stretch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from gridbeam.editing.effort import Effort
from gridbeam.store import ActRow, ProjectRow, SegmentRow
from gridbeam.workspace.act import SEARCHING

MACHINE = "machine"
"""The client of acts that nobody asked for."""


def study_view(
    project: ProjectRow, rows: Iterable[SegmentRow], log: Sequence[ActRow]
) -> dict[str, Any]:
    """The log of a project, and its segments with what they have cost."""
    by_segment: dict[int, list[ActRow]] = {}
    for act in log:
        by_segment.setdefault(act.segment, []).append(act)
    segments = [_segment(row, by_segment.get(row.id, [])) for row in rows]
    touched = [each for each in segments if each["acts"]]
    return {
        "project": project.id,
        "name": project.name,
        "languages": [project.source, project.target],
        "total": {
            **_sums(touched),
            "ksmr": _ksmr(touched),
            "segments": len(touched),
        },
        "segments": touched,
        "acts": [_act(each) for each in log],
    }


def effort_of(act: ActRow) -> Effort:
    """What an act has cost its person."""
    if act.client == MACHINE:
        return Effort()
    words, where = act.payload.get("words", ""), act.payload.get("where")
    counted = Effort()
    if act.kind in ("replace", "forbid", "allow"):
        counted = Effort.of_typing(len(words.split()), words if act.kind == "replace" else "")
    elif where is not None:
        counted = Effort(clicks=1 if where[0] == where[1] else 2)
    if act.keystrokes is None:
        return counted
    return Effort(counted.words, act.keystrokes, act.payload.get("clicks", 0))


def _segment(row: SegmentRow, log: Sequence[ActRow]) -> dict[str, Any]:
    own = [act for act in log if act.client != MACHINE]
    effort = sum(map(effort_of, own), Effort())
    characters = len(row.target["text"]) if row.target else 0
    return {
        "id": row.id,
        "number": row.number + 1,
        "status": row.status,
        "acts": len(own),
        "cycles": sum(act.kind in SEARCHING for act in own),
        "seconds": round(sum(act.seconds or 0.0 for act in own), 3),
        "words": effort.words,
        "keystrokes": effort.keystrokes,
        "clicks": effort.clicks,
        "characters": characters,
        "ksmr": round(effort.ksmr(characters), 4),
    }


def _act(act: ActRow) -> dict[str, Any]:
    return {
        "segment": act.segment,
        "version": act.version,
        "act": act.kind,
        "payload": act.payload,
        "text": act.after.target["text"] if act.after.target else None,
        "status": act.after.status,
        "seconds": act.seconds,
        "keystrokes": act.keystrokes,
        "time": act.when.isoformat(),
        "client": act.client,
    }


_SUMMED = ("acts", "cycles", "seconds", "words", "keystrokes", "clicks", "characters")


def _sums(segments: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {name: round(sum(each[name] for each in segments), 3) for name in _SUMMED}


def _ksmr(segments: Sequence[dict[str, Any]]) -> float:
    sums = _sums(segments)
    effort = Effort(sums["words"], sums["keystrokes"], sums["clicks"])
    return round(effort.ksmr(sums["characters"]), 4)
