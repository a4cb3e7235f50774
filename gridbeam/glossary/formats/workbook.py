"""A sheet of an XLSX workbook, read cell by cell: what is blank takes no room, wherever it stands.

So a value in the last of 17 billion cells costs no more than one in the first.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from gridbeam.errors import UserError
from gridbeam.glossary.formats.parts import Attributes, PackedParts, PartReader

LONGEST_TEXT = 32_767
"""The most characters of a cell, as in Excel."""
_MOST_COLUMNS = 256
_MOST_CELLS = 1_000_000
"""Blank ones and rows among them: each takes time."""
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
_REFERENCE = re.compile(r"([A-Z]{1,3})([1-9][0-9]{0,6})")

Reader = TypeVar("Reader", bound=PartReader)


class Workbook:
    """The sheets of a file."""

    def __init__(self, path: Path) -> None:
        self._parts = PackedParts(path)
        top = self._read("_rels/.rels", _Relations(""))
        place = next((at for kind, at in top.found.values() if kind == "officeDocument"), None)
        place = place or "xl/workbook.xml"
        folder, name = posixpath.split(place)
        others = posixpath.join(folder, "_rels", f"{name}.rels")
        self._relations = self._read(others, _Relations(folder)).found
        self._book = self._read(place, _Book())

    @property
    def sheets(self) -> list[str]:
        """Their names, in order."""
        return [name for name, key in self._book.sheets if key in self._relations]

    def rows(self, sheet: str) -> Iterator[tuple[int, list[str]]]:
        """The number and the cells of each row that has a value."""
        strings, styles = _Strings(self._parts.path), _Styles()
        for kind, place in self._relations.values():
            if kind in ("sharedStrings", "styles"):
                self._parts.read(place, strings if kind == "sharedStrings" else styles)
        key = next(key for name, key in self._book.sheets if name == sheet)
        where = f'{self._parts.path} sheet "{sheet}"'
        values = _Values(where, strings.found, styles.dates, self._book.is_of_1904)
        rows = self._read(self._relations[key][1], _Cells(where, values)).rows
        for number, cells in sorted(rows.items()):
            yield number, [cells.get(column, "") for column in range(1, max(cells) + 1)]

    def _read(self, name: str, reader: Reader) -> Reader:
        self._parts.read(name, reader)
        return reader


class _Tags:
    """Reads a part of which nothing but the tags matters."""

    def start(self, name: str, has: Attributes) -> None:
        """A tag opens."""

    def end(self, name: str) -> None:
        """Nothing is done where it closes."""

    def text(self, text: str) -> None:
        """Nor with text."""


@dataclass
class _Relations(_Tags):
    """What kind each part is that another refers to, and where it is, by the key it has there."""

    folder: str
    found: dict[str, tuple[str, str]] = field(default_factory=dict)

    def start(self, name: str, has: Attributes) -> None:
        if name == "Relationship" and has.get("TargetMode") != "External":
            kind, target = has.get("Type", ""), has.get("Target", "")
            place = posixpath.normpath(posixpath.join("/", self.folder, target)).lstrip("/")
            self.found[has.get("Id", "")] = kind.rpartition("/")[2], place


@dataclass
class _Book(_Tags):
    """The name and the key of each sheet."""

    sheets: list[tuple[str, str]] = field(default_factory=list)
    is_of_1904: bool = False
    """Whether days are counted from 1904 on, as on old Macs."""

    def start(self, name: str, has: Attributes) -> None:
        if name == "sheet":
            self.sheets.append((has.get("name", ""), has.get("id", "")))
        elif name == "workbookPr":
            self.is_of_1904 = has.get("date1904") in ("1", "true")


@dataclass
class _Styles(_Tags):
    """Which styles of cells show a number as a date."""

    dates: set[int] = field(default_factory=set)
    _own: dict[int, str] = field(default_factory=dict)
    _is_in_cells: bool = False
    _count: int = 0

    def start(self, name: str, has: Attributes) -> None:
        if name == "numFmt":
            self._own[_number(has.get("numFmtId"))] = has.get("formatCode", "")
        elif name == "cellXfs":
            self._is_in_cells = True
        elif name == "xf" and self._is_in_cells:
            if self._is_date(_number(has.get("numFmtId"))):
                self.dates.add(self._count)
            self._count += 1

    def end(self, name: str) -> None:
        self._is_in_cells = self._is_in_cells and name != "cellXfs"

    def _is_date(self, number: int) -> bool:
        if number == 0:
            return False
        from openpyxl.styles.numbers import (  # type: ignore[import-untyped]
            BUILTIN_FORMATS,
            is_date_format,
        )

        return bool(is_date_format(self._own.get(number) or BUILTIN_FORMATS.get(number)))


class _CellText:
    """The text that is being read, no longer than a cell can hold."""

    def __init__(self, where: object) -> None:
        self._where = where
        self._pieces: list[str] = []
        self._length = 0
        self._level = 0
        """How many tags with text are open."""
        self._is_phonetic = False

    def opens(self, name: str) -> None:
        """A tag opens: `t` and `v` hold text, but for readings of Japanese."""
        self._is_phonetic = self._is_phonetic or name == "rPh"
        self._level += name in ("t", "v") and not self._is_phonetic

    def closes(self, name: str) -> None:
        """A tag closes."""
        self._level -= name in ("t", "v") and not self._is_phonetic
        self._is_phonetic = self._is_phonetic and name != "rPh"

    def add(self, text: str) -> None:
        """Text, which may be none of the cell's."""
        if not self._level:
            return
        self._length += len(text)
        if self._length > 7 * LONGEST_TEXT:  # a character may be written as _x0041_
            raise UserError(
                f"{self._where} has a cell of more than {LONGEST_TEXT:,} characters. This is no"
                " glossary."
            )
        self._pieces.append(text)

    def take(self) -> str:
        """All of it; what follows is another."""
        text = "".join(self._pieces)
        self._pieces, self._length = [], 0
        return _ESCAPED.sub(_unescaped, text) if "_x" in text else text


