"""A segment of a document as the store keeps it, and back.

`Segment` is what files are translated by; a row of the store has the text that people see, and in
its details all that the text does not show: which characters are codes of the file, constraints,
limits, and whether the file lets it be changed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gridbeam.constraints.notation import from_json, to_json
from gridbeam.documents import Segment
from gridbeam.documents.limit import SizeLimit
from gridbeam.markup.inline import Code, Marked
from gridbeam.store import NewSegment, SegmentRow, SegmentStatus, Snapshot
from gridbeam.workspace.texts import Own, marked_text, shown

_STATUSES: Mapping[str, SegmentStatus] = {
    "untranslated": "new",
    "draft": "machine",
    "translated": "confirmed",
    "locked": "confirmed",
}
"""What a segment is here by what its file says of it."""


def kept(segment: Segment, own: Own = ()) -> NewSegment:
    """What the store keeps of a segment.

    A translation that the file says is to be looked at needs review; one that it says is none yet
    is left out.
    """
    status = _STATUSES[segment.status]
    given = None if status == "new" else segment.target
    target = None if given is None else shown(given, own)
    state = None if target is None else {"text": target["text"]}
    content = Snapshot(target, state, status, segment.status == "draft")
    return NewSegment(segment.name, shown(segment.source, own), content, _details(segment))


def restored(row: SegmentRow, file: str) -> Segment:
    """The segment of a row; `file` is what messages call its document."""
    details = row.details
    return Segment(
        row.number,
        row.name,
        _marked(details["pieces"]),
        Path(file),
        details["line"],
        target=None if row.target is None else target_of(row),
        constraints=from_json(json.dumps(details["constraints"])),
        stretches=tuple(
            None if each is None else (each[0], each[1]) for each in details["stretches"]
        ),
        accelerator=details["accelerator"],
        limits=tuple(SizeLimit(**each) for each in details["limits"]),
    )


def target_of(row: SegmentRow) -> Marked | None:
    """The translation of a row with the codes of its file."""
    return None if row.target is None else with_codes(row, row.target["text"])


def with_codes(row: SegmentRow, text: str) -> Marked:
    """A translation of a row with the codes that its file has in the source, or had in a target."""
    details = row.details
    known = [*_marked(details["pieces"]).codes, *_marked(details["before"] or []).codes]
    return marked_text(text, known)


def is_locked(row: SegmentRow) -> bool:
    """Whether the file says that the segment must stay as it is."""
    return bool(row.details["locked"])


def is_as_imported(row: SegmentRow) -> bool:
    """Whether the translation is the one that the file has."""
    before = row.details["before"]
    return before is not None and row.target is not None and _raw(before) == row.target["text"]


def _details(segment: Segment) -> dict[str, Any]:
    return {
        "number": segment.number,
        "line": segment.line,
        "locked": segment.status == "locked",
        "pieces": _pieces(segment.source),
        "before": None if segment.target is None else _pieces(segment.target),
        "constraints": json.loads(to_json(segment.constraints)),
        "stretches": [None if each is None else list(each) for each in segment.stretches],
        "accelerator": segment.accelerator,
        "limits": [asdict(limit) for limit in segment.limits],
    }


def _pieces(marked: Marked) -> list[Any]:
    return [piece if isinstance(piece, str) else asdict(piece) for piece in marked.pieces]


def _marked(pieces: Sequence[Any]) -> Marked:
    return Marked.of(piece if isinstance(piece, str) else Code(**piece) for piece in pieces)


def _raw(pieces: Sequence[Any]) -> str:
    return str(_marked(pieces))
