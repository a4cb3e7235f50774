"""Requests translated by many workers, as `Translator.translate_each` does it in one process."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from gridbeam.decoding.options import SearchOptions
from gridbeam.distributed.carrying import Crew
from gridbeam.distributed.engines import WorkerEngine, pool_of
from gridbeam.documents import Languages
from gridbeam.errors import UserError
from gridbeam.translation.request import Request, Translation
from gridbeam.translation.translator import Translator

_MOST_TRIES = 3


@dataclass(frozen=True)
class RequestBatch:
    """Requests for one worker, and their places among all."""

    places: tuple[int, ...]
    requests: tuple[Request, ...]
    options: SearchOptions
    split: bool


class RequestHand:
    """Translates batches of requests."""

    def __init__(self, model: str, target: str | None, device: str | None) -> None:
        self._translator = Translator.load(model, target=target, device=device)
        self.greeting = Languages(self._translator.source, self._translator.target)

    def __call__(self, batch: RequestBatch) -> list[Translation | UserError]:
        """What came of each request."""
        found = self._translator.translate_each(
            batch.requests,
            options=batch.options,
            split=batch.split,
            batch_size=len(batch.requests),
        )
        return [result for _, result in sorted(found, key=lambda each: each[0])]


class ManyTranslators:
    """Translates requests by the workers of a crew, whose models are loaded once."""

    def __init__(self, crew: Crew) -> None:
        self._crew = crew
        self._languages = Languages()
        crew.carry_out(_RequestBatches([], self))  # which waits for the first, and what it tells

    @property
    def source(self) -> str | None:
        """The language that the model reads."""
        return self._languages.source

    @property
    def target(self) -> str | None:
        """The language that it writes."""
        return self._languages.target

    def told(self, languages: Languages) -> None:
        """Takes note of the languages that a worker tells."""
        self._languages = languages

    def translate_each(
        self,
        requests: Sequence[Request],
        *,
        options: SearchOptions,
        split: bool = True,
        batch_size: int = 16,
    ) -> Iterator[tuple[int, Translation | UserError]]:
        """Each request's number and translation, or why there is none, as soon as it is found."""
        order = sorted(range(len(requests)), key=lambda place: len(requests[place].source))
        batches = [
            RequestBatch(
                tuple(order[start : start + batch_size]),
                tuple(requests[place] for place in order[start : start + batch_size]),
                options,
                split,
            )
            for start in range(0, len(order), batch_size)
        ]
        tasks = _RequestBatches(batches, self)
        for _ in self._crew.each_done(tasks):
            yield from tasks.taken()


class _RequestBatches:
    """Batches to be translated, and what came of those that are."""

    def __init__(self, batches: Sequence[RequestBatch], whole: ManyTranslators) -> None:
        self._left, self._whole = deque(batches), whole
        self._found: list[tuple[int, Translation | UserError]] = []
        self._tries = Counter[tuple[int, ...]]()

    @property
    def is_open(self) -> bool:
        """Whether there is a batch that nobody has been given."""
        return bool(self._left)

    def greeted(self, greeting: Languages) -> None:
        """Takes note of the languages."""
        self._whole.told(greeting)

    def next(self) -> RequestBatch:
        """The next batch."""
        return self._left.popleft()

    def done(self, batch: RequestBatch, result: list[Any]) -> None:
        """Keeps what came of a batch."""
        self._found += zip(batch.places, result, strict=True)

    def died(self, batch: RequestBatch, why: str) -> None:
        """Has a batch done again, a few times."""
        self._tries[batch.places] += 1
        if self._tries[batch.places] >= _MOST_TRIES:
            raise UserError(
                f"the same sentences have ended {_MOST_TRIES} workers: {why}. Take a smaller"
                " --batch-size; the same command goes on."
            )
        self._left.appendleft(batch)

    def taken(self) -> list[tuple[int, Translation | UserError]]:
        """What has come since this was last asked."""
        found, self._found = self._found, []
        return found


@contextmanager
def many_translators(
    model: str, engine: WorkerEngine, *, target: str | None, device: str | None
) -> Iterator[ManyTranslators]:
    """Workers of an engine that translate requests, until they are not needed any more."""
    with pool_of(partial(RequestHand, model, target, device), engine) as (pool, workers):
        yield ManyTranslators(Crew(pool, workers))
