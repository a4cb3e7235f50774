"""What reads inputs of one kind, as one value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bounded import SECONDS, Read


@dataclass(frozen=True)
class Parser:
    """What reads inputs of one kind."""

    kind: str
    """What its inputs are: those of a kind are shared out over its parsers."""
    name: str
    seeds: Callable[[], Sequence[bytes]]
    """Real inputs, which others are made of."""
    read: Read
    suffix: str = ""
    """What the names of its files end with."""
    seconds: float = SECONDS
    """How long it may work on one input."""
    warm: Callable[[], object] = tuple
    """Makes what every input needs, before there are processes."""
