"""Errands that are searched together, a column at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gridbeam.decoding.reached import Reached
from gridbeam.decoding.searching import outcome, searching
from gridbeam.decoding.shortage import is_shortage, too_large
from gridbeam.errors import UserError
from gridbeam.models import Model
from gridbeam.serving.client import Answered, Client, Seen
from gridbeam.serving.errand import Errand, cost_of
from gridbeam.translation.batching import SearchAnswer, answer_of
from gridbeam.translation.drafts import DRAFT_EVERY


class SharedSearch:
    """A search of several errands; each is answered as soon as it is over."""

    def __init__(self, model: Model[Any], errands: Sequence[Errand], positions: int | None) -> None:
        self._model, self._positions = model, positions
        self._steps = searching(model, [errand.quest for errand in errands])
        self._left = dict(enumerate(errands))
        self._dropped: set[int] = set()
        self._told = 0
        self.is_background = all(errand.is_background for errand in errands)
        self.columns = 0
        self.used = 0.0
        """The time that it has had, as seconds for each of its clients."""

    @property
    def left(self) -> list[Errand]:
        """The errands that are not over."""
        return [*self._left.values()]

    @property
    def clients(self) -> set[Client]:
        """Who waits for it."""
        return {errand.client for errand in self._left.values()}

    @property
    def urgency(self) -> float:
        """How many clients are served for how little that is left to do."""
        return len(self.clients) / cost_of(self.left, self.columns) if self._left else 1.0

    def step(self) -> None:
        """Searches one more column, unless nobody wants it; raises what the model raises."""
        self._drop_the_gone()
        if not self._left:
            self._steps.close()
            return
        try:
            reached = self._steps.send({*self._dropped} if self.columns else None)
        except StopIteration as end:
            for number in [*self._left]:
                self._answer(number, end.value[number])
            return
        self.columns += 1
        self._answer_the_finished(reached)
        self._tell(reached)

    def _drop_the_gone(self) -> None:
        for number, errand in [*self._left.items()]:
            if why := errand.client.why_over:
                errand.client.tell(why)
                self._drop(number)

    def _drop(self, number: int) -> None:
        self._dropped.add(number)
        del self._left[number]

    def _answer_the_finished(self, reached: Reached) -> None:
        """Answers those that nothing more can be found for.

        One whose beams have all lost their way is over only when other means have been tried.
        """
        for number in {*self._left} - reached.running():
            errand = self._left[number]
            if found := outcome(reached, number, errand.quest, self._model):
                self._answer(number, found)

    def _answer(self, number: int, found: SearchAnswer) -> None:
        errand = self._left[number]
        errand.client.tell(self._answered(errand, found))
        self._drop(number)

    def _tell(self, reached: Reached) -> None:
        """Tells those who want news; what is found by other means has no columns to show."""
        curious = {n: each for n, each in self._left.items() if each.client.wants_news}
        if not curious or reached.length <= self._told:
            return
        self._told = reached.length
        traced = reached.traced() if reached.options.trace else {}
        best = {} if reached.length % DRAFT_EVERY else reached.best()
        for number, errand in curious.items():
            if number in traced or number in best:
                seen = (reached.length, best.get(number), traced.get(number, ()))
                errand.client.tell(Seen(errand.job, *seen))

    def failed(self, error: Exception, *, has_company: bool) -> list[Errand]:
        """The errands to be tried again; otherwise the only client is told what went wrong.

        Of several errands each is tried alone. Where memory was short half of them are tried
        together, and a single one is tried apart, if there was other company that took memory.
        """
        left, self._left = self.left, {}
        self._steps.close()
        is_short = is_shortage(error)
        if len(left) > 1:
            most = len(left) // 2 if is_short else 1
            return [replace(errand, most=most) for errand in left]
        if is_short and has_company:
            return [replace(errand, most=1, is_apart=True) for errand in left]
        for errand in left:
            found = too_large() if is_short else error
            told = self._answered(errand, found) if isinstance(found, UserError) else found
            errand.client.tell(told)
        return []

    def _answered(self, errand: Errand, found: SearchAnswer) -> Answered:
        return Answered(errand.job, answer_of(found, errand.job, self._positions))
