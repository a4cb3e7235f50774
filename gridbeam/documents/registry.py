"""The formats of documents there are: a new one is a file of this folder and a line here."""

from __future__ import annotations

from pathlib import Path

from gridbeam.documents import jsonl, moses, po, text, tmx, tsv, xliff
from gridbeam.documents.format import Format, LineUnit
from gridbeam.documents.splice import opened
from gridbeam.errors import UserError

FORMATS: tuple[Format, ...] = (
    text.FORMAT,
    tsv.FORMAT,
    jsonl.FORMAT,
    moses.FORMAT,
    po.FORMAT,
    xliff.FORMAT,
    tmx.FORMAT,
)
"""In the order in which they are listed, and their contents looked for."""
_HEAD = 4096
"""How many bytes of a file are looked at."""


def format_of(path: Path, name: str | None = None) -> Format:
    """The format of a file: the one with this name, or that of its suffix, or of its contents."""
    if name is not None:
        return _named(name)
    with opened(path) as file:
        head = file.read(_HEAD)
    if found := by_suffix(path.suffix):
        return found
    # The letters of UTF-16 are those of ASCII, with zeros between.
    head = head.removeprefix(b"\xef\xbb\xbf").replace(b"\0", b"")
    for each in FORMATS:
        if each.contents is not None and each.contents.search(head):
            return each
    raise UserError(
        f"{path}: neither its suffix nor its contents tell its format. "
        f"Say with --format (format=) which it is: {', '.join(_names())}."
    )


def by_suffix(suffix: str) -> Format | None:
    """The format of files with this suffix, if there is one."""
    return next((each for each in FORMATS if suffix.lower() in each.suffixes), None)


def unit_of_stream(name: str) -> LineUnit:
    """What makes units of lines in the format with this name; only some formats have lines."""
    units = {each.name: each.unit for each in FORMATS if each.unit is not None}
    if name not in units:
        raise UserError(
            f'a stream has lines, and "{name}" has not: write {", ".join(units)}, or name a file.'
        )
    return units[name]


def listed() -> str:
    """The names of all formats, as in a sentence.

    >>> listed()
    'text, tsv, jsonl, moses, po, xliff or tmx'
    """
    *names, last = _names()
    return f"{', '.join(names)} or {last}"


def _named(name: str) -> Format:
    for each in FORMATS:
        if each.name == name:
            return each
    raise UserError(f'unknown format "{name}": write {listed()}.')


def _names() -> list[str]:
    return [each.name for each in FORMATS]
