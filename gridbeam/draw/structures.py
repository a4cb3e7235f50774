"""Three ways to structure a beam search, after Figure 2 of the paper.

By the spans of the input that a hypothesis covers, by how much of the input it covers, and by how
long it is. The grid is the third of them, with rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gridbeam.draw.style import DAY, STYLE, by_day

_BOX = (44, 22)
_STEP = (62, 40)
_PANEL = (3 * _STEP[0] + _BOX[0], 4 * _STEP[1])
_MARGIN = 26
_STRIPS = 3
_TITLES = (
    "(A) spans of the input, as in chart parsing",
    "(B) words of the input covered",
    "(C) time steps; the grid adds rows",
)


def structures_as_svg() -> str:
    """The three structures side by side: boxes are beams, strips the hypotheses in them."""
    panels = (_chart(), _covered(), _steps())
    width = len(panels) * (_PANEL[0] + 2 * _MARGIN)
    height = _PANEL[1] + 2 * _MARGIN + 24
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
            f' viewBox="0 0 {width} {height}" class="picture" role="img">',
            "<title>Three structures of beam search</title>",
            f"<style>{by_day(STYLE)}</style>",
            f'<rect width="100%" height="100%" fill="{DAY["ground"]}"/>',
            *(
                part
                for number, (title, panel) in enumerate(zip(_TITLES, panels, strict=True))
                for part in _placed(number, title, panel)
            ),
            "</svg>\n",
        ]
    )


def _placed(number: int, title: str, panel: Iterable[str]) -> Iterator[str]:
    left = number * (_PANEL[0] + 2 * _MARGIN) + _MARGIN
    yield f'<g transform="translate({left} {_MARGIN})">'
    yield from panel
    middle = _PANEL[0] / 2
    yield f'<text class="token" x="{middle}" y="{_PANEL[1] + 18}">{title}</text></g>'


def _chart() -> Iterator[str]:
    """A beam for each span: those of one word below, that of the whole input on top."""
    size = 4
    for length in range(1, size + 1):
        for first in range(size - length + 1):
            column = first + (length - 1) / 2
            if length > 1:
                yield _edge((column - 0.5, size - length + 1), (column, size - length))
                yield _edge((column + 0.5, size - length + 1), (column, size - length))
    for length in range(1, size + 1):
        for first in range(size - length + 1):
            yield from _beam(first + (length - 1) / 2, size - length, f"{first}–{first + length}")


def _covered() -> Iterator[str]:
    """A stack for each number of words covered; a phrase may cover several."""
    for start, end in ((0, 1), (1, 2), (2, 3), (0, 2), (1, 3)):
        yield _edge((start, 1.5), (end, 1.5), bend=0.9 * (end - start - 1))
    for count in range(4):
        yield from _beam(count, 1.5, f"{count} of 3")


def _steps() -> Iterator[str]:
    """A beam for each length; a hypothesis is complete once it has said the end."""
    for start in range(3):
        yield _edge((start, 1.5), (start + 1, 1.5))
        yield _edge((start, 1.5), (start + 0.5, 2.7))
        x, y = _middle(start + 0.5, 2.7)
        yield f'<text class="token small" x="{x:.0f}" y="{y + 16:.0f}">EOS</text>'
    for step in range(4):
        yield from _beam(step, 1.5, f"t = {step}")


def _beam(column: float, row: float, label: str) -> Iterator[str]:
    x, y = _middle(column, row)
    left, top = x - _BOX[0] / 2, y - _BOX[1] / 2
    yield f'<rect class="beam" x="{left:.1f}" y="{top:.1f}" width="{_BOX[0]}" height="{_BOX[1]}"/>'
    for strip in range(_STRIPS):
        yield (
            f'<rect class="ink-generate" x="{left + 4:.1f}" y="{top + 4 + 6 * strip:.1f}"'
            f' width="{_BOX[0] - 8 - 7 * strip}" height="3"/>'
        )
    yield f'<text class="token small" x="{x:.1f}" y="{top - 3:.1f}">{label}</text>'


def _edge(start: tuple[float, float], end: tuple[float, float], bend: float = 0.0) -> str:
    (a, b), (c, d) = _middle(*start), _middle(*end)
    over = (b + d) / 2 - 2 * bend * _STEP[1]
    curve = f"M {a:.1f} {b:.1f} Q {(a + c) / 2:.1f} {over:.1f} {c:.1f} {d:.1f}"
    return f'<path class="link" d="{curve}"/>'


def _middle(column: float, row: float) -> tuple[float, float]:
    return _BOX[0] / 2 + column * _STEP[0], _BOX[1] + row * _STEP[1]
