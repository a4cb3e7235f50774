"""`<pad>` as the last piece of a Marian model, and the start of its decoder as a zero embedding.

Marian's own models are like that, so tools that read them rely on it: CTranslate2 cuts off the last
row of the embeddings and starts every text from zeros. Our models start theirs from what training
has made of the embedding of `<pad>`. It is added to the decoder's first position instead, where
nothing but the start ever stands. Every score stays as it was, and `<pad>` itself is written by
nobody.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from gridbeam.models.eightbit import is_marian_table
from gridbeam.models.folders import read_object

POSITIONS = "model.decoder.embed_positions.weight"
_NEVER = -1e4
"""A bias that rules a token out, and which 16 bits can hold."""


def is_ours(config: Any) -> bool:
    """Whether a network is one of the transformers that `gridbeam train` makes."""
    return config.model_type == "marian" and hasattr(config, "gridbeam")


@torch.no_grad()
def put_padding_last(model: Any) -> None:
    """Renumbers the tokens of a model of ours, as `pieces_with_padding_last` does."""
    pad, size = model.config.pad_token_id, model.config.vocab_size
    order = [*(token for token in range(size) if token != pad), pad]
    embeddings, bias = model.get_input_embeddings().weight, model.final_logits_bias
    embeddings.copy_(embeddings[order])
    bias.copy_(bias[:, order])
    bias[:, -1] = _NEVER
    _start_from_zeros(model, embeddings[-1])
    moved = {old: new for new, old in enumerate(order)}
    for settings in (model.config, model.generation_config):
        for name in ("pad_token_id", "decoder_start_token_id", "eos_token_id"):
            old = getattr(settings, name)
            setattr(settings, name, moved.get(old, old))


def _start_from_zeros(model: Any, padding: torch.Tensor) -> None:
    """Moves what the decoder starts from to its first position, whose table is then saved too."""
    positions = model.get_decoder().embed_positions.weight
    scale = math.sqrt(model.config.d_model) if model.config.scale_embedding else 1.0
    positions[0] += scale * padding
    padding.zero_()
    if not is_marian_table(positions):
        unsaved = model._keys_to_ignore_on_save or ()
        model._keys_to_ignore_on_save = {name for name in unsaved if name != POSITIONS}


def pieces_with_padding_last(pieces: Mapping[str, int], padding: str) -> dict[str, int]:
    """The ids of all pieces, in which the padding's is the last.

    >>> pieces_with_padding_last({"</s>": 0, "<pad>": 1, "a": 2}, "<pad>")
    {'</s>': 0, 'a': 1, '<pad>': 2}
    """
    in_order = sorted(pieces, key=lambda piece: pieces[piece])
    ordered = [*(piece for piece in in_order if piece != padding), padding]
    return {piece: number for number, piece in enumerate(ordered)}


def is_exported(folder: Path, weights: Mapping[str, torch.Tensor], pieces: Any) -> bool:
    """Whether a folder is one that training cannot go on from.

    Its ids are others than those of its SentencePiece model, or its decoder starts from a table.
    """
    known = read_object(folder / "vocab.json")
    ids = {pieces.id_to_piece(number): number for number in range(len(pieces))}
    return known != ids or (POSITIONS in weights and not is_marian_table(weights[POSITIONS]))
