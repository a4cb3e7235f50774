"""The best tokens of each row of logits and the log-sum-exp of the row, in one pass over them."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from gridbeam.models.slots.kernels import are_fast


@dataclass(frozen=True)
class Best:
    """Of each row the best tokens, the best first; of equal ones the lowest first."""

    value: Float[Tensor, "row best"]
    token: Int[Tensor, "row best"]
    log_sum: Float[Tensor, "row"]
    settles_ties: bool
    """Whether no token that is left out is as good as the last and lower."""


def best_tokens(
    logits: Float[Tensor, "row vocab"], is_live: Bool[Tensor, "row"], count: int
) -> Best:
    """The best tokens of rows that are live; of others anything."""
    if are_fast(logits):
        from gridbeam.models.slots.kernels.best_triton import best_in_one_pass

        return best_in_one_pass(logits, is_live, count)
    return plainly_best(logits, count)


def plainly_best(logits: Float[Tensor, "row vocab"], count: int) -> Best:
    """The same for all rows, by operations of torch."""
    precise = logits if logits.dtype == torch.float64 else logits.float()
    value, token = precise.topk(count, dim=1)
    token, by_token = token.sort(dim=1)
    value, by_value = value.gather(1, by_token).sort(dim=1, descending=True, stable=True)
    token = token.gather(1, by_value)
    return Best(value, token, precise.logsumexp(1), count == logits.shape[1])
