"""How to search: the options of `gridbeam.search`, checked."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from operator import index
from typing import Any, Literal, TypeAlias, get_args

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from gridbeam.constraints.automaton import Coverage
from gridbeam.constraints.feasibility import Room
from gridbeam.decoding.scoring import Ended, Score, Stop, final_score
from gridbeam.decoding.share import STRATEGIES, Strategy
from gridbeam.errors import UserError

Share: TypeAlias = Literal["rows", "budget", "dynamic"]
"""How the places of a column are shared out: the names of `STRATEGIES` in share.py."""

CutOff: TypeAlias = Callable[
    [Int[Tensor, "text"], Int[Tensor, "text length"]], Bool[Tensor, "text"]
]
"""A user's own condition: which texts stop where they stand, given the number of the source and the
tokens of each."""

_CHOICES = {
    "share": get_args(Share),
    "coverage": ("contains", "placed"),
    "ended": ("set_aside", "in_beam"),
    "stop": ("exact", "likely", "first"),
}
_STEEPEST = 20
"""The largest length penalty, either way: steeper ones overflow."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """How to search; `gridbeam.search` says what each means."""

    beam: int
    budget: int | None
    share: Share = "rows"
    max_length: int
    n_best: int
    coverage: Coverage
    ended: Ended
    length_penalty: float
    length_reward: float
    score: Score
    force_end: bool
    stop: Stop
    cut_off: CutOff | None
    trace: bool

    def __post_init__(self) -> None:
        for name in ("beam", "max_length", "n_best", "budget"):
            if name != "budget" or self.budget is not None:
                object.__setattr__(self, name, at_least_one(name, getattr(self, name)))
        if self.n_best > self.widest:
            width = "beam" if self.budget is None else "budget"
            raise UserError(
                f"n_best={self.n_best}: a {width} of {self.widest} holds no more. Raise {width}, or"
                " ask for fewer"
            )
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise UserError(
                    f"{name}={getattr(self, name)!r}: must be"
                    f" {' or '.join(map(json.dumps, choices))}"
                )
        if self.share == "rows" and self.budget is not None:
            object.__setattr__(self, "share", "budget")
        if self.cut_off is not None and not callable(self.cut_off):
            raise UserError(f"cut_off={self.cut_off!r} is not a function of sentences and tokens")
        if not callable(self.score):
            raise UserError(
                f"score={self.score!r} is not a function of extensions: leave it out for the sum of"
                " log-probabilities"
            )
        if not isinstance(self.length_penalty, Real) or not abs(self.length_penalty) <= _STEEPEST:
            raise UserError(
                f"length_penalty={self.length_penalty!r}: must be a number from -{_STEEPEST} to"
                f" {_STEEPEST}"
            )
        if not isinstance(self.length_reward, Real) or not math.isfinite(self.length_reward):
            raise UserError(f"length_reward={self.length_reward!r}: must be a number, such as 0.2")
        for name in ("length_penalty", "length_reward"):
            object.__setattr__(self, name, float(getattr(self, name)))

    def final(self, score: Any, length: int) -> Any:
        """The score of a finished text, by which it is compared with longer and shorter ones."""
        return final_score(score, length, penalty=self.length_penalty, reward=self.length_reward)

    def most(self, score: Any, length: int) -> Any:
        """Upper bound on the final score of any text that continues a hypothesis of this length.

        It holds if scores never rise: the text keeps the score it has, collects every reward there
        may be, and ends where its length suits it best: next, or last.
        """
        next_, last = length + 1, self.max_length
        kept = score + max(self.length_reward * next_, self.length_reward * last)
        return torch.maximum(kept / next_**self.length_penalty, kept / last**self.length_penalty)

    @property
    def widest(self) -> int:
        """How many places there are to share out, and so the most hypotheses of a row."""
        return self.beam if self.budget is None else self.budget

    @property
    def strategy(self) -> Strategy:
        """How they are shared out."""
        return STRATEGIES[self.share]

    @property
    def finished(self) -> int:
        """How many finished hypotheses are kept in mind."""
        return self.n_best if self.stop == "exact" else max(self.n_best, self.widest)

    @property
    def room(self) -> Room:
        """How long a text may be."""
        return Room(self.max_length, int(self.force_end))


def at_least_one(name: str, value: Any) -> int:
    """A whole number from 1 on, or an error that says which option is none."""
    try:
        number = index(value)
    except TypeError:
        raise UserError(f"{name}={value!r}: must be a whole number") from None
    if number < 1:
        raise UserError(
            f"{name}={number}: must be at least 1"
            + (", or None for no budget" if name == "budget" else "")
        )
    return number
