"""Ranks within groups, for all groups at once: two stable sorts and a running count."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


def best_first(score: Float[Tensor, "cand"], group: Int[Tensor, "cand"]) -> Int[Tensor, "cand"]:
    """The order that puts groups in ascending order and in each the best score first.

    Of equal ones the earlier stays ahead.
    """
    order = score.argsort(descending=True, stable=True)
    return order[group[order].argsort(stable=True)]


def rank_within(group: Int[Tensor, "cand"], counted: Bool[Tensor, "cand"]) -> Int[Tensor, "cand"]:
    """How many counted candidates of the same group stand before each.

    Groups are contiguous and ascending.
    """
    before = counted.cumsum(0) - counted.long()
    return before - before[torch.searchsorted(group, group)]


def rank_by_score(score: Float[Tensor, "cand"], group: Int[Tensor, "cand"]) -> Int[Tensor, "cand"]:
    """How many candidates of the same group score more than each, or as much and stand before it.

    >>> rank_by_score(torch.tensor([-3.0, -1.0, -2.0, -1.0]), torch.tensor([0, 1, 0, 1])).tolist()
    [1, 0, 0, 1]
    """
    order = best_first(score, group)
    rank = torch.empty_like(order)
    rank[order] = rank_within(group[order], torch.ones_like(order, dtype=torch.bool))
    return rank
