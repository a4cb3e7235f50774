"""XLIFF, in the version that the file says: 1.2 (xliff1.py), or 2.0 and 2.1 (xliff2.py)."""

from __future__ import annotations

import re
from pathlib import Path

from gridbeam.documents import xliff1, xliff2
from gridbeam.documents.format import Document, Format, Languages
from gridbeam.documents.xml import root_of, source_of, tags
from gridbeam.errors import UserError


def document(path: Path, languages: Languages) -> Document:
    """An XLIFF file of any version."""
    root = root_of(source_of(path))
    where, version = f"{path} line {root.line}", root.attributes.get("version", "")
    if root.name != "xliff":
        raise UserError(
            f"{where}: <{root.name}> where <xliff> is expected. Say with --format (format=) what"
            " file this is."
        )
    if version.startswith("1."):
        return xliff1.document(path, languages)
    if version.startswith("2."):
        return xliff2.document(path, languages)
    raise UserError(
        f'{where}: XLIFF version "{version}" is unknown. Export the file as 1.2, 2.0 or 2.1.'
    )


def languages(path: Path) -> Languages:
    """The languages of the first file within it."""
    for node in tags(source_of(path)):
        said = node.attributes
        if node.name == "xliff" and "srcLang" in said:
            return Languages(said["srcLang"], said.get("trgLang"))
        if node.name == "file":
            return Languages(said.get("source-language"), said.get("target-language"))
    return Languages()


FORMAT = Format(
    name="xliff",
    suffixes=(".xlf", ".xliff", ".sdlxliff", ".mxliff", ".mqxliff"),
    contents=re.compile(rb"<(?:[\w.-]+:)?xliff[\s>]"),
    document=document,
    said=languages,
    has_states=True,
    keeps_source=True,
)
