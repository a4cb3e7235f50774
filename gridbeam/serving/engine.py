"""An engine: one model, one worker thread, and the requests of many clients decoded together.

Each client plans and reads its translations in its own thread, and hands the searches over; the
worker makes batches of them, whatever their constraints, and goes on with these in turns, a column
each. torch is not helped by more threads than that.
"""

from __future__ import annotations

import atexit
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from gridbeam.decoding.search import check_model
from gridbeam.serving.asking import Asking
from gridbeam.serving.client import StopSearch, Until
from gridbeam.serving.errand import Errand
from gridbeam.serving.limits import EngineLimits, EngineStats
from gridbeam.serving.news import News
from gridbeam.serving.refusals import Busy, Stopped
from gridbeam.serving.tokenizer import with_shared_tokenizer
from gridbeam.serving.turns import Turns
from gridbeam.translation.translator import Translator

_LIMITS = EngineLimits()


class Engine:
    """Translates for many clients at once, each of whom `asking` gives a translator of their own.

    >>> with Engine(Translator.load("builtin:en-de")) as engine:  # doctest: +SKIP
    ...     print(engine.asking(patience=5.0).translate("The disk is full.").text)
    """

    def __init__(self, translator: Translator, limits: EngineLimits = _LIMITS) -> None:
        check_model(translator.model)
        self.translator, self.limits = with_shared_tokenizer(translator), limits
        self._turns = Turns(translator.model, limits, translator.positions)
        self._changed = threading.Condition()
        self._new: list[Errand] = []
        self._places = Counter[Asking]()
        self._refused, self._why_closed = 0, ""
        self._worker = threading.Thread(target=self._work, name="engine", daemon=True)
        self._worker.start()
        atexit.register(self.close)

    def asking(
        self,
        *,
        patience: float | None = None,
        stop: StopSearch | None = None,
        news: Callable[[News], None] | None = None,
        background: bool = False,
    ) -> Asking:
        """A translator whose searches are made here, together with those of others.

        All of it must be over `patience` seconds from now, and when `stop` is set. `news` is given
        drafts of the text while it is searched for, and the columns of the grid where `trace=True`.
        What is asked in the `background` rests while anybody else asks for something.
        """
        until = Until.from_now(patience, stop)
        return Asking(self.translator, self, until, news, is_background=background)

    @property
    def stats(self) -> EngineStats:
        """What it does now, and all it did."""
        turns = self._turns
        return EngineStats(
            waiting=len(self._new) + len(turns.waiting),
            running=sum(len(batch.left) for batch in [*turns.running]),
            done=turns.done,
            refused=self._refused,
            columns=turns.columns,
            seconds=turns.seconds,
        )

    @contextmanager
    def place(self, asking: Asking) -> Iterator[None]:
        """A place in the queue, as long as a request takes; one within it needs no other."""
        with self._changed:
            if asking not in self._places and len(self._places) >= self.limits.queue:
                self._refused += 1
                raise Busy(
                    f"all {self.limits.queue} places of the queue are taken. Ask again later."
                )
            self._places[asking] += 1
        try:
            yield
        except Stopped:
            self._refused += 1
            raise
        finally:
            with self._changed:
                self._places[asking] -= 1
                self._places = +self._places
                self._changed.notify()

    def submit(self, errands: Sequence[Errand]) -> None:
        """Hands searches over; what they come to is told to their clients."""
        with self._changed:
            if self._why_closed:
                raise Stopped(self._why_closed)
            self._new += errands
            self._changed.notify()

    def close(self) -> None:
        """Ends all searches; who waits for them gets `Stopped`."""
        self._close("the engine is closed")
        if threading.current_thread() is not self._worker:
            self._worker.join()
        atexit.unregister(self.close)

    def _close(self, why: str) -> None:
        with self._changed:
            self._why_closed = self._why_closed or why
            self._changed.notify()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _work(self) -> None:
        try:
            while self._has_work():
                self._turns.take_turn()
        finally:
            self._close("the engine has broken down")
            self._send_all_away()

    def _has_work(self) -> bool:
        """Waits for searches, or for their turn; False once the engine is closed."""
        with self._changed:
            while not self._why_closed and not self._new:
                rest = self._turns.rest(self._somebody_asks)
                if rest == 0.0:
                    break
                self._changed.wait(rest)
            self._turns.waiting += self._new
            self._new.clear()
            return not self._why_closed

    @property
    def _somebody_asks(self) -> bool:
        """Whether anything is asked but in the background."""
        return not all(asking.is_background for asking in self._places)

    def _send_all_away(self) -> None:
        with self._changed:
            left = [*self._new, *self._turns.waiting]
            self._new.clear()
        for batch in self._turns.running:
            left += batch.left
        for client in {errand.client for errand in left}:
            client.tell(Stopped(self._why_closed))
