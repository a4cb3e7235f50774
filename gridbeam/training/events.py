"""What happens in a training run, as it is shown and logged."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar


@dataclass(frozen=True)
class Prepared:
    """A corpus is there, encoded."""

    name: str
    pairs: int
    read: int
    dropped: dict[str, int]
    first: dict[str, int]
    """The line of the first pair that was left out, by reason."""


@dataclass(frozen=True)
class TrainingProgress:
    """Some more updates were made; the numbers are those since the last report."""

    kind: ClassVar[str] = "progress"
    """What a log calls it."""
    update: int
    epoch: int
    loss: float
    """The negative log-probability of a token, in nats, as trained (with dropout)."""
    gradient: float
    learning_rate: float
    tokens: int
    """Of the targets, in all, padding left out."""
    tokens_per_second: float
    waiting: float
    """The share of the time that went into getting batches."""
    seconds: float
    """Since the start of the run, pauses left out."""


@dataclass(frozen=True)
class Validation:
    """The model was tried on the development sets."""

    kind: ClassVar[str] = "validation"
    update: int
    loss: float
    source_gain: float
    """How much likelier a token is given its own source than given another, in nats. Near 0, the
    source is not read at all."""
    bleu: dict[str, float] = field(default_factory=dict)
    is_best: bool = False


Event = Prepared | TrainingProgress | Validation
