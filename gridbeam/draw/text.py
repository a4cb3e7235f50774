"""A recorded grid in characters, for a terminal."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Callable
from dataclasses import dataclass

from gridbeam.decoding.hypothesis import Hypothesis, Origin
from gridbeam.draw.recorded import NO_PATH, Recorded
from gridbeam.draw.words import cells, fitted

_MARKS = {Origin.GENERATED: "", Origin.STARTED: "+", Origin.CONTINUED: "&"}
_INKS = {Origin.GENERATED: "34", Origin.STARTED: "1;32", Origin.CONTINUED: "1;31"}
_FAINT = "2"
_LONGEST = 20
_BETWEEN = "  "


def as_text(
    hypothesis: Hypothesis,
    word: Callable[[int], str],
    *,
    width: int | None = None,
    colour: bool = False,
) -> str:
    """The grid in characters: the winner's words in their beams, elsewhere how many it has.

    A word that starts a constraint has a + before it, one
    that continues one a &; ·5 is a beam of five. Columns that do not fit into `width` characters,
    that of the terminal unless given, follow in blocks below. Where the hypothesis fell back on
    other means, it has no path on the grid.
    """
    recorded = Recorded(hypothesis, word)
    width = shutil.get_terminal_size().columns if width is None else width
    labels = ["time step", *(f"covers {row}" for row in recorded.rows)]
    room = width - max(map(len, labels)) - len(_BETWEEN)
    blocks = _blocks(
        [
            _column(recorded, t, max(2, min(room, _LONGEST)))
            for t in range(len(recorded.trace.columns))
        ],
        room,
    )
    texts = [_block(labels, block, colour) for block in blocks]
    if not recorded.path:
        texts.append(textwrap.fill(NO_PATH, max(width, 20)))
    return "\n\n".join(texts)


@dataclass(frozen=True)
class _Cell:
    text: str
    ink: str = ""

    def in_ink(self, colour: bool) -> str:
        return f"\033[{self.ink}m{self.text}\033[0m" if colour and self.ink else self.text


def _column(recorded: Recorded, t: int, longest: int) -> list[_Cell]:
    """The number of the time step, and a cell for each row."""
    column = [_Cell(str(t + 1))]
    for row in recorded.rows:
        beam = recorded.beams.get((t, row), [])
        winner = next(filter(recorded.is_won, beam), None)
        if winner:
            origin = recorded.at(winner).origin
            column.append(
                _Cell(fitted(_MARKS[origin] + recorded.shown(winner), longest), _INKS[origin])
            )
        else:
            column.append(_Cell(f"·{len(beam)}", _FAINT) if beam else _Cell(""))
    return column


def _blocks(columns: list[list[_Cell]], room: int) -> list[list[list[_Cell]]]:
    """The columns, as many in each block as there is room for."""
    blocks: list[list[list[_Cell]]] = []
    left = 0
    for column in columns:
        needed = _width(column) + len(_BETWEEN)
        if not blocks or needed > left:
            blocks.append([])
            left = room + len(_BETWEEN)
        blocks[-1].append(column)
        left -= needed
    return blocks


def _block(labels: list[str], columns: list[list[_Cell]], colour: bool) -> str:
    """The lines of a block; rows without any hypothesis are left out."""
    widths = [_width(column) for column in columns]
    lines = []
    for number, label in enumerate(labels):
        row = [column[number] for column in columns]
        if any(cell.text for cell in row):
            padded = [
                cell.in_ink(colour) + " " * (wide - cells(cell.text))
                for cell, wide in zip(row, widths, strict=True)
            ]
            lines.append(_BETWEEN.join([label.ljust(max(map(len, labels))), *padded]).rstrip())
    return "\n".join(lines)


def _width(column: list[_Cell]) -> int:
    return max(cells(cell.text) for cell in column)
