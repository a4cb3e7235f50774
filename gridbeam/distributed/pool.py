"""The seam between work and schedulers: workers that are started, given tasks, and may die.

A worker is made once by a factory and then called for each task, so that a model is loaded once. A
scheduler is a `Pool`: it knows nothing of what the tasks are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from gridbeam.errors import ModelError, UserError


class Hand(Protocol):
    """What a worker does: it is made once, and called for each task."""

    @property
    def greeting(self) -> Any:
        """What it says of itself when it is ready."""
        ...

    def __call__(self, task: Any, /) -> Any:
        """What came of a task."""
        ...


Factory: TypeAlias = Callable[[], Hand]
"""Makes the hand of a worker, where the worker runs."""


@dataclass(frozen=True)
class Ready:
    """A worker has been made, and waits for its first task."""

    worker: int
    greeting: Any


@dataclass(frozen=True)
class Done:
    """A worker has done its task."""

    worker: int
    result: Any


@dataclass(frozen=True)
class Died:
    """A worker is gone, and its task is not done."""

    worker: int
    why: str


PoolEvent: TypeAlias = Ready | Done | Died


class Pool(Protocol):
    """Where workers run: all that one scheduler differs from another in."""

    def start(self) -> int:
        """Begins a worker, and gives the number by which events name it."""
        ...

    def give(self, worker: int, task: Any) -> None:
        """Gives a task to a worker that waits for one."""
        ...

    def wait(self) -> PoolEvent:
        """The next thing that happens; raises what is a user's mistake wherever it happened."""
        ...

    def close(self) -> None:
        """Ends all workers at once, whatever they do."""
        ...


WorkerReport: TypeAlias = tuple[str, Any]
"""What a worker sends: "ready", "done", "refused" (a user's mistake) or "failed", and what of
it."""


def report_of(kind: str, work: Callable[[], Any]) -> WorkerReport:
    """What a worker has to report of some work, whichever way it ends."""
    try:
        return kind, work()
    except (UserError, ModelError) as error:
        return "refused", str(error)
    except Exception as error:
        return "failed", f"{type(error).__name__}: {error}".rstrip(": ")


def event_of(worker: int, report: WorkerReport) -> PoolEvent:
    """The event that a report tells; raises what was refused."""
    kind, value = report
    if kind == "refused":
        raise UserError(value)
    if kind == "failed":
        return Died(worker, value)
    return Ready(worker, value) if kind == "ready" else Done(worker, value)
