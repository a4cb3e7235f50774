"""Plans: generators that yield the searches they need and are sent what these found.

So one request reads from top to bottom, and yet the searches of many requests are run side by side,
as one batch.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeAlias, TypeVar

from gridbeam.errors import UserError
from gridbeam.translation.batching import Answers, Job, SearchAnswer

Result = TypeVar("Result")
Plan: TypeAlias = Generator[Sequence[Job], Answers, Result]


def together(
    plans: Sequence[Plan[Result]], answer: Callable[[Sequence[Job]], Iterable[Answers]]
) -> Iterator[tuple[int, Result | UserError]]:
    """The number of each plan and what it comes to, as soon as it has all answers.

    What plans ask for at a time is searched at once, and nothing twice.
    """
    results: dict[int, Result | UserError] = {}
    answers: dict[Job, SearchAnswer] = {}
    asked: dict[int, Sequence[Job]] = {}

    def go_on(number: int, step: Callable[[], Sequence[Job]]) -> None:
        try:
            asked[number] = step()
        except StopIteration as done:
            results[number] = done.value
        except UserError as error:
            results[number] = error

    def finished() -> Iterator[tuple[int, Result | UserError]]:
        for number in list(results):
            yield number, results.pop(number)

    for number, plan in enumerate(plans):
        go_on(number, partial(next, plan))
    yield from finished()
    while asked:
        new = dict.fromkeys(job for jobs in asked.values() for job in jobs if job not in answers)
        for batch in answer(list(new)) if new else [{}]:
            answers |= batch
            for number in [
                number for number, jobs in asked.items() if all(job in answers for job in jobs)
            ]:
                go_on(
                    number,
                    partial(plans[number].send, {job: answers[job] for job in asked.pop(number)}),
                )
            yield from finished()
