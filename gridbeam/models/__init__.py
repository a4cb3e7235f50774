"""What the search asks of a model: three verbs.

Anything that scores the next token can be written as these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

from jaxtyping import Float, Int
from torch import Tensor

State = TypeVar("State")


@runtime_checkable
class Model(Protocol[State]):
    """Scores the next token of many hypotheses at once.

    The laws, which `tests/laws.py` holds every model to: rows are normalised; stepping equals
    scoring the whole prefix anew; `select` then `step` equals `step` on reordered prefixes; a batch
    equals its sentences one by one. A state is used once: `step` may consume the one it is given,
    and `select` makes the copies.

    A model may also have a `device`; the search then keeps its own tensors there. It may have
    `positions`, the most tokens that it can read or write. A log-probability of minus infinity
    forbids a token.
    """

    vocab_size: int
    bos: int
    """The token that the first step is fed."""
    eos: int | tuple[int, ...]
    """The token that ends a text, or all those that do."""

    def start(self, sources: Sequence[Any]) -> State:
        """A state with one row for each source."""
        ...

    def step(
        self, state: State, tokens: Int[Tensor, "row"]
    ) -> tuple[Float[Tensor, "row vocab"], State]:
        """Log-probabilities of each row's next token after one more token, and the new state."""
        ...

    def select(self, state: State, rows: Int[Tensor, "new_row"]) -> State:
        """The state with these rows, in this order: rows are repeated, reordered and dropped."""
        ...


def ends_of(model: Model[Any]) -> tuple[int, ...]:
    """The tokens that end a text."""
    return (model.eos,) if isinstance(model.eos, int) else tuple(model.eos)
