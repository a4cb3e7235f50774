"""Figure 1 of the paper: a box for each beam, a strip for each hypothesis.

The words of the winner stand on top, and its path is marked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import pairwise

from gridbeam.decoding.hypothesis import Hypothesis, Origin
from gridbeam.draw.figure import LETTER, Figure, curve, legend_of, row_labels, standing_alone
from gridbeam.draw.recorded import VERBS, GridPlace, Recorded
from gridbeam.draw.style import FILLS, PATTERNS
from gridbeam.draw.words import cells, fitted


def as_svg(hypothesis: Hypothesis, word: Callable[[int], str]) -> str:
    """The grid as a picture after Figure 1 of the paper.

    Browsers show a hypothesis when the mouse rests on its strip.

    Strips are blue where the token was generated, green and hatched where it starts a constraint,
    red and barred where it continues one; a circle marks a closed hypothesis, a block at the end
    one that has ended.
    """
    recorded = Recorded(hypothesis, word)
    return standing_alone(grid_figure(recorded), recorded)


def grid_figure(recorded: Recorded) -> Figure:
    """The words, the beams with their strips, the marked path, and the verbs."""
    layout = _GridLayout(recorded)
    beams = [
        f'<rect class="beam" x="{layout.x(t):.1f}" y="{layout.bands[row][0]:.1f}"'
        f' width="{layout.box:.1f}" height="{layout.bands[row][1]:.1f}" rx="3"/>'
        for t, row in recorded.beams
    ]
    links = [_link(layout, *pair) for pair in pairwise(recorded.path)]
    strips = [_strip(layout, place) for place in recorded.places()]
    columns = [_column(layout, t) for t in range(len(recorded.trace.columns))]
    picture = [PATTERNS, *beams, *links, *strips, *_boxes(layout), *columns]
    return Figure(picture, row_labels(layout.bands), _legend(), layout.width, layout.bottom + 32)


@dataclass(frozen=True)
class _GridLayout:
    """Where things stand in the picture.

    X counts from the first column, to the right of the labels.
    """

    recorded: Recorded
    top: int = 36
    gap: int = 12

    @cached_property
    def box(self) -> float:
        """How wide a beam is: room for the words of the winner, less where there are many."""
        longest = max(
            (cells(self.recorded.shown(place)) for place in self.recorded.path), default=0
        )
        return min(
            max(46.0, longest * LETTER + 8),
            92.0 if len(self.recorded.trace.columns) <= 14 else 66.0,
        )

    @cached_property
    def pitch(self) -> float:
        """How far it is from one strip to the next below."""
        return max(3.0, min(8.0, 66 / max(map(len, self.recorded.beams.values()), default=1)))

    @cached_property
    def bands(self) -> dict[int, tuple[float, float]]:
        """By what a row covers, its upper edge and its height: room for its fullest beam."""
        bands, y = {}, float(self.top)
        for row in self.recorded.rows:
            fullest = max(
                (len(beam) for (_, r), beam in self.recorded.beams.items() if r == row), default=0
            )
            bands[row] = y, max(18.0, self.pitch * fullest + 6)
            y += bands[row][1] + 10
        return bands

    @property
    def bottom(self) -> float:
        """The lower edge of the lowest row."""
        return sum(self.bands[self.recorded.rows[-1]])

    @property
    def width(self) -> float:
        """How wide all columns are."""
        return len(self.recorded.trace.columns) * (self.box + self.gap)

    def x(self, t: int) -> float:
        """The left edge of a column."""
        return t * (self.box + self.gap) + self.gap / 2

    def strip(self, place: GridPlace) -> tuple[float, float]:
        """The left edge of a strip and its upper edge."""
        row = self.recorded.covered(place)
        rank = self.recorded.beams[place[0], row].index(place)
        return self.x(place[0]) + 3, self.bands[row][0] + 4 + self.pitch * rank


def _strip(layout: _GridLayout, place: GridPlace) -> str:
    recorded, (x, y), tall = layout.recorded, layout.strip(place), layout.pitch - 2
    hyp, wide = recorded.at(place), layout.box - 6
    bar = (
        f'<rect class="bar" x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}"'
        f' height="{tall:.1f}"{FILLS[hyp.origin]}/>'
    )
    stop = (
        f'<rect class="stop" x="{x + wide - 4:.1f}" y="{y:.1f}" width="4" height="{tall:.1f}"/>'
        if hyp.is_ended
        else ""
    )
    closed = (
        ""
        if hyp.is_open
        else f'<circle cx="{x + 6:.1f}" cy="{y + tall / 2:.2f}" r="{min(3.0, tall / 2):.2f}"/>'
    )
    title = f"<title>{escape(recorded.title(place))}</title>"
    return f"<g {recorded.attributes(place, 'strip')}>{title}{bar}{stop}{closed}</g>"


def _link(layout: _GridLayout, place: GridPlace, after: GridPlace) -> str:
    (x, y), (to_x, to_y), half = layout.strip(place), layout.strip(after), layout.pitch / 2 - 1
    return f'<path class="link" d="{curve(x + layout.box - 6, y + half, to_x, to_y + half)}"/>'


def _boxes(layout: _GridLayout) -> list[str]:
    """A box around the words of each constraint."""
    stretches: list[list[int]] = []
    for t, place in enumerate(layout.recorded.path):
        origin = layout.recorded.at(place).origin
        if origin is Origin.CONTINUED and stretches and stretches[-1][-1] == t - 1:
            stretches[-1].append(t)
        elif origin is not Origin.GENERATED:
            stretches.append([t])
    return [
        f'<rect class="box" x="{layout.x(first) - 3:.1f}" y="8" '
        f'width="{layout.x(last) - layout.x(first) + layout.box + 6:.1f}" height="19" rx="2"/>'
        for first, last in ((stretch[0], stretch[-1]) for stretch in stretches)
    ]


def _column(layout: _GridLayout, t: int) -> str:
    """What is written above and below a column; the svg around a word clips it."""
    middle = layout.x(t) + layout.box / 2
    step = f'<text class="small token" x="{middle:.1f}" y="{layout.bottom + 14:.1f}">{t + 1}</text>'
    if t >= len(layout.recorded.path):
        return step
    place = layout.recorded.path[t]
    text, verb = layout.recorded.shown(place), VERBS[layout.recorded.at(place).origin]
    short = escape(fitted(text, int(layout.box / LETTER)))
    return (
        f'<svg x="{layout.x(t):.1f}" y="8" width="{layout.box:.1f}"'
        f' height="19"><title>{escape(text)}</title><text class="token ink-{verb}"'
        f' x="{layout.box / 2:.1f}" y="13.5">{short}</text></svg>{step}<text class="small token'
        f' ink-{verb}" x="{middle:.1f}" y="{layout.bottom + 26:.1f}">{verb}</text>'
    )


def _legend() -> str:
    """What the strips and their signs mean."""
    bar = '<rect class="bar" y="-8" width="26" height="8"{}/>'
    plain = bar.format("")
    signs = [(VERBS[origin], bar.format(FILLS[origin]), VERBS[origin]) for origin in Origin]
    signs.append(("generate", plain + '<circle cx="6" cy="-4" r="3"/>', "closed"))
    signs.append(
        ("generate", plain + '<rect class="stop" x="22" y="-8" width="4" height="8"/>', "ended")
    )
    signs.append(("generate won", plain, "the winner"))
    return legend_of(
        (f'<g class="strip {kind} legend">{sign}</g>', 26, meaning) for kind, sign, meaning in signs
    )
