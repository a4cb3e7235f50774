"""Texts whose first tokens are known: a model reads them in one pass, if it can.

A prefix leaves a search no choice, yet each of its tokens is a column, and a column is a step of
the model. `Foreknown` is a model in front of another, which has read the first tokens of all texts
already and answers the first steps from what it found; the search notices nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor

from gridbeam.models import Model

State = TypeVar("State")
Given = TypeVar("Given", covariant=True)
_MOST_SCORES = 50_000_000
"""How many log-probabilities are kept at most: 200 MB."""


@runtime_checkable
class Beginner(Protocol[Given]):
    """A model that reads several tokens of each text at once."""

    def begin(
        self, sources: Sequence[Any], beginnings: Int[Tensor, "row token"]
    ) -> tuple[Float[Tensor, "place row vocab"], Given]:
        """What `start`, and then `step` with the first token and each of these, would give.

        That is the log-probabilities after each of them, one more than a text has tokens here, and
        the last state.
        """
        ...


def stepwise(
    model: Model[State], sources: Sequence[Any], beginnings: Int[Tensor, "row token"]
) -> tuple[Float[Tensor, "place row vocab"], State]:
    """What `begin` is to give, found step by step."""
    state, found = model.start(sources), list[Tensor]()
    first = torch.full_like(beginnings[:, 0], model.bos)
    for tokens in (first, *beginnings.unbind(1)):
        log_probs, state = model.step(state, tokens)
        found.append(log_probs)
    return torch.stack(found), state


@dataclass(frozen=True)
class ForeknownState:
    """Where each row stands: at a place of the beginning, or beyond it."""

    inner: Any
    """The state of the model itself, which has read the whole beginning."""
    place: int
    """How many tokens the rows have been fed."""
    rows: Int[Tensor, "row"] | None
    """Which text each row is of; None once the model's own state has these rows."""


class Foreknown:
    """A model whose texts have a known beginning."""

    def __init__(self, model: Model[Any], beginnings: Int[Tensor, "row token"]) -> None:
        self._model, self._beginnings = model, beginnings
        self._found = torch.empty(0)
        self.vocab_size, self.bos, self.eos = model.vocab_size, model.bos, model.eos
        self.device = torch.device(getattr(model, "device", "cpu"))

    def start(self, sources: Sequence[Any]) -> ForeknownState:
        """A state with one row for each source, whose beginning is read."""
        assert isinstance(self._model, Beginner)
        self._found, inner = self._model.begin(sources, self._beginnings)
        rows = torch.arange(len(sources), device=self.device)
        return ForeknownState(inner, 0, rows)

    def step(
        self, state: ForeknownState, tokens: Int[Tensor, "row"]
    ) -> tuple[Float[Tensor, "row vocab"], ForeknownState]:
        """The log-probabilities of each row's next token; those of the beginning are known."""
        place = state.place + 1
        if state.rows is not None and state.place < len(self._found):
            return self._found[state.place][state.rows], replace(state, place=place)
        log_probs, inner = self._model.step(self._own(state), tokens)
        return log_probs, ForeknownState(inner, place, None)

    def select(self, state: ForeknownState, rows: Int[Tensor, "new_row"]) -> ForeknownState:
        """The state of these rows; the model's own is not touched before the beginning is over."""
        if state.rows is None:
            return replace(state, inner=self._model.select(state.inner, rows))
        return replace(state, rows=state.rows[rows])

    def _own(self, state: ForeknownState) -> Any:
        """The model's own state of these rows."""
        if state.rows is None:
            return state.inner
        return self._model.select(state.inner, state.rows)


def foreknowing(model: Model[Any], beginnings: Sequence[Sequence[int]]) -> Model[Any]:
    """The model, or one that has read as many first tokens as all of the texts have."""
    room = _MOST_SCORES // (len(beginnings) * model.vocab_size) - 1
    count = min(room, *map(len, beginnings))
    if count < 1 or not isinstance(model, Beginner):
        return model
    device = torch.device(getattr(model, "device", "cpu"))
    return Foreknown(model, torch.tensor([each[:count] for each in beginnings], device=device))
