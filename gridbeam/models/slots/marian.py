"""The decoder of Marian for hypotheses in slots, without transformers.

A column is the same operations over the same memory every time. What the hypotheses of a sentence
share, the keys and values of its source, is stored once; those of their own past are never moved
(`kernels/recall.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional
from torch.nn.functional import linear

from gridbeam.models.slots.kernels.norm import add_and_norm
from gridbeam.models.slots.kernels.recall import recall

ACTIVATIONS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "relu": torch.relu,
    "swish": functional.silu,
    "silu": functional.silu,
    "gelu": functional.gelu,
}
_MULTIPLE = 64
"""Vocabularies are filled up to a multiple of this: odd ones take longer to multiply by."""


@dataclass(frozen=True)
class Linear:
    """A matrix and a bias."""

    weight: Float[Tensor, "out in"]
    bias: Float[Tensor, "out"]

    def __call__(self, rows: Float[Tensor, "*row in"]) -> Float[Tensor, "*row out"]:
        """The products."""
        return linear(rows, self.weight, self.bias)


@dataclass(frozen=True)
class AddedNorm:
    """Adds what a layer has made to its input, and normalises the sum."""

    weight: Float[Tensor, "width"]
    bias: Float[Tensor, "width"]
    epsilon: float

    def __call__(
        self, rows: Float[Tensor, "row width"], change: Float[Tensor, "row width"]
    ) -> Float[Tensor, "row width"]:
        """The rows after the layer."""
        return add_and_norm(rows, change, self.weight, self.bias, self.epsilon)


@dataclass(frozen=True)
class Layer:
    """Attention to what was written, to the source, then each token by itself."""

    project: Linear
    """To queries, which are scaled for attention, keys and values."""
    out: Linear
    norm: AddedNorm
    ask_source: Linear
    of_source: Linear
    """From what the encoder has made of a source to keys and values."""
    source_out: Linear
    source_norm: AddedNorm
    up: Linear
    down: Linear
    last_norm: AddedNorm


@dataclass(frozen=True, eq=False)
class MarianInSlots:
    """The weights of a decoder."""

    embeddings: Float[Tensor, "token width"]
    scale: float
    """What embeddings are multiplied by."""
    positions: Float[Tensor, "position width"]
    layers: tuple[Layer, ...]
    output: Linear
    heads: int
    activation: Callable[[Tensor], Tensor]
    workspace: dict[Any, Any] = field(default_factory=dict, repr=False)

    def seats(self, sentences: int, each: int, columns: int, width: int) -> MarianSeats:
        """Slots for so many sentences of at most `width` tokens, `each` of them."""
        return MarianSeats(self, sentences, each, columns, width)


class MarianSeats:
    """The caches of a batch, and the steps over them."""

    can_be_recorded = True

    def __init__(
        self, network: MarianInSlots, sentences: int, each: int, columns: int, width: int
    ) -> None:
        self._network, self._sentences, self._each = network, sentences, each
        self.vocab = len(network.output.weight)
        size, slots = network.embeddings.shape[1], sentences * each
        make = network.embeddings.new_zeros
        self._past = [make((columns, slots, 2 * size)) for _ in network.layers]
        self._source = [make((sentences, width, 2 * size)) for _ in network.layers]
        self._hidden = make((sentences, 1, 1, width))
        self._ancestors = torch.zeros(
            (slots, columns), dtype=torch.int32, device=network.embeddings.device
        )
        self._columns = torch.arange(columns, device=network.embeddings.device)

    def read(self, encoded: tuple[Tensor, Tensor | None]) -> None:
        """Begins a batch: what the encoder has made of its sources, and where they have tokens."""
        states, is_there = encoded
        sentences, width = states.shape[:2]
        self._hidden.fill_(-torch.inf)
        self._hidden[..., 0] = 0.0  # so that a slot without a source has numbers, too
        if is_there is None:
            self._hidden[:sentences, ..., :width] = 0.0
        else:
            shown = self._hidden.new_zeros(is_there.shape).masked_fill_(~is_there, -torch.inf)
            self._hidden[:sentences, 0, 0, :width] = shown
        for layer, store in zip(self._network.layers, self._source, strict=True):
            store.zero_()
            store[:sentences, :width] = layer.of_source(states.to(store.dtype))

    def step(
        self, tokens: Int[Tensor, "slot"], parents: Int[Tensor, "slot"], number: Int[Tensor, ""]
    ) -> Float[Tensor, "slot vocab"]:
        """The logits of each slot's next token."""
        network, at = self._network, number.view(1)
        self._inherit(parents, at)
        rows = network.embeddings.index_select(0, tokens) * network.scale
        rows = rows + network.positions.index_select(0, at)
        for layer, past, source in zip(network.layers, self._past, self._source, strict=True):
            known = recall(layer.project(rows), past, self._ancestors, number, network.heads)
            rows = layer.norm(rows, layer.out(known))
            seen = self._look(layer.ask_source(rows), source)
            rows = layer.source_norm(rows, layer.source_out(seen))
            rows = layer.last_norm(rows, layer.down(network.activation(layer.up(rows))))
        return network.output(rows)

    def _inherit(self, parents: Int[Tensor, "slot"], at: Int[Tensor, "1"]) -> None:
        """The ancestors of each slot are those of its parent, and then the parent."""
        before = self._ancestors.index_select(0, parents)
        is_last = self._columns == at - 1
        torch.where(is_last, parents[:, None].to(torch.int32), before, out=self._ancestors)

    def _look(
        self, asked: Float[Tensor, "slot width"], source: Float[Tensor, "sentence token two"]
    ) -> Float[Tensor, "slot width"]:
        """What each slot sees of the source of its sentence."""
        sentences, width, both = source.shape
        heads, size = self._network.heads, both // 2 // self._network.heads
        keys, values = source.view(sentences, width, 2, heads, size).permute(2, 0, 3, 1, 4)
        queries = asked.view(sentences, self._each, heads, size).transpose(1, 2)
        hidden = self._hidden.expand(-1, heads, self._each, -1)
        found = functional.scaled_dot_product_attention(
            queries, keys, values, attn_mask=hidden, scale=1.0
        )
        return found.transpose(1, 2).reshape(asked.shape)


