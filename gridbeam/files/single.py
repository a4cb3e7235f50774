"""A single text in, its translation out: the same way as a segment of a file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from gridbeam.documents import Segment
from gridbeam.errors import UserError
from gridbeam.files.instructions import Instructions
from gridbeam.files.outcome import Outcome
from gridbeam.files.output import To, as_line
from gridbeam.files.segments import SegmentTranslator
from gridbeam.files.summary import Summary, summary_of
from gridbeam.markup.inline import as_marked
from gridbeam.translation.request import marked
from gridbeam.translation.translator import Translates

NAME = Path("<text>")
"""What the text is called in messages."""
_COLOUR = ("\033[1;32m", "\033[0m")


def translate_text(
    translator: Translates,
    text: str,
    out: BinaryIO,
    instructions: Instructions,
    *,
    to: To | None = None,
) -> Summary:
    """Translates a text and writes it, with its line breaks, and its alternatives below it.

    These are the next best, where they are asked for. What holds everywhere holds for it, even
    where it has no words. On a terminal, what it had to say is in colour. What cannot be met is an
    error, as there is nothing else to write.
    """
    segment = Segment(0, "1", as_marked(text), NAME, 1, constraints=instructions.everywhere)
    ((_, outcome),) = SegmentTranslator(translator, replace(instructions, everywhere=())).outcomes(
        [segment]
    )
    if outcome.text is None and instructions.on_unmet == "error":
        raise UserError(outcome.unmet)
    if to is None:
        out.write(
            "".join(
                f"{line}\n" for line in _shown(segment, outcome, in_colour=out.isatty())
            ).encode()
        )
    else:
        out.write(as_line(segment, outcome, to, instructions))
    out.flush()
    return summary_of(NAME, [outcome], instructions)


def _shown(segment: Segment, outcome: Outcome, *, in_colour: bool) -> Iterator[str]:
    spans = [span for met in outcome.met for span in met.spans] if in_colour else []
    yield marked(str(segment.source if outcome.text is None else outcome.text), spans, *_COLOUR)
    yield from (text for text, _ in outcome.alternatives)
