"""Many searches, run in batches of sentences that are about as long.

One that cannot be met takes no other with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice
from typing import Any, TypeAlias

from gridbeam.constraints.automaton import Coverage
from gridbeam.constraints.terms import Constraint
from gridbeam.decoding.hypothesis import Hypothesis
from gridbeam.decoding.options import Share, at_least_one
from gridbeam.decoding.scoring import LENGTH_PENALTY, LENGTH_REWARD, Stop
from gridbeam.decoding.search import search
from gridbeam.errors import Limit, Option, UserError
from gridbeam.models import Model
from gridbeam.tokens.subwords import Subwords


@dataclass(frozen=True)
class Manner:
    """How to translate; `Translator.translate` says what each means."""

    beam: int = 5
    budget: int | None = None
    max_length: int | None = None
    coverage: Coverage = "contains"
    length_penalty: float = LENGTH_PENALTY
    length_reward: float = LENGTH_REWARD
    stop: Stop = "likely"
    split: bool = True
    batch_size: int = 16
    trace: bool = False
    share: Share = "rows"

    def __post_init__(self) -> None:
        for name in ("beam", "budget", "max_length", "batch_size"):
            if name in ("beam", "batch_size") or getattr(self, name) is not None:
                object.__setattr__(self, name, at_least_one(name, getattr(self, name)))

    @property
    def width(self) -> int:
        """The most translations of a sentence that are found."""
        return self.beam if self.budget is None else self.budget


@dataclass(frozen=True)
class Job:
    """One search: a source in token ids, and the constraints of its translation."""

    source: tuple[int, ...]
    constraints: tuple[Constraint, ...]
    max_length: int
    n_best: int = 1


Found: TypeAlias = Sequence[Hypothesis] | UserError
"""What a search came to: its hypotheses, best first, or why there are none."""
Answers: TypeAlias = Mapping[Job, Found]


def answers(
    model: Model[Any],
    subwords: Subwords,
    jobs: Sequence[Job],
    how: Manner,
    *,
    positions: int | None = None,
) -> Iterator[Answers]:
    """What each search finds, batch by batch.

    `positions` are the most tokens that the model can read or write.
    """

    def found(batch: Sequence[Job]) -> list[Found]:
        try:
            _refuse_too_long(batch, positions)
            return [*_searched(model, subwords, batch, how)]
        except UserError as error:
            if len(batch) == 1:
                return [_of_one(error, is_limit=batch[0].max_length == positions)]
            middle = len(batch) // 2
            return found(batch[:middle]) + found(batch[middle:])

    for batch in _batches(jobs, how.batch_size):
        yield dict(zip(batch, found(batch), strict=True))


def _batches(jobs: Sequence[Job], size: int) -> Iterator[list[Job]]:
    """Jobs with the same limits, so that none is searched otherwise than it would be alone."""
    by_length = sorted(jobs, key=lambda job: (job.max_length, job.n_best, len(job.source)))
    for _, alike in groupby(by_length, key=lambda job: (job.max_length, job.n_best)):
        while batch := list(islice(alike, size)):
            yield batch


def _searched(
    model: Model[Any], subwords: Subwords, batch: Sequence[Job], how: Manner
) -> list[list[Hypothesis]]:
    return search(
        model,
        [job.source for job in batch],
        [job.constraints for job in batch],
        beam=how.beam,
        budget=how.budget,
        share=how.share,
        max_length=batch[0].max_length,
        n_best=batch[0].n_best,
        coverage=how.coverage,
        length_penalty=how.length_penalty,
        length_reward=how.length_reward,
        stop=how.stop,
        trace=how.trace,
        encode=subwords,
    )


def _refuse_too_long(batch: Sequence[Job], positions: int | None) -> None:
    """Single sentences are never too long, but what a constraint takes as one may be."""
    longest = max(len(job.source) for job in batch)
    if positions is not None and longest > positions:
        raise UserError(
            f"a constraint reaches across sentences that have {longest} tokens together, and the"
            f" model reads no more than {positions}: shorten it, or give them one by one"
        )


def _of_one(error: UserError, *, is_limit: bool) -> UserError:
    """The error of a search of one sentence, as if there had been no batch.

    Where the limit is the model's own (`is_limit`), it is not one to raise.
    """

    def fixed(piece: Option | Limit) -> Option | Limit:
        return replace(piece, is_fixed=True) if isinstance(piece, Limit) else piece

    alone = error.without_place()
    return alone.reworded(fixed) if is_limit else alone
