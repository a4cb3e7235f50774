"""What an engine takes at a time, and what it has done so far."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class EngineLimits:
    """The most that an engine takes, so that neither memory nor anyone's time runs out."""

    queue: int = 64
    """How many requests may wait or be searched at a time; one more is `Busy`."""
    hypotheses: int = 160
    """How many hypotheses a column of a batch may have: the more, the longer it takes. A single
    search may have more."""
    batches: int = 8
    """How many batches take turns."""
    background: int = 80
    """How many hypotheses a column of a batch in the background may have: whoever comes meanwhile
    waits for one."""


@dataclass(frozen=True)
class EngineStats:
    """What an engine does now, and all it did since it was started."""

    waiting: int = 0
    """Searches that wait for a batch."""
    running: int = 0
    """Searches that take turns."""
    done: int = 0
    """Searches that came to an end."""
    refused: int = 0
    """Requests that found no place in the queue, were stopped or were too slow."""
    columns: int = 0
    """Columns of all batches."""
    seconds: float = 0.0
    """What these took."""
