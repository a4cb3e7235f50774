"""Text in, text out: the one place where text meets search.

Many requests are planned side by side (`planning.py`), and what they need is searched for in
batches (`jobs.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar, Unpack

import torch

from gridbeam.constraints.terms import Case
from gridbeam.decoding.options import SearchKeywords, SearchOptions, at_least_one
from gridbeam.errors import UserError
from gridbeam.models import Model
from gridbeam.models.load import load
from gridbeam.models.telling import Telling
from gridbeam.tokens.subwords import Subwords
from gridbeam.translation.batching import Answers, Job, JobsWatch, answers
from gridbeam.translation.defaults import TRANSLATION
from gridbeam.translation.drafts import Draft, DraftedText
from gridbeam.translation.plan import Planner
from gridbeam.translation.request import Request, Sentence, TokenSpan, Translation
from gridbeam.translation.scheduler import Plan, together
from gridbeam.translation.translates import Translates

__all__ = ["Request", "Sentence", "TokenSpan", "Translates", "Translation", "Translator"]

WINDOW = 16
"""How many batches of requests are read at a time, to be sorted by length."""
Result = TypeVar("Result")


class Translator:
    """Translates texts with a model and its tokenizer.

    `case` and `whole_word` hold for phrases that do not say otherwise (`gridbeam.Subwords`). `tag`
    is put before each source, `positions` are the most tokens that the model can read or write, if
    it does not say so itself, `source` and `target` its languages. `telling` are the tokens by
    which it is told its terms in the source, for a model that has learned to be.
    """

    def __init__(
        self,
        model: Model[Any],
        tokenizer: Any,
        *,
        tag: str = "",
        source: str | None = None,
        target: str | None = None,
        positions: int | None = None,
        telling: Telling | None = None,
        case: Case = "exact",
        whole_word: bool = True,
    ) -> None:
        self.model, self.tokenizer = model, tokenizer
        self.tag, self.source, self.target = tag, source, target
        self.positions = getattr(model, "positions", None) if positions is None else positions
        self.telling = telling
        self.subwords = Subwords(tokenizer, case=case, whole_word=whole_word)
        self._planner = Planner(
            model,
            self.subwords,
            tag=tag,
            source=source,
            target=target,
            positions=self.positions,
            telling=telling,
        )

    @classmethod
    def load(
        cls,
        name: str | Path,
        *,
        source: str | None = None,
        target: str | None = None,
        device: str | torch.device | None = None,
        case: Case = "exact",
        whole_word: bool = True,
        trust_remote_code: bool = False,
        told: bool = False,
    ) -> Translator:
        """The translator of this name: `builtin:en-de`, `hf:NAME`, `gru:FOLDER` or a folder.

        `gridbeam.models.load` knows these names. No code of the model's folder is run unless
        `trust_remote_code=True`: read it first. `told=True` tells a model its terms that has
        learned to be told.
        """
        found = load(
            name, source=source, target=target, device=device, trust_remote_code=trust_remote_code
        )
        return cls(
            found.model,
            found.tokenizer,
            tag=found.tag,
            source=found.source,
            target=found.target,
            positions=found.positions,
            telling=found.telling if told else None,
            case=case,
            whole_word=whole_word,
        )

    def translate(
        self,
        request: Request | str,
        *,
        split: bool = True,
        batch_size: int = 16,
        options: SearchOptions = TRANSLATION,
        watch: Callable[[Draft], None] | None = None,
        **changes: Unpack[SearchKeywords],
    ) -> Translation:
        """The best translation that meets the constraints; options as for `gridbeam.search`.

        `max_length` counts the tokens of a sentence; without it, twice those of its source and some
        more. `n_best` asks every request for so many translations. `split=False` takes the text as
        one sentence. `watch` is given the draft of it every few columns of the search.
        """
        size = at_least_one("batch_size", batch_size)

        def found(jobs: Sequence[Job]) -> Iterator[Answers]:
            drafts = None if watch is None else DraftedText(self.tokenizer, jobs).drawn_up(watch)
            return self._answers(jobs, size, drafts)

        plan = self.plan(request, options.but(**changes), split=split)
        ((_, result),) = together([plan], found)
        if isinstance(result, UserError):
            raise result
        return result

    def translate_all(
        self,
        requests: Iterable[Request | str],
        *,
        split: bool = True,
        batch_size: int = 16,
        options: SearchOptions = TRANSLATION,
        **changes: Unpack[SearchKeywords],
    ) -> Iterator[Translation]:
        """The translation of each request, in their order.

        Requests are read as translations are taken.

        `batch_size` sentences are searched at a time. A request that cannot be met raises once all
        before it have been given.
        """
        refuse_text(requests)
        size = at_least_one("batch_size", batch_size)
        options = options.but(**changes)
        waiting, done = iter(requests), 0
        while window := list(islice(waiting, WINDOW * size)):
            found = self.translate_each(window, split=split, batch_size=size, options=options)
            for number, result in in_order(found):
                if isinstance(result, UserError):
                    raise result.within(f"requests[{done + number}]")
                yield result
            done += len(window)

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

        All requests are sorted into batches together; `WINDOW` times `batch_size` of them are
        enough to fill these well.
        """
        refuse_text(requests)
        size = at_least_one("batch_size", batch_size)
        options = options.but(**changes)
        plans = [self.plan(request, options, split=split) for request in requests]
        return together(plans, lambda jobs: self._answers(jobs, size))

    def plan(
        self, request: Request | str, options: SearchOptions, *, split: bool = True
    ) -> Plan[Translation]:
        """The translation of a request, and the searches it takes, whoever makes these."""
        return self._planner.plan(request, options, is_split=split)

    def _answers(
        self, jobs: Sequence[Job], size: int, watch: JobsWatch | None = None
    ) -> Iterator[Answers]:
        return answers(
            self.model,
            self.subwords,
            jobs,
            batch_size=size,
            positions=self.positions,
            watch=watch,
        )

    def word(self, token: int) -> str:
        """A token as the tokenizer names it, such as ▁Haus, for `gridbeam.draw`."""
        return str(self.tokenizer.convert_ids_to_tokens(token))


def in_order(numbered: Iterable[tuple[int, Result]]) -> Iterator[tuple[int, Result]]:
    """The same by rising numbers from 0, each as soon as all before it are there.

    >>> list(in_order([(1, "b"), (0, "a"), (2, "c")]))
    [(0, 'a'), (1, 'b'), (2, 'c')]
    """
    waiting: dict[int, Result] = {}
    due = 0
    for number, result in numbered:
        waiting[number] = result
        while due in waiting:
            yield due, waiting.pop(due)
            due += 1


def refuse_text(requests: object) -> None:
    """Refuses one request where several are expected."""
    if isinstance(requests, str | Request) or not isinstance(requests, Iterable):
        raise UserError(
            f"requests is a {type(requests).__name__}: give a list, or call translate for a"
            " single one"
        )
