"""A round: the searches that a request needs at a time, handed over and waited for.

Not all of many at once: who wants few things is not to wait behind them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence

from gridbeam.decoding.quest import Quest
from gridbeam.errors import UserError
from gridbeam.serving.client import Client, Seen
from gridbeam.serving.errand import Errand
from gridbeam.serving.news import GridColumn, News
from gridbeam.translation.batching import Answers, Job, SearchAnswer, quest_for
from gridbeam.translation.drafts import DraftedText
from gridbeam.translation.translator import Translator


class Round:
    """The searches of one client, and what it hears of them."""

    def __init__(
        self,
        translator: Translator,
        client: Client,
        jobs: Sequence[Job],
        *,
        most: int,
        submit: Callable[[Sequence[Errand]], None],
        news: Callable[[News], None] | None,
    ) -> None:
        self._translator, self._client, self._most = translator, client, most
        self._submit, self._news = submit, news
        self._jobs = {job: number for number, job in enumerate(jobs)}
        self._waiting = deque(sorted(jobs, key=lambda job: len(job.source)))
        self._under_way: dict[Job, Quest] = {}
        self._drafted = DraftedText(translator.tokenizer, jobs)

    def answers(self) -> Iterator[Answers]:
        """What each search comes to, as soon as it does."""
        try:
            while self._waiting or self._under_way:
                if 2 * len(self._under_way) <= self._most and self._waiting:
                    yield self._hand_over()
                if self._under_way:
                    yield self._received()
        finally:
            self._client.leave()

    def _hand_over(self) -> Answers:
        """Hands searches over; what comes back are those that cannot be met, and why."""
        refused: dict[Job, SearchAnswer] = {}
        errands = []
        while self._waiting and len(self._under_way) < self._most:
            self._client.check()
            job = self._waiting.popleft()
            try:
                self._under_way[job] = self._quest(job)
            except UserError as error:
                refused[job] = error
            else:
                errands.append(Errand(job, self._under_way[job], self._client))
        self._submit(errands)
        return refused

    def _quest(self, job: Job) -> Quest:
        own = self._translator
        return quest_for(job, own.model, own.subwords, own.positions)

    def _received(self) -> Answers:
        """The next answer; news on the way to it are handed on."""
        while isinstance(message := self._client.receive(), Seen):
            for each in self._news_of(message):
                assert self._news is not None
                self._news(each)
        del self._under_way[message.job]
        return {message.job: message.answer}

    def _news_of(self, seen: Seen) -> Iterator[News]:
        if seen.traced:
            automaton = self._under_way[seen.job].automaton
            yield GridColumn(
                self._jobs[seen.job],
                seen.length - 1,
                seen.traced,
                automaton.owed(automaton.start),
                self._translator.word,
            )
        if seen.best is not None:
            yield self._drafted.draft(seen.job, seen.best, seen.length)
