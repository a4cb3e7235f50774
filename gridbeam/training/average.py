"""A running average of the weights, which is often better than the weights it is of.

It is kept among the state of the optimizer, so that checkpoints have it without knowing of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

_NAME = "average"


class RunningAverage:
    """Follows the weights of an optimizer; without a decay it is the weights themselves."""

    def __init__(self, optimizer: torch.optim.Optimizer, decay: float) -> None:
        self._optimizer, self._decay = optimizer, decay

    @torch.no_grad()
    def follow(self, update: int) -> None:
        """Takes in the weights after this update, the first of which is number 0.

        At first it follows closely, so that the first weights are soon forgotten.
        """
        if not self._decay:
            return
        share = 1 - min(self._decay, (1 + update) / (10 + update))
        weights, averages = self._pairs()
        torch._foreach_lerp_(averages, weights, share)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """With the average in the place of the weights."""
        if not self._decay:
            yield
            return
        self._swap()
        try:
            yield
        finally:
            self._swap()

    @torch.no_grad()
    def _swap(self) -> None:
        weights, averages = self._pairs()
        kept = [weight.clone() for weight in weights]
        torch._foreach_copy_(weights, averages)
        torch._foreach_copy_(averages, kept)

    def _pairs(self) -> tuple[list[Tensor], list[Tensor]]:
        """All weights that have been learned, and the average of each; at first both are equal."""
        learned = [
            (weight.data, self._optimizer.state[weight])
            for group in self._optimizer.param_groups
            for weight in group["params"]
            if self._optimizer.state.get(weight)
        ]
        averages = [state.setdefault(_NAME, weight.clone()) for weight, state in learned]
        return [weight for weight, _ in learned], averages
