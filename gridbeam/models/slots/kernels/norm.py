"""What a layer has made, added to its input, and the sum normalised."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from gridbeam.models.slots.kernels import are_fast


def add_and_norm(
    rows: Float[Tensor, "row width"],
    change: Float[Tensor, "row width"],
    weight: Float[Tensor, "width"],
    bias: Float[Tensor, "width"],
    epsilon: float,
) -> Float[Tensor, "row width"]:
    """The rows after a layer."""
    if are_fast(rows) and rows.dtype != torch.float64:
        from gridbeam.models.slots.kernels.norm_triton import add_and_norm_at_once

        return add_and_norm_at_once(rows, change, weight, bias, epsilon)
    return plainly_added(rows, change, weight, bias, epsilon)


def plainly_added(
    rows: Float[Tensor, "row width"],
    change: Float[Tensor, "row width"],
    weight: Float[Tensor, "width"],
    bias: Float[Tensor, "width"],
    epsilon: float,
) -> Float[Tensor, "row width"]:
    """The same by operations of torch."""
    return torch.layer_norm(rows + change, weight.shape, weight, bias, epsilon)
