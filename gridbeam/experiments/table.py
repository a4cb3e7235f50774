"""A table of results with the signatures below it, as Markdown or LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gridbeam.support.latex import escaped


@dataclass(frozen=True)
class Table:
    """Rows of cells under titles, the first column for names, the others for numbers."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    """What makes the numbers comparable: signatures."""

    def markdown(self) -> str:
        """The table for a page of documentation."""
        lines = [self.columns, ("---",) * len(self.columns), *self.rows]
        table = [
            "| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines
        ]
        return "\n".join([f"**{self.title}**", "", *table, *(f"\n*{note}*" for note in self.notes)])

    def latex(self) -> str:
        """The table for the package booktabs; the notes are comments."""
        lines = [" & ".join(map(escaped, line)) + r" \\" for line in (self.columns, *self.rows)]
        return "\n".join(
            [
                *(f"% {note}" for note in (self.title, *self.notes)),
                rf"\begin{{tabular}}{{l{'r' * (len(self.columns) - 1)}}}",
                r"\toprule",
                lines[0],
                r"\midrule",
                *lines[1:],
                r"\bottomrule",
                r"\end{tabular}",
            ]
        )


def distinct(notes: Sequence[str]) -> tuple[str, ...]:
    """Each note once, in their order."""
    return tuple(dict.fromkeys(notes))
