"""A search that somebody waits for, and about how long it will take."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from gridbeam.decoding.options import SearchOptions
from gridbeam.decoding.quest import Quest
from gridbeam.serving.client import Client
from gridbeam.translation.batching import Job

_OVERHEAD = 20
"""A column without hypotheses takes as long as so many do: measured on the model that ships."""


@dataclass(frozen=True, eq=False)
class Errand:
    """A search on its way."""

    job: Job
    quest: Quest
    client: Client
    most: int | None = None
    """How many its batch may have: a larger one failed that it was in."""
    is_apart: bool = False
    """Whether it waits until no other batch takes memory: beside others it found too little."""
    since: float = field(default_factory=time.monotonic)

    @property
    def is_alone(self) -> bool:
        """Whether it may not be searched with others."""
        return self.most == 1

    @property
    def is_background(self) -> bool:
        """Whether it rests while anybody else asks for something."""
        return self.client.is_background

    @cached_property
    def company(self) -> SearchOptions:
        """The options that errands of one batch have in common."""
        return self.quest.options.in_company

    @cached_property
    def owed(self) -> int:
        """How many tokens of constraints there are."""
        return self.quest.automaton.owed(self.quest.automaton.start)

    @cached_property
    def hypotheses(self) -> int:
        """About how many hypotheses a column has.

        Of the beams beside the rows, for stages of longer alternatives, few are in use at a time.
        """
        beams = self.owed + 1 + self.quest.automaton.longest_detour
        return self.quest.options.strategy.most(self.quest.options.widest, beams)

    @cached_property
    def columns(self) -> int:
        """About how many columns there will be: translations are a little longer than sources."""
        return min(self.quest.options.longest, 4 + self.owed + len(self.job.source))

    @cached_property
    def cost(self) -> int:
        """About how long it takes alone, in hypotheses of one column."""
        return self.columns * (_OVERHEAD + self.hypotheses)


def cost_of(errands: Sequence[Errand], columns_done: int = 0) -> int:
    """About how long errands take together, less the columns that they have already.

    One that has more than were expected has about a quarter of them before it.
    """
    columns = max(errand.columns for errand in errands)
    left = max(columns - columns_done, columns_done // 4, 1)
    return left * (_OVERHEAD + sum(errand.hypotheses for errand in errands))
