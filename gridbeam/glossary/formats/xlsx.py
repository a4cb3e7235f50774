"""Workbooks of Excel: one sheet, whose rows are those of the other tables."""

from __future__ import annotations

import datetime
import zipfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO, TypeAlias

from python_calamine import CalamineError, CalamineWorkbook

from gridbeam.errors import UserError
from gridbeam.glossary.entries import Glossary, Place
from gridbeam.glossary.formats.format import Dialect, GlossaryFormat, Reading
from gridbeam.glossary.formats.rows import glossary_of, rows_of

_LARGEST = 1 << 28
"""In bytes, unpacked: what unpacks to more is no glossary."""

_CellValue: TypeAlias = (
    int
    | float
    | str
    | bool
    | datetime.time
    | datetime.date
    | datetime.datetime
    | datetime.timedelta
)


def _read(path: Path, reading: Reading) -> Glossary:
    """The glossary of a sheet; numbers and dates are read as they would be typed."""
    book = _opened(path)
    if not book.sheet_names:
        raise UserError(f"{path} has no sheets. Add one with the columns source and target.")
    sheet = reading.sheet or book.sheet_names[0]
    if sheet not in book.sheet_names:
        raise UserError(
            f'{path} has no sheet "{sheet}". Choose one of: {", ".join(book.sheet_names)}.'
        )
    return glossary_of(_rows(path, book, sheet), reading, path.stem)


def _write(glossary: Glossary, file: BinaryIO, _: Dialect) -> None:
    """Writes one sheet, with the names of the columns first.

    Every cell is text, also one that looks like a formula.
    """
    from openpyxl import Workbook  # type: ignore[import-untyped]
    from openpyxl.cell import WriteOnlyCell  # type: ignore[import-untyped]
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE  # type: ignore[import-untyped]

    rows = list(rows_of(glossary.entries))
    for text in chain.from_iterable(rows):
        if ILLEGAL_CHARACTERS_RE.search(text):
            raise UserError(
                f"{text!r} holds a control character, which XLSX cannot write. Remove it."
            )
    book = Workbook(write_only=True)
    sheet = book.create_sheet("glossary")
    for row in rows:
        cells = [WriteOnlyCell(sheet, text or None) for text in row]
        for cell in cells:
            cell.data_type = "s"
        sheet.append(cells)
    book.save(file)


def _opened(path: Path) -> CalamineWorkbook:
    try:
        with zipfile.ZipFile(path) as parts:
            size = sum(part.file_size for part in parts.infolist())
        if size > _LARGEST:
            raise UserError(f"{path} unpacks to {size:,} bytes. This is no glossary.")
        return CalamineWorkbook.from_path(path)
    except (zipfile.BadZipFile, CalamineError) as error:
        raise UserError(
            f"{path} is no XLSX workbook, or a damaged one: {error}. Save it anew as .xlsx."
        ) from None


def _rows(path: Path, book: CalamineWorkbook, sheet: str) -> Iterator[tuple[Place, list[str]]]:
    for number, row in enumerate(book.get_sheet_by_name(sheet).to_python(skip_empty_area=False), 1):
        yield Place(str(path), number, sheet), [_shown(cell) for cell in row]


def _shown(cell: _CellValue) -> str:
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


FORMAT = GlossaryFormat(suffix=".xlsx", read=_read, write=_write, has_sheets=True)
