"""A recorded grid as one self-contained page of HTML: the text, both figures, the hypotheses.

Pointing at a hypothesis shows it.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from itertools import groupby

from gridbeam.constraints.drawing import in_line
from gridbeam.constraints.terms import Constraints, as_constraints
from gridbeam.decoding.hypothesis import Hypothesis
from gridbeam.draw.figure import LEFT, Figure
from gridbeam.draw.graph import graph_figure
from gridbeam.draw.grid import grid_figure
from gridbeam.draw.recorded import NO_PATH, Recorded
from gridbeam.draw.script import SCRIPT
from gridbeam.draw.style import DAY, NIGHT, PAGE_STYLE, STYLE, variables
from gridbeam.draw.words import visible

_GRID_HELP = (
    "Each box is a beam, each strip a hypothesis. Point at one to read it and to see where it came"
    " from; click to pin it, Escape lets go. On the keyboard: up and down in a column, left to"
    " where it came from, right to what came of it."
)
_GRAPH_HELP = (
    "What the best final hypotheses came from: an edge is a token, a node the hypothesis that it"
    " makes."
)


def as_html(
    hypothesis: Hypothesis,
    word: Callable[[int], str],
    *,
    title: str = "Grid beam search",
    source: str = "",
    constraints: Constraints = (),
    keep: int = 8,
) -> str:
    """A page that shows the text with its constraints marked, the grid, and the search graph.

    `source` and `constraints` are shown as they were given to the search; `keep` is that of
    `graph_as_svg`.
    """
    recorded, title = Recorded(hypothesis, word), escape(visible(title))
    names = [visible(in_line(term)) for term in as_constraints(constraints)]
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{title}</title>",
            f"<style>:root{{color-scheme:light dark;{variables(DAY)}}}",
            (
                f"@media (prefers-color-scheme:dark){{:root{{{variables(NIGHT)}}}}}"
                f"{STYLE}{PAGE_STYLE}</style></head><body>"
            ),
            f"<header><h1>{title}</h1>{_facts(recorded, source, names)}</header>",
            "" if recorded.path else f'<p class="note" role="note">{escape(NO_PATH)}</p>',
            f"<main>{_section('grid', 'The grid', _GRID_HELP, grid_figure(recorded))}",
            _section("graph", "The search graph", _GRAPH_HELP, graph_figure(recorded, keep))
            + "</main>",
            (
                '<aside class="panel" role="status" aria-live="polite" aria-label="The hypothesis'
                ' pointed at"></aside>'
            ),
            f"<script>{SCRIPT}</script></body></html>\n",
        ]
    )


def _facts(recorded: Recorded, source: str, names: list[str]) -> str:
    """The source, the constraints, the text that was found, and its score."""
    hypothesis = recorded.hypothesis
    chips = "".join(f"<li>{escape(name)}</li>" for name in names)
    score = (
        f"{hypothesis.score:z.3f}, log-probability {sum(hypothesis.log_probs):z.2f},"
        f" {len(hypothesis.tokens)}"
        f" tokens{'' if hypothesis.finished else ', cut off before its end'}"
    )
    rows = {
        "source": escape(visible(source)) if source else "",
        "constraints": f"<ul>{chips}</ul>" if chips else "",
        "found": f'<p class="found">{_marked(recorded, names)}</p>',
        "score": score,
    }
    return (
        "<dl>"
        + "".join(f"<dt>{name}</dt><dd>{fact}</dd>" for name, fact in rows.items() if fact)
        + "</dl>"
    )


def _marked(recorded: Recorded, names: list[str]) -> str:
    """The text without its end token, with a mark around each stretch that meets a constraint."""
    hypothesis = recorded.hypothesis
    tokens = hypothesis.tokens[: len(hypothesis.tokens) - hypothesis.finished]

    def met_at(position: int) -> list[int]:
        return [
            number
            for number, spans in enumerate(hypothesis.spans)
            if any(start <= position < end for start, end in spans)
        ]

    parts = []
    for numbers, positions in groupby(range(len(tokens)), met_at):
        text = "".join(recorded.adds[tokens[position]] for position in positions)
        said = escape(text.strip())
        titles = escape(
            ", ".join(
                names[number] if number < len(names) else f"constraint {number + 1}"
                for number in numbers
            )
        )
        space = " " if text.startswith(" ") else ""
        parts.append(
            f'{space}<mark title="{titles}">{said}</mark>' if numbers else f"{space}{said}"
        )
    return "".join(parts).strip()


def _section(kind: str, name: str, explained: str, figure: Figure) -> str:
    """A figure with its legend, in a pane that scrolls sideways while the row labels stay."""
    tall, legend = (
        f'height="{figure.height:.0f}"',
        f'<g transform="translate(1 14)">{figure.legend}</g>',
    )
    return (
        f'<section class="{kind}"><h2>{name}</h2><p class="help">{explained}</p>'
        '<div class="key"><svg class="picture" width="640" height="20"'
        f' aria-hidden="true">{legend}</svg></div>'
        f'<div class="pane"><svg class="picture labels" width="{LEFT}" {tall}'
        f' aria-hidden="true">{"".join(figure.labels)}</svg>'
        f'<svg class="picture whole" width="{figure.width:.0f}" {tall} role="group"'
        f' aria-label="{name}">'
        f"{''.join(figure.picture)}</svg></div></section>"
    )
