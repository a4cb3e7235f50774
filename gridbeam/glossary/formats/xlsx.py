"""Workbooks of Excel: one sheet, whose rows are those of the other tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from gridbeam.errors import UserError
from gridbeam.glossary.entries import Glossary, Place
from gridbeam.glossary.formats.format import Dialect, GlossaryFormat, Reading
from gridbeam.glossary.formats.rows import glossary_of, rows_of
from gridbeam.glossary.formats.workbook import LONGEST_TEXT, Workbook

_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML cannot hold."""
_LIKE_ESCAPED = re.compile("_(?=x[0-9A-Fa-f]{4}_)")


def _read(path: Path, reading: Reading) -> Glossary:
    """The glossary of a sheet; numbers and dates are read as they would be typed."""
    book = Workbook(path)
    if not book.sheets:
        raise UserError(f"{path} has no sheets. Add one with the columns source and target.")
    sheet = reading.sheet or book.sheets[0]
    if sheet not in book.sheets:
        raise UserError(f'{path} has no sheet "{sheet}". Choose one of: {", ".join(book.sheets)}.')
    return glossary_of(_rows(path, book, sheet), reading, path.stem)


def _write(glossary: Glossary, file: BinaryIO, _: Dialect) -> None:
    """Writes one sheet, with the names of the columns first.

    Every cell is text, also one that looks like a formula.
    """
    from openpyxl import Workbook as NewWorkbook  # type: ignore[import-untyped]
    from openpyxl.cell import WriteOnlyCell  # type: ignore[import-untyped]

    rows = list(rows_of(glossary.entries))
    for text in chain.from_iterable(rows):
        _refuse_unwritable(text)
    book = NewWorkbook(write_only=True)
    sheet = book.create_sheet("glossary")
    for row in rows:
        cells = [WriteOnlyCell(sheet, _escaped(text) or None) for text in row]
        for cell in cells:
            cell.data_type = "s"
        sheet.append(cells)
    book.save(file)


def _rows(path: Path, book: Workbook, sheet: str) -> Iterator[tuple[Place, list[str]]]:
    for number, cells in book.rows(sheet):
        yield Place(str(path), number, sheet), cells


def _refuse_unwritable(text: str) -> None:
    if found := _UNWRITABLE.search(text):
        raise UserError(
            f"{text!r} holds a control character or the like, U+{ord(found[0]):04X}, which XLSX"
            " cannot write. Remove it."
        )
    if len(text) > LONGEST_TEXT:
        raise UserError(
            f'"{text[:40]}…" has {len(text):,} characters, and a cell of XLSX holds no more than'
            f" {LONGEST_TEXT:,}. Remove some, or write another format."
        )


def _escaped(text: str) -> str:
    """The text as XLSX has it: a carriage return is `_x000D_`, and what looks so already differs.

    >>> _escaped("_x0041_")
    '_x005F_x0041_'
    """
    return _LIKE_ESCAPED.sub("_x005F_", text).replace("\r", "_x000D_")


FORMAT = GlossaryFormat(suffix=".xlsx", read=_read, write=_write, has_sheets=True)
