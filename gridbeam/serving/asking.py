"""The translator that one client of an engine has: its searches are made by the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Unpack

from gridbeam.decoding.options import SearchKeywords, SearchOptions, at_least_one
from gridbeam.errors import UserError
from gridbeam.serving.client import Client, Until
from gridbeam.serving.news import News
from gridbeam.serving.round import Round
from gridbeam.translation.batching import Answers, Job
from gridbeam.translation.defaults import TRANSLATION
from gridbeam.translation.request import Request, Translation
from gridbeam.translation.scheduler import together
from gridbeam.translation.translator import Translator, refuse_text

if TYPE_CHECKING:
    from gridbeam.serving.engine import Engine


class Asking:
    """Translates as `Translator` does, and what it is asked at a time is decoded with others'.

    Past its patience, or once its stop is set, what it was asked raises `TooSlow` or `Stopped`;
    where the queue is full, `Busy`.
    """

    def __init__(
        self,
        translator: Translator,
        engine: Engine,
        until: Until,
        news: Callable[[News], None] | None,
        *,
        is_background: bool = False,
    ) -> None:
        self.is_background = is_background
        self._translator, self._engine, self._until, self._news = translator, engine, until, news
        self.model, self.tokenizer = translator.model, translator.tokenizer
        self.subwords, self.telling = translator.subwords, translator.telling
        self.tag, self.positions = translator.tag, translator.positions
        self.source, self.target = translator.source, translator.target

    def translate(
        self,
        request: Request | str,
        *,
        split: bool = True,
        batch_size: int = 16,
        options: SearchOptions = TRANSLATION,
        **changes: Unpack[SearchKeywords],
    ) -> Translation:
        """The best translation that meets the constraints, as of `Translator.translate`."""
        ((_, result),) = self.translate_each(
            [request], split=split, batch_size=batch_size, options=options, **changes
        )
        if isinstance(result, UserError):
            raise result
        return result

    def translate_each(
        self,
        requests: Sequence[Request | str],
        *,
        split: bool = True,
        batch_size: int = 16,
        options: SearchOptions = TRANSLATION,
        **changes: Unpack[SearchKeywords],
    ) -> Iterator[tuple[int, Translation | UserError]]:
        """Each request's number and translation, or why there is none, as soon as it is found.

        `batch_size` is about how many of them wait in the queue at a time.
        """
        refuse_text(requests)
        size = at_least_one("batch_size", batch_size)
        options = options.but(**changes)
        return self._translations(requests, options, size, split)

    def _translations(
        self, requests: Sequence[Request | str], options: SearchOptions, size: int, split: bool
    ) -> Iterator[tuple[int, Translation | UserError]]:
        with self._engine.place(self):
            plans = [self._translator.plan(each, options, split=split) for each in requests]
            yield from together(plans, lambda jobs: self._answers(jobs, size))

    def _answers(self, jobs: Sequence[Job], size: int) -> Iterator[Answers]:
        client = Client(
            self._until, wants_news=self._news is not None, is_background=self.is_background
        )
        submit, news = self._engine.submit, self._news
        searches = Round(self._translator, client, jobs, most=2 * size, submit=submit, news=news)
        return searches.answers()

    def word(self, token: int) -> str:
        """A token as the tokenizer names it, such as ▁Haus, for `gridbeam.draw`."""
        return self._translator.word(token)
