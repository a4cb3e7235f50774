"""PoolTasks given to the workers of a pool until all are done, whoever dies meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from gridbeam.distributed.pool import Died, Done, Pool, Ready
from gridbeam.errors import UserError

_MOST_STILLBORN = 3
"""How many workers in a row may die before they are ready."""
_MOST_DEAD = 50
"""How many may die in a row without one task being done: a piece that is halved takes fewer."""


class PoolTasks(Protocol):
    """What is to be done, and what comes of it."""

    @property
    def is_open(self) -> bool:
        """Whether there is a task that nobody has been given."""
        ...

    def greeted(self, greeting: Any) -> None:
        """Takes note of what a worker says that is ready."""
        ...

    def next(self) -> Any:
        """A task that nobody has been given."""
        ...

    def done(self, task: Any, result: Any) -> None:
        """Takes note of what came of a task."""
        ...

    def died(self, task: Any, why: str) -> None:
        """Takes note that the worker has died which was given a task."""
        ...


class _Deaths:
    """Counts deaths in a row, and gives up where they are nobody's but the machine's doing."""

    def __init__(self) -> None:
        self._stillborn = self._dead = 0

    def forget(self, *, all_of_them: bool) -> None:
        """What follows upon a worker that is ready, or has done a task."""
        self._stillborn = 0
        self._dead = 0 if all_of_them else self._dead

    def count(self, why: str, *, is_ready: bool) -> None:
        """Counts one, and raises where it is one too many."""
        self._stillborn += not is_ready
        self._dead += 1
        if self._stillborn >= _MOST_STILLBORN:
            raise UserError(
                f"{self._stillborn} workers in a row ended before they were ready: {why}. Give"
                " them more memory, or take fewer --workers."
            )
        if self._dead >= _MOST_DEAD:
            raise UserError(
                f"{self._dead} workers in a row died, and nothing was done: {why}. See to the"
                " machine; the same command goes on."
            )


class Crew:
    """So many workers of a pool, which stay for more than one lot of tasks."""

    def __init__(self, pool: Pool, workers: int) -> None:
        self._pool, self._workers = pool, workers
        self._deaths = _Deaths()
        self._ready, self._idle = set[int](), list[int]()
        self._held: dict[int, Any] = {}
        self._has_begun = False

    def carry_out(self, tasks: PoolTasks) -> None:
        """Has all tasks done."""
        for _ in self.each_done(tasks):
            pass

    def each_done(self, tasks: PoolTasks) -> Iterator[None]:
        """Has all tasks done, and comes back after each; a worker that dies is replaced."""
        if not self._has_begun:
            self._has_begun = True
            for _ in range(self._workers):
                self._pool.start()
        while True:
            while self._idle and tasks.is_open:
                worker = self._idle.pop()
                self._held[worker] = tasks.next()
                self._pool.give(worker, self._held[worker])
            if self._ready and not self._held and not tasks.is_open:
                return
            match self._pool.wait():
                case Ready(worker, greeting):
                    self._deaths.forget(all_of_them=False)
                    self._ready.add(worker)
                    self._idle.append(worker)
                    tasks.greeted(greeting)
                case Done(worker, result):
                    self._deaths.forget(all_of_them=True)
                    self._idle.append(worker)
                    tasks.done(self._held.pop(worker), result)
                    yield
                case Died(worker, why):
                    self._bury(worker, why, tasks)

    def _bury(self, worker: int, why: str, tasks: PoolTasks) -> None:
        """Takes note of a death, and has another take the place."""
        self._deaths.count(why, is_ready=worker in self._ready)
        self._idle = [each for each in self._idle if each != worker]
        if worker in self._held:
            tasks.died(self._held.pop(worker), why)
        self._pool.start()
