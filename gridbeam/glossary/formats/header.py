"""The first row of a table, if it names columns: in our words, in other tools', by languages.

A row of two languages names columns, as no term is translated by the name of another language:
`English,German` does, and `English,Englisch` is an entry. Codes, which may be words as well, must
be those of the languages that are asked for. Without such a row there are two columns, source and
target; a third in OmegaT's files is a comment, and DeepL's name two languages in the third and the
fourth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from gridbeam.errors import UserError
from gridbeam.glossary.entries import Place
from gridbeam.glossary.formats.column_names import (
    COLUMNS,
    OTHER_NAMES,
    TERM_INFO,
    is_code,
    language_of_status,
    language_of_terms,
    plain,
)
from gridbeam.text.languages import has_name, language

COUNTS = ("npmi", "source count", "target count", "joint count", "example segment")
"""What else `gridbeam terms extract` writes of a term; a glossary leaves it out."""


@dataclass(frozen=True)
class Header:
    """What each column of a table is: one of `COLUMNS`, or another role, or else its own name.

    Several may hold terms of one language; `source info` and `target info` are about the term
    before them.
    """

    columns: tuple[str, ...]
    left_out: tuple[str, ...]
    """The names of the columns that are not read."""
    source: str | None = None
    """The source language, where a column says it."""
    target: str | None = None
    notice: str = ""
    """What a user should know of how the row was read."""


def header_of(
    cells: Sequence[str], place: Place, source: str | None, target: str | None
) -> Header | None:
    """The row as a header, if it is one; `source` and `target` are the languages asked for."""
    names = [plain(cell) for cell in cells]
    found = _named(names)
    spoken = {
        number: code
        for number in range(len(names))
        if number not in found.values() and (code := language_of_terms(cells[number]))
    }
    wanted = {"source": source, "target": target}
    chosen = _chosen(found, spoken, wanted, names)
    found |= chosen
    if "source" not in found or not {"target", "forbidden", "dnt"} & set(found):
        if not {"source", "target"} & set(found):
            _refuse_other_languages(spoken, wanted, names, place)
        return None
    roles = {number: role for role, number in found.items()}
    if TERM_INFO in names:
        roles |= _more_of_memoq(chosen, spoken, names)
    else:
        _refuse_namesakes([names[number] for number in found.values()], names, place)
    if "status" not in found and (number := _status_of(spoken, chosen, cells)) is not None:
        roles[number] = "status"
    _refuse_typos(
        found,
        [name for number, name in enumerate(names) if number not in roles and number not in spoken],
        place,
    )
    left_out = tuple(cell for number, cell in enumerate(cells) if cell and number not in roles)
    return Header(
        tuple(
            roles.get(number, "" if name in OTHER_NAMES else name)
            for number, name in enumerate(names)
        ),
        left_out,
        spoken.get(chosen.get("source", -1)),
        spoken.get(chosen.get("target", -1)),
        _notice(cells, found, left_out, place),
    )


def names_its_languages(cells: Sequence[str]) -> bool:
    """Whether a row has codes of languages behind source and target, as DeepL's have."""
    return len(cells) > 3 and all(is_code(plain(cell)) and has_name(cell) for cell in cells[2:4])


def header_without_names(cells: Sequence[str], *, has_comments: bool) -> Header:
    """The columns of a table whose first row is an entry."""
    if names_its_languages(cells):
        others = tuple(f"column {number}" for number in range(5, len(cells) + 1))
        columns = ("source", "target", "row source", "row target", *others)
        return Header(columns, others, language(cells[2]), language(cells[3]))
    return Header(
        ("source", "target", "note") if has_comments and len(cells) == 3 else COLUMNS[:2], ()
    )


def _more_of_memoq(
    chosen: dict[str, int], spoken: dict[int, str], names: Sequence[str]
) -> dict[int, str]:
    """The columns of further terms of the chosen languages, and what is said of each term."""
    role_of = {names[number]: role for role, number in chosen.items()}
    roles: dict[int, str] = {}
    role: str | None = None
    for number, name in enumerate(names):
        if name == TERM_INFO and role is not None:
            roles[number], role = f"{role} info", None
        elif number in spoken:
            role = role_of.get(name)
            roles |= {number: role} if role else {}
    return roles


