"""Several models that decide together, as one `Model`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from gridbeam.errors import UserError
from gridbeam.models import Model, ends_of


@dataclass(frozen=True)
class EnsembleState:
    """The state of each member."""

    members: tuple[Any, ...]
    is_first: bool
    """Whether no step was taken yet: the first feeds each member its own `bos`."""


class Ensemble:
    """Models of one vocabulary whose probabilities are averaged, with weights if given.

    `log_linear` averages log-probabilities and normalises again: what one member forbids stays
    forbidden. `linear` averages probabilities: what one member likes stays possible. A source is
    given to all members; a tuple with one source for each member gives each its own.
    """

    def __init__(
        self,
        models: Sequence[Model[Any]],
        weights: Sequence[int | float] | None = None,
        combine: str = "log_linear",
    ) -> None:
        _check_models(models)
        if combine not in ("log_linear", "linear"):
            raise UserError(f'unknown combine="{combine}": write "log_linear" or "linear"')
        self._models = tuple(models)
        self._is_linear = combine == "linear"
        self._weights = _shares(weights, len(models))
        self.vocab_size, self.bos, self.eos = models[0].vocab_size, models[0].bos, models[0].eos
        self.device = torch.device(getattr(models[0], "device", "cpu"))
        limits = (getattr(model, "positions", None) for model in models)
        self.positions: int | None = min(
            (limit for limit in limits if limit is not None), default=None
        )

    def start(self, sources: Sequence[Any]) -> EnsembleState:
        """The state of each member for its own sources."""
        per_member = zip(
            *(self._one_each(source, number) for number, source in enumerate(sources)), strict=True
        )
        return EnsembleState(
            tuple(
                model.start(list(own)) for model, own in zip(self._models, per_member, strict=True)
            ),
            is_first=True,
        )

    def step(
        self, state: EnsembleState, tokens: Int[Tensor, "row"]
    ) -> tuple[Float[Tensor, "row vocab"], EnsembleState]:
        """The combined log-probabilities."""
        answers = []
        for model, member in zip(self._models, state.members, strict=True):
            fed = torch.full_like(tokens, model.bos) if state.is_first else tokens
            answers.append(model.step(member, fed.to(_device(model))))
        log_probs = torch.stack([answer.to(self.device, torch.float32) for answer, _ in answers])
        return self._combined(log_probs), EnsembleState(
            tuple(member for _, member in answers), is_first=False
        )

    def select(self, state: EnsembleState, rows: Int[Tensor, "new_row"]) -> EnsembleState:
        """These rows of each member's state."""
        members = zip(self._models, state.members, strict=True)
        return EnsembleState(
            tuple(model.select(member, rows.to(_device(model))) for model, member in members),
            state.is_first,
        )

    def _combined(self, log_probs: Float[Tensor, "member row vocab"]) -> Float[Tensor, "row vocab"]:
        counts = self._weights > 0
        weights = self._weights[counts].to(log_probs)[:, None, None]
        log_probs = log_probs[counts.to(log_probs.device)]
        if self._is_linear:
            return (log_probs + weights.log()).logsumexp(0).clamp(max=0.0)
        together = (log_probs * weights).sum(0)
        # Where the members have forbidden all tokens between them, there is nothing to normalise.
        return together.log_softmax(-1).masked_fill(together.isneginf(), -torch.inf)

    def _one_each(self, source: Any, number: int) -> tuple[Any, ...]:
        if not isinstance(source, tuple) or all(isinstance(token, int) for token in source):
            return (source,) * len(self._models)
        if len(source) != len(self._models):
            raise UserError(
                f"source {number} is a tuple of {len(source)}, but there are {len(self._models)}"
                " models: give one source for each, or a list to give all the same"
            )
        return source


def _device(model: Model[Any]) -> torch.device:
    return torch.device(getattr(model, "device", "cpu"))


def _check_models(models: Sequence[Model[Any]]) -> None:
    if not models:
        raise UserError("an ensemble needs at least one model: Ensemble([model, ...])")
    for number, model in enumerate(models):
        if model.vocab_size != models[0].vocab_size:
            raise UserError(
                f"model {number} has a vocabulary of {model.vocab_size} tokens, but model 0 one of"
                f" {models[0].vocab_size}: combine only models that share a vocabulary"
            )
        if set(ends_of(model)) != set(ends_of(models[0])):
            raise UserError(
                f"model {number} ends with eos {model.eos}, but model 0 with {models[0].eos}: give"
                " them the same eos"
            )


def _shares(weights: Sequence[int | float] | None, members: int) -> Float[Tensor, "member"]:
    """The weights, made to add up to 1."""
    if weights is None:
        weights = [1.0] * members
    if len(weights) != members:
        raise UserError(
            f"there are {len(weights)} weights for {members} models: give one for each model"
        )
    if min(weights) < 0 or not 0 < sum(weights) < float("inf"):
        raise UserError(
            f"weights {list(weights)} do not say how much each model counts: none may be negative,"
            " nor all be 0"
        )
    return torch.tensor([weight / sum(weights) for weight in weights], dtype=torch.float64)
