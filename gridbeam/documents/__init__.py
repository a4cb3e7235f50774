"""Documents: files of text to translate.

Segments come out, translations go in, and nothing else of the file changes.

A format is a file of this folder with a function `document`. What it makes is read in one pass and
written in another, each time from the file itself, so that a document of any size takes no memory
to speak of.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Protocol

from gridbeam.documents import jsonl, moses, po, text, tmx, tsv, xliff1, xliff2
from gridbeam.documents.lines import Line
from gridbeam.documents.segment import Segment, Status
from gridbeam.documents.splice import Translations, Unit, opened, replaced
from gridbeam.documents.xml import root_of, source_of
from gridbeam.errors import UserError

__all__ = [
    "FORMATS",
    "LINE_FORMATS",
    "SUFFIXES",
    "Document",
    "Segment",
    "Status",
    "Translations",
    "open_document",
    "replaced",
]

FORMATS = ("text", "tsv", "jsonl", "moses", "po", "xliff", "tmx")
LINE_FORMATS: Mapping[str, Callable[[Line, int], Unit | None]] = {
    "text": text.unit, "tsv": tsv.unit, "jsonl": jsonl.unit, "moses": moses.unit
}  # fmt: skip
"""Those in which a line is a segment, and what makes one of it."""
SUFFIXES = {
    ".txt": "text", ".text": "text", ".tsv": "tsv", ".tab": "tsv",
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".moses": "moses", ".po": "po", ".pot": "po",
    ".xlf": "xliff", ".xliff": "xliff",
    ".sdlxliff": "xliff", ".mxliff": "xliff", ".mqxliff": "xliff", ".tmx": "tmx",
}  # fmt: skip
_CONTENTS = [
    ("xliff", re.compile(rb"<(?:[\w.-]+:)?xliff[\s>]")),
    ("tmx", re.compile(rb"<tmx[\s>]")),
    ("po", re.compile(rb'^\s*(?:#[^\n]*\n\s*)*(?:msgctxt|msgid) "')),
    ("jsonl", re.compile(rb'^\s*\{\s*"')),
]


class Document(Protocol):
    """A file of text to translate."""

    @property
    def path(self) -> Path:
        """Where it is."""
        ...

    @property
    def format(self) -> str:
        """Which format it is in."""
        ...

    def segments(self) -> Iterator[Segment]:
        """The segments in the order of the file, those that must not be translated among them."""
        ...

    def write(self, path: str | Path, translations: Translations) -> str | None:
        """Writes the document with these translations to a file, which is replaced in one step.

        Translations are given by the number of their segment, or one for each segment in order; one
        without stays as it is. What comes back tells what else had to change: the charset of a PO
        file that cannot hold a translation.
        """
        ...


def open_document(
    path: str | Path,
    *,
    format: str | None = None,
    source_language: str | None = None,
    target_language: str | None = None,
) -> Document:
    """The document in a file, in the format of its suffix, or else of its contents.

    `target_language` is what TMX is filled in, and XLIFF 2 marked with if it says none;
    `source_language` is what TMX is read in. No file may contradict either.
    """
    path = Path(path)
    if format is not None and format not in FORMATS:
        raise UserError(
            f'unknown format "{format}": write {", ".join(FORMATS[:-1])} or {FORMATS[-1]}.'
        )
    match format or _format_of(path):
        case "tmx":
            return tmx.document(
                path, source_language=source_language, target_language=target_language
            )
        case "xliff":
            return _xliff(path, source_language=source_language, target_language=target_language)
        case "po":
            return po.document(path, target_language=target_language)
        case found:
            plain: dict[str, Callable[[Path], Document]] = {
                "text": text.document,
                "tsv": tsv.document,
                "jsonl": jsonl.document,
                "moses": moses.document,
            }
            return plain[found](path)


def _format_of(path: Path) -> str:
    with opened(path) as file:
        head = file.read(4096)
    if found := SUFFIXES.get(path.suffix.lower()):
        return found
    head = head.removeprefix(b"\xef\xbb\xbf").replace(
        b"\0", b""
    )  # the letters of UTF-16 are those of ASCII, with zeros between
    if found := next((name for name, pattern in _CONTENTS if pattern.search(head)), None):
        return found
    raise UserError(
        f"{path}: neither its suffix nor its contents tell its format. "
        f"Say with --format (format=) which it is: {', '.join(FORMATS)}."
    )


def _xliff(path: Path, **languages: str | None) -> Document:
    """By the version in the file."""
    root = root_of(source_of(path))
    where, version = f"{path} line {root.line}", root.attributes.get("version", "")
    if root.name != "xliff":
        raise UserError(
            f"{where}: <{root.name}> where <xliff> is expected. Say with --format (format=) what"
            " file this is."
        )
    if version.startswith("1."):
        return xliff1.document(path, **languages)
    if version.startswith("2."):
        return xliff2.document(path, **languages)
    raise UserError(
        f'{where}: XLIFF version "{version}" is unknown. Export the file as 1.2, 2.0 or 2.1.'
    )
