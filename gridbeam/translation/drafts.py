"""DraftedText: the best translation so far, as text, while its search goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gridbeam.decoding.reached import BestSoFar, Reached
from gridbeam.tokens.offsets import read
from gridbeam.translation.batching import Job

DRAFT_EVERY = 4
"""How many columns lie between two drafts: tokens by which a text has grown."""


@dataclass(frozen=True)
class Draft:
    """A translation that is still being searched for."""

    text: str
    """Its sentences, as far as they are there; some constraints may not be met yet."""
    score: float
    column: int
    """How many columns the last search has that it comes from."""
    is_whole: bool = False
    """Whether each of its sentences has ended and meets what is asked of it."""


class DraftedText:
    """The drafts of a text from those of its sentences, which are searched side by side.

    A sentence may be searched for in several ways at a time; its draft is then the best of them.
    """

    def __init__(self, tokenizer: Any, jobs: Sequence[Job]) -> None:
        self._tokenizer = tokenizer
        self._best: dict[tuple[int, ...], dict[Job, BestSoFar]] = {}
        for job in jobs:
            self._best.setdefault(job.source, {})

    def draft(self, job: Job, best: BestSoFar, column: int) -> Draft:
        """The text with what is best now for one of the sentences."""
        self._best.setdefault(job.source, {})[job] = best
        known = [max(each.values(), key=_rank) for each in self._best.values() if each]
        texts = (read(self._tokenizer, each.tokens) for each in known)
        text = " ".join(text for text in map(str.strip, texts) if text)
        is_whole = len(known) == len(self._best) and all(each.is_finished for each in known)
        return Draft(text, sum(each.score for each in known), column, is_whole)

    def drawn_up(self, watch: Callable[[Draft], None]) -> Callable[[Sequence[Job], Reached], None]:
        """What hands on a draft every few columns of a search of some of the jobs."""

        def drafted(jobs: Sequence[Job], reached: Reached) -> None:
            if reached.length % DRAFT_EVERY:
                return
            for number, best in reached.best().items():
                draft = self.draft(jobs[number], best, reached.length)
            watch(draft)

        return drafted


def _rank(best: BestSoFar) -> tuple[bool, float]:
    return best.is_finished, best.score
