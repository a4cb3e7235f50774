"""Lines in, lines out: each is translated as soon as it can be, in batches if many wait."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import BinaryIO

from gridbeam.documents import Segment
from gridbeam.documents.format import LineUnit
from gridbeam.documents.lines import Line, lines_of
from gridbeam.documents.registry import unit_of_stream
from gridbeam.documents.splice import Unit
from gridbeam.errors import UserError
from gridbeam.files.instructions import Instructions
from gridbeam.files.outcome import Outcome
from gridbeam.files.output import To, as_line, check_form
from gridbeam.files.segments import SegmentTranslator
from gridbeam.files.summary import Summary, summary_of
from gridbeam.translation.translator import Translator, in_order

NAME = Path("<stdin>")
"""What the stream is called in messages."""
_PATIENCE = 0.02
"""Seconds to wait for one more line before what has come is translated."""


@dataclass(frozen=True)
class _ReadUnit:
    """A line and its segment, if it has one."""

    line: Line
    unit: Unit | None

    @property
    def segment(self) -> Segment | None:
        return self.unit.segments[0] if self.unit else None


def translate_stream(
    translator: Translator,
    source: BinaryIO,
    out: BinaryIO,
    instructions: Instructions,
    *,
    format: str = "text",
    to: To | None = None,
) -> Summary:
    """Translates lines until there are no more; each is flushed once all before it are."""
    unit = unit_of_stream(format)
    check_form(to)
    pipeline = SegmentTranslator(translator, instructions)

    def lined(read: _ReadUnit, outcome: Outcome | None, to: To) -> bytes:
        return as_line(read.segment, outcome, to, instructions) if read.segment else b""

    def outcomes() -> Iterator[Outcome]:
        for reads in _available(source, unit, pipeline.window):
            for place, outcome in in_order(_numbered(reads, pipeline, instructions)):
                out.write(
                    _in_place(reads[place], outcome)
                    if to is None
                    else lined(reads[place], outcome, to)
                )
                out.flush()
                if outcome:
                    yield outcome

    return summary_of(NAME, outcomes(), instructions)


def _numbered(
    reads: list[_ReadUnit], pipeline: SegmentTranslator, instructions: Instructions
) -> Iterator[tuple[int, Outcome | None]]:
    """The place of each line and what came of its segment, if it was due."""
    segments = {
        place: read.segment
        for place, read in enumerate(reads)
        if read.segment and instructions.is_due(read.segment)
    }
    yield from ((place, None) for place in range(len(reads)) if place not in segments)
    places = list(segments)
    for number, outcome in pipeline.outcomes([segments[place] for place in places]):
        yield places[number], outcome


def _in_place(read: _ReadUnit, outcome: Outcome | None) -> bytes:
    """The line with its translation, and all else as it was."""
    text = outcome.text if outcome else None
    return (
        read.line.raw
        if text is None or read.unit is None
        else read.line.spliced(read.unit.edits([text]))
    )


def _available(source: BinaryIO, unit: LineUnit, most: int) -> Iterator[list[_ReadUnit]]:
    """The lines that have come, at least one at a time.

    What is wrong with one is told after all before it are done.
    """
    queue: Queue[_ReadUnit | UserError | None] = Queue(maxsize=2 * most)
    Thread(target=_fill, args=(queue, source, unit), daemon=True).start()
    end: UserError | None = None
    is_open = True
    while is_open:
        came = [queue.get()]
        while isinstance(came[-1], _ReadUnit) and len(came) < most:
            try:
                came.append(queue.get(timeout=_PATIENCE))
            except Empty:
                break
        if not isinstance(came[-1], _ReadUnit):
            is_open, end = False, came[-1]
        if reads := [each for each in came if isinstance(each, _ReadUnit)]:
            yield reads
    if end is not None:
        raise end


def _fill(queue: Queue[_ReadUnit | UserError | None], source: BinaryIO, unit: LineUnit) -> None:
    """Reads lines into the queue, then None, or what is wrong."""
    number = 0
    try:
        for line in lines_of(source, NAME):
            made = unit(line, number)
            number += made is not None
            queue.put(_ReadUnit(line, made))
        queue.put(None)
    except UserError as error:
        queue.put(error)
