"""What a model that is there has learned, for one that may be larger or have another vocabulary.

A piece that both vocabularies have keeps its embedding; another one begins with the mean of the
pieces that spell it in the old vocabulary. Where the new encoder is deeper, the old layers are
spread over it evenly, and each layer between two of them hands on what it is given, nearly
unchanged, until it has learned better.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import sentencepiece
import torch
from torch import Tensor

from gridbeam.errors import UserError
from gridbeam.models.load import network_of
from gridbeam.models.padlast import is_exported

Weights: TypeAlias = dict[str, Tensor]

_ENCODER = "model.encoder.layers."
_EMBEDDINGS = "model.shared.weight"
_SILENT = ("self_attn.out_proj", "fc2")
_NORMS = ("self_attn_layer_norm", "final_layer_norm")


@torch.no_grad()
def taken_over(
    folder: Path, network: Any, vocabulary: Path, *, may_have_other_pieces: bool = False
) -> Weights:
    """The weights with which `network` begins as the model in a folder, which it must resemble."""
    own = network.state_dict()
    weights = dict(network_of(folder).state_dict())
    before = folder / "source.spm"
    if not before.is_file():
        raise UserError(
            f"training.start_from: {folder} has no source.spm, so its vocabulary is not known."
            " Start from a folder that gridbeam train has written."
        )
    if is_exported(folder, weights, _pieces(before)):
        raise UserError(
            f"training.start_from: {folder} was written by `gridbeam export`, for other tools."
            " Begin with the folder that training has written."
        )
    is_transformer = _EMBEDDINGS in own and _EMBEDDINGS in weights
    if before.read_bytes() != vocabulary.read_bytes():
        if not (is_transformer and may_have_other_pieces):
            raise UserError(
                f"training.start_from: {folder} has another vocabulary than {vocabulary}. Use a"
                " new --out, or another model; or give a transformer other pieces with"
                " vocabulary.file."
            )
        _change_vocabulary(weights, _pieces(before), _pieces(vocabulary))
    if is_transformer:
        weights = _deepened(weights, own)
    _refuse_other_sizes(folder, weights, own)
    return weights


def _pieces(path: Path) -> sentencepiece.SentencePieceProcessor:
    return sentencepiece.SentencePieceProcessor(model_file=str(path))


def _change_vocabulary(
    weights: Weights,
    old: sentencepiece.SentencePieceProcessor,
    new: sentencepiece.SentencePieceProcessor,
) -> None:
    """Replaces all that has a row for each piece."""
    size = len(old)
    known = {old.id_to_piece(number): number for number in range(size)}
    rows = [_spelled(new.id_to_piece(number), known, old) for number in range(len(new))]
    replaced: dict[int, Tensor] = {}
    for name, tensor in weights.items():
        if tensor.ndim == 2 and tensor.shape[0] == size:
            key = tensor.data_ptr()
            if key not in replaced:
                replaced[key] = torch.stack([tensor[row].mean(0) for row in rows])
            weights[name] = replaced[key]
        elif name == "final_logits_bias":
            weights[name] = tensor.new_zeros(1, len(new))
    weights[_EMBEDDINGS][new.pad_id()] = 0


def _spelled(
    piece: str, known: Mapping[str, int], old: sentencepiece.SentencePieceProcessor
) -> list[int]:
    """The old pieces whose mean is a new piece's first embedding."""
    if piece in known:
        return [known[piece]]
    word_begins = piece.startswith("▁")
    found = old.encode(piece.replace("▁", " ").strip() or " ")
    bare = [token for token in found if old.id_to_piece(token) != "▁"]
    return (found if word_begins else bare) or [old.unk_id()]


def _deepened(weights: Weights, own: Mapping[str, Tensor]) -> Weights:
    """The weights with as many layers of the encoder as `own` has, if these are no fewer."""
    have, wanted = _depth(weights), _depth(own)
    if wanted <= have:
        return weights
    kept = {name: tensor for name, tensor in weights.items() if not name.startswith(_ENCODER)}
    done = 0
    for layer in range(wanted):
        is_old = layer * have // wanted >= done
        like = _layer(weights, done if is_old else done - 1)
        done += is_old
        made = like if is_old else _handing_on(like)
        kept |= {f"{_ENCODER}{layer}.{name}": tensor for name, tensor in made.items()}
    return kept


def _depth(weights: Mapping[str, Tensor]) -> int:
    numbers = {name.split(".")[3] for name in weights if name.startswith(_ENCODER)}
    return len(numbers)


def _layer(weights: Mapping[str, Tensor], number: int) -> Weights:
    prefix = f"{_ENCODER}{number}."
    return {
        name.removeprefix(prefix): tensor.clone()
        for name, tensor in weights.items()
        if name.startswith(prefix)
    }


def _handing_on(layer: Weights) -> Weights:
    """A layer like this one that adds nothing to what it reads.

    Each of its norms would still bring what it reads to mean 0 and variance 1: so it multiplies by
    the usual deviation of what the layer before writes, and adds the usual mean.
    """
    gain, bias = layer[f"{_NORMS[1]}.weight"], layer[f"{_NORMS[1]}.bias"]
    mean = bias.mean()
    deviation = ((gain**2 + bias**2).mean() - mean**2).sqrt()
    for name in _SILENT:
        for part in ("weight", "bias"):
            layer[f"{name}.{part}"].zero_()
    for name in _NORMS:
        layer[f"{name}.weight"].fill_(deviation)
        layer[f"{name}.bias"].fill_(mean)
    return layer


def _refuse_other_sizes(folder: Path, weights: Weights, own: Mapping[str, Tensor]) -> None:
    for name in sorted(own.keys() | weights.keys()):
        found, wanted = (
            tuple(each[name].shape) if name in each else None for each in (weights, own)
        )
        if found != wanted:
            raise UserError(
                f"training.start_from: {folder} is a network of other sizes: {name} is"
                f" {found or 'missing'} there and {wanted or 'missing'} in this configuration."
                " Give it the [network] of that model; only encoder_layers may be more."
            )
