"""What a call of `generate` asks of each row of its batch, as it was given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gridbeam.constraints.terms import Constraint, Constraints
from gridbeam.errors import UserError

_OF_VERSION_4 = {
    "PhrasalConstraint": '"the words" or Phrase(token_ids)',
    "DisjunctiveConstraint": 'AnyOf("this", "that") or AnyOf(Phrase(token_ids), ...)',
}
"""The constraints of transformers 4, and what says the same here."""


def asked_of_rows(given: Any, rows: int) -> list[Constraints]:
    """The constraints of each row; None, for a row or for all, asks for nothing.

    A row has a list of its own. A flat list, which transformers 4 took for all rows, is refused
    whatever its length: with as many phrases as there are rows, nobody can tell what it means.
    """
    if given is None:
        return [()] * rows
    if isinstance(given, str | Constraint) or not isinstance(given, Sequence):
        _refuse_version_4(given)
        raise UserError(f"constraints is a {type(given).__name__}. {_REMEDY}")
    for each in given:
        if _is_list(each):
            continue
        _refuse_version_4(each)
        raise UserError(
            f"constraints is a flat list, with {_named(each)} where the list of a row should be."
            f" Write constraints=[[...]] * {rows} if all of it is for every row, or"
            " constraints=[[...], [...]] with a list for each."
        )
    for term in (term for row in given for term in row or ()):
        _refuse_version_4(term)
    if len(given) != rows:
        raise UserError(
            f"constraints has {len(given)} entries, the batch {rows} rows. {_REMEDY} A pipeline"
            " hands over as many prompts at a time as its batch_size says: write"
            " GridBeamSearch(tokenizer, constraints=[...]) for what holds for all of them."
        )
    return [() if each is None else each for each in given]


_REMEDY = "Give a list with one list of constraints for each row, perhaps an empty one."


def _is_list(row: Any) -> bool:
    """Whether this can be the constraints of a row: a list of them, or None."""
    return row is None or (isinstance(row, Sequence) and not isinstance(row, str | Constraint))


def _named(term: Any) -> str:
    return f'"{term}"' if isinstance(term, str) else type(term).__name__


def _refuse_version_4(term: Any) -> None:
    name = type(term).__name__
    if name in _OF_VERSION_4:
        raise UserError(
            f"{name} is of transformers 4: write {_OF_VERSION_4[name]}, in a list for each row."
        )
