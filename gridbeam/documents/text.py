"""Plain text: a line is a segment, and its translation takes its place."""

from __future__ import annotations

from pathlib import Path

from gridbeam.documents.lines import Line, by_line, on_one_line
from gridbeam.documents.segment import Segment
from gridbeam.documents.splice import Spliced, Unit
from gridbeam.markup.inline import as_marked


def document(path: Path) -> Spliced:
    """A text file, line for line."""
    return by_line(path, "text", unit)


def unit(line: Line, number: int) -> Unit:
    """The segment of a line."""
    segment = Segment(number, str(line.number), as_marked(line.text), line.path, line.number)
    return Unit(
        (segment,),
        lambda given: [
            (line.start, line.end, on_one_line(text).encode()) for text in given if text is not None
        ],
    )
