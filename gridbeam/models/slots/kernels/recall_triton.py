"""`recall` in Triton: one program for each head of each slot, which reads no column to come."""

from __future__ import annotations

import triton
import triton.language as tl
from jaxtyping import Float, Int
from torch import Tensor


def recall_at_once(
    asked: Float[Tensor, "slot three"],
    cache: Float[Tensor, "column slot two"],
    ancestors: Int[Tensor, "slot column"],
    number: Int[Tensor, ""],
    heads: int,
) -> Float[Tensor, "slot width"]:
    """What `recall` gives."""
    columns, slots, both = cache.shape
    width = both // 2
    out = asked.new_empty((slots, width))
    _recall[(slots, heads)](
        asked, cache, ancestors, number, out, slots, columns,
        WIDTH=width, SIZE=width // heads, PADDED=triton.next_power_of_2(width // heads),
        AT_ONCE=16, num_warps=1,
    )  # fmt: skip
    return out


@triton.jit  # type: ignore[untyped-decorator]
def _recall(
    asked: tl.tensor,
    cache: tl.tensor,
    ancestors: tl.tensor,
    number: tl.tensor,
    out: tl.tensor,
    slots: tl.tensor,
    columns: tl.tensor,
    WIDTH: tl.constexpr,  # noqa: N803
    SIZE: tl.constexpr,  # noqa: N803
    PADDED: tl.constexpr,  # noqa: N803
    AT_ONCE: tl.constexpr,  # noqa: N803
) -> None:
    slot = tl.program_id(0).to(tl.int64)
    place = tl.arange(0, PADDED)
    is_in = place < SIZE
    at = tl.program_id(1) * SIZE + place
    query = tl.load(asked + slot * 3 * WIDTH + at, mask=is_in, other=0.0).to(tl.float32)
    key = tl.load(asked + slot * 3 * WIDTH + WIDTH + at, mask=is_in, other=0.0)
    value = tl.load(asked + slot * 3 * WIDTH + 2 * WIDTH + at, mask=is_in, other=0.0)
    now = tl.load(number)
    own = cache + (now * slots + slot) * 2 * WIDTH + at
    tl.store(own, key, mask=is_in)
    tl.store(own + WIDTH, value, mask=is_in)
    most = tl.sum(query * key.to(tl.float32), axis=0)
    total = tl.exp(most - most)
    found = value.to(tl.float32)
    for first in range(0, now, AT_ONCE):
        column = first + tl.arange(0, AT_ONCE)
        is_past = column < now
        who = tl.load(ancestors + slot * columns + column, mask=is_past, other=0)
        line = (column.to(tl.int64) * slots + who) * (2 * WIDTH)
        here = cache + line[:, None] + at[None, :]
        is_there = is_past[:, None] & is_in[None, :]
        keys = tl.load(here, mask=is_there, other=0.0).to(tl.float32)
        scores = tl.sum(keys * query[None, :], axis=1)
        scores = tl.where(is_past, scores, float("-inf"))
        higher = tl.maximum(most, tl.max(scores, axis=0))
        weights = tl.exp(scores - higher)
        fading = tl.exp(most - higher)
        values = tl.load(here + WIDTH, mask=is_there, other=0.0).to(tl.float32)
        found = found * fading + tl.sum(weights[:, None] * values, axis=0)
        total = total * fading + tl.sum(weights, axis=0)
        most = higher
    found = found / total
    tl.store(out + slot * WIDTH + at, found.to(out.dtype.element_ty), mask=is_in)
