"""A column of the grid as tensors: all live hypotheses of all sentences and rows side by side.

`extend` makes the candidates of the next column from it (generate, start, continue), `keep_best`
says which of them stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from gridbeam.decoding.options import SearchOptions
from gridbeam.decoding.tables import Tables


@dataclass(frozen=True)
class Beams:
    """The live hypotheses, ordered by sentence, row and rank."""

    sentence: Int[Tensor, "hyp"]
    progress: Int[Tensor, "hyp machine"]
    owed: Int[Tensor, "hyp"]
    score: Float[Tensor, "hyp"]
    token: Int[Tensor, "hyp"]
    place: Int[Tensor, "hyp"]
    """Where it stands in the record of its column."""
    text: Int[Tensor, "hyp"]
    """The same number for hypotheses of the same tokens."""


@dataclass(frozen=True)
class Candidates:
    """What the hypotheses of a column may become: ended, with a wanted, or a generated token.

    They stand in this order. Of equal scores the first stays, so the order settles ties.
    """

    sentence: Int[Tensor, "cand"]
    parent: Int[Tensor, "cand"]
    token: Int[Tensor, "cand"]
    placed_for: Int[Tensor, "cand"]
    """Which of the required machines of its sentence the token was placed for, or `NOT_PLACED`."""
    origin: Int[Tensor, "cand"]
    is_end: Bool[Tensor, "cand"]
    log_prob: Float[Tensor, "cand"]
    progress: Int[Tensor, "cand machine"]
    owed: Int[Tensor, "cand"]
    score: Float[Tensor, "cand"]

    def __getitem__(self, chosen: Tensor) -> Candidates:
        return replace(self, **{name: value[chosen] for name, value in vars(self).items()})


@dataclass(frozen=True)
class Limits:
    """How many ways a hypothesis may go on, and how far a column is from the end."""

    widest: int
    """The most tokens that a hypothesis generates: more could never stay."""
    tokens_left: Int[Tensor, "sentence"]
    """Tokens that may follow this column, the end token included; below 0 for a sentence that is
    over."""
    is_last: bool
    """Whether it is the last column of any sentence."""
    is_last_of_all: bool
    end_costs: int
    """1 where a hypothesis must end within the limit, 0 where it may be cut off."""

    @staticmethod
    def of(length: int, longest: Sequence[int], options: SearchOptions, device: Any) -> Limits:
        """Those of the column of this length, where texts may have so many tokens."""
        return Limits(
            options.widest,
            torch.tensor(longest, device=device) - length,
            length in longest,
            length >= max(longest),
            options.room.end_costs,
        )


def first_beams(tables: Tables, bos: int, score_type: torch.dtype) -> Beams:
    """The start hypothesis of each sentence."""
    count, device = len(tables.start), tables.start.device
    return Beams(
        sentence=torch.arange(count, device=device),
        progress=tables.start,
        owed=tables.owed_after(tables.start),
        score=torch.zeros(count, dtype=score_type, device=device),
        token=torch.full((count,), bos, device=device),
        place=torch.arange(count, device=device),
        text=torch.arange(count, device=device),
    )


def next_beams(
    kept: Candidates, went_on: Int[Tensor, "hyp"], beams: Beams, vocab_size: int
) -> Beams:
    """The beams of the next column, from the candidates that went on."""
    token = kept.token[went_on]
    _, text = torch.unique(
        beams.text[kept.parent[went_on]] * vocab_size + token, return_inverse=True
    )
    return Beams(
        kept.sentence[went_on],
        kept.progress[went_on],
        kept.owed[went_on],
        kept.score[went_on],
        token,
        went_on,
        text,
    )
