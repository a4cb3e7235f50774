"""Entries of glossaries as DeepL has them: a source term and a target term a line."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

from gridbeam.errors import UserError
from gridbeam.glossary.entries import Entry
from gridbeam.server.refusal import Refusal, Refused

_LONGEST = 1024
"""Bytes of a term."""
MOST_BYTES = 10 * 1024 * 1024
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def entries_of(text: str, form: str) -> list[Entry]:
    """The entries of a dictionary, in `tsv` or `csv`; raises where one cannot be."""
    if form not in ("tsv", "csv"):
        raise bad(f"Value for 'entries_format' not supported: write tsv or csv, not {form!r}.")
    rows = _rows_of_csv(text) if form == "csv" else _rows_of_tsv(text)
    found: dict[str, Entry] = {}
    for number, row in enumerate(rows, 1):
        if not any(cell.strip() for cell in row):
            continue
        entry = _entry(number, row, form)
        if entry.source in found:
            raise bad(f"Duplicate source entry '{_shown(entry.source)}' in line {number}.")
        found[entry.source] = entry
    if not found:
        raise bad("The glossary has no entries.")
    return list(found.values())


def tsv_of(entries: Iterable[Entry]) -> str:
    """Entries as a table with tabs; of several targets the first."""
    return "\n".join(f"{entry.source}\t{entry.required[0]}" for entry in entries if entry.required)


def checked_name(name: str | None) -> str:
    """The name of a glossary; raises where it cannot be one."""
    if name is None or not name.strip():
        raise bad("Parameter 'name' not specified.")
    if len(name.encode()) > _LONGEST or _CONTROL.search(name):
        raise bad(f"The name must have at most {_LONGEST} bytes, and no control characters.")
    return name


def bad(detail: str) -> Refused:
    """The refusal of a glossary."""
    return Refused(Refusal(400, "Bad request", more={"detail": detail}))


def _rows_of_tsv(text: str) -> list[list[str]]:
    return [line.removesuffix("\r").split("\t") for line in text.split("\n")]


def _rows_of_csv(text: str) -> list[list[str]]:
    try:
        return list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise bad(f"The entries are not CSV: {error}.") from None


def _entry(number: int, row: Sequence[str], form: str) -> Entry:
    most = 4 if form == "csv" else 2  # files from DeepL's own page say the languages, too
    if not 2 <= len(row) <= most:
        sign = "comma" if form == "csv" else "tab"
        raise bad(f"Line {number} must have a source and a target term with a {sign} between them.")
    source, target = row[0].strip(), row[1].strip()
    for term in (source, target):
        if not term:
            raise bad(f"Line {number} has an empty term.")
        if len(term.encode()) > _LONGEST:
            raise bad(f"Line {number} has a term of more than {_LONGEST} bytes.")
        if _CONTROL.search(term):
            raise bad(f"Line {number} has a control character in a term.")
    try:
        return Entry(source, (target,))
    except UserError as error:
        raise bad(f"Line {number}: {error}") from None


def _shown(term: str) -> str:
    return term if len(term) < 80 else f"{term[:79]}…"
