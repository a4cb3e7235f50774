"""What `generate` returns: hypotheses as its usual tensors, and where constraints were met."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor
from transformers.generation.utils import (
    GenerateBeamDecoderOnlyOutput,
    GenerateBeamEncoderDecoderOutput,
)

from gridbeam.constraints.occurrences import Spans
from gridbeam.constraints.roles import Role
from gridbeam.constraints.terms import Constraint
from gridbeam.decoding.hypothesis import Hypothesis, origins_of
from gridbeam.models.huggingface.adapter import HuggingFace

NO_ORIGIN = -1
"""In place of an `Origin`: a token of the prompt, or padding."""


class GridBeamOutput:
    """What constrained decoding adds to the outputs of `generate`, an entry for each sequence."""

    # Not fields of the dataclasses below: some models take those apart and know only the usual
    # ones.
    constraints_met: list[list[bool]] | None = None
    """For each constraint of the row, in the order it was given, whether it is met: always, unless
    there is no such text."""
    constraint_spans: list[tuple[Spans, ...]] | None = None
    """For each constraint the stretches of `sequences` that cover it: (first position, the one
    after the last)."""
    origins: Int[Tensor, "sequence length"] | None = None
    """For each position of `sequences`, whether it was generated (0), starts a constraint (1) or
    continues one (2); or -1."""
    hypotheses: list[Hypothesis | None] | None = None
    """The sequences as `gridbeam.search` returns them, log-probabilities and recorded grids
    included."""


class GridBeamDecoderOnlyOutput(GridBeamOutput, GenerateBeamDecoderOnlyOutput):
    """The output of a causal model."""


class GridBeamEncoderDecoderOutput(GridBeamOutput, GenerateBeamEncoderDecoderOutput):
    """The output of an encoder-decoder model."""


class Generated:
    """Hypotheses as the tensors that `generate` returns."""

    def __init__(
        self,
        found: list[list[Hypothesis]],
        terms: list[list[Constraint]],
        prompts: Int[Tensor, "source length"],
        config: Any,
    ) -> None:
        self.prompts, self.wanted = prompts, config.num_return_sequences
        self.best: list[Hypothesis | None] = []
        for number, hypotheses in enumerate(found):
            if len(hypotheses) < self.wanted:
                warnings.warn(
                    f"row {number}: {len(hypotheses)} different texts were found that meet its"
                    f" constraints, and num_return_sequences is {self.wanted}; the rest is padding"
                    " with a score of -inf. Raise num_beams.",
                    stacklevel=2,
                )
            self.best += [*hypotheses, *[None] * (self.wanted - len(hypotheses))]
        self.terms = [row for row in terms for _ in range(self.wanted)]
        self.before = prompts.shape[1]
        self.after = max(len(best.tokens) for best in self.best if best is not None)
        self.filling = _filling(config)
        self.has_tag = config.forced_bos_token_id is not None

    @cached_property
    def sequences(self) -> Int[Tensor, "sequence length"]:
        """Prompts and texts, padded."""
        tokens = [best.tokens if best is not None else () for best in self.best]
        return torch.cat(
            [self.prompts.repeat_interleave(self.wanted, 0), self._padded(tokens, self.filling)], 1
        )

    @property
    def sequences_scores(self) -> Float[Tensor, "sequence"]:
        """The score of each text."""
        return torch.tensor(
            [-torch.inf if best is None else best.score for best in self.best],
            device=self.prompts.device,
        )

    @property
    def beam_indices(self) -> Int[Tensor, "sequence new"]:
        """Each sequence is its own beam in `step_scores`."""
        rows = [
            [number] * len(best.tokens) if best is not None else []
            for number, best in enumerate(self.best)
        ]
        return self._padded(rows, -1)

    @property
    def constraints_met(self) -> list[list[bool]]:
        """Whether each constraint of each text is met; a row of padding meets none."""
        return [
            [best is not None] * len(terms)
            for best, terms in zip(self.best, self.terms, strict=True)
        ]

    @property
    def constraint_spans(self) -> list[tuple[Spans, ...]]:
        """The stretches of `sequences` that meet each constraint."""
        return [
            tuple(tuple((a + self.before, b + self.before) for a, b in pieces) for pieces in row)
            for row in self._spans
        ]

    @property
    def origins(self) -> Int[Tensor, "sequence length"]:
        """How each token of `sequences` came about."""
        rows = []
        for best, spans in zip(self.best, self._spans, strict=True):
            found = origins_of(spans, len(best.tokens)) if best is not None else ()
            rows.append([NO_ORIGIN] * self.before + list(map(int, found)))
        return self._padded(rows, NO_ORIGIN, length=self.before + self.after)

    @cached_property
    def _spans(self) -> list[tuple[Spans, ...]]:
        """The stretches of each constraint.

        A language tag that was put before a prefix is none of them.
        """
        found = []
        for best, terms in zip(self.best, self.terms, strict=True):
            spans = best.spans if best is not None else ((),) * len(terms)
            found.append(
                tuple(
                    self._without_tag(term, pieces)
                    for term, pieces in zip(terms, spans, strict=True)
                )
            )
        return found

    def _without_tag(self, term: Constraint, pieces: Spans) -> Spans:
        return (
            pieces[1:]
            if self.has_tag and term.role is Role.FIRST and pieces[:1] == ((0, 1),)
            else pieces
        )

    def step_scores(
        self, adapter: HuggingFace, sources: Sequence[Any]
    ) -> tuple[Float[Tensor, "sequence vocab"], ...]:
        """For each step the scores of all tokens after each sequence, computed a second time."""
        state = adapter.start([source for source in sources for _ in range(self.wanted)])
        tokens = self.sequences[:, self.before :]
        scores = []
        for step in range(self.after):
            log_probs, state = adapter.step(state, tokens[:, max(step - 1, 0)])
            scores.append(log_probs)
        return tuple(scores)

    def _padded(
        self, rows: Sequence[Sequence[int]], filling: int, length: int | None = None
    ) -> Int[Tensor, "sequence any"]:
        length = self.after if length is None else length
        padded = [[*row, *[filling] * (length - len(row))] for row in rows]
        return torch.tensor(padded, dtype=torch.int64, device=self.prompts.device)


def _filling(config: Any) -> int:
    """What `generate` pads with: the padding token.

    Its beam search takes the end token where that is 0.
    """
    eos = config.eos_token_id if isinstance(config.eos_token_id, int) else config.eos_token_id[0]
    is_usable = config.pad_token_id or (config.pad_token_id == 0 and config.num_beams == 1)
    return int(config.pad_token_id if is_usable else eos)
