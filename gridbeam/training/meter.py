"""How fast training goes and how well, between two reports."""

from __future__ import annotations

import time

import torch
from torch import Tensor

from gridbeam.training.checkpoint import Position
from gridbeam.training.events import TrainingProgress


class Meter:
    """What happened since the last report; the device is asked for numbers only then."""

    def __init__(self, seconds: float, tokens: int) -> None:
        self.seconds, self.tokens = seconds, tokens
        self._begin()

    def _begin(self) -> None:
        self.since, self.waited, self.pause, self.new = time.perf_counter(), 0.0, 0.0, 0
        self.sums: list[tuple[Tensor, Tensor]] = []

    def waiting(self) -> Stopwatch:
        """Counts the time inside as waiting for a batch."""
        return Stopwatch(self, "waited")

    def paused(self) -> Stopwatch:
        """Leaves the time inside out."""
        return Stopwatch(self, "pause")

    def add(self, found: tuple[Tensor, Tensor], tokens: int) -> None:
        """Takes down the negative log-probability and the norm of the gradient of an update."""
        self.sums.append(found)
        self.new += tokens

    def report(self, position: Position, rate: float) -> TrainingProgress:
        """All since the last report."""
        nll = float(torch.stack([nll for nll, _ in self.sums]).sum())
        gradient = float(torch.stack([norm for _, norm in self.sums]).mean())
        passed = time.perf_counter() - self.since - self.pause
        self.seconds, self.tokens = self.seconds + passed, self.tokens + self.new
        made = TrainingProgress(
            position.update,
            position.epoch,
            round(nll / self.new, 5),
            round(gradient, 4),
            rate,
            self.tokens,
            round(self.new / passed, 1),
            round(self.waited / passed, 4),
            round(self.seconds, 2),
        )
        self._begin()
        return made


class Stopwatch:
    """Adds the time inside to an attribute of a meter."""

    def __init__(self, meter: Meter, name: str) -> None:
        self.meter, self.name = meter, name

    def __enter__(self) -> None:
        self.start = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        setattr(
            self.meter, self.name, getattr(self.meter, self.name) + time.perf_counter() - self.start
        )
