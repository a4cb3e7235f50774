"""The network of Marian: an encoder, and a decoder whose hypotheses are a tree."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional

from gridbeam.models.eightbit import sinusoids
from gridbeam.models.lean.attention import Heads
from gridbeam.models.lean.matrices import Matrix, matrix_of
from gridbeam.models.lean.tree import KeysAndValues, RowTree
from gridbeam.models.lean.weights import StoredMatrix, StoredWeights, side_by_side

ACTIVATIONS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "relu": torch.relu_,
    "swish": functional.silu,
    "silu": functional.silu,
    "gelu": functional.gelu,
}


@dataclass(frozen=True)
class Norm:
    """Adds what a layer has made to its input, and normalises the sum."""

    weight: Float[Tensor, "width"]
    bias: Float[Tensor, "width"]

    def __call__(
        self, rows: Float[Tensor, "row width"], change: Float[Tensor, "row width"]
    ) -> Float[Tensor, "row width"]:
        """The rows after the layer."""
        return torch.layer_norm(change.add_(rows), self.weight.shape, self.weight, self.bias)


@dataclass(frozen=True)
class FeedForward:
    """Two matrices and what stands between."""

    up: Matrix
    down: Matrix
    activation: Callable[[Tensor], Tensor]
    norm: Norm

    def __call__(self, rows: Float[Tensor, "row width"]) -> Float[Tensor, "row width"]:
        """The rows after it."""
        return self.norm(rows, self.down(self.activation(self.up(rows))))


@dataclass(frozen=True)
class EncoderLayer:
    """Attention of tokens to each other, then each by itself."""

    project: Matrix
    """To queries, keys and values."""
    out: Matrix
    norm: Norm
    feed_forward: FeedForward


@dataclass(frozen=True)
class DecoderLayer:
    """Attention to what was written, to the source, then each token by itself."""

    project: Matrix
    out: Matrix
    norm: Norm
    ask_source: Matrix
    source_out: Matrix
    source_norm: Norm
    feed_forward: FeedForward


@dataclass(frozen=True)
class Marian:
    """The whole network."""

    heads: Heads
    embeddings: StoredMatrix
    source_positions: Float[Tensor, "position width"]
    target_positions: Float[Tensor, "position width"]
    encoder: tuple[EncoderLayer, ...]
    decoder: tuple[DecoderLayer, ...]
    of_source: Matrix
    """From encoded tokens to the keys and values of all layers of the decoder."""
    output: Matrix

    def encode(self, sources: Sequence[Sequence[int]]) -> list[tuple[KeysAndValues, ...]]:
        """For each source what the layers of the decoder attend to."""
        lengths = [len(source) for source in sources]
        tokens = torch.tensor([token for source in sources for token in source])
        places = torch.cat([torch.arange(length) for length in lengths])
        rows = self.embeddings.lines(tokens).add_(self.source_positions[places])
        for layer in self.encoder:
            parts = [self._attend(part) for part in layer.project(rows).split_with_sizes(lengths)]
            rows = layer.norm(rows, layer.out(torch.cat(parts)))
            rows = layer.feed_forward(rows)
        return [self._by_layer(part) for part in self.of_source(rows).split_with_sizes(lengths)]

    def decode(
        self,
        trees: Sequence[RowTree],
        tokens: Int[Tensor, "row"],
        places: Int[Tensor, "row"],
    ) -> Float[Tensor, "row width"]:
        """What the network has made of the last tokens of `grown` trees.

        Their keys and values are put into the trees.
        """
        counts = [tree.rows for tree in trees]
        rows = self.embeddings.lines(tokens).add_(self.target_positions[places])
        for number, layer in enumerate(self.decoder):
            asked = layer.project(rows).split_with_sizes(counts)
            parts = [self._recall(*each, number) for each in zip(trees, asked, strict=True)]
            rows = layer.norm(rows, layer.out(torch.cat(parts)))
            asked = layer.ask_source(rows).split_with_sizes(counts)
            parts = [
                self.heads.attend(part, *tree.source[number])
                for tree, part in zip(trees, asked, strict=True)
            ]
            rows = layer.source_norm(rows, layer.source_out(torch.cat(parts)))
            rows = layer.feed_forward(rows)
        return rows

    def _attend(self, asked: Float[Tensor, "token three"]) -> Float[Tensor, "token width"]:
        queries, both = self._divided(asked)
        return self.heads.attend(queries, *self.heads.split(both))

    def _recall(
        self, tree: RowTree, asked: Float[Tensor, "row three"], layer: int
    ) -> Float[Tensor, "row width"]:
        queries, both = self._divided(asked)
        known = tree.remember(layer, both)
        return self.heads.attend(queries, *self.heads.split(known), tree.sees)

    def _divided(self, asked: Float[Tensor, "row three"]) -> tuple[Tensor, Tensor]:
        return asked[:, : self.heads.width], asked[:, self.heads.width :]

    def _by_layer(self, part: Float[Tensor, "token all"]) -> tuple[KeysAndValues, ...]:
        each = part.tensor_split(len(self.decoder), 1)
        return tuple(self.heads.split(both.contiguous()) for both in each)


def marian_of(config: Any, weights: StoredWeights, digits: int = 2) -> Marian:
    """The network of these weights; inputs have so many digits, or are floats if they have none."""
    return _LayerReader(config, weights, digits).network()


@dataclass(frozen=True)
class _LayerReader:
    """Reads layers by the names that transformers gives their weights."""

    config: Any
    weights: StoredWeights
    digits: int

    def network(self) -> Marian:
        config, width = self.config, self.config.d_model
        heads = Heads(config.decoder_attention_heads, width // config.decoder_attention_heads)
        embeddings = self.weights.matrix("model.shared.weight")
        encoder = [f"model.encoder.layers.{n}" for n in range(config.encoder_layers)]
        decoder = [f"model.decoder.layers.{n}" for n in range(config.decoder_layers)]
        of_source = [
            self.weights.linear(f"{name}.encoder_attn.{part}_proj")
            for name in decoder
            for part in "kv"
        ]
        bias = self.weights.tensors["final_logits_bias"][0]
        output = self.weights.matrix("model.shared.weight", bias if bool(bias.any()) else None)
        scaled = embeddings.times(math.sqrt(width)) if config.scale_embedding else embeddings
        return Marian(
            heads=heads,
            embeddings=scaled,
            source_positions=self._positions("encoder"),
            target_positions=self._positions("decoder"),
            encoder=tuple(self._encoder_layer(name, heads) for name in encoder),
            decoder=tuple(self._decoder_layer(name, heads) for name in decoder),
            of_source=self._matrix(side_by_side(of_source)),
            output=self._matrix(output),
        )

    def _encoder_layer(self, name: str, heads: Heads) -> EncoderLayer:
        return EncoderLayer(
            project=self._projection(f"{name}.self_attn", heads),
            out=self._linear(f"{name}.self_attn.out_proj"),
            norm=Norm(*self.weights.norm(f"{name}.self_attn_layer_norm")),
            feed_forward=self._feed_forward(name),
        )

    def _decoder_layer(self, name: str, heads: Heads) -> DecoderLayer:
        asking = self.weights.linear(f"{name}.encoder_attn.q_proj").times(heads.size**-0.5)
        return DecoderLayer(
            project=self._projection(f"{name}.self_attn", heads),
            out=self._linear(f"{name}.self_attn.out_proj"),
            norm=Norm(*self.weights.norm(f"{name}.self_attn_layer_norm")),
            ask_source=self._matrix(asking),
            source_out=self._linear(f"{name}.encoder_attn.out_proj"),
            source_norm=Norm(*self.weights.norm(f"{name}.encoder_attn_layer_norm")),
            feed_forward=self._feed_forward(name),
        )

    def _feed_forward(self, name: str) -> FeedForward:
        activation = self.config.activation_function
        return FeedForward(
            up=self._linear(f"{name}.fc1"),
            down=self._linear(f"{name}.fc2"),
            activation=ACTIVATIONS[activation],
            norm=Norm(*self.weights.norm(f"{name}.final_layer_norm")),
        )

    def _projection(self, name: str, heads: Heads) -> Matrix:
        """To queries, which are scaled for attention, keys and values."""
        queries, *others = (self.weights.linear(f"{name}.{part}_proj") for part in "qkv")
        return self._matrix(side_by_side([queries.times(heads.size**-0.5), *others]))

    def _linear(self, name: str) -> Matrix:
        return self._matrix(self.weights.linear(name))

    def _matrix(self, stored: StoredMatrix) -> Matrix:
        return matrix_of(stored, self.digits)

    def _positions(self, side: str) -> Float[Tensor, "position width"]:
        table = self.weights.tensors.get(f"model.{side}.embed_positions.weight")
        if table is None:
            return sinusoids(self.config.max_position_embeddings, self.config.d_model)
        return table
