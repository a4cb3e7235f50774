"""Figure 3 of the paper: the search graph, as far as it led somewhere.

A node is a hypothesis, in the row of what it covers; the edge to it bears its token. Only what the
best final hypotheses came from is drawn, so that it stays readable.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from html import escape

from gridbeam.decoding.hypothesis import Hypothesis, Origin
from gridbeam.draw.figure import LETTER, Figure, curve, legend_of, row_labels, standing_alone
from gridbeam.draw.recorded import VERBS, GridPlace, Recorded
from gridbeam.draw.words import cells, fitted


def graph_as_svg(hypothesis: Hypothesis, word: Callable[[int], str], *, keep: int = 8) -> str:
    """The search graph after Figure 3 of the paper: how the `keep` best hypotheses came about.

    The winner's path is bold. Edges are blue where the token was generated, green and dashed where
    it starts a constraint, red and dotted where it continues one; a node with a circle in it is
    closed, a square one has ended.
    """
    recorded = Recorded(hypothesis, word)
    return standing_alone(graph_figure(recorded, keep), recorded)


def graph_figure(recorded: Recorded, keep: int) -> Figure:
    """The rows, the nodes with their incoming edges, and the time steps.

    The winner's path is drawn last and so on top.
    """
    layout = _GraphLayout(recorded, keep)
    rows = [
        f'<rect class="band" y="{y:.1f}" width="{layout.width:.1f}" height="{tall:.1f}" rx="3"/>'
        for y, tall in layout.bands.values()
    ]
    places = sorted((place for column in layout.columns for place in column), key=recorded.is_won)
    x, y = layout.nodes[None]
    root = (
        f'<circle class="root" cx="{x}" cy="{y:.1f}" r="5"><title>the empty text</title></circle>'
    )
    steps = [
        f'<text class="small token" x="{x + (t + 1) * layout.step:.1f}"'
        f' y="{layout.bottom + 14:.1f}">{t + 1}</text>'
        for t in range(len(layout.columns))
    ]
    picture = [*rows, *(_node(layout, place) for place in places), root, *steps]
    return Figure(picture, row_labels(layout.bands), _legend(), layout.width, layout.bottom + 20)


def _finals(recorded: Recorded, keep: int) -> list[GridPlace]:
    """The best hypotheses that nothing follows: the winner, others that ended, then the rest.

    The rest is what was left in the last column. They are compared by score for each token,
    whatever the length penalty of the search was.
    """
    last = len(recorded.trace.columns) - 1
    winner = recorded.path[-1:]
    ends = {
        place for place in recorded.places() if recorded.at(place).is_ended or place[0] == last
    }.union(winner)

    def rank(place: GridPlace) -> tuple[bool, bool, int, float, GridPlace]:
        hyp = recorded.at(place)
        return place not in winner, not hyp.is_ended, hyp.row, -hyp.score / (place[0] + 1), place

    return sorted(ends, key=rank)[:keep]


@dataclass(frozen=True)
class _GraphLayout:
    """Where the nodes stand; x counts from the empty text, to the right of the labels."""

    recorded: Recorded
    keep: int
    top: int = 12
    pitch: int = 20
    bend: int = 34
    """How wide the curve of an edge is, before its token."""

    @cached_property
    def columns(self) -> list[list[GridPlace]]:
        """The places of each column that led to a final hypothesis, in their parents' order."""
        kept = {
            place
            for final in _finals(self.recorded, self.keep)
            for place in self.recorded.path_to(final)
        }
        columns: list[list[GridPlace]] = []
        order: dict[GridPlace | None, int] = {None: 0}
        for t in range(len(self.recorded.trace.columns)):
            column = [place for place in kept if place[0] == t]
            column.sort(
                key=lambda place: (
                    -self.recorded.covered(place),
                    order[self.recorded.parent(place)],
                    place,
                )
            )
            order = {place: number for number, place in enumerate(column)}
            columns.append(column)
        return columns

    @cached_property
    def step(self) -> float:
        """How far it is from a column to the next: room for the curve and for a token."""
        longest = max(
            (cells(self.recorded.shown(place)) for column in self.columns for place in column),
            default=0,
        )
        return self.bend + min(
            max(24.0, longest * LETTER + 6), 84.0 if len(self.columns) <= 14 else 64.0
        )

    @cached_property
    def bands(self) -> dict[int, tuple[float, float]]:
        """By what a row covers, its upper edge and its height."""
        bands, y = {}, float(self.top)
        for row in self.recorded.rows:
            fullest = max(
                (
                    sum(self.recorded.covered(place) == row for place in column)
                    for column in self.columns
                ),
                default=0,
            )
            bands[row] = y, max(1, fullest) * self.pitch + 12.0
            y += bands[row][1] + 2
        return bands

    @cached_property
    def nodes(self) -> dict[GridPlace | None, tuple[float, float]]:
        """The middle of each node; None is the empty text."""
        y, tall = self.bands[0]
        nodes: dict[GridPlace | None, tuple[float, float]] = {None: (12.0, y + tall / 2 + 3)}
        for t, column in enumerate(self.columns):
            for row, (y, tall) in self.bands.items():
                beam = [place for place in column if self.recorded.covered(place) == row]
                above = (tall - len(beam) * self.pitch) / 2
                for rank, place in enumerate(beam):
                    nodes[place] = (
                        12 + (t + 1) * self.step,
                        y + above + (rank + 0.5) * self.pitch + 3,
                    )
        return nodes

    @property
    def width(self) -> float:
        """How wide all columns are."""
        return 24 + len(self.columns) * self.step

    @property
    def bottom(self) -> float:
        """The lower edge of the lowest row."""
        return sum(self.bands[self.recorded.rows[-1]])


def _node(layout: _GraphLayout, place: GridPlace) -> str:
    recorded = layout.recorded
    (from_x, from_y), (x, y) = layout.nodes[recorded.parent(place)], layout.nodes[place]
    slot = layout.step - layout.bend
    edge = f'<path class="edge" d="{curve(from_x + 3, from_y, x - slot, y)}H{x:.1f}"/>'
    text = escape(fitted(recorded.shown(place), int(slot / LETTER)))
    token = (
        f'<svg x="{x - slot - 2:.1f}" y="{y - 16:.1f}" width="{slot:.1f}" height="15"><text x="0"'
        f' y="12">{text}</text></svg>'
    )
    title = f"<title>{escape(recorded.title(place))}</title>"
    dot = _dot(x, y, recorded.at(place).is_ended)
    return f"<g {recorded.attributes(place, 'node')}>{title}{edge}{token}{dot}</g>"


def _dot(x: float, y: float, is_ended: bool) -> str:
    if is_ended:
        return f'<rect class="dot" x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8"/>'
    return f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>'


def _legend() -> str:
    """What the edges and nodes mean."""
    edge = '<path class="edge" d="M0-4H30"/>'
    signs = [(VERBS[origin], edge, 30, VERBS[origin]) for origin in Origin]
    signs += [("closed", _dot(4, -4, False), 8, "closed"), ("", _dot(4, -4, True), 8, "ended")]
    signs.append(("generate won", edge, 30, "the winner"))
    return legend_of(
        (f'<g class="node {kind} legend">{sign}</g>', wide, meaning)
        for kind, sign, wide, meaning in signs
    )
