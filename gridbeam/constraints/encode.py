"""From text to token ids: the same term over the tokens of a model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from operator import index
from typing import Protocol, TypeAlias, runtime_checkable

from gridbeam.constraints.terms import Constraint, Phrase
from gridbeam.constraints.walk import rebuilt
from gridbeam.errors import UserError


@runtime_checkable
class Speller(Protocol):
    """Whatever knows all spellings of a text; `gridbeam.Subwords` does."""

    @property
    def ends(self) -> Collection[int]:
        """The tokens that end a text, where a model has none of its own."""
        ...

    def spelled(
        self, term: Constraint, ends: Collection[int], vocab_size: int | None
    ) -> Constraint:
        """The same term with `Spellings` in place of text.

        For a model with these end tokens and so many tokens in all.
        """
        ...


Encode: TypeAlias = Callable[[str], Sequence[int]] | Speller
"""From text to token ids: a function that knows one spelling, or whatever knows all."""


def spell(
    term: Constraint, encode: Encode, ends: Collection[int] = (), vocab_size: int | None = None
) -> Constraint:
    """The same term over token ids, each text turned into ids by `encode`."""
    if isinstance(encode, Speller):
        return encode.spelled(term, ends, vocab_size)
    if hasattr(encode, "get_vocab"):
        raise UserError(
            f"encode is a {type(encode).__name__}: write encode=gridbeam.Subwords(tokenizer)"
        )

    def spelled(phrase: Phrase) -> Phrase:
        if not isinstance(phrase.content, str):
            return phrase
        if phrase.options:
            raise UserError(
                f"{phrase!r}: a plain function cannot honour {', '.join(phrase.options)}; use"
                " gridbeam.Subwords"
            )
        tokens = encode(phrase.content)
        if not len(tokens):
            raise UserError(
                f"{phrase} is encoded to no tokens at all: the model cannot be made to say it"
            )
        encoded = Phrase(tokens, phrase.when)
        if added := _special_tokens(phrase.content, encoded.tokens, encode):
            raise UserError(
                f"{phrase} is encoded as {encoded}, with tokens that encode puts around every"
                f" text ({added} for none): encode without special tokens"
                " (add_special_tokens=False), or write encode=gridbeam.Subwords(tokenizer)"
            )
        return encoded

    return rebuilt(term, phrase=spelled)


def _special_tokens(
    text: str, ids: Sequence[int], encode: Callable[[str], Sequence[int]]
) -> list[int]:
    """What a function puts around every text, around none as well: the model would have to say it.

    It is there once where a text is there twice; what a table of words has for the empty one, as
    for others that it lacks, is not. A function that takes no such texts is taken to add nothing.
    """
    with suppress(Exception):
        added, twice = list(map(index, encode(""))), list(map(index, encode(f"{text} {text}")))
        edges = {(ids[0], added[0]), (ids[-1], added[-1])} if 0 < len(added) < len(ids) else set()
        if any(own == other and twice.count(own) == ids.count(own) for own, other in edges):
            return added
    return []
