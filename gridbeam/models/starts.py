"""Where texts start and end, as a generation config of transformers says it."""

from __future__ import annotations

from typing import Any

import torch

from gridbeam.errors import UserError


def end_tokens(config: Any) -> tuple[int, ...]:
    """The tokens that end a text."""
    eos = config.eos_token_id
    if eos is None:
        raise UserError(
            "the generation config has no eos_token_id, so no text could end: set eos_token_id"
        )
    return tuple(torch.as_tensor(eos).flatten().tolist())


def first_token(config: Any) -> int:
    """The token that a decoder is fed first."""
    start = (
        config.decoder_start_token_id
        if config.decoder_start_token_id is not None
        else config.bos_token_id
    )
    if start is None:
        raise UserError(
            "the generation config has no decoder_start_token_id: set it to the token that texts"
            " start with"
        )
    return int(torch.as_tensor(start).flatten()[0])
