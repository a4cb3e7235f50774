"""How a translation was found: the recorded grid of one sentence, on the terminal, as pictures, or as a page."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from gridbeam import draw
from gridbeam.constraints import Constraint, as_constraints, in_line
from gridbeam.errors import UserError
from gridbeam.translate import Request, Translator


def explain(
    text: str,
    constraints: Sequence[Constraint | str],
    html: Path | None,
    svg: Path | None,
    graph: Path | None,
    *,
    model: str,
    target: str | None,
    beam: int,
    device: str | None,
) -> None:
    """Prints the translation and its grid, and writes the pictures that are asked for."""
    translator = Translator.load(model, target=target, device=device)
    found = translator.translate(Request(text, constraints), beam=beam, split=False, trace=True)
    if not found.sentences:
        raise UserError("there is nothing to translate: give a sentence")
    hypothesis, word = found.sentences[0].hypothesis, translator.word
    in_colour = sys.stdout.isatty()
    print(found.marked("\033[1;32m", "\033[0m") if in_colour else found.marked())
    print(f"score {found.score:.3f}\n")
    print(draw.as_text(hypothesis, word, colour=in_colour))
    shown = [in_line(term) for term in as_constraints(constraints)]
    if html is not None:
        html.write_text(draw.as_html(hypothesis, word, title=found.text, source=text, constraints=shown), encoding="utf8")
    if svg is not None:
        svg.write_text(draw.as_svg(hypothesis, word), encoding="utf8")
    if graph is not None:
        graph.write_text(draw.graph_as_svg(hypothesis, word), encoding="utf8")
