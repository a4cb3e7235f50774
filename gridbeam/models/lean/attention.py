"""Attention of the tokens of one sentence, all heads at once."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True)
class Heads:
    """How a row of queries, keys or values is divided."""

    count: int
    size: int

    @property
    def width(self) -> int:
        """The length of a row."""
        return self.count * self.size

    def attend(
        self,
        queries: Float[Tensor, "row width"],
        keys: Float[Tensor, "head dim node"],
        values: Float[Tensor, "head node dim"],
        sees: Float[Tensor, "row node"] | None = None,
    ) -> Float[Tensor, "row width"]:
        """What each row attends to; `sees` is added to the scores."""
        asked = queries.view(queries.shape[0], self.count, self.size).transpose(0, 1)
        scores = torch.bmm(asked, keys)
        shares = (scores if sees is None else scores.add_(sees)).softmax(-1)
        return torch.bmm(shares, values).transpose(0, 1).reshape(queries.shape[0], -1)

    def split(
        self, both: Float[Tensor, "node both"]
    ) -> tuple[Float[Tensor, "head dim node"], Float[Tensor, "head node dim"]]:
        """The keys and values that stand side by side in each row; nothing is copied."""
        divided = both.view(both.shape[0], 2, self.count, self.size)
        return divided[:, 0].permute(1, 2, 0), divided[:, 1].transpose(0, 1)
