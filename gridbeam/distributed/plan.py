"""A document cut into shards that cost about the same, before anything is translated."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import accumulate

from gridbeam.distributed.manifest import Shard
from gridbeam.documents import Document, Format, Segment
from gridbeam.documents.lines import LinePlace, places_of
from gridbeam.files.instructions import Instructions

_USUAL = 500
"""About how many segments a shard has: what is lost when a worker dies."""
_FEWEST = 50
"""The fewest, where more shards would only make all workers busy to the end."""
_FOR_EACH = 10
"""How many shards each worker should have, for all to end at about the same time: while the last
one is done the others have nothing to do, for half a shard on average."""
_MOST = 10_000
"""The most shards: each is a file."""
_OVERHEAD = 30.0
"""What a segment costs whatever it says, in characters."""
_PER_CONSTRAINT = 0.15
"""By how much a character that must be said makes the whole segment dearer."""


def cost(segment: Segment) -> float:
    """About what the translation of a segment costs, in characters without constraints.

    Terms of a glossary are not counted: they are spread over a text about as its characters are.

    >>> from pathlib import Path
    >>> from gridbeam.documents.jsonl import unit
    >>> from gridbeam.documents.lines import Line
    >>> line = Line(1, 0, 16, '{"text": "Save"}', Path("a"), b"")
    >>> cost(unit(line, 0).segments[0])
    34.0
    """
    said = sum(len(str(each)) for each in segment.constraints if each.role.must_occur)
    return (_OVERHEAD + len(segment.source.text)) * (1 + _PER_CONSTRAINT * said)


def cut(
    document: Document,
    form: Format,
    instructions: Instructions,
    *,
    workers: int,
    shards: int | None = None,
) -> tuple[Shard, ...]:
    """The shards of a document: so many, or as many as suit its length and the workers."""
    costs, lines = array("d"), array("q")
    due = 0
    for segment in document.segments():
        is_due = instructions.is_due(segment)
        due += is_due
        costs.append(cost(segment) if is_due else 0.0)
        lines.append(segment.line)
    count = min(shards or _suitable(due, workers), max(due, 1))
    bounds = [*_bounds(costs, count)]
    firsts = [first for first, _ in bounds]
    places: Sequence[LinePlace | None] = [None] * len(firsts)
    if form.unit is not None:
        places = places_of(document.path, [lines[first] for first in firsts], firsts)
    return tuple(
        Shard(
            number,
            first,
            end,
            sum(each > 0 for each in costs[first:end]),
            round(sum(costs[first:end]), 1),
            place,
        )
        for number, ((first, end), place) in enumerate(zip(bounds, places, strict=True))
    )


def _suitable(due: int, workers: int) -> int:
    """How many shards suit so many segments and workers."""
    for_workers = min(_FOR_EACH * workers, -(-due // _FEWEST))
    return min(_MOST, max(1, -(-due // _USUAL), for_workers))


def _bounds(costs: Sequence[float], count: int) -> Iterator[tuple[int, int]]:
    """Where each of the shards begins and ends; one that would be empty is left out."""
    total, first, number = sum(costs), 0, 1
    for end, spent in enumerate(accumulate(costs), 1):
        if spent >= total * number / count * (1 - 1e-12) and number < count and total:
            yield first, end
            first = end
            while number < count and spent >= total * number / count * (1 - 1e-12):
                number += 1
    if first < len(costs):
        yield first, len(costs)
