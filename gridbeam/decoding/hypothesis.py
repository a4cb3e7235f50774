"""What a search gives back: hypotheses, and on request a record of the whole grid.

All of it is plain values, no tensors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from gridbeam.constraints.occurrences import Spans


class Origin(IntEnum):
    """How a token came about: the three verbs of the paper's Algorithm 1."""

    GENERATED = 0
    STARTED = 1
    CONTINUED = 2


@dataclass(frozen=True)
class Traced:
    """A hypothesis of a recorded grid, as it stood in its column."""

    token: int
    log_prob: float
    score: float
    row: int
    """How many tokens it owes; the top row owes none."""
    origin: Origin
    is_open: bool
    is_ended: bool
    parent: int | None
    """Its place in the column before; None in the first."""


@dataclass(frozen=True)
class Trace:
    """A recorded grid: for each time step, the hypotheses that stayed, top row first."""

    columns: tuple[tuple[Traced, ...], ...]
    owed_at_start: int


@dataclass(frozen=True)
class Work:
    """How much it took to search one text; a fallback's own search is not counted."""

    expanded: int
    """How many hypotheses the model was asked to go on with, in all columns."""
    columns: int
    limit: int
    """How many columns there could have been."""

    @property
    def stopped_early(self) -> bool:
        """Whether nothing could get better before the last column."""
        return self.columns < self.limit


@dataclass(frozen=True)
class Hypothesis:
    """A text that meets all its constraints."""

    tokens: tuple[int, ...]
    """Token ids, the end token included."""
    score: float
    """What texts are ranked by: the sum of `log_probs` and of `length_reward` for each token.

    Where a `score=` is given, what it made of them instead of their sum. The end token counts as a
    token. All is divided by length ** `length_penalty`.
    """
    log_probs: tuple[float, ...]
    """The model's log-probability of each token."""
    spans: tuple[Spans, ...]
    """For each constraint, in the order they were given, the stretches of tokens that cover it;
    none for `Avoid`."""
    origins: tuple[Origin, ...]
    """For each token, whether it was generated, or starts or continues a phrase of a constraint."""
    finished: bool
    """Whether it ends with the end token; False only with `force_end=False`."""
    fell_back: bool = False
    """Whether every beam had lost such texts, and this one was found by other means
    (docs/search.md)."""
    trace: Trace | None = field(default=None, repr=False, compare=False)
    work: Work | None = field(default=None, repr=False, compare=False)


def origins_of(spans: Sequence[Spans], length: int) -> tuple[Origin, ...]:
    """The origin of each token, read off the spans of the constraints.

    >>> [origin.name for origin in origins_of([((1, 3),)], 4)]
    ['GENERATED', 'STARTED', 'CONTINUED', 'GENERATED']
    """
    origins = [Origin.GENERATED] * length
    for start, end in (span for pieces in spans for span in pieces):
        origins[start:end] = [Origin.CONTINUED] * (end - start)
    for start, _ in (span for pieces in spans for span in pieces):
        origins[start] = Origin.STARTED
    return tuple(origins)
