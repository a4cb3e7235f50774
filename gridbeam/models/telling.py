"""How a model is told in its source what its translation must say: four tokens of its vocabulary.

Not every model can be told: one that has learned it says so in its folder, in `config.json`:
`"gridbeam": {"told": true}`. What is told where is the matter of `gridbeam.translation.told`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gridbeam.errors import UserError

PIECES = {"term": ">>term<<", "as_": ">>as<<", "like": ">>like<<", "end": ">>end<<"}
"""What the tokens are called in a vocabulary, by the names that they have here."""


@dataclass(frozen=True)
class Telling:
    """The ids of the tokens that tell a model of its terms."""

    term: int
    """Stands before words of the source that a term is the translation of."""
    as_: int
    """Stands before a term that must be said as it is written."""
    like: int
    """Stands before a term that may be said in other forms as well."""
    end: int
    """Stands after a term."""


def telling_of(tokenizer: Any) -> Telling:
    """The tokens of a tokenizer that has `>>term<<`, `>>as<<`, `>>like<<` and `>>end<<`."""
    vocabulary: Mapping[str, int] = tokenizer.get_vocab()
    missing = [piece for piece in PIECES.values() if piece not in vocabulary]
    if missing:
        raise UserError(
            f"the vocabulary lacks {', '.join(missing)}, by which a model is told its terms: train"
            " it with these pieces, or do not say that it can be told."
        )
    return Telling(**{name: vocabulary[piece] for name, piece in PIECES.items()})


def told_by(where: str, known: object, tokenizer: Any) -> Telling | None:
    """How the model of a folder is told, by what its config.json says under "gridbeam".

    None where it does not say that it can be told.
    """
    can = known.get("told", False) if isinstance(known, Mapping) else False
    if not isinstance(can, bool):
        raise UserError(
            f'{where}: in config.json "told" is {json.dumps(can)}: write true if the model has'
            " learned to be told its terms, else false."
        )
    if not can:
        return None
    try:
        return telling_of(tokenizer)
    except UserError as error:
        raise UserError(f'{where}: config.json has "told": true, but {error}') from None
