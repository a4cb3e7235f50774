"""Glossary files: read, write and convert them.

The ending of a file's name says its format, one file of this folder each.

Whatever is wrong with a file is told with file, line and remedy, all mistakes of its entries at
once. A file is written whole or not at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal, Protocol, TypeAlias

from gridbeam.constraints.terms import CASES, Case
from gridbeam.errors import UserError
from gridbeam.glossary.entries import Entry, Glossary
from gridbeam.support.output_files import refuse_overwriting, replacing

Dialect: TypeAlias = Literal["martif", "dca", "dct", "min"]
"""How TBX is written: ISO 30042:2008, ISO 30042:2019 with categories as attributes or as tags, or
TBX-Min."""

_TABLES = (".tsv", ".csv")
"""Formats of files that hold nothing but a glossary's entries."""
_SHOWN = 20
"""How many mistakes of a file are told."""


@dataclass(frozen=True)
class Reading:
    """How a file is to be read."""

    source: str | None = None
    """The source language; of a file that holds many, the one to take."""
    target: str | None = None
    case: Case = "sentence"
    """The case rule of entries that have none of their own."""
    sheet: str | None = None
    """The sheet of a workbook; without it, the first."""


class Format(Protocol):
    """One format of glossary files."""

    def read(self, path: Path, reading: Reading) -> Glossary:
        """The glossary of a file."""
        ...

    def write(self, glossary: Glossary, file: BinaryIO) -> None:
        """Writes a glossary to an open file."""
        ...


def read(
    path: str | Path,
    *,
    source: str | None = None,
    target: str | None = None,
    case: Case = "sentence",
    sheet: str | None = None,
) -> Glossary:
    """The glossary of a file.

    `source` and `target` are languages: TBX files hold many, other files do not say theirs. `case`
    is the rule of entries that have none of their own, `sheet` that of a workbook.
    """
    path = Path(path)
    if case not in CASES:
        raise UserError(f'case "{case}" is unknown. Write exact, sentence or any.')
    if sheet is not None and path.suffix.lower() != ".xlsx":
        raise UserError(
            f'{path} has no sheet "{sheet}", being no .xlsx. Leave the sheet out, or give a'
            " workbook."
        )
    try:
        return _format_of(path).read(path, Reading(source, target, case, sheet))
    except OSError as error:
        raise UserError(
            f"{path} cannot be read: {error.strerror or error}. Check the path."
        ) from None


def write(glossary: Glossary, path: str | Path, *, dialect: Dialect = "dca") -> None:
    """Writes a glossary to a file, which is replaced when all is written; `dialect` is for TBX."""
    path = Path(path)
    form = _format_of(path, dialect)
    with replacing(path, "Choose another file or folder.") as file:
        form.write(glossary, file)


def convert(
    old: str | Path,
    new: str | Path,
    *,
    source: str | None = None,
    target: str | None = None,
    sheet: str | None = None,
    dialect: Dialect = "dca",
) -> Glossary:
    """Writes the glossary of a file to another, in the format of its name, and gives it back.

    Only a table of text, all columns of which are read, may be written in place: other files may
    hold more than a glossary.
    """
    if Path(old).suffix.lower() not in _TABLES:
        refuse_overwriting({"NEW": Path(new)}, {"OLD": Path(old)})
    glossary = read(old, source=source, target=target, sheet=sheet)
    if glossary.left_out:
        refuse_overwriting({"NEW": Path(new)}, {"OLD": Path(old)})
    write(glossary, new, dialect=dialect)
    return glossary


def entries_or_mistakes(tried: Iterable[Entry | UserError]) -> tuple[Entry, ...]:
    """The entries of a file, or all its mistakes as one error."""
    found = list(tried)
    mistakes = [str(each) for each in found if isinstance(each, UserError)]
    if mistakes:
        more = [f"and {len(mistakes) - _SHOWN} more mistakes"] if len(mistakes) > _SHOWN else []
        raise UserError("\n".join([*mistakes[:_SHOWN], *more]))
    return tuple(each for each in found if isinstance(each, Entry))


def _format_of(path: Path, dialect: Dialect = "dca") -> Format:
    match path.suffix.lower():
        case ".tsv" | ".csv" as suffix:
            from gridbeam.glossary.formats.separated import Separated

            return Separated("\t" if suffix == ".tsv" else ",")
        case ".tbx":
            from gridbeam.glossary.formats.tbx import Tbx

            return Tbx(dialect)
        case ".xlsx":
            from gridbeam.glossary.formats.xlsx import Xlsx

            return Xlsx()
        case suffix:
            raise UserError(
                f'{path}: no glossary format has the ending "{suffix}". Use .tsv, .csv, .tbx or'
                " .xlsx."
            )
