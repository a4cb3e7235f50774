"""A translator for editing: a text is one sentence, and searches asked at a time are one batch.

What is locked stands in one order through the whole text, so that no sentence of it can be searched
apart. Of lines and columns, which must stay, and of long texts each sentence is (`apart.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Unpack

from gridbeam.constraints.terms import Constraint, Phrase, as_constraints
from gridbeam.constraints.walk import phrases
from gridbeam.decoding.options import SearchKeywords, SearchOptions
from gridbeam.editing.apart import is_searched_apart
from gridbeam.errors import UserError
from gridbeam.models import Model
from gridbeam.models.telling import Telling
from gridbeam.tokens.subwords import Subwords
from gridbeam.translation.defaults import TRANSLATION
from gridbeam.translation.request import Request, Translation
from gridbeam.translation.translates import Translates

_STEP = 16
"""Lengths are rounded up to a multiple of this."""


class AsOne:
    """Translates as another does, each text as one sentence, unless it must be searched apart."""

    def __init__(self, translator: Translates) -> None:
        self._translator = translator

    @property
    def model(self) -> Model[Any]:
        """What scores the tokens."""
        return self._translator.model

    @property
    def tokenizer(self) -> Any:
        """What turns text into tokens."""
        return self._translator.tokenizer

    @property
    def subwords(self) -> Subwords:
        """The same, as `encode=` of a search."""
        return self._translator.subwords

    @property
    def source(self) -> str | None:
        """The language it reads, where that is known."""
        return self._translator.source

    @property
    def target(self) -> str | None:
        """The language it writes."""
        return self._translator.target

    @property
    def tag(self) -> str:
        """What is put before each source."""
        return self._translator.tag

    @property
    def positions(self) -> int | None:
        """The most tokens that the model reads or writes."""
        return self._translator.positions

    @property
    def telling(self) -> Telling | None:
        """The tokens by which it is told its terms."""
        return self._translator.telling

    def translate(
        self,
        request: Request | str,
        *,
        split: bool = False,
        batch_size: int = 16,
        options: SearchOptions = TRANSLATION,
        **changes: Unpack[SearchKeywords],
    ) -> Translation:
        """The best translation that meets the constraints."""
        ((_, result),) = self.translate_each(
            [request], batch_size=batch_size, options=options, **changes
        )
        if isinstance(result, UserError):
            raise result
        return result

    def translate_each(
        self,
        requests: Sequence[Request | str],
        *,
        split: bool = False,
        batch_size: int = 16,
        options: SearchOptions = TRANSLATION,
        **changes: Unpack[SearchKeywords],
    ) -> Iterator[tuple[int, Translation | UserError]]:
        """Each request's number and translation, or why there is none, as soon as it is found."""
        asked = [self._possible(each) for each in requests]
        is_apart = any(is_searched_apart(each.source) for each in asked)
        options = options.but(**changes)
        if len(asked) > 1 and options.max_length is None:
            options = options.but(max_length=self._room(asked))
        return self._translator.translate_each(
            asked, split=is_apart, batch_size=batch_size, options=options
        )

    def word(self, token: int) -> str:
        """A token as the tokenizer names it."""
        return self._translator.word(token)

    def _possible(self, given: Request | str) -> Request:
        request = given if isinstance(given, Request) else Request(given)
        for term in as_constraints(request.constraints):
            self._refuse_long(term)
        return request

    def _refuse_long(self, term: Constraint) -> None:
        """Raises, before anything is spelled, where the model cannot write as much."""
        size, most = self._size(term), self.positions
        if most is not None and size > most:
            raise UserError(
                f"what must stay has about {size} tokens, and the model writes no more than"
                f" {most}. Unlock some of it, or put the text into several segments."
            )

    def _room(self, requests: Sequence[Request]) -> int:
        """A length that is enough for each, so that all are searched together."""
        needed = max(
            2 * self._size_of(each.source) + sum(map(self._size, as_constraints(each.constraints)))
            for each in requests
        )
        enough = _STEP * math.ceil((needed + 10) / _STEP)
        return enough if self.positions is None else min(enough, self.positions)

    def _size(self, term: Constraint) -> int:
        """About how many tokens a constraint takes."""
        return sum(
            2
            + (self._size_of(each.content) if isinstance(each.content, str) else len(each.content))
            for each in phrases(term)
            if isinstance(each, Phrase) and term.role.must_occur
        )

    def _size_of(self, text: str) -> int:
        return len(self.tokenizer(text_target=text, verbose=False)["input_ids"])
