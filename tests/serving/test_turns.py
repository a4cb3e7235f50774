"""Whose turn it is."""

from __future__ import annotations

from itertools import count
from types import SimpleNamespace

import echo

from gridbeam.serving import turns
from gridbeam.serving.limits import EngineLimits


class Endless:
    """A batch that is never over, and counts its turns."""

    def __init__(self, urgency):
        self.urgency, self.used, self.turns = urgency, 0.0, 0
        self.is_background = False
        self.left = [SimpleNamespace(columns=1, hypotheses=1, is_apart=False)]

    def step(self):
        self.turns += 1


def taken(*batches, monkeypatch):
    """How many turns of a second each has of ninety."""
    found = turns.Turns(echo.translator().model, EngineLimits(), None)
    found.running += batches
    monkeypatch.setattr(turns.time, "perf_counter", count().__next__)
    for _ in range(90):
        found.take_turn()
    return [batch.turns for batch in batches]


def test_a_batch_has_the_time_that_its_urgency_makes_its_own(monkeypatch):
    one, other = taken(Endless(1.0), Endless(0.5), monkeypatch=monkeypatch)
    assert (one, other) == (60, 30)


def test_the_least_urgent_has_its_share(monkeypatch):
    one, other = taken(Endless(1.0), Endless(1e-6), monkeypatch=monkeypatch)
    assert (one, other) == (80, 10)