def is_known(config: Any) -> bool:
    """Whether a network of this config can be computed here."""
    return (
        config.model_type == "marian"
        and config.activation_function in ACTIVATIONS
        and config.d_model % config.decoder_attention_heads == 0
    )


@torch.no_grad()
def marian_in_slots(model: Any, forbidden: Sequence[int]) -> MarianInSlots:
    """The decoder of a `MarianMTModel`, its weights copied.

    Forbidden tokens are never written; the others share their probability.
    """
    decoder, config = model.get_decoder(), model.config
    heads = config.decoder_attention_heads
    scaling = (config.d_model // heads) ** -0.5
    return MarianInSlots(
        embeddings=decoder.embed_tokens.weight.detach().clone(),
        scale=math.sqrt(config.d_model) if config.scale_embedding else 1.0,
        positions=decoder.embed_positions.weight.detach().clone(),
        layers=tuple(_layer(layer, scaling) for layer in decoder.layers),
        output=_output(model.lm_head.weight, model.final_logits_bias[0], forbidden),
        heads=heads,
        activation=ACTIVATIONS[config.activation_function],
    )


def _layer(layer: Any, scaling: float) -> Layer:
    own, source = layer.self_attn, layer.encoder_attn
    queries, keys, values = _linear(own.q_proj, scaling), _linear(own.k_proj), _linear(own.v_proj)
    return Layer(
        project=_side_by_side([queries, keys, values]),
        out=_linear(own.out_proj),
        norm=_norm(layer.self_attn_layer_norm),
        ask_source=_linear(source.q_proj, scaling),
        of_source=_side_by_side([_linear(source.k_proj), _linear(source.v_proj)]),
        source_out=_linear(source.out_proj),
        source_norm=_norm(layer.encoder_attn_layer_norm),
        up=_linear(layer.fc1),
        down=_linear(layer.fc2),
        last_norm=_norm(layer.final_layer_norm),
    )  # fmt: skip


def _linear(layer: Any, factor: float = 1.0) -> Linear:
    """The matrix and the bias of a layer, multiplied."""
    return Linear(layer.weight.detach() * factor, layer.bias.detach() * factor)


def _side_by_side(layers: Sequence[Linear]) -> Linear:
    """One for layers with the same input, their outputs side by side."""
    weights, biases = [each.weight for each in layers], [each.bias for each in layers]
    return Linear(torch.cat(weights), torch.cat(biases))


def _norm(layer: Any) -> AddedNorm:
    return AddedNorm(layer.weight.detach().clone(), layer.bias.detach().clone(), layer.eps)


def _output(
    weight: Float[Tensor, "token width"], bias: Float[Tensor, "token"], forbidden: Sequence[int]
) -> Linear:
    """To logits, minus infinity for what is forbidden, and for what fills up the vocabulary."""
    more = -len(weight) % _MULTIPLE
    filled = functional.pad(weight.detach(), (0, 0, 0, more)).clone()
    biases = functional.pad(bias.detach().to(weight.dtype), (0, more), value=-torch.inf).clone()
    biases[list(forbidden)] = -torch.inf
    return Linear(filled, biases)
