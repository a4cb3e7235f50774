"""Attention of hypotheses to their own past, whose keys and values are never moved.

The keys and values of a column stay where they were written, in the slots of that column. A table
of ancestors says for each slot in which slot of each column before its own token stands.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor

from gridbeam.models.slots.kernels import are_fast


def recall(
    asked: Float[Tensor, "slot three"],
    cache: Float[Tensor, "column slot two"],
    ancestors: Int[Tensor, "slot column"],
    number: Int[Tensor, ""],
    heads: int,
) -> Float[Tensor, "slot width"]:
    """What each slot remembers.

    `asked` has the queries, scaled, the keys and the values of the tokens of this column side by
    side; the keys and values are put into the cache. `number` is that of the column.
    """
    if are_fast(asked) and asked.dtype != torch.float64:
        from gridbeam.models.slots.kernels.recall_triton import recall_at_once

        return recall_at_once(asked, cache, ancestors, number, heads)
    return plainly_recalled(asked, cache, ancestors, number, heads)


def plainly_recalled(
    asked: Float[Tensor, "slot three"],
    cache: Float[Tensor, "column slot two"],
    ancestors: Int[Tensor, "slot column"],
    number: Int[Tensor, ""],
    heads: int,
) -> Float[Tensor, "slot width"]:
    """The same by operations of torch."""
    columns, slots, both = cache.shape
    width = both // 2
    cache.index_copy_(0, number.view(1), asked[None, :, width:])
    column = torch.arange(columns, device=cache.device)
    own = torch.arange(slots, device=cache.device)
    stand = torch.where(column[None, :] == number, own[:, None], ancestors.long())
    lines = column[None, :] * slots + stand
    past = cache.view(-1, both)[lines].view(slots, columns, 2, heads, width // heads)
    keys, values = past.permute(2, 0, 3, 1, 4).unbind(0)
    queries = asked[:, :width].view(slots, heads, 1, width // heads)
    is_hidden = column > number
    weights = (queries @ keys.mT).masked_fill(is_hidden, -torch.inf).softmax(-1)
    # What was never written may be no number at all, and 0 times that is none either.
    values = values.masked_fill(is_hidden[:, None], 0.0)
    return (weights @ values).reshape(slots, width)
