"""How many tokens a network can place: where positions are looked up, the table has an end."""

from __future__ import annotations

import re

from torch import nn

_POSITIONS = re.compile(
    r"(^|\.)(embed_positions?|positional_embeddings?|position_embeddings?|wpe)$"
)


def positions_of(network: nn.Module) -> int | None:
    """The most tokens that a network of transformers can read.

    None where positions are computed, and never end.
    """
    named = network.named_modules()
    tables = [
        module
        for name, module in named
        if isinstance(module, nn.Embedding) and _POSITIONS.search(name)
    ]
    return min((table.num_embeddings - _unused(table) for table in tables), default=None)


def _unused(table: nn.Embedding) -> int:
    """How many lines of a table come before the first position.

    BART leaves out two, RoBERTa those up to the padding's.
    """
    before_padding = 0 if table.padding_idx is None else table.padding_idx + 1
    return max(int(getattr(table, "offset", 0)), before_padding)
