"""Plain text: a line is a segment, and its translation takes its place."""

from __future__ import annotations

from gridbeam.documents.format import Format
from gridbeam.documents.lines import Line, on_one_line
from gridbeam.documents.segment import Segment
from gridbeam.documents.splice import Unit
from gridbeam.markup.inline import as_marked


def unit(line: Line, number: int) -> Unit:
    """The segment of a line."""
    segment = Segment(number, str(line.number), as_marked(line.text), line.path, line.number)
    return Unit(
        (segment,),
        lambda given: [
            (line.start, line.end, on_one_line(text).encode()) for text in given if text is not None
        ],
    )


FORMAT = Format(name="text", suffixes=(".txt", ".text"), unit=unit)
