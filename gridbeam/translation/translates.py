"""What files, post-editing and servers need of a translator, whoever makes its searches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol, Unpack

from gridbeam.decoding.options import SearchKeywords, SearchOptions
from gridbeam.errors import UserError
from gridbeam.models import Model
from gridbeam.models.telling import Telling
from gridbeam.tokens.subwords import Subwords
from gridbeam.translation.defaults import TRANSLATION
from gridbeam.translation.request import Request, Translation


class Translates(Protocol):
    """Something that translates: a `Translator`, or one that shares a model with others.

    `gridbeam.translation.translator.Translator` says what each name means.
    """

    @property
    def model(self) -> Model[Any]:
        """What scores the tokens."""
        ...

    @property
    def tokenizer(self) -> Any:
        """What turns text into tokens."""
        ...

    @property
    def subwords(self) -> Subwords:
        """The same, as `encode=` of a search."""
        ...

    @property
    def source(self) -> str | None:
        """The language it reads, where that is known."""
        ...

    @property
    def target(self) -> str | None:
        """The language it writes."""
        ...

    @property
    def tag(self) -> str:
        """What is put before each source."""
        ...

    @property
    def positions(self) -> int | None:
        """The most tokens that the model reads or writes."""
        ...

    @property
    def telling(self) -> Telling | None:
        """The tokens by which it is told its terms."""
        ...

    def translate(
        self,
        request: Request | str,
        *,
        split: bool = True,
        batch_size: int = 16,
        options: SearchOptions = TRANSLATION,
        **changes: Unpack[SearchKeywords],
    ) -> Translation:
        """The best translation that meets the constraints."""
        ...

    def translate_each(
        self,
        requests: Sequence[Request | str],
        *,
        split: bool = True,
        batch_size: int = 16,
        options: SearchOptions = TRANSLATION,
        **changes: Unpack[SearchKeywords],
    ) -> Iterator[tuple[int, Translation | UserError]]:
        """Each request's number and translation, or why there is none, as soon as it is found."""
        ...

    def word(self, token: int) -> str:
        """A token as the tokenizer names it."""
        ...
