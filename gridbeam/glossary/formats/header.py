"""The first row of a table, if it names columns: in our words, in other tools', by languages.

A row of two languages names columns, as no term is translated by the name of another language:
`English,German` does, and `English,Englisch` is an entry. Codes, which may be words as well, must
be those of the languages that are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from gridbeam.errors import UserError
from gridbeam.glossary.entries import Place
from gridbeam.text.languages import has_name, language, named

COLUMNS = ("source", "target", "forbidden", "case", "dnt", "forms", "note")
COUNTS = ("npmi", "source count", "target count", "joint count", "example segment")
"""What else `gridbeam terms extract` writes of a term; a glossary leaves it out."""
_OTHER_NAMES = {
    "source": (
        "term",
        "source term",
        "source text",
        "source word",
        "source phrase",
        "source language",
        "src",
    ),
    "target": (
        "translation",
        "target term",
        "target text",
        "target word",
        "target phrase",
        "target language",
        "tgt",
        "trg",
    ),
    "forbidden": ("forbidden term", "forbidden terms", "do not use"),
    "dnt": ("do not translate",),
    "forms": ("form", "inflections"),
    "note": ("notes", "comment", "comments", "remark", "remarks"),
}
_CODE = re.compile(r"[a-z]{2,3}(?:[- ][a-z0-9]{2,4})*")


@dataclass(frozen=True)
class Header:
    """What each column of a table is: one of `COLUMNS`, or else its own name."""

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
    names = [" ".join(cell.lower().replace("_", " ").split()) for cell in cells]
    found = _named(names)
    spoken = {
        number: code
        for number, name in enumerate(names)
        if number not in found.values() and (code := _language(name))
    }
    wanted = {"source": source, "target": target}
    chosen = _chosen(found, spoken, wanted, names)
    found |= chosen
    if "source" not in found or not {"target", "forbidden", "dnt"} & set(found):
        if not {"source", "target"} & set(found):
            _refuse_other_languages(spoken, wanted, names, place)
        return None
    _refuse_namesakes([names[number] for number in found.values()], names, place)
    roles = {number: role for role, number in found.items()}
    _refuse_typos(
        found,
        [name for number, name in enumerate(names) if number not in roles and number not in spoken],
        place,
    )
    left_out = tuple(cell for number, cell in enumerate(cells) if cell and number not in roles)
    return Header(
        tuple(roles.get(number, name) for number, name in enumerate(names)),
        left_out,
        spoken.get(chosen.get("source", -1)),
        spoken.get(chosen.get("target", -1)),
        _notice(cells, found, left_out, place),
    )


def _named(names: Sequence[str]) -> dict[str, int]:
    """The number of each of our columns that a name says; our own names first."""
    found = {name: names.index(name) for name in COLUMNS if name in names}
    for role, others in _OTHER_NAMES.items():
        number = next((names.index(other) for other in others if other in names), None)
        if role not in found and number is not None:
            found[role] = number
    return found


def _language(name: str) -> str | None:
    """The language that a column is named for.

    >>> _language("english (us)"), _language("deu"), _language("french term"), _language("disk")
    ('en', 'de', 'fr', None)
    """
    code = name.replace(" ", "-")
    if _CODE.fullmatch(name) and has_name(code):
        return language(code)
    return named(re.sub(r"\s*[(\[,:/–-].*| (?:term|text|translation)$", "", name))


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
    if len(codes) > 1 and (
        codes & asked or not all(_CODE.fullmatch(names[number]) for number in spoken)
    ):
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
