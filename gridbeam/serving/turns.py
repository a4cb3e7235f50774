"""Which errands make the next batch, and whose turn it is to be searched a column further.

Clients that wait are many or few, their errands quick or slow. A batch is the more *urgent* the
more clients it serves for the less that is left to do: what is more urgent than all that runs does
not wait for it, and it has more of the time, though never all. Among those that wait, the first is
who has waited longest for what it asks.

What is asked in the background rests while anybody else asks for something, but for a column now
and then, so that it comes to an end however many ask.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

from gridbeam.decoding.shortage import is_shortage, let_go
from gridbeam.models import Model
from gridbeam.serving.client import Client
from gridbeam.serving.errand import Errand, cost_of
from gridbeam.serving.limits import EngineLimits
from gridbeam.serving.shared_search import SharedSearch

_LOG = logging.getLogger("gridbeam")
_ALIKE = 3
"""Errands go into one batch if none takes so many times as long as the first of it."""
_WITH_OTHERS = 8
"""How many errands the clients of one batch have together, unless each has one; a single client may
have as many as there is room for."""
_LEAST_SHARE = 8
"""The most urgent batch has no more than so many times the time of another."""
_REST = 1.0
"""What is asked in the background has a column in so many seconds while anybody else asks."""
_FIRST_PACE = 6e-4
"""Seconds for each hypothesis of a column, until they are measured."""


class Turns:
    """The errands of an engine; only its worker uses it."""

    def __init__(self, model: Model[Any], limits: EngineLimits, positions: int | None) -> None:
        self._model, self._limits, self._positions = model, limits, positions
        self._pace = _FIRST_PACE
        self.waiting: list[Errand] = []
        self.running: list[SharedSearch] = []
        self.columns, self.seconds, self.done = 0, 0.0, 0
        self._somebody_asks, self._last_in_background = False, 0.0

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to do."""
        return not (self.waiting or self.running)

    def rest(self, somebody_asks: bool) -> float | None:
        """For how many seconds there is nothing to do but to rest; None without an end.

        Somebody may ask for something and have no search here yet, or none at the moment.
        """
        self._somebody_asks = somebody_asks
        if self.is_idle:
            return None
        return 0.0 if self._people_are_served or not somebody_asks else self._left_of_rest

    def take_turn(self) -> None:
        """Searches one column of the batch whose turn it is, once all that may start have."""
        self._send_away_the_gone()
        may_work = not (self._people_are_served or self._somebody_asks) or not self._left_of_rest
        for background in (False, True) if may_work else (False,):
            while group := self._next_group(background):
                self._start(group)
        turn = self._in_background if may_work else []
        if turn := turn or self._of_people:
            self._step(min(turn, key=lambda batch: (batch.used, -batch.urgency)))

    @property
    def _of_people(self) -> list[SharedSearch]:
        return [batch for batch in self.running if not batch.is_background]

    @property
    def _in_background(self) -> list[SharedSearch]:
        return [batch for batch in self.running if batch.is_background]

    @property
    def _people_are_served(self) -> bool:
        """Whether anything waits or runs here that is not in the background."""
        return bool(self._of_people) or not all(each.is_background for each in self.waiting)

    @property
    def _left_of_rest(self) -> float:
        """Seconds until what is asked in the background may have a column nevertheless."""
        return max(0.0, self._last_in_background + _REST - time.monotonic())

    def _send_away_the_gone(self) -> None:
        staying = []
        for errand in self.waiting:
            if why := errand.client.why_over:
                errand.client.tell(why)
            else:
                staying.append(errand)
        self.waiting = staying

    def _start(self, group: Sequence[Errand]) -> None:
        batch = SharedSearch(self._model, group, self._positions)
        beside = self._in_background if batch.is_background else self._of_people
        batch.used = min((each.used for each in beside), default=0.0)
        self.running.append(batch)
        started = set(group)
        self.waiting = [errand for errand in self.waiting if errand not in started]

    def _next_group(self, background: bool) -> list[Errand]:
        """The errands of a batch that may start now; empty where none may."""
        beside = self._in_background if background else self._of_people
        if len(beside) >= self._limits.batches or self._has_one_apart:
            return []
        most_urgent = max((batch.urgency for batch in beside), default=0.0)
        now = time.monotonic()
        here = [each for each in self.waiting if each.is_background == background]
        for first in sorted(here, key=lambda each: self._delay(each, now), reverse=True):
            if first.is_apart and self.running:
                return []  # nothing more begins until it has had its turn
            group = self._with_company(first)
            if _urgency(group) > most_urgent:
                return group
        return []

    @property
    def _has_one_apart(self) -> bool:
        """Whether an errand runs that must have all memory for itself."""
        return any(errand.is_apart for batch in self.running for errand in batch.left)

    def _delay(self, errand: Errand, now: float) -> float:
        """How many times as long as it takes an errand has waited."""
        return (now - errand.since) / (errand.cost * self._pace)

    def _with_company(self, first: Errand) -> list[Errand]:
        """An errand and those that may be searched with it: first one of each client."""
        alike = [each for each in self.waiting if _may_join(first, each)]
        alike.sort(key=lambda each: (each is not first, abs(each.cost - first.cost)))
        number = _numbered_by_client(alike)
        clients = {errand.client for errand in alike}
        most = max(1, _WITH_OTHERS // len(clients)) if len(clients) > 1 else len(alike)
        group: list[Errand] = []
        limits = self._limits
        column = limits.background if first.is_background else limits.hypotheses
        hypotheses, room = 0, len(alike)
        for errand in sorted(alike, key=lambda each: number[each]):
            hypotheses += errand.hypotheses
            room = min(room, errand.most or room)
            is_full = len(group) >= room or hypotheses > column
            if number[errand] >= most or (group and is_full):
                break
            group.append(errand)
        return group

    def _step(self, batch: SharedSearch) -> None:
        began, left = time.perf_counter(), batch.left
        beside = self._in_background if batch.is_background else self._of_people
        most_urgent = max(each.urgency for each in beside)
        share = max(batch.urgency, most_urgent / _LEAST_SHARE) / most_urgent
        try:
            batch.step()
        except Exception as error:
            self._try_again(batch, error)
        seconds = time.perf_counter() - began
        batch.used += seconds / share
        if batch.is_background:
            self._last_in_background = time.monotonic()
        self._measure(seconds, left)
        self.done += len(left) - len(batch.left)
        if not batch.left:
            self.running.remove(batch)

    def _try_again(self, batch: SharedSearch, error: Exception) -> None:
        size = len(batch.left)
        again = batch.failed(error, has_company=len(self.running) > 1)
        self.waiting += again
        if is_shortage(error):
            let_go()
            way = "in smaller batches" if again else "no more"
            _LOG.warning("a batch of %d does not fit in memory: it is tried %s", size, way)

    def _measure(self, seconds: float, searched: Sequence[Errand]) -> None:
        self.columns += 1
        self.seconds += seconds
        cost = cost_of(searched) / max(errand.columns for errand in searched)
        self._pace += (seconds / cost - self._pace) / 20


def _may_join(first: Errand, other: Errand) -> bool:
    if first.is_alone or other.is_alone:
        return first is other
    is_alike = first.cost < _ALIKE * other.cost and other.cost < _ALIKE * first.cost
    is_together = first.is_background == other.is_background
    return is_alike and is_together and first.company == other.company


def _numbered_by_client(errands: Sequence[Errand]) -> dict[Errand, int]:
    """For each errand how many of the same client come before it."""
    seen = Counter[Client]()
    number = {}
    for errand in errands:
        number[errand] = seen[errand.client]
        seen[errand.client] += 1
    return number


def _urgency(group: Sequence[Errand]) -> float:
    return len({errand.client for errand in group}) / cost_of(group)
