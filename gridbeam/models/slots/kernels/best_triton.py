"""`best_tokens` in Triton: a pass over all logits, then a tournament of blocks for each row.

The first kernel reads every logit once and leaves the largest of each block of tokens, and sums of
exponentials. The second picks one token after another: the block with the largest is looked into
again, and then stands in the tournament with its next largest.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from jaxtyping import Bool, Float
from torch import Tensor

from gridbeam.models.slots.kernels.best import Best

_MOST_BLOCKS = 1024
_AT_ONCE = 4096
"""How many logits one program of the first kernel reads."""


def best_in_one_pass(
    logits: Float[Tensor, "row vocab"], is_live: Bool[Tensor, "row"], count: int
) -> Best:
    """What `best_tokens` gives."""
    rows, vocab = logits.shape
    block = max(64, triton.next_power_of_2(triton.cdiv(vocab, _MOST_BLOCKS)))
    at_once = max(1, _AT_ONCE // block)
    blocks = triton.cdiv(vocab, block)
    parts = triton.cdiv(blocks, at_once)
    live = is_live.view(torch.uint8)
    largest = logits.new_empty((rows, blocks), dtype=torch.float32)
    sums = logits.new_empty((rows, parts, 2), dtype=torch.float32)
    value = logits.new_empty((rows, count), dtype=torch.float32)
    token = logits.new_empty((rows, count), dtype=torch.int64)
    log_sum = logits.new_empty((rows,), dtype=torch.float32)
    _scan[(rows, parts)](
        logits, live, largest, sums, vocab, logits.stride(0), blocks, parts,
        BLOCK=block, BLOCKS=at_once, num_warps=4,
    )  # fmt: skip
    _pick[(rows,)](
        logits, live, largest, sums, value, token, log_sum,
        vocab, logits.stride(0), blocks, parts, count,
        BLOCK=block, BLOCKS=triton.next_power_of_2(blocks),
        PARTS=triton.next_power_of_2(parts), PLACES=triton.next_power_of_2(count), num_warps=1,
    )  # fmt: skip
    return Best(value, token, log_sum, settles_ties=True)


@triton.jit  # type: ignore[untyped-decorator]
def _scan(
    logits: tl.tensor,
    live: tl.tensor,
    largest: tl.tensor,
    sums: tl.tensor,
    vocab: tl.tensor,
    stride: tl.tensor,
    blocks: tl.tensor,
    parts: tl.tensor,
    BLOCK: tl.constexpr,  # noqa: N803
    BLOCKS: tl.constexpr,  # noqa: N803
) -> None:
    """The largest of some blocks of a row, and their largest and sum of exponentials together."""
    row = tl.program_id(0).to(tl.int64)
    part = tl.program_id(1)
    if tl.load(live + row) != 0:
        block = part * BLOCKS + tl.arange(0, BLOCKS)
        token = block[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :]
        here = tl.load(logits + row * stride + token, mask=token < vocab, other=float("-inf"))
        here = here.to(tl.float32)
        most = tl.max(here, axis=1)
        tl.store(largest + row * blocks + block, most, mask=block < blocks)
        top = tl.max(most, axis=0)
        base = tl.where(top == float("-inf"), 0.0, top)
        total = tl.sum(tl.sum(tl.exp(here - base), axis=1), axis=0)
        tl.store(sums + (row * parts + part) * 2, base)
        tl.store(sums + (row * parts + part) * 2 + 1, total)


@triton.jit  # type: ignore[untyped-decorator]
def _key(value: tl.tensor, token: tl.tensor) -> tl.tensor:
    """A number that is larger for a larger value, and of equal values for the lower token."""
    bits = (value + 0.0).to(tl.int32, bitcast=True)
    ordered = bits ^ ((bits >> 31) & 0x7FFFFFFF)
    return (ordered.to(tl.int64) << 32) | (0x7FFFFFFF - token).to(tl.int64)


@triton.jit  # type: ignore[untyped-decorator]
def _pick(
    logits: tl.tensor,
    live: tl.tensor,
    largest: tl.tensor,
    sums: tl.tensor,
    value: tl.tensor,
    token: tl.tensor,
    log_sum: tl.tensor,
    vocab: tl.tensor,
    stride: tl.tensor,
    blocks: tl.tensor,
    parts: tl.tensor,
    count: tl.tensor,
    BLOCK: tl.constexpr,  # noqa: N803
    BLOCKS: tl.constexpr,  # noqa: N803
    PARTS: tl.constexpr,  # noqa: N803
    PLACES: tl.constexpr,  # noqa: N803
) -> None:
    """The log-sum-exp of a row, and its best tokens by a tournament of blocks."""
    row = tl.program_id(0).to(tl.int64)
    if tl.load(live + row) == 0:
        empty = tl.arange(0, PLACES)
        tl.store(value + row * count + empty, 0.0, mask=empty < count)
        tl.store(token + row * count + empty, 0, mask=empty < count)
        tl.store(log_sum + row, 0.0)
    else:
        part = tl.arange(0, PARTS)
        at = sums + (row * parts + part) * 2
        tops = tl.load(at, mask=part < parts, other=float("-inf"))
        totals = tl.load(at + 1, mask=part < parts, other=0.0)
        top = tl.max(tops, axis=0)
        total = tl.sum(totals * tl.exp(tops - top), axis=0)
        tl.store(log_sum + row, top + tl.log(total))
        nothing = tl.full([1], -9223372036854775807, tl.int64)
        block = tl.arange(0, BLOCKS)
        most = tl.load(largest + row * blocks + block, mask=block < blocks, other=float("-inf"))
        keys = tl.where(block < blocks, _key(most, block * BLOCK), nothing)
        before = tl.max(tl.full([1], 9223372036854775807, tl.int64), axis=0)
        within = tl.arange(0, BLOCK)
        for place in range(0, count):
            best = tl.max(keys, axis=0)
            chosen = ((0x7FFFFFFF - (best & 0x7FFFFFFF)) // BLOCK).to(tl.int32)
            tokens = chosen * BLOCK + within
            here = tl.load(
                logits + row * stride + tokens, mask=tokens < vocab, other=float("-inf")
            ).to(tl.float32)
            own = _key(here, tokens)
            own = tl.where((own < before) & (tokens < vocab), own, nothing)
            picked = tl.max(own, axis=0)
            tl.store(
                value + row * count + place,
                tl.max(tl.where(own == picked, here, float("-inf")), axis=0),
            )
            tl.store(token + row * count + place, 0x7FFFFFFF - (picked & 0x7FFFFFFF))
            rest = tl.max(tl.where(own < picked, own, nothing), axis=0)
            keys = tl.where(block == chosen, rest, keys)
            before = picked
