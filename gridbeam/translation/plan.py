"""The translation of one request, and the searches it takes.

A text is taken sentence by sentence, each constraint goes to the sentence where it costs least
(`assign.py`), or to several as one (`across.py`), what the model has no letters for is kept aside
(`foreign.py`), and what the searches find is put together again with the white space that stood
between the sentences (`combine.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

from gridbeam.constraints.drawing import in_line
from gridbeam.constraints.occurrences import Span, Spans, check, occurrences
from gridbeam.constraints.spelled import Spellings
from gridbeam.constraints.terms import (
    AnyOf,
    Constraint,
    Gap,
    InOrder,
    Phrase,
    as_constraints,
)
from gridbeam.constraints.walk import sought
from gridbeam.decoding.hypothesis import Hypothesis
from gridbeam.decoding.options import SearchOptions
from gridbeam.errors import UserError
from gridbeam.models import Model, ends_of
from gridbeam.models.telling import Telling
from gridbeam.text.layout import set_apart, single_spaced, with_spaces_of
from gridbeam.text.sentences import Sentences, shortened, split, whole
from gridbeam.tokens.offsets import in_characters, read, stretches
from gridbeam.tokens.subwords import Subwords
from gridbeam.translation.across import brought_together, crossed
from gridbeam.translation.assembly import Candidate, combined
from gridbeam.translation.assignment import assigned
from gridbeam.translation.batching import Job, SearchAnswer
from gridbeam.translation.request import Request, Translation
from gridbeam.translation.scheduler import Plan
from gridbeam.translation.told import Teller, TermToTell, ToldSource, to_tell
from gridbeam.translation.unwritable import Alphabet, Readable
from gridbeam.translation.written import WrittenText

_STEP = 16
"""Lengths are rounded up to a multiple of this, so that many sentences have the same and make a
batch."""


class Planner:
    """Makes plans for requests to a model.

    `gridbeam.translation.translator.Translator` says what each argument means.
    """

    def __init__(
        self,
        model: Model[Any],
        subwords: Subwords,
        *,
        tag: str,
        source: str | None,
        target: str | None,
        positions: int | None,
        telling: Telling | None,
    ) -> None:
        self._model, self._subwords, self._tokenizer = model, subwords, subwords.tokenizer
        self._tag, self._source, self._target, self._positions = tag, source, target, positions
        self._alphabet = Alphabet(subwords)
        self._teller = None if telling is None else Teller(telling, subwords, positions)

    def plan(
        self, given: Request | str, options: SearchOptions, *, is_split: bool
    ) -> Plan[Translation]:
        """The translation of one request, and the searches it takes."""
        request = given if isinstance(given, Request) else Request(given)
        terms = as_constraints(request.constraints)
        sentences, readable = self._alphabet.readable(
            self._sentences(request.source, is_split=is_split), terms, request.offsets
        )
        if not sentences.texts:
            return _nothing(request, terms)
        text = _TextPlan(self, request, terms, readable, cache(self.encoded), options)
        sentences, places = yield from brought_together(
            terms, request.offsets, sentences, text.job, self._target
        )
        avoided = [term for term in terms if not term.role.must_occur]
        while True:
            translation = yield from text.translated(sentences, places)
            is_sure = not avoided or len(sentences.texts) == 1
            as_one = None if is_sure else crossed(translation, partial(self._said, avoided))
            if as_one is None:
                return self._within_limits(translation, avoided)
            sentences = sentences.as_one(*as_one)

    def _sentences(self, text: str, *, is_split: bool) -> Sentences:
        """The sentences of a text, each short enough for the model.

        Half its positions, as translations may be longer.
        """
        sentences = split(text, self._source) if is_split else whole(text)
        positions = self._positions
        return (
            sentences
            if positions is None
            else shortened(sentences, lambda part: len(self.encoded(part)) <= positions // 2)
        )

    def encoded(self, text: str) -> tuple[int, ...]:
        """The tokens of a source.

        Other white space within it is a space, and names of special tokens are text like any other.
        """
        text = self._tag + single_spaced(text)
        return tuple(self._tokenizer(text, split_special_tokens=True, verbose=False)["input_ids"])

    def told(
        self,
        source: tuple[int, ...],
        sentence: str,
        shown: Readable,
        terms: Iterable[tuple[TermToTell | None, Span | None]],
    ) -> ToldSource:
        """The tokens of a sentence as the model is shown it, with terms where it can be told them.

        Each comes with the characters of the sentence that it is the translation of, if known.
        """
        if self._teller is None:
            return ToldSource(source)
        placed = [
            (
                None if term is None or self._alphabet.foreign(term.text) else term,
                None if span is None else self._alphabet.shown(sentence, shown, span),
            )
            for term, span in terms
        ]
        return self._teller.told(source, shown.text, placed)

    def room(
        self, source: Sequence[int], constraints: Sequence[Constraint], options: SearchOptions
    ) -> int:
        """How many tokens a translation may have."""
        enough = options.max_length
        if enough is None or options.max_ratio is not None:
            taken = sum(map(self._tokens_of, constraints))
            if enough is None:
                enough = _STEP * math.ceil((2 * len(source) + 10 + taken) / _STEP)
            enough = options.capped(enough, len(source), taken + 1)
        return enough if self._positions is None else min(enough, self._positions)

    def _tokens_of(self, term: Constraint | Gap) -> int:
        """About how many tokens a constraint takes, with something beside it."""
        match term:
            case Phrase(content):
                return 2 + (
                    len(self._tokenizer(text_target=content, verbose=False)["input_ids"])
                    if isinstance(content, str)
                    else len(content)
                )
            case AnyOf(parts):
                return max(map(self._tokens_of, parts))
            case InOrder(parts):
                return sum(map(self._tokens_of, parts))
            case Gap(least):
                return least
            case Spellings():
                return 0
            case _:
                return self._tokens_of(term.pattern) if term.role.must_occur else 0

    def is_met(self, job: Job, hypothesis: Hypothesis) -> bool:
        """Whether a hypothesis would do for a search."""
        verdicts = check(
            list(job.constraints),
            hypothesis.tokens,
            encode=self._subwords,
            ends=ends_of(self._model),
        )
        return all(verdict.is_met for verdict in verdicts)

    def candidates(
        self,
        found: Sequence[Hypothesis],
        numbers: Sequence[int],
        terms: Sequence[Constraint],
        source: Readable,
        sentence: str,
    ) -> list[Candidate]:
        """The texts of a sentence, each once, best first."""
        texts: dict[str, Candidate] = {}
        for hypothesis in found:
            each = self._candidate(hypothesis, numbers, terms, source, sentence)
            texts.setdefault(each.text, each)
        return [*texts.values()]

    def _candidate(
        self,
        hypothesis: Hypothesis,
        numbers: Sequence[int],
        terms: Sequence[Constraint],
        source: Readable,
        sentence: str,
    ) -> Candidate:
        text = read(self._tokenizer, hypothesis.tokens)
        of_token = stretches(self._tokenizer, self._subwords.vocabulary, hypothesis.tokens, text)
        said = {
            number: in_characters(
                text, of_token, stretch, source.spoken(terms[number]), self._subwords.case
            )
            for number, stretch in zip(
                numbers, hypothesis.spans, strict=False
            )  # what is kept comes after them
        }
        written = WrittenText(source, text, [span for spans in said.values() for span in spans])
        spans = {number: tuple(map(written.moved, each)) for number, each in said.items()}
        fixed = [span for each in spans.values() for span in each]
        return Candidate(
            with_spaces_of(sentence, written.text, fixed),
            hypothesis,
            list(map(written.moved, of_token)),
            spans,
            tuple(written.repeated()),
        )

    def _within_limits(self, found: Translation, avoided: Sequence[Constraint]) -> Translation:
        """A translation without alternatives whose parts together say something too often.

        Lines and columns are translated apart, so that no search can see to it.
        """
        limits = [term for term in avoided if sought(term) not in (term, *term.branches)]
        if not limits or len(set_apart(found.text)) == 1:
            return found
        for term in limits:
            if any(True for _ in self._said([term], found.text)):
                raise UserError(
                    f"{in_line(term)}: the lines of a text are translated apart, and together they"
                    " say it more often. Give each line as a text of its own, or avoid it in some"
                )
        kept = [
            each
            for each in found.alternatives
            if not any(True for _ in self._said(limits, each.text))
        ]
        return replace(found, alternatives=tuple(kept))

    def _said(self, terms: Sequence[Constraint], text: str) -> Iterator[Spans]:
        """Where a text says these, in characters."""
        tokens = tuple(
            self._tokenizer(text_target=text, add_special_tokens=False, verbose=False)["input_ids"]
        )
        of_token = stretches(self._tokenizer, self._subwords.vocabulary, tokens, text.strip())
        for term in terms:
            spelled = self._subwords.spelled(term, ends_of(self._model), self._model.vocab_size)
            for spans in occurrences(spelled, tokens):
                yield in_characters(text, of_token, spans, term, self._subwords.case)


@dataclass(frozen=True)
class _TextPlan:
    """A text that is being translated."""

    planner: Planner
    request: Request
    terms: Sequence[Constraint]
    readable: Callable[[str], Readable]
    """A sentence as the model can read it."""
    encoded: Callable[[str], tuple[int, ...]]
    """The tokens of a sentence, which is asked for many times."""
    options: SearchOptions

    def job(self, sentence: str, constraints: Sequence[Constraint]) -> Job:
        """The search for a translation of a sentence that meets constraints."""
        shown = self.readable(sentence)
        source, wanted = self.encoded(shown.text), tuple(shown.constraints(constraints))
        room = self.planner.room(source, wanted, self.options)
        return Job(source, wanted, self.options.but(max_length=room, max_ratio=None, n_best=1))

    def _searches(
        self, sentences: Sentences, numbers: Sequence[Sequence[int]]
    ) -> Plan[list[tuple[Job, tuple[int, ...]]]]:
        """The last search of each sentence, and the constraints that the model is told in it.

        A model that is told a term says it cheaply anywhere. Where it belongs shows in what it
        costs untold, so only this search is told; and a translation that says all its terms
        unasked is no better for it, so it is searched for as it was.
        """
        untold = [
            self.job(text, [self.terms[n] for n in own])
            for text, own in zip(sentences.texts, numbers, strict=True)
        ]
        told = [
            self._told(text, begin, own)
            for text, begin, own in zip(sentences.texts, sentences.starts, numbers, strict=True)
        ]
        unasked = {
            number: _without_demands(untold[number]) for number, (_, own) in enumerate(told) if own
        }
        found = (yield [*unasked.values()]) if unasked else {}
        for number, job in unasked.items():
            if self._is_said(untold[number], found[job]):
                told[number] = untold[number], ()
        return told

    def _is_said(self, job: Job, found: SearchAnswer) -> bool:
        """Whether what was found unasked is all that a search demands."""
        return not isinstance(found, UserError) and self.planner.is_met(job, found[0])

    def _told(
        self, sentence: str, begin: int, numbers: Sequence[int]
    ) -> tuple[Job, tuple[int, ...]]:
        """The search for these constraints by a model that is told them, and those it is told."""
        plain, shown = self.job(sentence, [self.terms[n] for n in numbers]), self.readable(sentence)
        terms = ((self._to_tell(n), self._span(n, begin, sentence)) for n in numbers)
        found = self.planner.told(plain.source, sentence, shown, terms)
        return replace(plain, source=found.tokens), tuple(numbers[n] for n in found.told)

    def _to_tell(self, number: int) -> TermToTell | None:
        """What the model is told of a constraint: not what the source itself says in its place."""
        term, offset = to_tell(self.terms[number]), self.request.offsets[number]
        is_copied = (
            term is not None
            and offset is not None
            and self.request.span(number) is None
            and self.request.source.startswith(term.text, offset)
        )
        return None if is_copied else term

    def _span(self, number: int, begin: int, sentence: str) -> Span | None:
        """The characters of a sentence that a constraint stems from, where they are known."""
        span = self.request.span(number)
        if span is None or not begin <= span[0] < span[1] <= begin + len(sentence):
            return None
        return span[0] - begin, span[1] - begin

    def translated(self, sentences: Sentences, places: Sequence[int | None]) -> Plan[Translation]:
        """The translation that the best of each sentence make, whatever they say across its end."""
        at = [None if place is None else sentences.at(place) for place in places]
        numbers = yield from assigned(
            self.terms, at, sentences.texts, self.job, self.planner.is_met
        )
        wished = max(self.request.n_best, self.options.n_best)
        n_best = 1 if wished == 1 else max(wished, self.options.widest)  # some may be the same text
        searches = yield from self._searches(sentences, numbers)
        wanted, told = [job for job, _ in searches], [own for _, own in searches]
        rows = yield from self._found(wanted, n_best, sentences.texts, numbers)
        silent = [number for number, row in enumerate(rows) if _says_nothing(row[0])]
        if silent:
            again = yield from self._found(
                [wanted[number] for number in silent],
                self.options.widest,
                [sentences.texts[number] for number in silent],
                [numbers[number] for number in silent],
            )
            for number, row in zip(silent, again, strict=True):
                rows[number] = [each for each in row if not _says_nothing(each)] or rows[number]
        return combined(self.request.source, sentences, rows, told, len(self.terms), wished)

    def _found(
        self,
        wanted: Sequence[Job],
        n_best: int,
        texts: Sequence[str],
        numbers: Sequence[Sequence[int]],
    ) -> Plan[list[list[Candidate]]]:
        """So many translations of each sentence, the best first."""
        jobs = [replace(each, options=each.options.but(n_best=n_best)) for each in wanted]
        found = yield jobs
        return [
            self.planner.candidates(
                _hypotheses(found[job]), own, self.terms, self.readable(text), text
            )
            for job, own, text in zip(jobs, numbers, texts, strict=True)
        ]


def _without_demands(job: Job) -> Job:
    """The search for the same sentence that need not say anything."""
    allowed = tuple(term for term in job.constraints if not term.role.must_occur)
    return replace(job, constraints=allowed)


def _says_nothing(found: Candidate) -> bool:
    """Whether a translation has no letter, as those of short texts, or in brackets, may have.

    Only sentences with letters are searched for at all.
    """
    return not any(map(str.isalpha, found.text))


def _hypotheses(found: SearchAnswer) -> Sequence[Hypothesis]:
    if isinstance(found, UserError):
        raise found
    return found


def _nothing(request: Request, terms: Sequence[Constraint]) -> Translation:
    """The translation of a text without language: the text itself."""
    wanted = next((term for term in terms if term.role.must_occur), None)
    if wanted is not None:
        raise UserError(
            f"the source is empty, so no translation of it can say {in_line(wanted)}: give a"
            " source, or leave it out"
        )
    return Translation(request.source, 0.0, ((),) * len(terms), (), request.source, ())
