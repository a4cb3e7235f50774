"""Which token of a source each token of its target translates, learned from the pairs alone.

The first model of IBM (Brown et al. 1993) with a preference for the diagonal (Dyer et al. 2013): a
target token is made by one token of the source, or by none, with a probability that grows with how
near their places are. Some rounds of expectation maximisation learn it in both directions, and
tokens that choose each other are aligned. All is tensors, padded and batched, on any device.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray
from torch import Tensor

from gridbeam.training.corpus import Pairs

_ROUNDS = 5
_CELLS = 1 << 24
"""How many places of source times target are looked at at a time."""
_SLOPE = 5.0
"""How much likelier a token is made by one at its own place than by one at the other end, as the
logarithm."""
_NO_TOKEN = 0.08
"""The prior share of target tokens that no token of the source makes."""
_MOST = 4096
"""So many pairs are looked at together at most."""
_LARGEST_TABLE = 1 << 30
"""Larger tables share cells between pairs of tokens."""
_SMOOTHING = 1e-3
Link: TypeAlias = tuple[int, int]
"""The place of a token in a source, and of the one in its target that translates it."""


@dataclass(frozen=True)
class _Sides:
    """Pairs side by side, padded: the tokens that make, those that are made, and which are any."""

    makers: Int[Tensor, "pair maker"]
    is_maker: Bool[Tensor, "pair maker"]
    made: Int[Tensor, "pair made"]
    is_made: Bool[Tensor, "pair made"]


@dataclass(frozen=True)
class _TranslationTable:
    """How often tokens of one side are taken to have made tokens of the other."""

    counts: Float[Tensor, "cell"]
    totals: Float[Tensor, "maker"]
    """Of each maker; the last one is no token."""

    @staticmethod
    def blank(vocab_size: int, device: torch.device, value: float) -> _TranslationTable:
        size = min(vocab_size * (vocab_size + 1), _LARGEST_TABLE)
        return _TranslationTable(
            torch.full((size,), value, device=device),
            torch.full((vocab_size + 1,), value, device=device),
        )

    @property
    def vocab_size(self) -> int:
        return len(self.totals) - 1

    def cells(
        self, makers: Int[Tensor, "pair maker"], made: Int[Tensor, "pair made"]
    ) -> Int[Tensor, "pair made maker"]:
        """Where each made token meets each maker."""
        return (makers[:, None, :] * self.vocab_size + made[:, :, None]) % len(self.counts)

    def posterior(self, sides: _Sides) -> Float[Tensor, "pair made maker"]:
        """How likely each maker, or none, has made each token; 0 where there is none of either."""
        makers = self.with_none(sides.makers)
        likely = self.counts[self.cells(makers, sides.made)] + _SMOOTHING / self.vocab_size
        likely /= self.totals[makers][:, None, :] + _SMOOTHING
        likely *= _prior(sides.is_maker, sides.is_made)
        likely /= likely.sum(2, keepdim=True).clamp_min(1e-30)
        return likely * sides.is_made[:, :, None]

    def with_none(self, makers: Int[Tensor, "pair maker"]) -> Int[Tensor, "pair maker_or_none"]:
        """The makers of each pair, and none at last."""
        return torch.cat([makers, makers.new_full((len(makers), 1), self.vocab_size)], 1)

    def add(self, sides: _Sides, share: Float[Tensor, "pair made maker"]) -> None:
        """Counts what each maker has made."""
        makers = self.with_none(sides.makers)
        self.counts.scatter_add_(0, self.cells(makers, sides.made).flatten(), share.flatten())
        self.totals.scatter_add_(0, makers.flatten(), share.sum(1).flatten())

    def best(self, sides: _Sides) -> Int[Tensor, "pair made"]:
        """The likeliest maker of each token, or -1."""
        found = self.posterior(sides).argmax(2)
        return torch.where(sides.is_made & (found < sides.makers.shape[1]), found, -1)


@dataclass(frozen=True)
class Aligner:
    """What is known of which tokens translate which, in both directions."""

    forth: _TranslationTable
    back: _TranslationTable
    device: torch.device

    @staticmethod
    def learned(
        pairs: Pairs,
        vocab_size: int,
        *,
        device: torch.device | str = "cpu",
        sample: int = 600_000,
    ) -> Aligner:
        """What at most `sample` of the pairs, from all over them, teach."""
        numbers = np.arange(len(pairs))[:: max(1, -(-len(pairs) // sample))]
        numbers = numbers[np.argsort(pairs.source_lengths[numbers], kind="stable")]
        there = torch.device(device)
        forth, back = (
            _learned(_SidedPairs(pairs, there, is_turned=is_turned), numbers, vocab_size)
            for is_turned in (False, True)
        )
        return Aligner(forth, back, there)

    def links(self, pairs: Pairs, numbers: NDArray[np.int64]) -> Iterator[list[Link]]:
        """For each pair, in order, the places of source and target that choose each other."""
        texts, turned = (
            _SidedPairs(pairs, self.device, is_turned=is_turned) for is_turned in (False, True)
        )
        for part in texts.batches(numbers):
            chosen = self.forth.best(texts.sides(part))
            choosing = self.back.best(turned.sides(part)).gather(1, chosen.clamp_min(0))
            here = torch.arange(chosen.shape[1], device=chosen.device)
            mutual = torch.where((chosen >= 0) & (choosing == here), chosen, -1)
            for row in mutual.cpu().numpy():
                places = np.flatnonzero(row >= 0)
                yield list(zip(row[places].tolist(), places.tolist(), strict=True))


class _SidedPairs:
    """Pairs on a device, as makers and made: source and target, or turned round."""

    def __init__(self, pairs: Pairs, device: torch.device, *, is_turned: bool) -> None:
        sides = [
            (pairs.source, pairs.source_ends, pairs.source_lengths),
            (pairs.target, pairs.target_ends, pairs.target_lengths),
        ]
        self.device = device
        self._sides = [
            (
                torch.from_numpy(flat).to(device),
                torch.from_numpy(ends - lengths).to(device),
                lengths,
            )
            for flat, ends, lengths in (reversed(sides) if is_turned else sides)
        ]

    def batches(self, numbers: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
        """The pairs, in order, so many at a time that their places fit."""
        widest = [lengths[numbers] for *_, lengths in self._sides]
        start = 0
        while start < len(numbers):
            cells = [int(lengths[start : start + _MOST].max()) for lengths in widest]
            end = start + min(_MOST, max(1, _CELLS // (cells[0] * cells[1])))
            yield numbers[start:end]
            start = end

    def sides(self, numbers: NDArray[np.int64]) -> _Sides:
        """The tokens of both sides without their ends."""
        (makers, is_maker), (made, is_made) = (self._side(*side, numbers) for side in self._sides)
        return _Sides(makers, is_maker, made, is_made)

    def _side(
        self,
        flat: Int[Tensor, "token"],
        starts: Int[Tensor, "text"],
        lengths: NDArray[np.int64],
        numbers: NDArray[np.int64],
    ) -> tuple[Int[Tensor, "pair place"], Bool[Tensor, "pair place"]]:
        here = torch.from_numpy(lengths[numbers] - 1).to(self.device)
        places = torch.arange(max(1, int(here.max())), device=self.device)
        first = starts[torch.from_numpy(numbers).to(self.device)]
        tokens = flat[(first[:, None] + places).clamp_(max=len(flat) - 1)].long()
        return tokens, places < here[:, None]


def _learned(texts: _SidedPairs, numbers: NDArray[np.int64], vocab_size: int) -> _TranslationTable:
    """The counts after some rounds, the first of which takes all makers to be alike."""
    table = _TranslationTable.blank(vocab_size, texts.device, 1.0)
    for _ in range(_ROUNDS):
        counted = _TranslationTable.blank(vocab_size, texts.device, 0.0)
        for part in texts.batches(numbers):
            sides = texts.sides(part)
            counted.add(sides, table.posterior(sides))
        table = counted
    return table


def _prior(
    is_maker: Bool[Tensor, "pair maker"], is_made: Bool[Tensor, "pair made"]
) -> Float[Tensor, "pair made maker_or_none"]:
    """How likely a token is made by a place, before it is known which tokens stand there."""
    near, far = (
        torch.arange(mask.shape[1], device=mask.device) / mask.sum(1, keepdim=True).clamp_min(1)
        for mask in (is_maker, is_made)
    )
    weights = torch.exp(-_SLOPE * (near[:, None, :] - far[:, :, None]).abs())
    weights *= is_maker[:, None, :]
    weights *= (1 - _NO_TOKEN) / weights.sum(2, keepdim=True).clamp_min(1e-30)
    return torch.cat([weights, torch.full_like(weights[:, :, :1], _NO_TOKEN)], 2)
