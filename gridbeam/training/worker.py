"""The network that computes gradients: on a GPU a copy in bfloat16 of the one that is trained, which stays in float32.

What is added up over thousands of updates needs the digits of float32; what is computed in one update does not.
"""

from __future__ import annotations

from copy import deepcopy

import torch
from jaxtyping import Float
from torch import Tensor, nn

from gridbeam.training.learners import Learner
from gridbeam.training.minibatches import Batch
from gridbeam.training.ranks import Ranks


class Worker:
    """Computes the gradients of an exact network, and follows it."""

    def __init__(self, exact: Learner, ranks: Ranks, kind: torch.dtype) -> None:
        self.is_copy = kind != torch.float32
        self.learner = deepcopy(exact).to(kind) if self.is_copy else exact
        self.exact: list[Tensor] = list(exact.parameters())
        self.own: list[Tensor] = list(self.learner.parameters())
        self._parallel: nn.Module = ranks.parallel(self.learner)

    def add_gradients(self, batch: Batch, *, per_sentence: bool) -> Float[Tensor, ""]:
        """Gives the exact network the gradients of a batch; the sum of negative log-probabilities comes back."""
        self.learner.train()
        loss, nll = self._parallel(batch)
        (loss / (len(batch.target) if per_sentence else batch.target_tokens)).backward()
        if self.is_copy:
            for exact, own in zip(self.exact, self.own, strict=True):
                exact.grad = None if own.grad is None else own.grad.float()
                own.grad = None
        detached: Tensor = nll.detach()
        return detached

    def follow(self) -> None:
        """Takes over the weights of the exact network."""
        if self.is_copy:
            with torch.no_grad():
                torch._foreach_copy_(self.own, self.exact)
