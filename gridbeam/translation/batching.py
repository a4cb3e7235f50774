"""Many searches, run in batches of sentences that are about as long.

One that cannot be met takes no other with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice
from typing import Any, TypeAlias

from gridbeam.constraints.terms import Constraint
from gridbeam.decoding.hypothesis import Hypothesis
from gridbeam.decoding.options import SearchOptions
from gridbeam.decoding.search import search
from gridbeam.errors import Limit, Named, UserError
from gridbeam.models import Model
from gridbeam.tokens.subwords import Subwords


@dataclass(frozen=True)
class Job:
    """One search: a source in token ids, the constraints of its translation, and how to search."""

    source: tuple[int, ...]
    constraints: tuple[Constraint, ...]
    options: SearchOptions
    """With the length and the number of results that this search has."""


SearchAnswer: TypeAlias = Sequence[Hypothesis] | UserError
"""What a search came to: its hypotheses, best first, or why there are none."""
Answers: TypeAlias = Mapping[Job, SearchAnswer]


def answers(
    model: Model[Any],
    subwords: Subwords,
    jobs: Sequence[Job],
    *,
    batch_size: int,
    positions: int | None = None,
) -> Iterator[Answers]:
    """What each search finds, batch by batch.

    `positions` are the most tokens that the model can read or write.
    """

    def found(batch: Sequence[Job]) -> list[SearchAnswer]:
        try:
            _refuse_too_long(batch, positions)
            return [*_searched(model, subwords, batch)]
        except UserError as error:
            if len(batch) == 1:
                return [_of_one(error, is_limit=batch[0].options.max_length == positions)]
            middle = len(batch) // 2
            return found(batch[:middle]) + found(batch[middle:])

    for batch in _batches(jobs, batch_size):
        yield dict(zip(batch, found(batch), strict=True))


def _batches(jobs: Sequence[Job], size: int) -> Iterator[list[Job]]:
    """Jobs with the same limits, so that none is searched otherwise than it would be alone."""
    by_length = sorted(jobs, key=lambda job: (*_limits(job), len(job.source)))
    for _, alike in groupby(by_length, key=_limits):
        while batch := list(islice(alike, size)):
            yield batch


def _limits(job: Job) -> tuple[int, int]:
    """The options in which jobs of one call differ."""
    return job.options.longest, job.options.n_best


def _searched(
    model: Model[Any], subwords: Subwords, batch: Sequence[Job]
) -> list[list[Hypothesis]]:
    sources, constraints = (
        [job.source for job in batch],
        [job.constraints for job in batch],
    )
    return search(model, sources, constraints, encode=subwords, options=batch[0].options)


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

    def fixed(piece: Named) -> Named:
        return replace(piece, is_fixed=True) if isinstance(piece, Limit) else piece

    alone = error.without_place()
    return alone.reworded(fixed) if is_limit else alone
