"""Many sources as one batch of model inputs: stacked if of one length, else padded and masked.

A source is a sequence of token ids, or a mapping from names of model inputs to tensors of one row,
without a batch axis.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import torch
from torch import Tensor

from gridbeam.errors import UserError

PaddingSide = Literal["left", "right"]
_MAY_BE_PADDED = ("input_ids", "encoder_outputs")
_ONE_FOR_EACH_TOKEN = (
    "input_ids",
    "attention_mask",
    "token_type_ids",
    "decoder_input_ids",
    "decoder_attention_mask",
)


def batch_of(
    sources: Sequence[Any], *, side: PaddingSide, pad: int, device: torch.device
) -> dict[str, Tensor]:
    """The inputs of all sources, each [source, ...]; masks are made where they are missing."""
    rows = [_row(source, number, device) for number, source in enumerate(sources)]
    if not rows:
        raise UserError("there are no sources: give at least one")
    rows = _with_masks(rows)
    names = list(rows[0])
    for number, row in enumerate(rows):
        if set(row) != set(names):
            raise UserError(
                f"source {number} has {sorted(row)}, but source 0 has {sorted(names)}: give all the"
                " same inputs"
            )
    return {name: _stacked([row[name] for row in rows], name, side, pad) for name in names}


def _row(source: Any, number: int, device: torch.device) -> dict[str, Tensor]:
    given = source if isinstance(source, Mapping) else {"input_ids": source}
    return {
        name: _tensor(value, name, number, device)
        for name, value in given.items()
        if value is not None
    }


def _with_masks(rows: list[dict[str, Tensor]]) -> list[dict[str, Tensor]]:
    """The rows, with a mask beside ids, and beside encoder outputs that are to be padded."""
    is_padded = len({len(row["encoder_outputs"]) for row in rows if "encoder_outputs" in row}) > 1
    name = "encoder_outputs" if is_padded else "input_ids"
    return [({"attention_mask": _ones(row[name])} if name in row else {}) | row for row in rows]


def _ones(tokens: Tensor) -> Tensor:
    return torch.ones(len(tokens), dtype=torch.long, device=tokens.device)


def _tensor(value: Any, name: str, number: int, device: torch.device) -> Tensor:
    tensor: Tensor = getattr(value, "last_hidden_state", value)
    if not isinstance(tensor, Tensor):
        try:
            tensor = torch.tensor(value, device=device)
        except (TypeError, ValueError, RuntimeError) as error:
            raise UserError(
                f"{name} of source {number} is not made of numbers: give token ids, or a mapping of"
                " model inputs"
            ) from error
    if tensor.device != device:
        raise UserError(
            f"{name} of source {number} is on {tensor.device}, the model on {device}: use"
            f' batch.to("{device}")'
        )
    if not tensor.numel():
        raise UserError(f"{name} of source {number} is empty: give at least one token")
    if name in _ONE_FOR_EACH_TOKEN and (tensor.ndim != 1 or tensor.is_floating_point()):
        raise UserError(
            f"{name} of source {number} is of shape {list(tensor.shape)} and {tensor.dtype}: a"
            " source is one row of whole numbers, without a batch axis; give each row of a batch"
            " as a source of its own"
        )
    return tensor


def _stacked(rows: list[Tensor], name: str, side: PaddingSide, pad: int) -> Tensor:
    if len({row.shape for row in rows}) == 1:
        return torch.stack(rows)
    if name == "decoder_input_ids":
        raise UserError(
            "decoder_input_ids of one batch must be of one length: search for sources of other"
            " lengths apart"
        )
    if (name not in _MAY_BE_PADDED and rows[0].ndim > 1) or len(
        {row.shape[1:] for row in rows}
    ) > 1:
        shapes = ", ".join(str(list(row.shape)) for row in rows)
        raise UserError(
            f"{name} has rows of different shapes, {shapes}: make them one shape, or search for"
            " them apart"
        )
    length = max(len(row) for row in rows)
    return torch.stack(
        [_padded(row, length, side, pad if name == "input_ids" else 0) for row in rows]
    )


def _padded(row: Tensor, length: int, side: PaddingSide, pad: int) -> Tensor:
    padding = row.new_full((length - len(row), *row.shape[1:]), pad)
    return torch.cat([padding, row] if side == "left" else [row, padding])
