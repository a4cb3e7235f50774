"""The weights of a folder as they are stored: matrices in 8 bits stay so, and are never floats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int, Int8
from torch import Tensor

from gridbeam.models.eightbit import SCALE, dequantized, quantized


@dataclass(frozen=True)
class StoredMatrix:
    """A matrix in 8 bits."""

    numbers: Int8[Tensor, "out in"]
    scale: Float[Tensor, "out"]
    """What one of them is worth in each row."""
    bias: Float[Tensor, "out"] | None

    def times(self, factor: float) -> StoredMatrix:
        """The matrix whose products are so many times larger."""
        bias = None if self.bias is None else self.bias * factor
        return replace(self, scale=self.scale * factor, bias=bias)

    def weight(self) -> Float[Tensor, "out in"]:
        """The matrix in float32."""
        return dequantized(self.numbers, self.scale)

    def lines(self, tokens: Int[Tensor, "row"]) -> Float[Tensor, "row in"]:
        """These lines of the matrix, which then is a table of embeddings."""
        return self.numbers[tokens].float().mul_(self.scale[tokens, None])


@dataclass(frozen=True)
class StoredWeights:
    """Tensors by name; a matrix in 8 bits has its scale beside it."""

    tensors: Mapping[str, Tensor]

    def matrix(self, name: str, bias: Tensor | None = None) -> StoredMatrix:
        """The matrix of this name; one in float32 is put into 8 bits."""
        weight = self.tensors[name]
        if weight.dtype == torch.int8:
            return StoredMatrix(weight, self.tensors[name + SCALE], bias)
        return StoredMatrix(*quantized(weight), bias)

    def linear(self, name: str) -> StoredMatrix:
        """The matrix and the bias of a layer."""
        return self.matrix(f"{name}.weight", self.tensors[f"{name}.bias"])

    def norm(self, name: str) -> tuple[Tensor, Tensor]:
        """The weight and the bias of a layer that normalises."""
        return self.tensors[f"{name}.weight"], self.tensors[f"{name}.bias"]


def side_by_side(matrices: Sequence[StoredMatrix]) -> StoredMatrix:
    """One matrix for layers with the same input, their outputs side by side."""
    return StoredMatrix(
        torch.cat([each.numbers for each in matrices]),
        torch.cat([each.scale for each in matrices]),
        torch.cat([each.bias for each in matrices if each.bias is not None]),
    )
