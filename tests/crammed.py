"""A model that has no memory for more than so many hypotheses at a time."""

from __future__ import annotations

import echo
import torch

from gridbeam.translation.translator import Translator

SHORTAGES = (
    MemoryError(),
    torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."),
    RuntimeError(
        "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory:"
        " you tried to allocate 491520000 bytes. Error code 12 (Cannot allocate memory)"
    ),
)
"""As a list, a GPU and a CPU run short."""


class Crammed:
    """Echoes its source, as long as all that is searched at a time fits."""

    def __init__(self, room, shortage=SHORTAGES[0]):
        self._model, self.room, self.shortage = echo.translator().model, room, shortage
        self.vocab_size, self.bos, self.eos = (
            self._model.vocab_size,
            self._model.bos,
            self._model.eos,
        )
        self.most = 0

    def start(self, sources):
        return self._model.start(sources)

    def step(self, state, tokens):
        if len(tokens) > self.room:
            raise self.shortage
        self.most = max(self.most, len(tokens))
        return self._model.step(state, tokens)

    def select(self, state, rows):
        return self._model.select(state, rows)


def crammed(room, shortage=SHORTAGES[0]):
    """A translator of such a model."""
    return Translator(Crammed(room, shortage), echo.translator().tokenizer, target="de")
