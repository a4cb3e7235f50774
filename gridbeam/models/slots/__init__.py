"""Hypotheses in slots: a way to ask a network for scores without a shape that depends on data.

Each sentence of a batch has the same number of slots, and a slot that holds no hypothesis is
computed like the others. So every step of a decoding is the same program over the same memory: a
GPU can record it once and play it back for each column. A model that has `in_slots` beside its
three verbs offers this.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from jaxtyping import Float, Int
from torch import Tensor


@runtime_checkable
class Seats(Protocol):
    """The slots of a batch, and the memory that they need."""

    vocab: int
    """How many scores a slot has: those beyond the model's own tokens are minus infinity."""
    can_be_recorded: bool
    """Whether a step is the same program every time."""

    def read(self, encoded: Any) -> None:
        """Begins a batch: these are its sources."""
        ...

    def step(
        self, tokens: Int[Tensor, "slot"], parents: Int[Tensor, "slot"], number: Int[Tensor, ""]
    ) -> Float[Tensor, "slot vocab"]:
        """The logits of each slot's next token.

        Each goes on from the slot `parents` of the column before with one more token; `number` is
        that of the column, from 0. The tensors are the same in every call, with other values.
        """
        ...


@runtime_checkable
class SlotNetwork(Protocol):
    """What makes seats."""

    @property
    def workspace(self) -> dict[Any, Any]:
        """What searches keep from one batch to the next."""
        ...

    def seats(self, sentences: int, each: int, columns: int, width: int) -> Seats:
        """Slots for so many sentences of at most `width` tokens, `each` of them."""
        ...


@dataclass(frozen=True)
class SlotSources:
    """The sources of a batch, read, and what is asked of their texts beside constraints."""

    network: SlotNetwork
    encoded: Any
    width: int
    """The tokens of the longest source."""
    no_end_before: int = 0
    """Texts have at least so many tokens before their end token."""
    muted: frozenset[int] = field(default_factory=frozenset)
    """Tokens that are never written, though they have their share of the probability."""


@runtime_checkable
class InSlots(Protocol):
    """A model that can be asked for hypotheses in slots."""

    def in_slots(self, sources: Sequence[Any], longest: int) -> SlotSources | None:
        """The sources, ready for `Network.seats`; None where this model or source is not known.

        Texts have at most `longest` tokens.
        """
        ...
