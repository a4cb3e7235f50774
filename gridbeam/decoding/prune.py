"""The paper's k-argmax for all rows of all sentences: two stable sorts, and a rank in each row."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from gridbeam.decoding.column import Beams, Candidates, Limits
from gridbeam.decoding.tables import Tables


def keep_best(
    candidates: Candidates, beams: Beams, tables: Tables, limits: Limits
) -> Int[Tensor, "kept"]:
    """The candidates that stay: the k best of each beam.

    Ordered by sentence, row, stage of a longer alternative, and rank.
    """
    group = tables.beam_of(candidates.sentence, candidates.progress, candidates.owed)
    order = best_first(candidates.score, group)
    if beams.progress.shape[1] > tables.guards:
        order = order[(~_repeats(candidates, order, beams, tables)).nonzero().flatten()]
    group, is_end = group[order], candidates.is_end[order]
    rank = rank_within(group, torch.ones_like(is_end))
    if limits.budget is None:
        width = torch.full_like(rank, limits.widest)
    else:
        width = _shares(group, len(tables.start), tables.rows * tables.detours, limits.budget)
    if limits.ended == "set_aside":
        rank = torch.where(is_end, rank, rank_within(group, ~is_end))
    return order[(rank < width).nonzero().flatten()]


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


def _repeats(
    candidates: Candidates, ranked: Int[Tensor, "cand"], beams: Beams, tables: Tables
) -> Bool[Tensor, "cand"]:
    """Whether a candidate ranked earlier has the same tokens and the same progress.

    Sorted by a hash, equal ones lie side by side; each is then compared with its neighbour in full,
    so that a collision of hashes can hide a repeat but never invent one.
    """
    text = (beams.text[candidates.parent] * tables.vocab_size + candidates.token)[ranked]
    progress = candidates.progress[ranked]
    mixed = text * 0x2545F4914F6CDD1D + (progress * tables.mixing).sum(1)
    order = mixed.argsort(stable=True)
    text, progress = text[order], progress[order]
    same = torch.zeros_like(text, dtype=torch.bool)
    same[order[1:]] = (text[1:] == text[:-1]) & (progress[1:] == progress[:-1]).all(1)
    return same


def _shares(
    group: Int[Tensor, "cand"], sentences: int, beams: int, budget: int
) -> Int[Tensor, "cand"]:
    """The width of each candidate's beam: its sentence's budget, shared evenly over the beams.

    What a beam cannot use goes to the others; what does not divide goes to those that owe least.
    """
    counts = torch.zeros(sentences * beams, dtype=torch.int64, device=group.device)
    counts = counts.index_add_(0, group, torch.ones_like(group)).view(sentences, beams)
    level = torch.zeros(sentences, 1, dtype=torch.int64, device=group.device)
    for bit in reversed(range(budget.bit_length())):
        higher = level + (1 << bit)
        level = torch.where(counts.minimum(higher).sum(1, keepdim=True) <= budget, higher, level)
    shares = counts.minimum(level)
    wants_more = counts > shares
    shares += wants_more & (wants_more.cumsum(1) <= budget - shares.sum(1, keepdim=True))
    return shares.flatten()[group]
