"""Glossary files: read, write and convert them.

The ending of a file's name says its format, one file of this folder each and a line in `FORMATS`.

Whatever is wrong with a file is told with file, line and remedy, all mistakes of its entries at
once. A file is written whole or not at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from gridbeam.constraints.terms import CASES, Case
from gridbeam.errors import UserError
from gridbeam.glossary.entries import Glossary
from gridbeam.glossary.formats import separated, tbx, xlsx
from gridbeam.glossary.formats.format import Dialect, GlossaryFormat, Reading
from gridbeam.glossary.union import united
from gridbeam.support.output_files import refuse_overwriting, replacing

__all__ = [
    "FORMATS",
    "Dialect",
    "GlossaryFiles",
    "GlossaryFormat",
    "Reading",
    "convert",
    "listed",
    "paths_of",
    "read",
    "read_all",
    "write",
]

FORMATS: tuple[GlossaryFormat, ...] = (
    separated.TSV,
    separated.CSV,
    tbx.FORMAT,
    xlsx.FORMAT,
    *separated.OMEGAT,
)
"""In the order in which they are listed."""
GlossaryFiles: TypeAlias = str | Path | Sequence[str | Path]
"""A file, or several, of which later ones win."""


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
    workbooks = [each.suffix for each in FORMATS if each.has_sheets]
    if sheet is not None and path.suffix.lower() not in workbooks:
        raise UserError(
            f'{path} has no sheet "{sheet}", being no {" or ".join(workbooks)}. Leave the sheet'
            " out, or give a workbook."
        )
    try:
        return _format_of(path).read(path, Reading(source, target, case, sheet))
    except OSError as error:
        raise UserError(
            f"{path} cannot be read: {error.strerror or error}. Check the path."
        ) from None


def paths_of(given: GlossaryFiles | None) -> tuple[Path, ...]:
    """The files that are given: none, one or several.

    >>> paths_of(None), [path.name for path in paths_of("terms.tsv")]
    ((), ['terms.tsv'])
    """
    if given is None:
        return ()
    return (Path(given),) if isinstance(given, str | Path) else tuple(map(Path, given))


def read_all(
    given: GlossaryFiles,
    *,
    source: str | None = None,
    target: str | None = None,
    case: Case = "sentence",
    sheet: str | None = None,
) -> Glossary:
    """One glossary of one file or several, as `gridbeam.glossary.union` makes it.

    `sheet` is that of the workbooks among them.
    """
    paths = paths_of(given)
    if not paths:
        return Glossary((), source, target)
    books = [path for path in paths if _format_of(path).has_sheets] or paths
    return united(
        [
            read(
                path,
                source=source,
                target=target,
                case=case,
                sheet=sheet if path in books else None,
            )
            for path in paths
        ]
    )


def write(glossary: Glossary, path: str | Path, *, dialect: Dialect = "dca") -> None:
    """Writes a glossary to a file, which is replaced when all is written; `dialect` is for TBX."""
    path = Path(path)
    form = _format_of(path)
    with replacing(path, "Choose another file or folder.") as file:
        form.write(glossary, file, dialect)


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
    if not _format_of(Path(old)).is_table:
        refuse_overwriting({"NEW": Path(new)}, {"OLD": Path(old)})
    glossary = read(old, source=source, target=target, sheet=sheet)
    if glossary.left_out:
        refuse_overwriting({"NEW": Path(new)}, {"OLD": Path(old)})
    write(glossary, new, dialect=dialect)
    return glossary


def listed() -> str:
    """The endings of all formats, as in a sentence.

    >>> listed()
    '.tsv, .csv, .tbx, .xlsx, .txt, .utf8 or .tab'
    """
    *suffixes, last = (each.suffix for each in FORMATS)
    return f"{', '.join(suffixes)} or {last}"


def _format_of(path: Path) -> GlossaryFormat:
    for each in FORMATS:
        if each.suffix == path.suffix.lower():
            return each
    raise UserError(
        f'{path}: no glossary format has the ending "{path.suffix.lower()}". Use {listed()}.'
    )