@dataclass
class _Strings:
    """The texts that cells refer to by number."""

    path: Path
    found: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._text = _CellText(self.path)

    def start(self, name: str, has: Attributes) -> None:
        self._text.opens(name)

    def end(self, name: str) -> None:
        self._text.closes(name)
        if name == "si":
            self.found.append(self._text.take())
            _refuse_too_many(self.path, len(self.found), "texts")

    def text(self, text: str) -> None:
        self._text.add(text)


@dataclass(frozen=True)
class _Values:
    """Cells as they would be typed."""

    where: str
    strings: Sequence[str]
    dates: Set[int]
    """The styles that show a number as a date."""
    is_of_1904: bool

    def shown(self, cell: Attributes, text: str, place: str) -> str:
        """What a cell shows: the text, number or date that it holds or refers to."""
        match cell.get("t", "n"):
            case "s":
                number = _number(text)
                if not 0 <= number < len(self.strings):
                    raise self._damaged(place, f'refers to the text "{text}", which is not there')
                return self.strings[number]
            case "n":
                return self._number_shown(cell, text, place) if text.strip() else ""
            case "b":
                return "True" if text.strip() == "1" else "False"
            case _:
                return text

    def _number_shown(self, cell: Attributes, text: str, place: str) -> str:
        try:
            value = float(text)
        except ValueError:
            raise self._damaged(place, f'is said to hold a number, and holds "{text}"') from None
        if _number(cell.get("s")) in self.dates:
            return self._date_shown(value, text)
        return str(int(value)) if value.is_integer() else str(value)

    def _date_shown(self, value: float, text: str) -> str:
        from openpyxl.utils.datetime import (  # type: ignore[import-untyped]
            CALENDAR_MAC_1904,
            CALENDAR_WINDOWS_1900,
            from_excel,
        )

        epoch = CALENDAR_MAC_1904 if self.is_of_1904 else CALENDAR_WINDOWS_1900
        try:
            return str(from_excel(value, epoch))
        except (ValueError, OverflowError):
            return text

    def _damaged(self, place: str, why: str) -> UserError:
        return UserError(f"{self.where}: the cell {place} {why}. Save the workbook anew.")


class _Cells:
    """The cells that have a value, by row and column."""

    def __init__(self, where: str, values: _Values) -> None:
        self.rows: dict[int, dict[int, str]] = {}
        self._where, self._values = where, values
        self._text = _CellText(where)
        self._cell: Attributes = {}
        self._row = self._column = self._cells = 0

    def start(self, name: str, has: Attributes) -> None:
        self._text.opens(name)
        if name == "row":
            self._row = _number(has["r"]) if "r" in has else self._row + 1
            self._column = 0
            self._count_cell()
        elif name == "c":
            self._cell = has
            self._row, self._column = self._place(has)
            self._count_cell()

    def end(self, name: str) -> None:
        self._text.closes(name)
        if name == "c" and (text := self._text.take()):
            place = self._cell.get("r") or f"{self._column} of row {self._row}"
            if shown := self._values.shown(self._cell, text, place):
                self._put(shown, place)

    def text(self, text: str) -> None:
        self._text.add(text)

    def _place(self, has: Attributes) -> tuple[int, int]:
        if "r" not in has:
            return self._row, self._column + 1
        found = _REFERENCE.fullmatch(has["r"])
        if found is None:
            raise UserError(f'{self._where}: "{has["r"]}" is no cell. Save the workbook anew.')
        column = 0
        for letter in found[1]:
            column = 26 * column + ord(letter) - ord("A") + 1
        return int(found[2]), column

    def _count_cell(self) -> None:
        self._cells += 1
        _refuse_too_many(self._where, self._cells, "cells")

    def _put(self, shown: str, place: str) -> None:
        if self._column > _MOST_COLUMNS:
            raise UserError(
                f'{self._where}: the cell {place} holds "{shown[:40]}", far to the right: a'
                f" glossary has no more than {_MOST_COLUMNS} columns. Delete what is there."
            )
        self.rows.setdefault(self._row, {})[self._column] = shown


def _refuse_too_many(where: object, count: int, what: str) -> None:
    if count > _MOST_CELLS:
        raise UserError(
            f"{where} has more than {_MOST_CELLS:,} {what}. This is no glossary; save what is one"
            " as .csv."
        )


def _number(text: str | None) -> int:
    """A whole number that a part says, or -1 where it says none."""
    return int(text) if text and re.fullmatch(r"\s*[0-9]{1,9}\s*", text) else -1


def _unescaped(found: re.Match[str]) -> str:
    """A character that XML could not hold, or that is written as one of those: `_x000D_`."""
    code = int(found[1], 16)
    return found[0] if 0xD800 <= code < 0xE000 else chr(code)
