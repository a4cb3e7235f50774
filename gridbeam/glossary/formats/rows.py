r"""Entries as rows of cells, for all formats that are tables.

The first row may name the columns (`gridbeam.glossary.formats.header`); without it there are two,
source and target. Several targets, forbidden texts or forms are separated by `|`; a `|` that
belongs to a term is written `\|`, and a backslash `\\`.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TypeAlias, cast, get_args

from gridbeam.constraints.terms import Case
from gridbeam.errors import UserError, UserNotice
from gridbeam.glossary.entries import Entry, Glossary, Place
from gridbeam.glossary.formats.format import Reading, entries_or_mistakes
from gridbeam.glossary.formats.header import COLUMNS, Header, header_of

Row: TypeAlias = tuple[Place, Sequence[str]]
_YES, _NO = {"yes", "true", "1", "x"}, {"", "no", "false", "0"}


def glossary_of(rows: Iterable[Row], reading: Reading, name: str) -> Glossary:
    """The glossary of a table; what is odd about its header is told as a `UserNotice`."""
    filled = ((place, cells) for place, row in rows if any(cells := [cell.strip() for cell in row]))
    header, entries = _parted(filled, reading)
    if header.notice:
        warnings.warn(header.notice, UserNotice, stacklevel=4)
    found = entries_or_mistakes(_entries(entries, header.columns, reading))
    source, target = reading.source or header.source, reading.target or header.target
    return Glossary(found, source, target, name, header.left_out)


def _parted(
    rows: Iterator[tuple[Place, list[str]]], reading: Reading
) -> tuple[Header, Iterable[tuple[Place, list[str]]]]:
    """The header, and the rows of entries."""
    first = next(rows, None)
    if first is None:
        return Header(COLUMNS[:2], ()), rows
    place, cells = first
    header = header_of(_without_empty_end(cells), place, reading.source, reading.target)
    return (header, rows) if header else (Header(COLUMNS[:2], ()), chain([first], rows))


def _entries(
    rows: Iterable[tuple[Place, list[str]]], columns: Sequence[str], reading: Reading
) -> Iterator[Entry | UserError]:
    """The entry of each row, or what is wrong with it."""
    for place, cells in rows:
        try:
            yield _entry(
                dict(zip(columns, _fitted(cells, columns, place), strict=True)), place, reading
            )
        except UserError as mistake:
            yield mistake


def rows_of(entries: Iterable[Entry]) -> Iterator[list[str]]:
    """The names of the columns, and a row for each entry."""
    yield list(COLUMNS)
    for entry in entries:
        lists = [
            "|".join(map(_escaped, texts))
            for texts in (entry.targets, entry.forbidden, entry.forms)
        ]
        targets, forbidden, forms = lists
        yield [
            entry.source,
            targets,
            forbidden,
            entry.case,
            "yes" if entry.do_not_translate else "",
            forms,
            entry.note,
        ]


def _fitted(cells: list[str], columns: Sequence[str], place: Place) -> list[str]:
    """A cell for each column.

    Empty ones at the end may be missing or too many, as editors have it, but not the target.
    """
    if len(cells) > len(columns):
        cells = cells[: len(columns)] + _without_empty_end(cells[len(columns) :])
    least = 1 + columns.index("target") if "target" in columns else 1
    if not least <= len(cells) <= len(columns):
        wanted = str(len(columns)) if least == len(columns) else f"{least} to {len(columns)}"
        raise UserError(
            f"{place}: expected {wanted} columns ({', '.join(columns)}), found {len(cells)}."
            " Separate columns with one tab in .tsv, which quotes no field, and with a comma in"
            " .csv, which quotes fields that hold one; more columns than source and target need a"
            " first line with their names."
        )
    return cells + [""] * (len(columns) - len(cells))


def _without_empty_end(cells: list[str]) -> list[str]:
    while cells and not cells[-1]:
        cells = cells[:-1]
    return cells


def _entry(cells: dict[str, str], place: Place, reading: Reading) -> Entry:
    case, dnt = cells.get("case", "").lower() or reading.case, cells.get("dnt", "").lower()
    if case not in get_args(Case):
        raise UserError(
            f'{place}: case "{case}" is unknown. Write exact, sentence or any, or leave it empty.'
        )
    if dnt not in _YES | _NO:
        raise UserError(f'{place}: dnt is "{dnt}". Write yes or no.')
    return Entry(
        cells["source"],
        _texts(cells.get("target", "")),
        _texts(cells.get("forbidden", "")),
        cast(Case, case),
        dnt in _YES,
        _texts(cells.get("forms", "")),
        cells.get("note", ""),
        place,
    )


def _texts(cell: str) -> tuple[str, ...]:
    r"""The texts of a cell.

    >>> _texts(r"Laufwerk | Datenträger | a\|b")
    ('Laufwerk', 'Datenträger', 'a|b')
    """
    parts = re.findall(r"(?:[^|\\]|\\.|\\$)+", cell, re.S)
    return tuple(
        dict.fromkeys(re.sub(r"\\([|\\])", r"\1", part).strip() for part in parts if part.strip())
    )


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|")
