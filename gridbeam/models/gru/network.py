"""The paper's network: a bidirectional GRU reads the source, a GRU with attention writes.

It is that of Bahdanau et al. (2015), with the sizes, biases and first weights of the machine
translation example of Blocks, which the authors used. Names in comments are those of Bahdanau's
appendix. All that does not depend on the recurrences is one matrix product for all positions; what
is left for each is in `recurrences.py`. Tokens come first in what it is given there.

A token is read out from g(y_{i-1}, s_i, c_i), as both papers write it; Blocks reads out from
s_{i-1}, feeds zeros where we feed `bos`, and drops out only after the maxout. Nothing waits for the
GPU, so that a CUDA graph can hold a whole training step.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from gridbeam.errors import UserError
from gridbeam.models.folders import LARGEST
from gridbeam.models.gru.recurrences import Encoded, Steps, StepWeights, read, write


@dataclass(frozen=True)
class GRUConfig:
    """The sizes of the network, and the ids that mean something to it."""

    vocab_size: int
    """How many tokens the target has; the source has as many, unless `source_vocab_size` says
    otherwise."""
    embedding: int = 300
    """The size of the vector of a token."""
    hidden: int = 1000
    """The size of each recurrent state, and of the attention between them. An even number."""
    dropout: float = 0.5
    """The share of each output layer that is left out in training."""
    pad: int = 0
    """Fills up the shorter sources of a batch, on the right. No source contains it."""
    bos: int = 1
    """What the decoder is fed first."""
    eos: int = 2
    """The token that ends a target."""
    source_vocab_size: int | None = None
    """How many tokens the source has, if not `vocab_size`."""

    def __post_init__(self) -> None:
        for name in ("vocab_size", "embedding", "hidden", "source_vocab_size"):
            size = self.source_size if name == "source_vocab_size" else getattr(self, name)
            if not 1 <= size <= LARGEST:
                raise UserError(f"{name}={size} is not a size: give 1 to {LARGEST:,}")
        if self.hidden % 2:
            raise UserError(
                f"hidden={self.hidden} is odd, but the readout takes the larger of each pair: give"
                " an even number"
            )
        if not 0 <= self.dropout < 1:
            raise UserError(
                f"dropout={self.dropout} is not a share of a layer: give at least 0 and less than 1"
            )
        for name, size in (
            ("pad", self.source_size),
            ("bos", self.vocab_size),
            ("eos", self.vocab_size),
        ):
            if not 0 <= getattr(self, name) < size:
                raise UserError(
                    f"{name}={getattr(self, name)} is not a token: the vocabulary has ids from 0 to"
                    f" {size - 1}"
                )
        if self.pad == self.eos:
            raise UserError(
                f"pad and eos are both {self.pad}: give pad an id of its own, or the end of a"
                " source is masked"
            )

    @property
    def source_size(self) -> int:
        """How many tokens the source has."""
        return self.vocab_size if self.source_vocab_size is None else self.source_vocab_size


class AttentionalGRU(nn.Module):
    """Scores the next token after each prefix of a target."""

    def __init__(self, config: GRUConfig) -> None:
        super().__init__()
        self.config = config
        embedding, hidden = config.embedding, config.hidden
        self.source_embedding = nn.Embedding(config.source_size, embedding)
        self.target_embedding = nn.Embedding(config.vocab_size, embedding)
        self.encoder_forward = nn.GRU(embedding, hidden, batch_first=True)
        self.encoder_backward = nn.GRU(embedding, hidden, batch_first=True)
        self.first_state = nn.Linear(hidden, hidden)  # W_s
        self.keys = nn.Linear(2 * hidden, hidden)  # U_a
        self.energy = nn.Linear(hidden, 1, bias=False)  # v_a
        # What each thing adds: [W_a | gates], gates, [gates | V_o], [U_o C_o]. Gates are reset,
        # update, proposal.
        self.of_state = nn.Linear(hidden, 4 * hidden, bias=False)
        self.of_context = nn.Linear(2 * hidden, 3 * hidden, bias=False)
        self.of_token = nn.Linear(embedding, 4 * hidden)
        self.readout = nn.Linear(3 * hidden, hidden, bias=False)
        self.narrowed = nn.Linear(hidden // 2, embedding, bias=False)
        self.to_vocabulary = nn.Linear(embedding, config.vocab_size)
        self.dropout = nn.Dropout(config.dropout)
        self._steps = Steps()
        self._initialise()

    def forward(
        self, source: Int[Tensor, "batch source"], target: Int[Tensor, "batch target"]
    ) -> Float[Tensor, "batch target vocab"]:
        """The logits of the token after each position of the target, which begins with `bos`.

        Each source has at least one token, and `pad` to its right. A target may be padded on the
        right with anything.
        """
        logits: Tensor = self.to_vocabulary(self.readouts(source, target))
        return logits

    def readouts(
        self, source: Int[Tensor, "batch source"], target: Int[Tensor, "batch target"]
    ) -> Float[Tensor, "batch target embedding"]:
        """What `to_vocabulary` makes the logits of.

        A loss can leave out padding first, and take some at a time.
        """
        encoded, state = self.encode(source)
        gates, of_token = self._of_tokens(target.T)
        states, contexts = write(
            gates, state, encoded, self._step_weights(encoded.keys.dtype), self._steps
        )
        return self._read_out(states, contexts, of_token).transpose(0, 1)

    def encode(
        self, source: Int[Tensor, "batch source"]
    ) -> tuple[Encoded, Float[Tensor, "batch hidden"]]:
        """What the decoder reads of each source, and the state it starts from."""
        is_token = source != self.config.pad
        mirrored = _mirrored(is_token.sum(1, keepdim=True), source.shape[1])
        embedded = self.source_embedding(source)
        forward, backward = self._read_both(
            torch.stack([embedded, torch.take_along_dim(embedded, mirrored, 1)])
        )
        backward = torch.take_along_dim(backward, mirrored, 1)
        annotations = torch.cat([forward, backward], -1)
        keys = self.keys(annotations)
        exact = torch.promote_types(keys.dtype, torch.float32)
        mask = torch.zeros(source.shape, dtype=exact, device=source.device).masked_fill(
            ~is_token, -torch.inf
        )
        return Encoded(annotations.to(keys.dtype), keys, mask), torch.tanh(
            self.first_state(backward[:, 0])
        ).to(exact)

    def _read_both(
        self, embedded: Float[Tensor, "2 batch source embedding"]
    ) -> Float[Tensor, "2 batch source hidden"]:
        """The states of both directions, each of which reads its input from left to right."""
        both = (self.encoder_forward, self.encoder_backward)
        if not torch.is_grad_enabled() and not torch.is_autocast_enabled(embedded.device.type):
            # Where nothing is learned, torch's own, which is several times as fast on a CPU.
            return torch.stack([gru(texts)[0] for gru, texts in zip(both, embedded, strict=True)])
        names = ("weight_ih_l0", "bias_ih_l0", "weight_hh_l0", "bias_hh_l0")
        of_token, token_bias, of_state, state_bias = (
            torch.stack([gru.get_parameter(n) for gru in both]) for n in names
        )
        inputs = embedded.transpose(1, 2) @ of_token[:, None].mT
        kind = inputs.dtype
        inputs = inputs + token_bias[:, None, None].to(kind)
        return (
            read(inputs, of_state.to(kind), state_bias.to(kind), self._steps)
            .permute(1, 2, 0, 3)
            .to(embedded.dtype)
        )

    def step(
        self,
        encoded: Encoded,
        state: Float[Tensor, "sentence row hidden"],
        tokens: Int[Tensor, "sentence row"],
    ) -> tuple[Float[Tensor, "sentence row embedding"], Float[Tensor, "sentence row hidden"]]:
        """What `to_vocabulary` makes the next logits of, and the state, after one more token.

        For each row of each sentence.
        """
        gates, of_token = self._of_tokens(tokens)
        made = self._steps.decoder(state, gates, encoded, self._step_weights(encoded.keys.dtype))
        return self._read_out(made.state, made.context, of_token), made.state

    def compile_steps(self, *, backend: str = "inductor") -> None:
        """Lets torch compile the steps of encoder and decoder: worth it for many batches."""
        self._steps = self._steps.compiled(backend)

    def _of_tokens(self, tokens: Int[Tensor, "sentence row"]) -> tuple[Tensor, Tensor]:
        """What each token adds to the gates, and to the readout."""
        hidden = self.config.hidden
        gates, readout = torch.split(
            self.of_token(self.target_embedding(tokens)), [3 * hidden, hidden], -1
        )
        return gates, readout

    def _read_out(
        self,
        states: Float[Tensor, "sentence row hidden"],
        contexts: Float[Tensor, "sentence row both"],
        of_token: Float[Tensor, "sentence row hidden"],
    ) -> Float[Tensor, "sentence row embedding"]:
        merged = of_token + self.readout(torch.cat([states.to(contexts.dtype), contexts], -1))
        larger = torch.maximum(merged[..., 0::2], merged[..., 1::2])
        readouts: Tensor = self.dropout(self.narrowed(self.dropout(larger)))
        return readouts

    def _step_weights(self, dtype: torch.dtype) -> StepWeights:
        energy = self.energy.weight[0]
        return StepWeights(
            self.of_state.weight.to(dtype), self.of_context.weight.to(dtype), energy.to(dtype)
        )

    @torch.no_grad()
    def _initialise(self) -> None:
        """Small weights, no biases, and recurrent matrices that keep the length of a state."""
        for name, parameter in self.named_parameters():
            if "bias" in name:
                nn.init.zeros_(parameter)
            else:
                nn.init.normal_(parameter, std=0.01)
        encoders = (self.encoder_forward, self.encoder_backward)
        recurrent = [gru.get_parameter("weight_hh_l0") for gru in encoders] + [
            self.of_state.weight[self.config.hidden :]
        ]
        for gates in recurrent:
            for matrix in gates.chunk(3):
                nn.init.orthogonal_(matrix)


def _mirrored(lengths: Int[Tensor, "sentence 1"], width: int) -> Int[Tensor, "sentence source 1"]:
    """Where each token of a sentence stands when it is read backwards; padding stays where it is.

    So each direction reads padding last, and nothing that is used has seen it: unlike packing, this
    waits for no lengths.
    """
    places = torch.arange(width, device=lengths.device)
    return torch.where(places < lengths, lengths - 1 - places, places)[..., None]
