"""Many searches, run in batches of sentences that are about as long.

One that cannot be met takes no other with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

from gridbeam.constraints.terms import Constraint
from gridbeam.decoding.hypothesis import Hypothesis
from gridbeam.decoding.loop import exhausted
from gridbeam.decoding.options import SearchOptions
from gridbeam.decoding.quest import Quest, quest_of
from gridbeam.decoding.reached import Reached
from gridbeam.decoding.search import check_model
from gridbeam.decoding.searching import SearchResult, searching
from gridbeam.decoding.shortage import halved_to_fit
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
JobsWatch: TypeAlias = Callable[[Sequence[Job], Reached], None]
"""What is called after each column of a batch."""


def answers(
    model: Model[Any],
    subwords: Subwords,
    jobs: Sequence[Job],
    *,
    batch_size: int,
    positions: int | None = None,
    watch: JobsWatch | None = None,
) -> Iterator[Answers]:
    """What each search finds, batch by batch.

    `positions` are the most tokens that the model can read or write.
    """
    check_model(model)
    for batch in _batches(jobs, batch_size):
        found: dict[Job, SearchAnswer] = {}
        quests: dict[Job, Quest] = {}
        for job in batch:
            try:
                quests[job] = quest_for(job, model, subwords, positions)
            except UserError as error:
                found[job] = error
        yield found | _searched(model, quests, positions, watch)


def _batches(jobs: Sequence[Job], size: int) -> Iterator[list[Job]]:
    """Jobs of about the same length, whose options let them be searched together."""
    alike: dict[SearchOptions, list[Job]] = {}
    for job in sorted(jobs, key=lambda job: len(job.source)):
        alike.setdefault(job.options.in_company, []).append(job)
    for each in alike.values():
        yield from (each[start : start + size] for start in range(0, len(each), size))


def _searched(
    model: Model[Any], quests: Mapping[Job, Quest], positions: int | None, watch: JobsWatch | None
) -> dict[Job, SearchAnswer]:
    """What each finds; where all together cannot be searched, half of them are at a time."""
    if not quests:
        return {}
    jobs = [*quests]

    def search(those: Sequence[Job]) -> list[SearchResult]:
        wanted = [quests[job] for job in those]
        steps = searching(model, wanted, is_watched=watch is not None)
        return exhausted(steps, None if watch is None else partial(watch, those))

    try:
        found = halved_to_fit(jobs, search)
    except UserError as error:
        if len(jobs) == 1:
            return {jobs[0]: own_words(error, jobs[0], positions)}
        middle = len(jobs) // 2
        halves = ({job: quests[job] for job in half} for half in (jobs[:middle], jobs[middle:]))
        first, second = (_searched(model, half, positions, watch) for half in halves)
        return first | second
    return {job: answer_of(each, job, positions) for job, each in zip(jobs, found, strict=True)}


def quest_for(
    job: Job, model: Model[Any], subwords: Subwords, positions: int | None = None
) -> Quest:
    """What is searched for, compiled; raises where it cannot be met."""
    _refuse_too_long(job, positions)
    try:
        return quest_of(job.source, job.constraints, subwords, job.options, model)
    except UserError as error:
        raise own_words(error, job, positions) from None


def answer_of(found: SearchAnswer, job: Job, positions: int | None = None) -> SearchAnswer:
    """What a search found, or why nothing."""
    return own_words(found, job, positions) if isinstance(found, UserError) else found


def _refuse_too_long(job: Job, positions: int | None) -> None:
    """Single sentences are never too long, but what a constraint takes as one may be."""
    longest = len(job.source)
    if positions is not None and longest > positions:
        raise UserError(
            f"a constraint reaches across sentences that have {longest} tokens together, and the"
            f" model reads no more than {positions}: shorten it, or give them one by one"
        )


def own_words(error: UserError, job: Job, positions: int | None) -> UserError:
    """The error of a search; where the limit is the model's own, it is not one to raise."""

    def fixed(piece: Named) -> Named:
        return replace(piece, is_fixed=True) if isinstance(piece, Limit) else piece

    return error.reworded(fixed) if job.options.max_length == positions else error
