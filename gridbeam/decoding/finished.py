"""The best finished hypotheses of each sentence so far, and whether they can still be beaten."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from gridbeam.decoding.ranking import best_first, rank_within


@dataclass(frozen=True)
class Finished:
    """For each sentence its n best, best first; empty places score minus infinity."""

    score: Float[Tensor, "sentence place"]
    column: Int[Tensor, "sentence place"]
    index: Int[Tensor, "sentence place"]

    @staticmethod
    def none(
        sentences: int, n_best: int, score_type: torch.dtype, device: torch.device
    ) -> Finished:
        """Nothing finished yet."""
        empty = torch.zeros(sentences, n_best, dtype=torch.int64, device=device)
        return Finished(
            torch.full((sentences, n_best), -torch.inf, dtype=score_type, device=device),
            empty,
            empty,
        )

    def __getitem__(self, chosen: Int[Tensor, "chosen"]) -> Finished:
        return Finished(self.score[chosen], self.column[chosen], self.index[chosen])

    def add(
        self,
        sentence: Int[Tensor, "new"],
        score: Float[Tensor, "new"],
        column: int,
        index: Int[Tensor, "new"],
    ) -> Finished:
        """The table with these as well; of equal scores the earlier stays ahead."""
        if not len(sentence):
            return self
        order = best_first(score, sentence)
        sentence = sentence[order]
        place = rank_within(sentence, torch.ones_like(sentence, dtype=torch.bool))
        fits = place < self.score.shape[1]
        slots = (sentence[fits], place[fits])
        new_score = torch.full_like(self.score, -torch.inf)
        new_score[slots] = score[order][fits]
        new_index = torch.zeros_like(self.index)
        new_index[slots] = index[order][fits]
        both = torch.cat([self.score, new_score], 1)
        best = both.argsort(dim=1, descending=True, stable=True)[:, : self.score.shape[1]]
        return Finished(
            both.gather(1, best),
            torch.cat([self.column, torch.full_like(self.column, column)], 1).gather(1, best),
            torch.cat([self.index, new_index], 1).gather(1, best),
        )

    def can_be_beaten(
        self, most: Float[Tensor, "hyp"], sentence: Int[Tensor, "hyp"]
    ) -> Bool[Tensor, "hyp"]:
        """Whether hypotheses with this upper bound may still end above the worst in the table."""
        return most > self.score[sentence, -1]

    def is_settled(
        self,
        running: Float[Tensor, "hyp"],
        sentence: Int[Tensor, "hyp"],
        width: int,
        *,
        is_full_enough: bool,
    ) -> Bool[Tensor, "sentence"]:
        """Whether the search for a sentence may stop, by the rules of transformers.

        `width` hypotheses have ended, and either that is enough or none that runs is ahead of the
        worst of them. This takes it that a score divided by length does not rise.
        """
        worst = self.score[:, width - 1]
        best = torch.full_like(worst, -torch.inf).scatter_reduce_(0, sentence, running, "amax")
        is_full = worst > -torch.inf
        return is_full if is_full_enough else is_full & (best <= worst)
