"""A figure in parts.

Put together they are an SVG file; apart, the page can scroll the picture while its labels stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape

from gridbeam.draw.recorded import NO_PATH, Recorded
from gridbeam.draw.style import DAY, STYLE, by_day

LETTER = 6.8
"""About how wide a letter is, in pixels; a word that turns out wider than its place is clipped."""
LEFT = 56
"""How wide the labels at the left are."""
_LEAST = 620

Bands = Mapping[int, tuple[float, float]]
"""By what a row covers, its upper edge and its height."""


@dataclass(frozen=True)
class Figure:
    """A picture, the labels of its rows to the left of it, and its legend."""

    picture: list[str]
    labels: list[str]
    legend: str
    width: float
    height: float


def standing_alone(figure: Figure, recorded: Recorded) -> str:
    """The figure as an SVG file, its legend below."""
    note = (
        ""
        if recorded.path
        else f'<text x="{LEFT}" y="{figure.height + 42:.0f}">{escape(NO_PATH)}</text>'
    )
    width, height = LEFT + max(figure.width, _LEAST), figure.height + (54 if note else 28)
    return "\n".join(
        [
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}"'
                f' viewBox="0 0 {width:.0f} {height:.0f}" class="picture" role="img">'
            ),
            f"<title>{escape(recorded.text)}</title>",
            f"<style>{by_day(STYLE)}</style>",
            f'<rect width="100%" height="100%" fill="{DAY["ground"]}"/>',
            *figure.labels,
            f'<g transform="translate({LEFT} 0)">',
            *figure.picture,
            f'<g transform="translate(0 {figure.height + 16:.0f})">{figure.legend}</g></g>',
            note,
            "</svg>\n",
        ]
    )


def row_labels(bands: Bands) -> list[str]:
    """How many tokens each row covers."""
    edges = [(y, y + tall) for y, tall in bands.values()]
    middle = (edges[0][0] + edges[-1][1]) / 2
    counts = [
        f'<text class="row" x="{LEFT - 8}" y="{(upper + lower) / 2 + 4:.1f}"'
        f' text-anchor="end">{row}</text>'
        for row, (upper, lower) in zip(bands, edges, strict=True)
    ]
    turned = f'text-anchor="middle" transform="translate(14 {middle:.1f}) rotate(-90)"'
    step = (
        f'<text class="small" x="{LEFT - 8}" y="{edges[-1][1] + 14:.1f}"'
        ' text-anchor="end">step</text>'
    )
    return [f'<text class="small" {turned}>tokens covered</text>', *counts, step]


def legend_of(signs: Iterable[tuple[str, int, str]]) -> str:
    """Signs in a line, each with its width, and to its right what it means."""
    parts, x = [], 0.0
    for sign, wide, meaning in signs:
        parts.append(
            f'<g transform="translate({x:.0f} 0)">{sign}<text x="{wide + 7}"'
            f' y="0">{meaning}</text></g>'
        )
        x += wide + 7 + len(meaning) * LETTER + 14
    return "".join(parts)


def curve(x: float, y: float, to_x: float, to_y: float) -> str:
    """A line that leaves and arrives level."""
    middle = (x + to_x) / 2
    return f"M{x:.1f} {y:.1f}C{middle:.1f} {y:.1f} {middle:.1f} {to_y:.1f} {to_x:.1f} {to_y:.1f}"
