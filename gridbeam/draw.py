"""A recorded grid as text or as SVG, after Figure 1 of the paper: what was in each beam, and the path that won.

Draws what `search(..., trace=True)` has recorded; `word` gives the text of a token.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from gridbeam.errors import UserError
from gridbeam.hypothesis import Hypothesis, Origin, Trace, Traced

_COLOURS = {Origin.GENERATED: "#3b6fd4", Origin.STARTED: "#2a8f4f", Origin.CONTINUED: "#c8403a"}
_MARKS = {Origin.GENERATED: "", Origin.STARTED: "+", Origin.CONTINUED: "&"}
_VERBS = {Origin.GENERATED: "generate", Origin.STARTED: "start", Origin.CONTINUED: "continue"}


def as_text(hypothesis: Hypothesis, word: Callable[[int], str]) -> str:
    """The grid in characters: the words of the winning path in their beams, and elsewhere how many hypotheses a beam holds.

    A word that starts a constraint has a + before it, one that continues one a &; ·5 is a beam of five. Where the hypothesis
    fell back on other means, it has no path on the grid.
    """
    trace = _trace_of(hypothesis)
    on_path = winning_path(hypothesis)
    table = [["time step", *(str(t) for t in range(1, len(trace.columns) + 1))]]
    for owed in range(_rows(trace)):
        cells = [f"owes {owed}"]
        for t, column in enumerate(trace.columns):
            winner = on_path[t] if t < len(on_path) and on_path[t].row == owed else None
            size = sum(hyp.row == owed for hyp in column)
            cells.append(_MARKS[winner.origin] + word(winner.token) if winner else f"·{size}" if size else "")
        table.append(cells)
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in table)


def as_svg(hypothesis: Hypothesis, word: Callable[[int], str]) -> str:
    """The grid as a picture: a box for each beam, a strip for each hypothesis, a line through the winning ones.

    Strips are blue where the token was generated, green where it starts a constraint and red where it continues one; a
    circle marks a closed hypothesis.
    """
    trace = _trace_of(hypothesis)
    layout = _Layout(columns=len(trace.columns), rows=_rows(trace), widest=_widest(trace))
    on_path = winning_path(hypothesis)
    parts = [part for t, column in enumerate(trace.columns) for part in _beams(layout, t, column, on_path)]
    parts += [_label(layout, t, hyp, word(hyp.token)) for t, hyp in enumerate(on_path)]
    parts += [f'<text x="6" y="{layout.middle(owed) + 4:.0f}">owes {owed}</text>' for owed in range(layout.rows)]
    centres = " ".join(f"{x:.1f},{y:.1f}" for x, y in _centres(layout, trace, on_path))
    line = f'<polyline points="{centres}" fill="none" stroke="#222" stroke-width="1.5"/>'
    style = "<style>text{font:12px system-ui,sans-serif;fill:#222}.verb{font-size:9px;fill:#777}</style>"
    frame = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {layout.width} {layout.height}" role="img">'
    title = f"<title>{escape(' '.join(word(token) for token in hypothesis.tokens))}</title>"
    ground = f'<rect width="{layout.width}" height="{layout.height}" fill="#fff"/>'
    return "\n".join([frame, title, style, ground, *parts, line, "</svg>\n"])


def winning_path(hypothesis: Hypothesis) -> list[Traced]:
    """The recorded hypotheses that lead to this one, first token first; empty where the grid had dropped it."""
    columns, tokens = _trace_of(hypothesis).columns, hypothesis.tokens
    if len(tokens) > len(columns):
        return []
    for last in columns[len(tokens) - 1]:
        path = [last]
        for t in range(len(tokens) - 2, -1, -1):
            parent = path[-1].parent
            assert parent is not None
            path.append(columns[t][parent])
        path.reverse()
        if tuple(hyp.token for hyp in path) == tokens and path[-1].row == 0:
            return path
    return []


@dataclass(frozen=True)
class _Layout:
    """Where things stand in the picture; a beam's box has room for the fullest."""

    columns: int
    rows: int
    widest: int
    left: int = 60
    top: int = 34
    box: int = 72
    gap: int = 16

    @property
    def tall(self) -> float:
        return max(22.0, 5.0 * self.widest + 4)

    @property
    def width(self) -> int:
        return self.left + self.columns * (self.box + self.gap)

    @property
    def height(self) -> int:
        return round(self.top + self.rows * (self.tall + self.gap) + 22)

    def corner(self, t: int, owed: int) -> tuple[float, float]:
        return self.left + t * (self.box + self.gap), self.top + owed * (self.tall + self.gap)

    def middle(self, owed: int) -> float:
        return self.corner(0, owed)[1] + self.tall / 2


def _beams(layout: _Layout, t: int, column: tuple[Traced, ...], on_path: list[Traced]) -> list[str]:
    parts = []
    for owed in sorted({hyp.row for hyp in column}):
        x, y = layout.corner(t, owed)
        parts.append(
            f'<rect x="{x}" y="{y:.1f}" width="{layout.box}" height="{layout.tall:.1f}" rx="3" fill="none" stroke="#bbb"/>'
        )
        for place, hyp in enumerate(hyp for hyp in column if hyp.row == owed):
            won = t < len(on_path) and hyp is on_path[t]
            parts.append(
                f'<rect x="{x + 3}" y="{y + 3 + 5 * place:.1f}" width="{layout.box - 6}" height="3.5" '
                f'fill="{_COLOURS[hyp.origin]}" opacity="{1 if won else 0.35}"/>'
            )
            if not hyp.is_open:
                middle = f'cx="{x + 8}" cy="{y + 4.75 + 5 * place:.2f}"'
                parts.append(f'<circle {middle} r="1.6" fill="#fff" stroke="#222" stroke-width=".6"/>')
    return parts


def _label(layout: _Layout, t: int, hyp: Traced, text: str) -> str:
    x, _ = layout.corner(t, 0)
    middle = x + layout.box / 2
    boxed = (
        ""
        if hyp.origin is Origin.GENERATED
        else f'<rect x="{x}" y="8" width="{layout.box}" height="18" fill="none" stroke="{_COLOURS[hyp.origin]}"/>'
    )
    return (
        f'{boxed}<text x="{middle}" y="21" text-anchor="middle" style="fill:{_COLOURS[hyp.origin]}">{escape(text)}</text>'
        f'<text class="verb" x="{middle}" y="{layout.height - 8}" text-anchor="middle">{_VERBS[hyp.origin]}</text>'
    )


def _centres(layout: _Layout, trace: Trace, on_path: list[Traced]) -> list[tuple[float, float]]:
    centres = []
    for t, winner in enumerate(on_path):
        x, y = layout.corner(t, winner.row)
        place = next(i for i, hyp in enumerate(h for h in trace.columns[t] if h.row == winner.row) if hyp is winner)
        centres.append((x + layout.box / 2, y + 4.75 + 5 * place))
    return centres


def _trace_of(hypothesis: Hypothesis) -> Trace:
    if hypothesis.trace is None:
        raise UserError("this hypothesis has no recorded grid: search with trace=True")
    return hypothesis.trace


def _rows(trace: Trace) -> int:
    return 1 + max(hyp.row for column in trace.columns for hyp in column)


def _widest(trace: Trace) -> int:
    return max(sum(hyp.row == owed for hyp in column) for column in trace.columns for owed in {h.row for h in column})
