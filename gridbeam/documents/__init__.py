"""Documents: files of text to translate.

Segments come out, translations go in, and nothing else of the file changes.

A format is a file of this folder that ends with its `Format`, and a line in registry.py. What it
opens is read in one pass and written in another, each time from the file itself, so that a
document of any size takes no memory to speak of.
"""

from __future__ import annotations

from pathlib import Path

from gridbeam.documents.format import Document, Format, Languages
from gridbeam.documents.registry import FORMATS, format_of
from gridbeam.documents.segment import Segment, Status
from gridbeam.documents.splice import Translations, replaced

__all__ = [
    "FORMATS",
    "Document",
    "Format",
    "Languages",
    "Segment",
    "Status",
    "Translations",
    "format_of",
    "open_document",
    "replaced",
]


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
    languages = Languages(source_language, target_language)
    return format_of(Path(path), format).open(Path(path), languages)
