"""A network as a `Model`: `start` encodes, `step` reads one token of each row, `select` picks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from gridbeam.errors import UserError
from gridbeam.models.lean.marian import Marian
from gridbeam.models.lean.sources import RecentSources
from gridbeam.models.lean.tree import RowTree, seedling, selected

_AT_ONCE = 64
"""How many rows the scores of all tokens are computed for at a time."""


@dataclass(frozen=True)
class LeanState:
    """Where each row stands."""

    trees: tuple[RowTree, ...]
    read: Int[Tensor, "row"]
    """How many tokens each row has read."""


class Lean:
    """An encoder-decoder computed without transformers; a source is a sequence of token ids.

    `forbidden` tokens are never written; the others share their probability. A text that fills the
    table of positions must end there, whatever `max_length` says.
    """

    device = torch.device("cpu")

    def __init__(
        self, network: Marian, *, bos: int, eos: tuple[int, ...], forbidden: Iterable[int] = ()
    ) -> None:
        self.network = network
        self.sources = RecentSources(network.encode)
        self.bos = bos
        self.eos: int | tuple[int, ...] = eos
        self.vocab_size = len(network.embeddings.numbers)
        self._holds = len(network.target_positions)
        self._reads = len(network.source_positions)
        self.positions = min(self._holds, self._reads)
        self._forbidden = torch.tensor(sorted(forbidden), dtype=torch.long)
        self._ends = torch.tensor(eos)

    @torch.inference_mode()
    def start(self, sources: Sequence[Any]) -> LeanState:
        """A state with one row for each source, which is encoded."""
        ids = [tuple(self._ids(source, number)) for number, source in enumerate(sources)]
        width = 2 * self.network.heads.width
        trees = tuple(seedling(source, width) for source in self.sources.of(ids))
        return LeanState(trees, torch.zeros(len(ids), dtype=torch.long))

    @torch.inference_mode()
    def begin(
        self, sources: Sequence[Any], beginnings: Int[Tensor, "row token"]
    ) -> tuple[Float[Tensor, "place row vocab"], LeanState]:
        """What the first steps would give, whose tokens are known, and the state after them."""
        texts, count = len(sources), beginnings.shape[1] + 1
        tokens = torch.cat([torch.full((texts, 1), self.bos), beginnings], 1)
        trees = tuple(tree.grown([count]) for tree in self.start(sources).trees)
        places = torch.arange(count).repeat(texts)
        rows = self.network.decode(trees, tokens.flatten(), places)
        found = self._log_probs(rows).view(texts, count, -1).transpose(0, 1)
        for read in range(1, count + 1):
            self._within_positions(found[read - 1], torch.tensor([read] * texts))
        last = tuple(tree.select([count - 1]) for tree in trees)
        return found, LeanState(last, torch.full((texts,), count))

    @torch.inference_mode()
    def step(
        self, state: LeanState, tokens: Int[Tensor, "row"]
    ) -> tuple[Float[Tensor, "row vocab"], LeanState]:
        """The log-probabilities of each row's next token, after one more."""
        trees = tuple(tree.grown([1] * tree.rows) for tree in state.trees)
        log_probs = self._log_probs(self.network.decode(trees, tokens, state.read))
        read = state.read + 1
        return self._within_positions(log_probs, read), LeanState(trees, read)

    def select(self, state: LeanState, rows: Int[Tensor, "new_row"]) -> LeanState:
        """The state of these rows."""
        return LeanState(selected(state.trees, rows.tolist()), state.read[rows])

    def _log_probs(self, rows: Float[Tensor, "row width"]) -> Float[Tensor, "row vocab"]:
        """The log-probabilities of all tokens; some rows at a time, as caches are small."""
        found = torch.empty(rows.shape[0], self.vocab_size)
        parts = zip(torch.split(rows, _AT_ONCE), torch.split(found, _AT_ONCE), strict=True)
        for part, into in parts:
            logits = self.network.output(part).index_fill_(1, self._forbidden, -torch.inf)
            torch.log_softmax(logits, 1, out=into)
        return found

    def _within_positions(
        self, log_probs: Float[Tensor, "row vocab"], read: Int[Tensor, "row"]
    ) -> Float[Tensor, "row vocab"]:
        """The scores, in which only an end may follow where all positions are taken."""
        if int(read.max()) < self._holds:
            return log_probs
        is_end = torch.zeros(self.vocab_size, dtype=torch.bool)
        is_end[self._ends] = True
        return log_probs.masked_fill_((read >= self._holds)[:, None] & ~is_end, -torch.inf)

    def _ids(self, source: Any, number: int) -> list[int]:
        """The token ids of a source that the network can read."""
        given = source["input_ids"] if isinstance(source, Mapping) else source
        ids: list[int] = torch.as_tensor(given).tolist()
        wrong = next((token for token in ids if not 0 <= token < self.vocab_size), None)
        if wrong is not None:
            raise UserError(
                f"source {number} has token {wrong}, but the model reads ids from 0 to"
                f" {self.vocab_size - 1}: encode it with the tokenizer of the model"
            )
        if len(ids) > self._reads:
            raise UserError(
                f"input_ids of source {number} has {len(ids)} tokens, and the model has positions"
                f" for no more than {self._reads}: shorten it, or search for its parts one by one"
            )
        return ids
