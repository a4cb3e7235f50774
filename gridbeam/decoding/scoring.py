"""How a hypothesis is scored as it grows: the sum of log-probabilities, or the user's function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeAlias, TypeVar

Number = TypeVar("Number")
"""A tensor with one entry for each candidate in `search`, a plain number in `algorithm1`."""

Ended: TypeAlias = Literal["set_aside", "in_beam"]
"""Whether a hypothesis that has just ended takes one of the k places of its beam: yes in the paper,
no in transformers."""


Stop: TypeAlias = Literal["exact", "likely", "first"]
"""When the search of a text is over: nothing can beat what is finished; nothing is likely to; or
enough is finished."""


@dataclass(frozen=True)
class Extension(Generic[Number]):
    """A hypothesis and one more token."""

    score: Number
    """The score of the hypothesis before this token."""
    log_prob: Number
    """What the model gives the token."""
    origin: Number
    """Whether the token was generated (0), starts a constraint (1) or continues one (2): the values
    of `Origin`."""
    token: Number
    length: int
    """Tokens so far, this one included."""


Score: TypeAlias = Callable[[Extension[Any]], Any]


def sum_of_log_probs(new: Extension[Any]) -> Any:
    """The paper's score: it knows nothing of constraints."""
    return new.score + new.log_prob


@dataclass(frozen=True)
class NeverRises:
    """A score that is never above the one before, so that stopping early stays exact."""

    score: Score

    def __call__(self, new: Extension[Any]) -> Any:
        """The score itself."""
        return self.score(new)


def never_rises(score: Score) -> NeverRises:
    """Marks a score as one that never rises.

    >>> @never_rises
    ... def patient(new):
    ...     return new.score + 0.5 * new.log_prob
    """
    return NeverRises(score)


def final_score(score: Any, length: int, *, penalty: float, reward: float) -> Any:
    """The score by which finished texts of different lengths are compared.

    >>> final_score(-6.0, 3, penalty=1.0, reward=0.0), final_score(-6.0, 3, penalty=0.0, reward=0.5)
    (-2.0, -4.5)
    """
    return (score + reward * length) / length**penalty


def may_stop_early(score: Score) -> bool:
    """Whether nothing that follows can raise this score."""
    return score is sum_of_log_probs or isinstance(score, NeverRises)
