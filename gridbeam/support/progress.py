"""How far a run is: a bar on a terminal, and elsewhere a line now and then."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

_EVERY = 30.0
"""Seconds between two lines."""


@contextmanager
def progress(console: Console | None, total: int, done: int = 0) -> Iterator[Callable[[], None]]:
    """Shows segments done, how many a second, and the time left.

    Call what it returns once for each segment.
    """
    if console is None:
        yield lambda: None
    elif console.is_terminal:
        columns = (
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=console, expand=True) as bars:
            task, meter = (
                bars.add_task("", total=total, completed=done, rate=""),
                _Meter(total, done),
            )

            def advance() -> None:
                meter.done += 1
                bars.update(task, advance=1, rate=f"{meter.rate:,.1f}/s")

            yield advance
    else:
        yield _Lines(console, _Meter(total, done)).advance


class _Meter:
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

    def __init__(self, console: Console, meter: _Meter) -> None:
        self._console, self._meter, self._last = console, meter, time.monotonic()

    def advance(self) -> None:
        self._meter.done += 1
        if time.monotonic() - self._last > _EVERY:
            self._last = time.monotonic()
            self._console.print(str(self._meter), highlight=False, markup=False, soft_wrap=True)
