"""What a Hugging Face model has computed so far, for every row: keys, values, encoder output.

`Shared` stores once what the rows of a sentence share; `Copied` stores all of it for every row, as
transformers does. They say the same, and `Copied` works with every model.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import torch
from jaxtyping import Int
from torch import Tensor
from transformers import PreTrainedModel
from transformers.cache_utils import Cache, DynamicCache, EncoderDecoderCache
from transformers.modeling_outputs import BaseModelOutput
from transformers.utils.generic import ModelOutput

from gridbeam.models.huggingface.attention import attending_to_shared
from gridbeam.models.huggingface.sharing import SharedCache, keys_and_values
from gridbeam.models.rowtable import Places, places_of

Inputs = dict[str, Any]


@runtime_checkable
class Memory(Protocol):
    """What was computed for each row, as inputs of the next call."""

    @property
    def is_usable(self) -> bool:
        """Whether the last call could work with it."""
        ...

    def inputs(self) -> Inputs:
        """The cache and the encoder's output, as the model takes them."""
        ...

    def call(self, model: PreTrainedModel, inputs: Inputs) -> ModelOutput:
        """What the model returns for one more token a row; the memory then holds that token too."""
        ...

    def select(self, rows: Int[Tensor, "new_row"]) -> Memory:
        """The memory of these rows; this one stays as it is."""
        ...


@dataclass(frozen=True)
class Copied:
    """A row of everything for each row."""

    cache: Any
    """A `DynamicCache`, or two in an `EncoderDecoderCache`."""
    encoder_outputs: ModelOutput | None
    is_usable = True

    def inputs(self) -> Inputs:
        """The cache and the encoder's output."""
        return _inputs(self.cache, self.encoder_outputs)

    def call(self, model: PreTrainedModel, inputs: Inputs) -> ModelOutput:
        """The model's answer, with its own attention."""
        answer: ModelOutput = model(**inputs, return_dict=True)
        return answer

    def select(self, rows: Int[Tensor, "new_row"]) -> Copied:
        """A copy of these rows of everything."""
        return Copied(
            _selected_cache(self.cache, rows), _selected_output(self.encoder_outputs, rows)
        )


@dataclass(frozen=True)
class Shared:
    """A row for each sentence, and for each hypothesis only what it has added."""

    own: SharedCache
    cross: SharedCache | None
    encoder_outputs: ModelOutput | None
    places: Places

    @classmethod
    def of(cls, first: Copied) -> Shared:
        """What all sentences have after the first call, to be shared by the rows to come."""
        has_encoder = isinstance(first.cache, EncoderDecoderCache)
        own = first.cache.self_attention_cache if has_encoder else first.cache
        keys, _ = keys_and_values(own)[0]
        places = places_of(torch.arange(len(keys), device=keys.device), len(keys))
        cross = SharedCache.of(first.cache.cross_attention_cache, places) if has_encoder else None
        return cls(SharedCache.of(own, places), cross, first.encoder_outputs, places)

    @property
    def is_usable(self) -> bool:
        """Whether the model has left all keys and values to the attention function.

        That includes those of its encoder's output.
        """
        return self.own.is_read and (
            self.cross is None or (len(self.cross) > 0 and self.cross.is_read)
        )

    def inputs(self) -> Inputs:
        """The caches, and a stand-in for the encoder's output, whose keys and values they hold."""
        cache = self.own if self.cross is None else EncoderDecoderCache(self.own, self.cross)
        return _inputs(cache, _hollow(self.encoder_outputs, self.places.sentence))

    def call(self, model: PreTrainedModel, inputs: Inputs) -> ModelOutput:
        """The model's answer, with an attention that looks at both parts.

        Worth nothing where it turns out not to be usable.
        """
        is_known_to_work = self.is_usable
        try:
            with attending_to_shared(model):
                answer: ModelOutput = model(**inputs, return_dict=True)
        except RuntimeError:
            if is_known_to_work:
                raise
            answer = BaseModelOutput()  # layers in 8 bits take no NaN, and say so
        # What a model computes with a stand-in itself is NaN. One look at its first answer is
        # enough: a GPU waits for it.
        if not is_known_to_work and (
            "logits" not in answer or bool(answer["logits"].isnan().any())
        ):
            self.own.distrust()
        return answer

    def select(self, rows: Int[Tensor, "new_row"]) -> Shared:
        """The memory of these rows: what they share is not copied.

        It is dropped once half of its sentences have no row.
        """
        sentence, sentences, kept = self.places.sentence[rows], self.places.sentences, None
        alive, renumbered = torch.unique(sentence, return_inverse=True)
        if 2 * len(alive) <= sentences:
            sentence, sentences, kept = renumbered, len(alive), alive
        places = places_of(sentence, sentences)
        cross = None if self.cross is None else self.cross.select(rows, places, kept)
        return Shared(
            self.own.select(rows, places, kept), cross, self._selected_output(kept), places
        )

    def _selected_output(self, kept: Int[Tensor, "kept"] | None) -> ModelOutput | None:
        """The encoder's output.

        Nobody will read its hidden states again once their keys and values were read.
        """
        if self.is_usable:
            return _hollow(
                self.encoder_outputs, torch.arange(self.places.sentences) if kept is None else kept
            )
        return (
            self.encoder_outputs if kept is None else _selected_output(self.encoder_outputs, kept)
        )

    def copied(self) -> Copied:
        """The same with a copy for each row, of rows that have added nothing yet."""
        sentence = self.places.sentence
        own = self.own.copied(sentence)
        cache = own if self.cross is None else EncoderDecoderCache(own, self.cross.copied(sentence))
        return Copied(cache, _selected_output(self.encoder_outputs, sentence))


def _inputs(cache: Cache, encoder_outputs: ModelOutput | None) -> Inputs:
    return {"past_key_values": cache} | (
        {} if encoder_outputs is None else {"encoder_outputs": encoder_outputs}
    )


def _selected_output(
    output: ModelOutput | None, rows: Int[Tensor, "new_row"]
) -> ModelOutput | None:
    """These rows of all tensors of an encoder's output; what is not a tensor is left out."""
    if output is None:
        return None
    return type(output)(
        **{name: value[rows] for name, value in output.items() if isinstance(value, Tensor)}
    )


def _hollow(output: ModelOutput | None, rows: Int[Tensor, "new_row"]) -> ModelOutput | None:
    """These rows of an encoder's output, its hidden states NaN that take no memory."""
    if output is None:
        return None
    (name, hidden), *others = output.items()
    stand_in = hidden.new_full((), torch.nan).expand(len(rows), *hidden.shape[1:])
    return type(output)(
        **{name: stand_in}
        | {other: value[rows] for other, value in others if isinstance(value, Tensor)}
    )


def _selected_cache(cache: Cache, rows: Int[Tensor, "new_row"]) -> Cache:
    if isinstance(cache, EncoderDecoderCache):
        return EncoderDecoderCache(
            _selected_cache(cache.self_attention_cache, rows),
            _selected_cache(cache.cross_attention_cache, rows),
        )
    selected = copy.copy(cache)
    selected.layers = [copy.copy(layer) for layer in cache.layers]
    selected.batch_select_indices(rows)
    return selected


def empty_cache(*, has_encoder: bool) -> Cache:
    """A cache that keeps all keys, also those that a sliding window has passed.

    These are masked by their positions.
    """
    return EncoderDecoderCache(DynamicCache(), DynamicCache()) if has_encoder else DynamicCache()
