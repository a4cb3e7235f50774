"""Text in, text out: the one place where text meets search.

A text is taken sentence by sentence, each constraint goes to the sentence where it costs least (`assign.py`), or to several as
one (`across.py`), the sentences are searched in batches, and what comes out is put together again with the white space that
stood between them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import torch

from gridbeam.across import brought_together, crossed
from gridbeam.assign import Asked, Plan, assigned, together
from gridbeam.automaton import Coverage
from gridbeam.characters import in_characters, read, stretches
from gridbeam.combine import Candidate, combined
from gridbeam.constraints import AnyOf, Avoid, Case, Constraint, Gap, InOrder, Phrase, Prefix, as_constraints, in_line
from gridbeam.errors import UserError
from gridbeam.foreign import Alphabet, Readable
from gridbeam.hypothesis import Hypothesis
from gridbeam.jobs import Found, Job, Manner, answers
from gridbeam.models import Model, ends_of
from gridbeam.models.load import load
from gridbeam.occurrences import Spans, check, occurrences
from gridbeam.scoring import LENGTH_PENALTY, LENGTH_REWARD, Stop
from gridbeam.sentences import Sentences, shortened, split, whole
from gridbeam.subwords import Subwords
from gridbeam.translation import Piece, Request, Sentence, Translation

__all__ = ["Piece", "Request", "Sentence", "Translation", "Translator"]

WINDOW = 16
"""How many batches of requests are read at a time, to be sorted by length."""
_STEP = 16
"""Lengths are rounded up to a multiple of this, so that many sentences have the same and make a batch."""
_WHITE_SPACE = re.compile(r"\s+")
Result = TypeVar("Result")


class Translator:
    """Translates texts with a model and its tokenizer.

    `case` and `whole_word` hold for phrases that do not say otherwise (`gridbeam.Subwords`). `tag` is put before each source,
    `positions` are the most tokens that the model can read or write, if it does not say so itself, `source` and `target` its
    languages.
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
        case: Case = "exact",
        whole_word: bool = True,
    ) -> None:
        self.model, self.tokenizer = model, tokenizer
        self.tag, self.source, self.target = tag, source, target
        self.positions = getattr(model, "positions", None) if positions is None else positions
        self.subwords = Subwords(tokenizer, case=case, whole_word=whole_word)
        self._alphabet = Alphabet(self.subwords)

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
    ) -> Translator:
        """The translator of this name: `builtin:en-de`, `hf:NAME`, `gru:FOLDER` or a folder (`gridbeam.models.load`)."""
        found = load(name, source=source, target=target, device=device)
        return cls(
            found.model,
            found.tokenizer,
            tag=found.tag,
            source=found.source,
            target=found.target,
            positions=found.positions,
            case=case,
            whole_word=whole_word,
        )

    def translate(
        self,
        request: Request | str,
        *,
        beam: int = 5,
        budget: int | None = None,
        max_length: int | None = None,
        coverage: Coverage = "contains",
        length_penalty: float = LENGTH_PENALTY,
        length_reward: float = LENGTH_REWARD,
        stop: Stop = "likely",
        split: bool = True,
        batch_size: int = 16,
        trace: bool = False,
    ) -> Translation:
        """The best translation that meets the constraints; options as for `gridbeam.search`.

        `max_length` counts the tokens of a sentence; without it, twice those of its source and some more. `split=False` takes
        the text as one sentence.
        """
        how = Manner(beam, budget, max_length, coverage, length_penalty, length_reward, stop, split, batch_size, trace)
        ((_, result),) = self._translated([request], how)
        if isinstance(result, UserError):
            raise result
        return result

    def translate_all(
        self,
        requests: Iterable[Request | str],
        *,
        beam: int = 5,
        budget: int | None = None,
        max_length: int | None = None,
        coverage: Coverage = "contains",
        length_penalty: float = LENGTH_PENALTY,
        length_reward: float = LENGTH_REWARD,
        stop: Stop = "likely",
        split: bool = True,
        batch_size: int = 16,
        trace: bool = False,
    ) -> Iterator[Translation]:
        """The translation of each request, in their order; requests are read as translations are taken.

        `batch_size` sentences are searched at a time. A request that cannot be met raises once all before it have been given.
        """
        how = Manner(beam, budget, max_length, coverage, length_penalty, length_reward, stop, split, batch_size, trace)
        _refuse_text(requests)
        waiting, done = iter(requests), 0
        while window := list(islice(waiting, WINDOW * how.batch_size)):
            for number, result in in_order(self._translated(window, how)):
                if isinstance(result, UserError):
                    raise type(result)(f"requests[{done + number}]: {result}")
                yield result
            done += len(window)

    def translate_each(
        self,
        requests: Sequence[Request | str],
        *,
        beam: int = 5,
        budget: int | None = None,
        max_length: int | None = None,
        coverage: Coverage = "contains",
        length_penalty: float = LENGTH_PENALTY,
        length_reward: float = LENGTH_REWARD,
        stop: Stop = "likely",
        split: bool = True,
        batch_size: int = 16,
        trace: bool = False,
    ) -> Iterator[tuple[int, Translation | UserError]]:
        """The number of each request and its translation, or why there is none, as soon as it is found.

        All requests are sorted into batches together; `WINDOW` times `batch_size` of them are enough to fill these well.
        """
        how = Manner(beam, budget, max_length, coverage, length_penalty, length_reward, stop, split, batch_size, trace)
        _refuse_text(requests)
        return self._translated(requests, how)

    def word(self, token: int) -> str:
        """A token as the tokenizer names it, such as ▁Haus, for `gridbeam.draw`."""
        return str(self.tokenizer.convert_ids_to_tokens(token))

    def _translated(self, requests: Sequence[Request | str], how: Manner) -> Iterator[tuple[int, Translation | UserError]]:
        plans = [self._plan(request, how) for request in requests]
        return together(plans, lambda jobs: answers(self.model, self.subwords, jobs, how, positions=self.positions))

    def _plan(self, given: Request | str, how: Manner) -> Plan[Translation]:
        """The translation of one request, and the searches it takes."""
        request = given if isinstance(given, Request) else Request(given)
        terms = as_constraints(request.constraints)
        sentences, readable = self._alphabet.readable(self._sentences(request.source, how), terms, request.places)
        if not sentences.texts:
            return _nothing(request, terms)
        encoded = cache(self._encoded)

        def job(sentence: str, constraints: Sequence[Constraint]) -> Job:
            shown = readable(sentence)
            source, wanted = encoded(shown.text), (*constraints, *shown.constraints)
            return Job(source, wanted, self._room(source, wanted, how))

        places = request.places or [None] * len(terms)
        sentences, places = yield from brought_together(terms, places, sentences, job, self.target)
        avoided = [term for term in terms if isinstance(term, Avoid)]
        while True:
            translation = yield from self._put_together(request, terms, places, sentences, readable, job, how)
            is_sure = not avoided or len(sentences.texts) == 1
            as_one = None if is_sure else crossed(translation, partial(self._said, avoided))
            if as_one is None:
                return translation
            sentences = sentences.as_one(*as_one)

    def _put_together(
        self,
        request: Request,
        terms: Sequence[Constraint],
        places: Sequence[int | None],
        sentences: Sentences,
        readable: Callable[[str], Readable],
        job: Asked,
        how: Manner,
    ) -> Plan[Translation]:
        """The translation that the best of each sentence make, whatever they say across its end."""
        at = [None if place is None else sentences.at(place) for place in places]
        numbers = yield from assigned(terms, at, sentences.texts, job, self._is_met)
        n_best = 1 if request.n_best == 1 else max(request.n_best, how.width)  # several may be the same text
        wanted = [job(text, [terms[n] for n in own]) for text, own in zip(sentences.texts, numbers, strict=True)]
        jobs = [replace(each, n_best=n_best) for each in wanted]
        found = yield jobs
        each_own = zip(jobs, numbers, map(readable, sentences.texts), strict=True)
        rows = [self._candidates(_hypotheses(found[each]), own, terms, text) for each, own, text in each_own]
        return combined(request.source, sentences, rows, len(terms), request.n_best)

    def _said(self, terms: Sequence[Constraint], text: str) -> Iterator[Spans]:
        """Where a text says these, in characters."""
        tokens = tuple(self.tokenizer(text_target=text, add_special_tokens=False, verbose=False)["input_ids"])
        of_token = stretches(self.tokenizer, self.subwords.vocabulary, tokens, text.strip())
        for term in terms:
            spelled = self.subwords.spelled(term, ends_of(self.model), self.model.vocab_size)
            for spans in occurrences(spelled, tokens):
                yield in_characters(text, of_token, spans, term, self.subwords.case)

    def _sentences(self, text: str, how: Manner) -> Sentences:
        """The sentences of a text, each short enough for the model; half its positions, as translations may be longer."""
        sentences = split(text, self.source) if how.split else whole(text)
        positions = self.positions
        return sentences if positions is None else shortened(sentences, lambda part: len(self._encoded(part)) <= positions // 2)

    def _encoded(self, text: str) -> tuple[int, ...]:
        """The tokens of a source; line breaks within it are spaces, and names of special tokens are text like any other."""
        text = self.tag + _WHITE_SPACE.sub(" ", text)
        return tuple(self.tokenizer(text, split_special_tokens=True, verbose=False)["input_ids"])

    def _room(self, source: Sequence[int], constraints: Sequence[Constraint], how: Manner) -> int:
        """How many tokens a translation may have."""
        enough = how.max_length
        if enough is None:
            needed = 2 * len(source) + 10 + sum(self._tokens_of(term) for term in constraints)
            enough = _STEP * math.ceil(needed / _STEP)
        return enough if self.positions is None else min(enough, self.positions)

    def _tokens_of(self, term: Constraint | Gap) -> int:
        """About how many tokens a constraint takes, with something beside it."""
        match term:
            case Phrase(content):
                return 2 + (
                    len(self.subwords.tokenizer(text_target=content, verbose=False)["input_ids"])
                    if isinstance(content, str)
                    else len(content)
                )
            case AnyOf(parts):
                return max(map(self._tokens_of, parts))
            case InOrder(parts):
                return sum(map(self._tokens_of, parts))
            case Prefix(pattern):
                return self._tokens_of(pattern)
            case Gap(least):
                return least
            case _:
                return 0

    def _is_met(self, constraints: Sequence[Constraint], hypothesis: Hypothesis) -> bool:
        verdicts = check(list(constraints), hypothesis.tokens, encode=self.subwords, ends=ends_of(self.model))
        return all(verdict.is_met for verdict in verdicts)

    def _candidates(
        self, found: Sequence[Hypothesis], numbers: Sequence[int], terms: Sequence[Constraint], source: Readable
    ) -> list[Candidate]:
        """The texts of a sentence, each once, best first."""
        texts: dict[str, Hypothesis] = {}
        for hypothesis in found:
            texts.setdefault(read(self.tokenizer, hypothesis.tokens), hypothesis)
        return [self._candidate(text, hypothesis, numbers, terms, source) for text, hypothesis in texts.items()]

    def _candidate(
        self, text: str, hypothesis: Hypothesis, numbers: Sequence[int], terms: Sequence[Constraint], source: Readable
    ) -> Candidate:
        of_token = stretches(self.tokenizer, self.subwords.vocabulary, hypothesis.tokens, text)
        restored, moved = source.restored(text)
        spans = {
            number: tuple(map(moved, in_characters(text, of_token, stretch, terms[number], self.subwords.case)))
            for number, stretch in zip(numbers, hypothesis.spans, strict=False)  # what is kept comes after them
        }
        return Candidate(restored, hypothesis, list(map(moved, of_token)), spans)


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


def _refuse_text(requests: object) -> None:
    if isinstance(requests, str | Request) or not isinstance(requests, Iterable):
        raise UserError(f"requests is a {type(requests).__name__}: give a list, or call translate for a single one")


def _hypotheses(found: Found) -> Sequence[Hypothesis]:
    if isinstance(found, UserError):
        raise found
    return found


def _nothing(request: Request, terms: Sequence[Constraint]) -> Translation:
    """The translation of a text without language: the text itself, and nothing for a blank one."""
    wanted = next((term for term in terms if not isinstance(term, Avoid)), None)
    if wanted is not None:
        raise UserError(
            f"the source is empty, so no translation of it can say {in_line(wanted)}: give a source, or leave it out"
        )
    text = request.source if request.source.strip() else ""
    return Translation(text, 0.0, ((),) * len(terms), (), request.source, ())
