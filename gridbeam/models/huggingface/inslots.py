"""Models of transformers whose hypotheses can stand in slots, and their weights for it.

Whatever is not known here, an architecture, a rule for scores, a layer that something else has
taken the place of, is computed by transformers as ever.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor
from transformers import LogitsProcessorList
from transformers.generation.logits_process import (
    MinLengthLogitsProcessor,
    MinNewTokensLengthLogitsProcessor,
    NoBadWordsLogitsProcessor,
)

from gridbeam.models.huggingface.memory import Inputs
from gridbeam.models.slots.marian import MarianInSlots, is_known, marian_in_slots

INPUTS = frozenset({"input_ids", "attention_mask", "encoder_outputs", "decoder_input_ids"})
"""What a source may have."""
_ROWS = ("q_proj", "k_proj", "v_proj", "out_proj")
_kept: WeakKeyDictionary[Any, dict[Any, MarianInSlots]] = WeakKeyDictionary()
_lock = Lock()


@dataclass(frozen=True)
class Rules:
    """What is asked of scores, where it is no more than this."""

    no_end_before: int = 0
    muted: frozenset[int] = frozenset()


def network_of(model: Any, forbidden: Sequence[int]) -> MarianInSlots | None:
    """The network of a model, made once and anew when its weights have changed; None if unknown."""
    if type(model).__name__ != "MarianMTModel" or not is_known(model.config):
        return None
    if model.training or not all(map(_is_plain, _layers(model))):
        return None
    key = (tuple(forbidden), tuple(map(_stamp, _weights(model))))
    with _lock:
        kept = _kept.setdefault(model, {})
        if key not in kept:
            kept.clear()
            kept[key] = marian_in_slots(model, forbidden)
        return kept[key]


def rules_of(processors: LogitsProcessorList, prompt: int, ends: Sequence[int]) -> Rules | None:
    """What processors do to the scores after prompts of so many tokens; None if that is unknown."""
    least, muted = 0, set[int]()
    for processor in processors:
        match processor:
            case MinNewTokensLengthLogitsProcessor():
                least = max(least, processor.min_new_tokens)
            case MinLengthLogitsProcessor():
                least = max(least, processor.min_length - prompt)
            case NoBadWordsLogitsProcessor():
                words = [tuple(word) for word in processor.sequence_bias]
                if any(len(word) != 1 for word in words):
                    return None
                muted |= {word[0] for word in words}
            case _:
                return None
    return None if muted & set(ends) else Rules(least, frozenset(muted))


def begins_with(batch: Inputs, token: int) -> bool:
    """Whether there is no prompt but this token."""
    prompt = batch.get("decoder_input_ids")
    return prompt is None or (prompt.shape[1] == 1 and bool((prompt == token).all()))


def _layers(model: Any) -> Iterator[Any]:
    """All layers whose weights are taken."""
    decoder = model.get_decoder()
    yield from (decoder.embed_tokens, decoder.embed_positions, model.lm_head)
    for layer in decoder.layers:
        for attention in (layer.self_attn, layer.encoder_attn):
            yield from (getattr(attention, name) for name in _ROWS)
        yield from (layer.fc1, layer.fc2)
        yield from (layer.self_attn_layer_norm, layer.encoder_attn_layer_norm)
        yield layer.final_layer_norm


def _is_plain(layer: Any) -> bool:
    """Whether a layer computes what its class says, and has ordinary weights."""
    is_own = isinstance(layer, torch.nn.Embedding) and "Sinusoidal" in type(layer).__name__
    is_ordinary = is_own or type(layer) in (torch.nn.Linear, torch.nn.Embedding, torch.nn.LayerNorm)
    hooks = (*layer._forward_hooks, *layer._forward_pre_hooks)
    return is_ordinary and not hooks and layer.weight.dtype.is_floating_point


def _weights(model: Any) -> Iterator[Tensor]:
    yield model.final_logits_bias
    for layer in _layers(model):
        yield from (
            each for each in (layer.weight, getattr(layer, "bias", None)) if each is not None
        )


def _stamp(weight: Tensor) -> tuple[int, int]:
    """What changes when a weight does."""
    return weight.data_ptr(), 0 if weight.is_inference() else weight._version
