"""Who waits for searches: until when, and what the engine tells them meanwhile.

The worker of the engine puts messages into an inbox, and the thread of the client reads them: so
what a client does with them takes no time of others, and its mistakes are its own.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TypeAlias

from gridbeam.decoding.hypothesis import Traced
from gridbeam.decoding.reached import BestSoFar
from gridbeam.serving.refusals import Stopped, TooSlow
from gridbeam.translation.batching import Job, SearchAnswer


class StopSearch(threading.Event):
    """Whoever sets it ends the searches that it was given to, within a column."""


@dataclass(frozen=True)
class Answered:
    """What a search came to."""

    job: Job
    answer: SearchAnswer


@dataclass(frozen=True)
class Seen:
    """A column of a search that goes on."""

    job: Job
    length: int
    best: BestSoFar | None
    """The best so far, every few columns."""
    traced: tuple[Traced, ...]
    """The column itself, where the grid is recorded."""


InboxItem: TypeAlias = Answered | Seen | Exception


@dataclass(frozen=True)
class Until:
    """How long searches are waited for."""

    patience: float | None
    stop: StopSearch | None
    begun: float

    @staticmethod
    def from_now(patience: float | None, stop: StopSearch | None) -> Until:
        """For so many seconds, or until it is stopped."""
        return Until(patience, stop, time.monotonic())

    @property
    def seconds(self) -> float | None:
        """How many are left; None where there is no end."""
        if self.patience is None:
            return None
        return max(0.0, self.begun + self.patience - time.monotonic())

    @property
    def why_over(self) -> Stopped | None:
        """Why nobody waits any longer; None as long as somebody does."""
        if self.stop is not None and self.stop.is_set():
            return Stopped("the request was stopped")
        return self.too_slow if self.seconds == 0.0 else None

    @property
    def too_slow(self) -> TooSlow:
        """That the time is over."""
        return TooSlow(f"the search was not over after {self.patience} s. Ask for less at a time.")


class Client:
    """Who waits for some searches."""

    def __init__(
        self, until: Until, *, wants_news: bool = False, is_background: bool = False
    ) -> None:
        self._until, self.wants_news, self.is_background = until, wants_news, is_background
        self._inbox = SimpleQueue[InboxItem]()
        self._has_left = threading.Event()

    def tell(self, message: InboxItem) -> None:
        """Puts a message into the inbox."""
        self._inbox.put(message)

    def leave(self) -> None:
        """Says that nobody reads the inbox any more."""
        self._has_left.set()

    @property
    def why_over(self) -> Stopped | None:
        """Why this client waits no longer; None as long as it does."""
        has_left = self._has_left.is_set()
        return Stopped("the request was given up") if has_left else self._until.why_over

    def check(self) -> None:
        """Raises where this client waits no longer."""
        if why := self.why_over:
            raise why

    def receive(self) -> Answered | Seen:
        """The next message; an error is raised here."""
        try:
            message = self._inbox.get(timeout=self._until.seconds)
        except Empty:
            raise self._until.too_slow from None
        if isinstance(message, Exception):
            raise message
        return message