def _status_of(spoken: dict[int, str], chosen: dict[str, int], cells: Sequence[str]) -> int | None:
    """The column with the status of the target's terms, where it says its language."""
    target = spoken.get(chosen.get("target", -1))
    return next(
        (
            number
            for number, cell in enumerate(cells)
            if target is not None and language_of_status(cell) == target
        ),
        None,
    )


def _named(names: Sequence[str]) -> dict[str, int]:
    """The number of each of our columns that a name says; our own names first."""
    found = {name: names.index(name) for name in COLUMNS if name in names}
    for role, others in OTHER_NAMES.items():
        numbers = (names.index(other) for other in others if other in names)
        number = next((each for each in numbers if each not in found.values()), None)
        if role not in found and number is not None:
            found[role] = number
    return found


def _chosen(
    found: dict[str, int],
    spoken: dict[int, str],
    wanted: dict[str, str | None],
    names: Sequence[str],
) -> dict[str, int]:
    """The columns of languages that are source and target, where no name says it.

    None where languages do not tell.
    """
    missing = [role for role in ("source", "target") if role not in found]
    if len(set(spoken.values())) < len(missing) or not missing:
        return {}
    chosen: dict[str, int] = {}
    for role in sorted(
        missing, key=lambda role: wanted[role] is None
    ):  # what is known is taken first
        taken = {spoken[number] for number in chosen.values()}
        known = wanted[role]
        fitting = [
            number
            for number, code in spoken.items()
            if code not in taken and (known is None or code == language(known))
        ]
        if not fitting:
            return {}
        exact = [
            number for number in fitting if known is not None and names[number] == known.lower()
        ]
        chosen[role] = (exact or fitting)[0]
    return chosen


def _refuse_other_languages(
    spoken: dict[int, str], wanted: dict[str, str | None], names: Sequence[str], place: Place
) -> None:
    """Raises where columns are named for other languages than are asked for.

    Two codes of others may be an entry.
    """
    codes, asked = (
        set(spoken.values()),
        {language(code) for code in wanted.values() if code},
    )
    if len(codes) > 1 and (codes & asked or not all(is_code(names[number]) for number in spoken)):
        named, pair = (
            _listed([names[number] for number in spoken]),
            " to ".join(filter(None, wanted.values())),
        )
        raise UserError(
            f"{place}: the columns are {named}, and {pair} is asked for. "
            "Choose another glossary, or name the columns source and target."
        )


def _refuse_namesakes(read: Sequence[str], names: Sequence[str], place: Place) -> None:
    """Raises where a column that is read has the name of another."""
    for name in read:
        if names.count(name) > 1:
            raise UserError(f'{place}: two columns are named "{name}". Remove one of them.')


def _refuse_typos(found: dict[str, int], others: Sequence[str], place: Place) -> None:
    missing = [name for name in COLUMNS if name not in found]
    for name in others:
        if meant := get_close_matches(name, missing, n=1, cutoff=0.8):
            raise UserError(
                f'{place}: there is no column "{name}". Name it {meant[0]} if that is meant, or'
                " remove it."
            )


def _notice(
    cells: Sequence[str], found: dict[str, int], left_out: Sequence[str], place: Place
) -> str:
    """Which columns are source and target, if named otherwise, and which are left out."""
    other_names = [(role, cells[found[role]]) for role in COLUMNS[:2] if role in found]
    renamed = [f'"{name}" is the {role}' for role, name in other_names if name.lower() != role]
    foreign = [name for name in left_out if name.lower() not in COUNTS]
    said = [f"names the columns, and {' and '.join(renamed)}"] if renamed else []
    said += [f"has columns that are left out: {_listed(foreign)}"] if foreign else []
    remedy = " If it is an entry, write source and target in a line above it." if renamed else ""
    return f"{place} {'; it '.join(said)}.{remedy}" if said else ""


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
