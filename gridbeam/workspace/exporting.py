"""A project becomes a file again: the one it was made of with its translations, or a memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from gridbeam import __version__
from gridbeam.documents import Languages, format_of
from gridbeam.documents.xml import escaped
from gridbeam.markup.inline import Marked
from gridbeam.store import ProjectRow, SegmentRow
from gridbeam.workspace.kept import is_as_imported, is_locked, target_of
from gridbeam.workspace.upload import Upload, on_disk


@contextmanager
def exported(project: ProjectRow, content: bytes, rows: Iterable[SegmentRow]) -> Iterator[Path]:
    """Within it the file of a project with its translations, where it can be read.

    Segments without a translation, and those that still have that of the file, stay as they are.
    What was confirmed is marked as good, where the format has a way.
    """
    given, settled = dict[int, Marked](), set[int]()
    for row in rows:
        text = target_of(row)
        if text is None or is_locked(row) or is_as_imported(row):
            continue
        number = row.details["number"]
        given[number] = text
        if row.status == "confirmed" and not row.review:
            settled.add(number)
    with on_disk(Upload(project.file, content)) as path:
        languages = Languages(project.source, project.target)
        document = format_of(path, project.format).open(path, languages)
        out = path.with_name(f"out{path.suffix}")
        document.write(out, given, settled)
        yield out


def as_tmx(project: ProjectRow, rows: Iterable[SegmentRow]) -> Iterator[str]:
    """A TMX file of the confirmed segments of a project, piece by piece."""
    header = (
        f'creationtool="gridbeam" creationtoolversion="{__version__}" segtype="sentence"'
        f' o-tmf="gridbeam" adminlang="en" srclang={_quoted(project.source)} datatype="plaintext"'
        f' creationdate="{_moment(datetime.now(UTC))}"'
    )
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n'
    yield f"<header {header}/>\n<body>\n"
    for row in rows:
        if row.status == "confirmed" and row.target is not None:
            yield (
                f'<tu changedate="{_moment(row.touched)}">'
                f"{_variant(project.source, row.source['text'])}"
                f"{_variant(project.target, row.target['text'])}</tu>\n"
            )
    yield "</body>\n</tmx>\n"


def _variant(language: str, text: str) -> str:
    return f"<tuv xml:lang={_quoted(language)}><seg>{escaped(text)}</seg></tuv>"


def _quoted(value: str) -> str:
    return '"' + escaped(value).replace('"', "&quot;") + '"'


def _moment(when: datetime) -> str:
    return when.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
