r"""Entries as rows of cells, for all formats that are tables.

The first row may name the columns (`gridbeam.glossary.formats.header`); without it there are two,
source and target. Several targets, forbidden texts or forms are separated by `|`; a `|` that
belongs to a term is written `\|`, and a backslash `\\`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import TypeAlias

from gridbeam.errors import UserError, UserNotice
from gridbeam.glossary.entries import Entry, Glossary, Place
from gridbeam.glossary.formats.column_names import COLUMNS
from gridbeam.glossary.formats.format import Reading, entries_or_mistakes
from gridbeam.glossary.formats.header import (
    Header,
    header_of,
    header_without_names,
    names_its_languages,
)
from gridbeam.glossary.formats.left_out import LeftOut
from gridbeam.glossary.formats.row import entries_of

Row: TypeAlias = tuple[Place, Sequence[str]]


def glossary_of(
    rows: Iterable[Row], reading: Reading, name: str, *, has_comments: bool = False
) -> Glossary:
    """The glossary of a table; what is odd about it is told as a `UserNotice`.

    `has_comments` says that a third column is one where no row names the columns.
    """
    filled = ((place, cells) for place, row in rows if any(cells := [cell.strip() for cell in row]))
    header, entries = _parted(filled, reading, has_comments=has_comments)
    if header.notice:
        warnings.warn(header.notice, UserNotice, stacklevel=4)
    left_out = LeftOut()
    found = entries_or_mistakes(_entries(entries, header, reading, left_out))
    left_out.tell(is_empty=not found)
    source, target = reading.source or header.source, reading.target or header.target
    return Glossary(found, source, target, name, header.left_out)


def _parted(
    rows: Iterator[tuple[Place, list[str]]], reading: Reading, *, has_comments: bool
) -> tuple[Header, Iterable[tuple[Place, list[str]]]]:
    """The header, and the rows of entries."""
    first = next(rows, None)
    if first is None:
        return Header(COLUMNS[:2], ()), rows
    place, cells = first
    second = list(islice(rows, 1))
    named = _without_empty_end(cells)
    is_entry = all(names_its_languages(row) for _, row in (first, *second))
    if not is_entry and (header := header_of(named, place, reading.source, reading.target)):
        return header, chain(second, rows)
    header = header_without_names(named, has_comments=has_comments)
    return header, chain([first], second, rows)


def _entries(
    rows: Iterable[tuple[Place, list[str]]], header: Header, reading: Reading, left_out: LeftOut
) -> Iterator[Entry | UserError]:
    """The entries of each row, or what is wrong with it; what cannot be used is left out."""
    for place, cells in rows:
        try:
            fitted = _fitted(cells, header.columns, place)
            yield from entries_of(fitted, header, place, reading, left_out)
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
            "yes" if entry.exact else "",
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


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|")
