"""Tables of text: TSV, which quotes nothing, and CSV, which quotes some fields.

Those with a comma, a quotation mark or a line break.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from gridbeam.errors import UserError
from gridbeam.glossary.entries import Glossary, Place
from gridbeam.glossary.formats.format import Dialect, GlossaryFormat, Reading
from gridbeam.glossary.formats.rows import glossary_of, rows_of

_LONGEST_LINE = 1 << 20
"""In bytes; no glossary has longer ones, and a file that is none may have one of gigabytes."""

_COMMENT = "#"
"""What a line that is no entry begins with in a file of OmegaT."""


def _read_tsv(path: Path, reading: Reading) -> Glossary:
    """The glossary of a file."""
    return glossary_of(_tsv_rows(path), reading, path.stem, has_comments=True)


def _read_omegat(path: Path, reading: Reading) -> Glossary:
    """The glossary of a file of OmegaT, where a line that begins with # is no entry."""
    rows = (row for row in _tsv_rows(path) if not row[1][0].startswith(_COMMENT))
    return glossary_of(rows, reading, path.stem, has_comments=True)


def _read_csv(path: Path, reading: Reading) -> Glossary:
    """The glossary of a file.

    It may say its separator in a first line such as `sep=;`, as for Excel; one whose first line
    has no comma but semicolons, or else tabs, is separated by these.
    """
    return glossary_of(_csv_rows(path), reading, path.stem)


def _write_tsv(glossary: Glossary, file: BinaryIO, _: Dialect) -> None:
    """Writes all columns, with their names; a tab or a line break can only be a space."""
    for row in rows_of(glossary.entries):
        file.write(_tsv_line(row).encode())


def _write_omegat(glossary: Glossary, file: BinaryIO, _: Dialect) -> None:
    """Writes the same, but for terms that would be comments."""
    for row in rows_of(glossary.entries):
        line = _tsv_line(row)
        if line.startswith(_COMMENT):
            raise UserError(
                f'The term "{row[0]}" begins with {_COMMENT}, as a comment of OmegaT does, and'
                " would be lost. Write a .tsv file instead."
            )
        file.write(line.encode())


def _tsv_line(row: list[str]) -> str:
    cells = [" ".join(cell.split()) if _breaks(cell) else cell for cell in row]
    return "\t".join(cells) + "\n"


def _write_csv(glossary: Glossary, file: BinaryIO, _: Dialect) -> None:
    """Writes all columns, with their names."""
    text = io.TextIOWrapper(file, encoding="utf8", newline="")
    csv.writer(text, lineterminator="\n").writerows(rows_of(glossary.entries))
    text.flush()
    text.detach()


def _breaks(cell: str) -> bool:
    return "\t" in cell or "\n" in cell or "\r" in cell


def _lines(path: Path) -> Iterator[str]:
    """The lines of a file in UTF-8, or in UTF-16 that says so, with their ends."""
    with path.open("rb") as file:
        mark = file.read(4)
        file.seek(0)
        if mark in (b"\xff\xfe\0\0", b"\0\0\xfe\xff"):
            raise UserError(f"{path} line 1: the file is UTF-32. Save it as UTF-8.")
        if mark.startswith((b"\xff\xfe", b"\xfe\xff")):
            yield from _lines_of_utf16(path, file)
            return
        for number, line in enumerate(iter(lambda: file.readline(_LONGEST_LINE + 1), b""), 1):
            if len(line) > _LONGEST_LINE:
                raise UserError(
                    f"{path} line {number} has more than {_LONGEST_LINE:,} bytes. This is no"
                    " glossary."
                )
            if b"\0" in line:
                raise UserError(
                    f"{path} line {number} holds bytes of zero: it may be UTF-16 without the mark"
                    " that says so, or no text at all. Save it as UTF-8."
                )
            try:
                yield line.decode("utf-8-sig" if number == 1 else "utf8")
            except UnicodeDecodeError as error:
                raise UserError(
                    f"{path} line {number}: byte {error.start + 1} is not UTF-8. Save the file as"
                    " UTF-8."
                ) from None


def _lines_of_utf16(path: Path, file: BinaryIO) -> Iterator[str]:
    number = 0
    with io.TextIOWrapper(file, encoding="utf-16", newline="\n") as text:
        try:
            while line := text.readline(_LONGEST_LINE + 1):
                number += 1
                if len(line) > _LONGEST_LINE:
                    raise UserError(
                        f"{path} line {number} has more than {_LONGEST_LINE:,} characters. This is"
                        " no glossary."
                    )
                yield line
        except UnicodeDecodeError:
            raise UserError(
                f"{path} line {number + 1} or near it is not UTF-16, as which the file begins. Save"
                " the file as UTF-8."
            ) from None


def _tsv_rows(path: Path) -> Iterator[tuple[Place, list[str]]]:
    for number, line in enumerate(_lines(path), 1):
        yield Place(str(path), number), line.rstrip("\r\n").split("\t")


def _csv_rows(path: Path) -> Iterator[tuple[Place, list[str]]]:
    lines = _lines(path)
    first = next(lines, "")
    said = re.fullmatch(r'"?sep=(.)"?;*,*\s*', first)
    if said:
        separator, skipped = said[1], 1
    else:
        separator, skipped, lines = _separator_of(first), 0, chain([first], lines)
    rows = csv.reader(lines, delimiter=separator, strict=True, skipinitialspace=separator != "\t")
    begin = 1 + skipped
    try:
        for row in rows:
            yield Place(str(path), begin), row
            begin = rows.line_num + 1 + skipped
    except csv.Error as error:
        raise UserError(
            f"{path} line {begin}: {error}. Close the quotation marks of the row that begins here,"
            " and double those that a quoted field holds."
        ) from None


def _separator_of(first: str) -> str:
    """What separates the cells of a table, by its first line.

    >>> _separator_of("a,b;c"), _separator_of("a;b")
    (',', ';')
    """
    return next((each for each in (",", ";", "\t") if each in first), ",")


TSV = GlossaryFormat(suffix=".tsv", read=_read_tsv, write=_write_tsv, is_table=True)
CSV = GlossaryFormat(suffix=".csv", read=_read_csv, write=_write_csv, is_table=True)
OMEGAT = tuple(
    GlossaryFormat(suffix=suffix, read=_read_omegat, write=_write_omegat)
    for suffix in (".txt", ".utf8", ".tab")
)
"""What OmegaT calls tables of tabs; `.txt` and `.tab` must be UTF-8 or UTF-16 here, too."""
