"""Any model in slots: its three verbs, asked for all slots at every step.

No faster than without; it lets the search in slots be tried, and tested, with any model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from gridbeam.models import Model
from gridbeam.models.slots import SlotSources


@dataclass(frozen=True, eq=False)
class AnyInSlots:
    """A model whose hypotheses stand in slots."""

    model: Model[Any]
    workspace: dict[Any, Any] = field(default_factory=dict, repr=False)

    def seats(self, sentences: int, each: int, columns: int, width: int) -> AnySeats:
        """Slots for so many sentences, `each` of them."""
        return AnySeats(self.model, sentences, each)


class AnySeats:
    """The state of a model with a row for each slot."""

    can_be_recorded = False

    def __init__(self, model: Model[Any], sentences: int, each: int) -> None:
        self.vocab = model.vocab_size
        self._model, self._sentences, self._each = model, sentences, each
        self._state: Any = None
        self._is_first = True

    def read(self, encoded: Sequence[Any]) -> None:
        """Begins a batch; a sentence that there is not is the first once more."""
        missing = self._sentences - len(encoded)
        state = self._model.start([*encoded, *[encoded[0]] * missing])
        rows = torch.arange(self._sentences).repeat_interleave(self._each)
        self._state, self._is_first = self._model.select(state, rows), True

    def step(
        self, tokens: Int[Tensor, "slot"], parents: Int[Tensor, "slot"], number: Int[Tensor, ""]
    ) -> Float[Tensor, "slot vocab"]:
        """The logits of each slot's next token."""
        if not self._is_first:
            self._state = self._model.select(self._state, parents.clone())
        self._is_first = False
        log_probs, self._state = self._model.step(self._state, tokens.clone())
        return log_probs


@dataclass(frozen=True)
class WithSlots:
    """A model, and the same in slots."""

    model: Model[Any]
    network: AnyInSlots

    @classmethod
    def of(cls, model: Model[Any]) -> WithSlots:
        """The model with slots beside its verbs."""
        return cls(model, AnyInSlots(model))

    def in_slots(self, sources: Sequence[Any], longest: int) -> SlotSources:
        """The sources as they are."""
        return SlotSources(self.network, sources, width=1)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)
