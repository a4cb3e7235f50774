"""How a translation was found: a sentence's grid, on the terminal, as pictures, or as a page."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from gridbeam import draw
from gridbeam.constraints.drawing import in_line
from gridbeam.constraints.terms import Constraint, as_constraints
from gridbeam.decoding.options import SearchOptions
from gridbeam.errors import UserError
from gridbeam.support.output_files import check_place, refuse_overwriting, write_text
from gridbeam.translation.defaults import TRANSLATION
from gridbeam.translation.translator import Request, Translation, Translator


def explain(
    text: str,
    constraints: Sequence[Constraint | str],
    html: Path | None,
    svg: Path | None,
    graph: Path | None,
    *,
    model: str,
    source: str | None,
    target: str | None,
    device: str | None,
    told: bool = True,
    options: SearchOptions = TRANSLATION,
) -> None:
    """Prints the translation and its grid, and writes the pictures that are asked for."""
    for path in (html, svg, graph):
        if path is not None:
            check_place(path)
    refuse_overwriting({"--html": html, "--svg": svg, "--graph": graph}, {})
    translator = Translator.load(model, source=source, target=target, device=device, told=told)
    wish = Request(text, constraints)
    found = translator.translate(wish, options=options, split=False, trace=True)
    if not found.sentences:
        raise UserError("there is nothing to translate: give a sentence")
    hypothesis, word = found.sentences[0].hypothesis, translator.word
    in_colour = sys.stdout.isatty()
    print(found.marked("\033[1;32m", "\033[0m") if in_colour else found.marked())
    print(f"score {found.score:.3f}")
    if found.sentences[0].told:
        print(f"told {_told(wish, found)}")
    print()
    drawn = draw.up_to_its_end(hypothesis)
    print(draw.as_text(drawn, word, colour=in_colour))
    if drawn.trace != hypothesis.trace:
        print(
            "\nThe search went on after that, and found nothing better: the page (--html) shows all"
            " of it."
        )
    if html is not None:
        write_text(
            html,
            draw.as_html(hypothesis, word, title=found.text, source=text, constraints=constraints),
        )
    if svg is not None:
        write_text(svg, draw.as_svg(drawn, word))
    if graph is not None:
        write_text(graph, draw.graph_as_svg(hypothesis, word))


def _told(wish: Request, found: Translation) -> str:
    """The constraints that the model was told in its source."""
    terms = as_constraints(wish.constraints)
    return ", ".join(in_line(terms[number]) for number in found.sentences[0].told)
