"""Small projects in a store, and acts on them."""

from __future__ import annotations

from gridbeam.store import (
    NewAct,
    NewProject,
    NewSegment,
    ProjectRow,
    SegmentRow,
    Snapshot,
    Store,
)


def text(words: str) -> dict[str, object]:
    """A text without codes."""
    return {"text": words, "codes": []}


def project(
    store: Store, *sources: str, target: str = "de", content: bytes = b"", name: str = "small"
) -> ProjectRow:
    """A project with a segment of each source."""
    parts = [NewSegment(f"key{number}", text(each)) for number, each in enumerate(sources)]
    return store.projects.add(NewProject(name, "en", target), parts, content)


def segment(store: Store, source: str = "Open the folder.") -> SegmentRow:
    """The only segment of a new project."""
    (row,) = store.segments.of(project(store, source).id).rows
    return row


def written(words: str, **content: object) -> Snapshot:
    """A translation that a person has written."""
    return Snapshot(**{"target": text(words), "status": "edited", **content})


def write(store: Store, row: SegmentRow, words: str, **content: object) -> SegmentRow:
    """The segment with another translation."""
    return store.act(
        row.id, row.version, NewAct("write", {"text": words}), written(words, **content)
    )


def confirm(store: Store, row: SegmentRow, words: str) -> SegmentRow:
    """The segment with a confirmed translation."""
    return write(store, row, words, status="confirmed")


def said(row: SegmentRow) -> str | None:
    """The words of a translation."""
    return row.target and row.target["text"]
