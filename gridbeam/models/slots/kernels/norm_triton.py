"""`add_and_norm` in Triton: one program a row."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from jaxtyping import Float
from torch import Tensor


def add_and_norm_at_once(
    rows: Float[Tensor, "row width"],
    change: Float[Tensor, "row width"],
    weight: Float[Tensor, "width"],
    bias: Float[Tensor, "width"],
    epsilon: float,
) -> Float[Tensor, "row width"]:
    """What `add_and_norm` gives."""
    count, width = rows.shape
    out = torch.empty_like(rows)
    _add_and_norm[(count,)](
        rows, change, weight, bias, out, width, epsilon,
        WIDTH=triton.next_power_of_2(width), num_warps=4 if width > 1024 else 2,
    )  # fmt: skip
    return out


@triton.jit  # type: ignore[untyped-decorator]
def _add_and_norm(
    rows: tl.tensor,
    change: tl.tensor,
    weight: tl.tensor,
    bias: tl.tensor,
    out: tl.tensor,
    width: tl.tensor,
    epsilon: tl.tensor,
    WIDTH: tl.constexpr,  # noqa: N803
) -> None:
    row = tl.program_id(0).to(tl.int64)
    place = tl.arange(0, WIDTH)
    is_in = place < width
    here = tl.load(rows + row * width + place, mask=is_in, other=0.0).to(tl.float32)
    here += tl.load(change + row * width + place, mask=is_in, other=0.0).to(tl.float32)
    middle = tl.sum(here, axis=0) / width
    apart = tl.where(is_in, here - middle, 0.0)
    scale = 1.0 / tl.sqrt(tl.sum(apart * apart, axis=0) / width + epsilon)
    times = tl.load(weight + place, mask=is_in, other=0.0).to(tl.float32)
    plus = tl.load(bias + place, mask=is_in, other=0.0).to(tl.float32)
    found = apart * scale * times + plus
    tl.store(out + row * width + place, found.to(out.dtype.element_ty), mask=is_in)
