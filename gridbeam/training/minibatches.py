"""Encoded pairs in batches of like lengths, in a new order in each epoch.

All tokens lie on the device, where a batch is one gather, so the device waits for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import NDArray
from torch import Tensor

from gridbeam.errors import UserError
from gridbeam.training.corpus import Pairs


@dataclass(frozen=True)
class Batch:
    """Pairs side by side, padded on the right."""

    source: Int[Tensor, "pair source"]
    target: Int[Tensor, "pair target"]
    source_is_padded: bool
    places: Int[Tensor, "token"] | None
    """Where the tokens are in `target`, flattened, that are no padding; None: in all places that do
    not hold it."""
    target_tokens: int
    """How many tokens the targets have, padding left out."""


class Batches:
    """The batches of encoded pairs, in a new order in each epoch.

    Pairs are shuffled, sorted by length, source first, and cut into batches of at most `tokens`
    padded tokens on the longer side, or of `sentences` pairs; then the batches are shuffled.
    """

    def __init__(
        self,
        pairs: Pairs,
        *,
        pad: int,
        seed: int,
        tokens: int = 0,
        sentences: int = 0,
        device: torch.device | str = "cpu",
    ) -> None:
        if not len(pairs):
            raise UserError(
                "there are no pairs to learn from: every one was left out as empty, too long or"
                " repeated"
            )
        self.seed, self.tokens, self.sentences, self.pad, self.device = (
            seed,
            tokens,
            sentences,
            pad,
            torch.device(device),
        )
        self.source_lengths, self.target_lengths = pairs.source_lengths, pairs.target_lengths
        self.sides = [
            (
                torch.from_numpy(flat).to(self.device),
                torch.from_numpy(ends - lengths).to(self.device),
                lengths,
            )
            for flat, ends, lengths in (
                (pairs.source, pairs.source_ends, self.source_lengths),
                (pairs.target, pairs.target_ends, self.target_lengths),
            )
        ]

    def epoch(self, number: int) -> list[NDArray[np.int64]]:
        """The pairs of each batch, by number; the same for the same seed and epoch."""
        chance = np.random.default_rng([self.seed, number])
        order = chance.permutation(len(self.source_lengths))
        order = order[np.lexsort((self.target_lengths[order], self.source_lengths[order]))]
        cuts = self._cuts(np.maximum(self.source_lengths, self.target_lengths)[order])
        batches = np.split(order, cuts)
        return [batches[place] for place in chance.permutation(len(batches))]

    def _cuts(self, lengths: NDArray[np.int64]) -> list[int]:
        """Where a new batch begins in pairs of these lengths."""
        if self.sentences:
            return list(range(self.sentences, len(lengths), self.sentences))
        cuts: list[int] = []
        start = 0
        while True:
            widest = np.maximum.accumulate(
                lengths[start : start + self.tokens // max(1, int(lengths[start])) + 1]
            )
            fitting = int(
                np.searchsorted(widest * np.arange(1, len(widest) + 1), self.tokens, "right")
            )
            start += max(1, fitting)
            if start >= len(lengths):
                return cuts
            cuts.append(start)

    def batch(self, numbers: NDArray[np.int64]) -> Batch:
        """The pairs with these numbers."""
        source, target = (self._side(*side, numbers) for side in self.sides)
        source_lengths, target_lengths = self.source_lengths[numbers], self.target_lengths[numbers]
        is_padded = bool((source_lengths != source_lengths[0]).any())
        places = np.flatnonzero(np.arange(target.shape[1]) < target_lengths[:, None])
        return Batch(source, target, is_padded, self._sent(places), len(places))

    def _side(
        self,
        flat: Int[Tensor, "token"],
        starts: Int[Tensor, "text"],
        lengths: NDArray[np.int64],
        numbers: NDArray[np.int64],
    ) -> Int[Tensor, "pair width"]:
        here = lengths[numbers]
        places = torch.arange(int(here.max()), device=self.device)
        is_token = places < self._sent(here)[:, None]
        tokens = flat[(starts[self._sent(numbers)][:, None] + places).clamp_(max=len(flat) - 1)]
        return torch.where(is_token, tokens, self.pad).long()

    def _sent(self, numbers: NDArray[np.int64]) -> Int[Tensor, "number"]:
        """Numbers on the device, which is not waited for."""
        here = torch.from_numpy(numbers)
        return (
            here
            if self.device.type == "cpu"
            else here.pin_memory().to(self.device, non_blocking=True)
        )
