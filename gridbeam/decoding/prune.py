"""The paper's k-argmax, for all rows of all sentences at once, whatever shares out the places."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from gridbeam.decoding.column import Beams, Candidates
from gridbeam.decoding.ranking import best_first
from gridbeam.decoding.scoring import Ended
from gridbeam.decoding.share import Ranked, Strategy
from gridbeam.decoding.tables import Tables


def keep_best(
    candidates: Candidates,
    beams: Beams,
    tables: Tables,
    *,
    strategy: Strategy,
    places: int,
    ended: Ended,
) -> Candidates:
    """The candidates that stay, ordered by sentence, beam and rank."""
    beam = strategy.beam_of(candidates, tables)
    order = best_first(candidates.score, beam)
    if beams.progress.shape[1] > tables.guards:
        order = order[(~_repeats(candidates, order, beams, tables)).nonzero().flatten()]
    in_order = candidates[order]
    takes_place = ~in_order.is_end | (ended == "in_beam")
    stays = strategy.stays(Ranked(in_order, beam[order], takes_place), tables, places)
    return in_order[stays.nonzero().flatten()]


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
