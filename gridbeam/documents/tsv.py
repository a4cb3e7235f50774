"""Tab-separated text as fairseq reads it: a source, then phrases that its translation must contain.

The translation takes the place of the source, and the phrases stay beside it.
"""

from __future__ import annotations

from gridbeam.constraints.terms import Phrase
from gridbeam.documents.format import Format
from gridbeam.documents.lines import Line, on_one_line
from gridbeam.documents.segment import Segment
from gridbeam.documents.splice import Unit
from gridbeam.markup.inline import as_marked


def unit(line: Line, number: int) -> Unit:
    """The segment of a line."""
    source, *phrases = line.text.split("\t")
    constraints = tuple(Phrase(phrase.strip()) for phrase in phrases if phrase.strip())
    segment = Segment(
        number, str(line.number), as_marked(source), line.path, line.number, constraints=constraints
    )
    end = line.start + len(source.encode())
    return Unit(
        (segment,),
        lambda given: [
            (line.start, end, on_one_line(text, tabs=False).encode())
            for text in given
            if text is not None
        ],
    )


FORMAT = Format(name="tsv", suffixes=(".tsv", ".tab"), unit=unit)
