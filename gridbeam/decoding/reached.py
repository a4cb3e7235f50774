"""How far a search has come: what a watcher, or who waits for its end, may want to know.

Nothing of it is computed before someone asks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import torch
from jaxtyping import Int
from torch import Tensor

from gridbeam.decoding.finished import Finished
from gridbeam.decoding.history import (
    Column,
    Path,
    paths_to,
    prefixes_of,
    traced_in,
    traces_of,
    work_of,
)
from gridbeam.decoding.hypothesis import Trace, Traced, Work
from gridbeam.decoding.options import SearchOptions
from gridbeam.decoding.tables import Tables


@dataclass(frozen=True)
class BestSoFar:
    """The best text of a sentence at some time of its search."""

    tokens: tuple[int, ...]
    score: float
    """As if it were finished; the scores of later columns may be lower or higher."""
    is_finished: bool
    """Whether it meets all constraints and has ended; others wait to be finished."""


@dataclass(frozen=True)
class Reached:
    """A search of several sentences after one more column."""

    length: int
    """How many columns there are: tokens of the hypotheses that run."""
    going: Int[Tensor, "hyp"]
    """Which of the last column's hypotheses go on."""
    finished: Finished
    tables: Tables
    options: SearchOptions
    longest: Sequence[int]
    """The most tokens of each sentence."""
    dropped: frozenset[int]
    """Sentences that nobody wants any more."""
    all_columns: Sequence[Column]
    """Those so far, and later the columns after them, which follow in the same list."""
    expanded: Sequence[Tensor]
    """For each column the sentences of the hypotheses that were expanded there."""

    @property
    def history(self) -> Sequence[Column]:
        """All columns so far."""
        return self.all_columns[: self.length]

    @torch.inference_mode()
    def running(self) -> frozenset[int]:
        """The sentences whose search goes on."""
        if not len(self.going):
            return frozenset()
        return frozenset(self.all_columns[self.length - 1].kept.sentence[self.going].tolist())

    @torch.inference_mode()
    def paths(self) -> list[list[Path]]:
        """The best finished paths of each sentence, as many as `n_best` asks for."""
        best = paths_to(self.finished, self.history)
        return [paths[: self.options.n_best] for paths in best]

    @torch.inference_mode()
    def paths_of(self, sentence: int) -> list[Path]:
        """All finished paths of one sentence that are kept in mind, best first."""
        only = self.finished[torch.tensor([sentence], device=self.going.device)]
        return paths_to(only, self.history)[0]

    @torch.inference_mode()
    def traces(self) -> list[Trace | None]:
        """The grid of each sentence if that was asked for, the columns that it has so far."""
        if not self.options.trace:
            return [None] * len(self.longest)
        return [*traces_of(self.history, self.tables)]

    @torch.inference_mode()
    def works(self) -> list[Work]:
        """How much was searched for each sentence."""
        return work_of(self.expanded, self.longest)

    @torch.inference_mode()
    def traced(self) -> dict[int, tuple[Traced, ...]]:
        """The last column of the grid of each sentence that has hypotheses in it."""
        return traced_in(self.history, self.length - 1, self.tables)

    @torch.inference_mode()
    def best(self) -> dict[int, BestSoFar]:
        """The best text of each sentence: one that is finished, or else the best that runs."""
        found = {}
        if len(self.going):
            found = self._best_running()
        for sentence, paths in enumerate(paths_to(self.finished, self.history)):
            if paths:
                found[sentence] = BestSoFar(paths[0].tokens, paths[0].score, is_finished=True)
        return found

    def _best_running(self) -> dict[int, BestSoFar]:
        kept = self.all_columns[self.length - 1].kept
        score = self.options.final(kept.score[self.going], self.length)
        sentence = kept.sentence[self.going]
        order = score.argsort(descending=True, stable=True)
        order = order[sentence[order].argsort(stable=True)]
        is_first = torch.ones_like(order, dtype=torch.bool)
        is_first[1:] = sentence[order][1:] != sentence[order][:-1]
        best = order[is_first.nonzero().flatten()]
        tokens = prefixes_of(self.history, self.going[best]).tolist()
        return {
            number: BestSoFar(tuple(text), score, is_finished=False)
            for number, text, score in zip(
                sentence[best].tolist(), tokens, score[best].tolist(), strict=True
            )
        }


Dropped: TypeAlias = Collection[int]
"""Numbers of sentences that need not be searched any further."""
Decoding: TypeAlias = Generator[Reached, Dropped | None, Reached]
"""A search that rests after each column, and may be told to drop sentences before the next."""
Watch: TypeAlias = Callable[[Reached], None]
"""What is called after each column."""
