"""A model whose every step waits until the test lets it go on, and clients in threads."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future

import echo

from gridbeam.translation.translator import Translator

LONG = 20.0
"""Seconds after which something that should happen has not."""


class Gated:
    """Echoes its source, a column for each leave it is given; notes what it is asked."""

    def __init__(self):
        self._model = echo.translator().model
        self.vocab_size, self.bos, self.eos = (
            self._model.vocab_size,
            self._model.bos,
            self._model.eos,
        )
        self.started, self.stepped, self.fails_for = [], [], None
        self.pause = 0.0
        self._leaves, self._is_free = threading.Semaphore(0), False

    def let(self, columns):
        """Lets it search so many columns."""
        self._leaves.release(columns)

    def free(self):
        """Lets it search whatever it is asked."""
        self._is_free = True
        self._leaves.release(1)

    def start(self, sources):
        self.started.append(list(sources))
        return list(sources), self._model.start(sources)

    def step(self, state, tokens):
        sources, own = state
        self.stepped.append(list(sources))
        if not self._is_free:
            assert self._leaves.acquire(timeout=LONG), "nobody let the model go on"
        time.sleep(self.pause)
        if self.fails_for in sources:
            raise RuntimeError("the model has broken down")
        log_probs, own = self._model.step(own, tokens)
        return log_probs, (sources, own)

    def select(self, state, rows):
        sources, own = state
        return [sources[row] for row in rows.tolist()], self._model.select(own, rows)


def gated():
    """A translator of such a model."""
    return Translator(Gated(), echo.translator().tokenizer, source="en", target="de")


def started(work):
    """What work in a thread of its own will come to."""
    future = Future()

    def run():
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future


def until(holds):
    """Waits until something holds."""
    end = time.monotonic() + LONG
    while not holds():
        assert time.monotonic() < end, "it never came to hold"
        time.sleep(0.002)
