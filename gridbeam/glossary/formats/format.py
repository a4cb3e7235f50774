"""A format of glossary files as one value: how a file of it is told, read and written.

Each format is a file of this folder that ends with its value; `FORMATS` in `__init__.py` lists
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal, TypeAlias

from gridbeam.constraints.terms import Case
from gridbeam.errors import UserError
from gridbeam.glossary.entries import Entry, Glossary

Dialect: TypeAlias = Literal["martif", "dca", "dct", "min"]
"""How TBX is written: ISO 30042:2008, ISO 30042:2019 with categories as attributes or as tags, or
TBX-Min."""

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


@dataclass(frozen=True, kw_only=True)
class GlossaryFormat:
    """One format of glossary files."""

    suffix: str
    """The ending of its files' names, in small letters."""
    read: Callable[[Path, Reading], Glossary]
    """The glossary of a file."""
    write: Callable[[Glossary, BinaryIO, Dialect], None]
    """Writes a glossary to an open file; the dialect is for TBX."""
    is_table: bool = False
    """Whether a file holds nothing but entries, all columns of which are read: no other may be
    converted in place."""
    has_sheets: bool = False
    """Whether a file holds several tables, one of which is read."""


def entries_or_mistakes(tried: Iterable[Entry | UserError]) -> tuple[Entry, ...]:
    """The entries of a file, or all its mistakes as one error."""
    found = list(tried)
    mistakes = [str(each) for each in found if isinstance(each, UserError)]
    if mistakes:
        more = [f"and {len(mistakes) - _SHOWN} more mistakes"] if len(mistakes) > _SHOWN else []
        raise UserError("\n".join([*mistakes[:_SHOWN], *more]))
    return tuple(each for each in found if isinstance(each, Entry))
