"""How far a run is: a bar on a terminal, and elsewhere a line now and then."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

Item = TypeVar("Item")

_EVERY = 30.0
"""Seconds between two lines."""


class MoveBar(Protocol):
    """How a bar is told how many are done, what stands beside it, and what is being done now."""

    def __call__(self, done: int, status: str, doing: str | None = None) -> None:
        """Moves the bar; without `doing` it goes on with what it did."""


@contextmanager
def progress(console: Console | None, total: int, done: int = 0) -> Iterator[Callable[[], None]]:
    """Shows segments done, how many a second, and the time left.

    Call what it returns once for each segment.
    """
    meter = _Pace(total, done)
    if console is None:
        yield lambda: None
    elif console.is_terminal:
        with bar(console, total, done) as update:

            def advance() -> None:
                meter.done += 1
                update(meter.done, f"{meter.rate:,.1f}/s")

            yield advance
    else:
        yield _Lines(console, meter).advance


def shown(items: Iterable[Item], total: int, console: Console | None) -> Iterator[Item]:
    """The items, with the progress shown as they come."""
    with progress(console, total) as advance:
        for item in items:
            yield item
            advance()


@contextmanager
def bar(console: Console, total: int, done: int = 0, doing: str = "") -> Iterator[MoveBar]:
    """A bar that moves, and what is being done; nothing where there is no terminal."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[status]}"),
    )
    with Progress(*columns, console=console, expand=True, disable=not console.is_terminal) as bars:
        task = bars.add_task(doing, total=total, completed=done, status="")

        def update(done: int, status: str, doing: str | None = None) -> None:
            bars.update(task, completed=done, status=status, description=doing)

        yield update


class _Pace:
    """How many are done, and how many a second since the beginning."""

    def __init__(self, total: int, done: int) -> None:
        self.total, self.done, self._before = total, done, done
        self._begun = time.monotonic()

    @property
    def rate(self) -> float:
        return (self.done - self._before) / max(time.monotonic() - self._begun, 1e-9)

    def __str__(self) -> str:
        minutes, seconds = divmod(round((self.total - self.done) / max(self.rate, 1e-9)), 60)
        return (
            f"{self.done:,} of {self.total:,} segments, {self.rate:,.1f} a second,"
            f" {minutes}:{seconds:02} left"
        )


class _Lines:
    """Prints how far it is, when it was long enough ago."""

    def __init__(self, console: Console, meter: _Pace) -> None:
        self._console, self._meter, self._last = console, meter, time.monotonic()

    def advance(self) -> None:
        self._meter.done += 1
        if time.monotonic() - self._last > _EVERY:
            self._last = time.monotonic()
            self._console.print(str(self._meter), highlight=False, markup=False, soft_wrap=True)
