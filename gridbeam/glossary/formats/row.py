"""A row of a table as entries: one for each term of the source language that it has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import cast, get_args

from gridbeam.constraints.terms import Case
from gridbeam.errors import UserError
from gridbeam.glossary.entries import Entry, Place
from gridbeam.glossary.formats.format import Reading
from gridbeam.glossary.formats.header import Header
from gridbeam.glossary.formats.left_out import LeftOut
from gridbeam.glossary.formats.status import is_forbidding, is_known
from gridbeam.text.languages import is_same

_YES, _NO = {"yes", "true", "1", "x"}, {"", "no", "false", "0"}
_CASES_OF_MEMOQ: dict[str, Case] = {
    "casesense": "exact",
    "casesensitive": "exact",
    "caseinsense": "any",
    "caseinsensitive": "any",
}


def entries_of(
    cells: Sequence[str], header: Header, place: Place, reading: Reading, left_out: LeftOut
) -> Iterator[Entry]:
    """The entries of a row; one without a target, or of other languages, is left out."""
    row = dict(zip(header.columns, cells, strict=True))
    if not _is_of(reading, header, row):
        left_out.of_other_languages.append(place)
        return
    targets, forbidden = _said(cells, header, row, place, left_out)
    forms, dnt = _texts(row.get("forms", "")), _is_kept(row, place)
    exact = _is_yes("exact", row, place)
    terms = _terms(cells, header)
    if not terms and header.source is not None:
        left_out.without_term.append(place)
    elif not (targets or forbidden or forms or dnt) and terms:
        left_out.without_target.append(place)
    else:
        for term, info in terms or [("", "")]:
            case = _case(row, info, place, reading)
            own = () if dnt and set(targets) <= {term} else targets
            note = row.get("note", "")
            yield Entry(term, own, forbidden, case, dnt, forms, note, place, exact=exact)


def _is_of(reading: Reading, header: Header, row: dict[str, str]) -> bool:
    """Whether a row that says its languages is of those that are asked for."""
    asked = (reading.source or header.source, reading.target or header.target)
    said = (row.get("row source", ""), row.get("row target", ""))
    return all(
        not own or wanted is None or is_same(own, wanted)
        for own, wanted in zip(said, asked, strict=True)
    )


def _terms(cells: Sequence[str], header: Header) -> list[tuple[str, str]]:
    """The terms of the source language, each with what is said of it."""
    return [(text, info) for text, info in _with_info(cells, header, "source") if text]


def _with_info(cells: Sequence[str], header: Header, role: str) -> list[tuple[str, str]]:
    """The cells of a role, each with the one that is about it, if there is any."""
    found: list[tuple[str, str]] = []
    for column, cell in zip(header.columns, cells, strict=True):
        if column == role:
            found.append((cell, ""))
        elif column == f"{role} info" and found:
            found[-1] = (found[-1][0], cell)
    return found


def _said(
    cells: Sequence[str], header: Header, row: dict[str, str], place: Place, left_out: LeftOut
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a row requires and what it forbids: a target of a forbidding status is forbidden."""
    status = row.get("status", "")
    if not is_known(status):
        left_out.statuses.setdefault(status, []).append(place)
    forbidden = list(_texts(row.get("forbidden", "")))
    is_flag = "is translatable" in row or "is case sensitive" in row
    is_bad = is_forbidding(status)
    if is_flag and [text.lower() for text in forbidden] in ([each] for each in _YES | _NO):
        is_bad, forbidden = is_bad or forbidden[0].lower() in _YES, []
    targets: list[str] = []
    for cell, info in _with_info(cells, header, "target"):
        is_bad_one = is_bad or any(is_forbidding(part) for part in info.split(";"))
        (forbidden if is_bad_one else targets).extend(_texts(cell))
    return tuple(dict.fromkeys(targets)), tuple(dict.fromkeys(forbidden))


def _is_kept(row: dict[str, str], place: Place) -> bool:
    """Whether the term is not to be translated."""
    return _is_yes("dnt", row, place) or row.get("is translatable", "").lower() in _NO - {""}


def _is_yes(column: str, row: dict[str, str], place: Place) -> bool:
    said = row.get(column, "").lower()
    if said not in _YES | _NO:
        raise UserError(f'{place}: {column} is "{said}". Write yes or no.')
    return said in _YES


def _case(row: dict[str, str], info: str, place: Place, reading: Reading) -> Case:
    case = row.get("case", "").lower()
    if case and case not in get_args(Case):
        raise UserError(
            f'{place}: case "{case}" is unknown. Write exact, sentence or any, or leave it empty.'
        )
    marks = [_CASES_OF_MEMOQ.get(mark.strip().lower()) for mark in info.split(";")]
    said = (
        "exact"
        if row.get("is case sensitive", "").lower() in _YES
        else next(filter(None, marks), reading.case)
    )
    return cast(Case, case or said)


def _texts(cell: str) -> tuple[str, ...]:
    r"""The texts of a cell.

    >>> _texts(r"Laufwerk | Datenträger | a\|b")
    ('Laufwerk', 'Datenträger', 'a|b')
    """
    parts = re.findall(r"(?:[^|\\]|\\.|\\$)+", cell, re.S)
    return tuple(
        dict.fromkeys(re.sub(r"\\([|\\])", r"\1", part).strip() for part in parts if part.strip())
    )
