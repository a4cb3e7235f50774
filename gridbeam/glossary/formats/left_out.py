"""What a table has and a glossary cannot use: counted while it is read, and told in one notice."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gridbeam.errors import UserError, UserNotice
from gridbeam.glossary.entries import Place

_SHOWN = 5
"""How many rows are named."""


@dataclass
class LeftOut:
    """The places of rows that are left out, by why, and of statuses that are not known."""

    without_term: list[Place] = field(default_factory=list)
    without_target: list[Place] = field(default_factory=list)
    of_other_languages: list[Place] = field(default_factory=list)
    statuses: dict[str, list[Place]] = field(default_factory=dict)

    def tell(self, *, is_empty: bool) -> None:
        """Warns of what was left out; an error where nothing else was there."""
        rows = [*self.without_term, *self.without_target, *self.of_other_languages]
        if is_empty and rows:
            raise UserError(
                f"{'; '.join(self._reasons())}. Nothing is left: choose other languages, or another"
                " file."
            )
        for reason in self._reasons():
            warnings.warn(f"{reason}.", UserNotice, stacklevel=5)

    def _reasons(self) -> Iterator[str]:
        if self.without_target:
            yield f"{_rows(self.without_target, 'no target')} left out"
        if self.without_term:
            yield f"{_rows(self.without_term, 'no term of the source language')} left out"
        if self.of_other_languages:
            yield f"{_rows(self.of_other_languages, 'other languages')} left out"
        for status, places in self.statuses.items():
            yield (
                f'{_rows(places, f"""the status "{status}" """.strip())} read as allowed: it is'
                " not known"
            )


def _rows(places: Sequence[Place], what: str) -> str:
    """Which rows have something, as the beginning of a sentence.

    >>> _rows([Place("t.csv", 3), Place("t.csv", 8)], "no target")
    't.csv: 2 rows with no target (lines 3, 8) are'
    """
    lines = ", ".join(str(place.line) for place in places[:_SHOWN])
    more = ", …" if len(places) > _SHOWN else ""
    rows, lines_, are = ("rows", "lines", "are") if len(places) > 1 else ("row", "line", "is")
    sheet = f' sheet "{places[0].sheet}"' if places[0].sheet is not None else ""
    return (
        f"{places[0].file}{sheet}: {len(places):,} {rows} with {what} ({lines_} {lines}{more})"
        f" {are}"
    )
