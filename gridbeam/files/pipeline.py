"""Segments in, outcomes out: divided, protected, constrained by terms, translated, put together.

Translation is in batches. What is asked twice is translated once: the same text with the same
constraints, as long as it is not too long ago.

A text that nobody asks anything of is never refused. Where its placeholders cannot be kept as they
are shown, something short stands for all of them; where that cannot be kept either, what is between
them is translated in parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from gridbeam.checks.estimate import SearchEvidence
from gridbeam.decoding.hypothesis import Origin
from gridbeam.documents import Segment
from gridbeam.errors import UserError
from gridbeam.files.checked import Checks
from gridbeam.files.instructions import Instructions
from gridbeam.files.joined import joined
from gridbeam.files.outcome import BareTranslation, Outcome, copied, finished, left_alone
from gridbeam.files.task import OUR_OWN, Task, Tasks
from gridbeam.markup.numbers import NumberStyle
from gridbeam.markup.parts import Cuts, Division, PartText, divide
from gridbeam.markup.protect import Protected, writable
from gridbeam.support.flags import flag
from gridbeam.translation.translator import WINDOW, Request, Translates, Translation
from gridbeam.translation.unwritable import Alphabet

Answer: TypeAlias = BareTranslation | str
"""A translation, or why there is none."""
_REMEMBERED = 4096
"""How many translations are kept for segments that say the same."""


@dataclass(frozen=True)
class _Divided:
    """A segment in parts, and what has come of each so far."""

    place: int
    division: Division
    found: dict[int, Outcome] = field(default_factory=dict)


@dataclass(frozen=True)
class _Part:
    """A part of a segment, and what is asked of its translation."""

    whole: _Divided
    number: int
    task: Task
    usual: Task
    """What was asked at first."""
    why: str = ""
    """Why that could not be met."""
    second_best: Outcome | None = None
    """What is left if no better translation can be had."""


class Pipeline:
    """Translates segments as instructed."""

    def __init__(self, translator: Translates, instructions: Instructions) -> None:
        self._translator, self._instructions = translator, instructions
        alphabet, can_spell = Alphabet(translator.subwords), writable(translator.subwords)
        self._tasks = Tasks(
            instructions,
            lambda shown: can_spell(shown) and not alphabet.foreign(shown),
            NumberStyle(translator.source, translator.target, instructions.numbers),
        )
        self._checks = Checks(translator.source, translator.target, instructions.placeholders)
        self._known: dict[Request, Answer] = {}

    @property
    def window(self) -> int:
        """How many segments are best given at a time: enough to batch those of like lengths."""
        return WINDOW * self._instructions.batch_size

    def protected(self, segment: Segment) -> Protected:
        """A segment as the model sees it, in one piece."""
        return self._tasks.task(segment).protected

    def outcomes(self, segments: Sequence[Segment]) -> Iterator[tuple[int, Outcome]]:
        """The place of each segment in the list, and what came of it, as soon as it is known."""
        for place, outcome in self._outcomes(segments):
            yield place, self._checks.checked(segments[place], outcome)

    def _outcomes(self, segments: Sequence[Segment]) -> Iterator[tuple[int, Outcome]]:
        waiting = [
            part
            for place, segment in enumerate(segments)
            for part in self._parts(place, segment, self._cuts(segment))
        ]
        while waiting:
            again: list[_Part] = []
            for part, result in self._results(waiting):
                if isinstance(result, _Part):
                    again.append(result)
                    continue
                whole, found = part.whole, part.whole.found
                found[part.number] = result
                texts = whole.division.texts
                if len(found) == len(texts):
                    parts = [found[text.number] for text in texts]
                    yield whole.place, joined(segments[whole.place], whole.division, parts)
            waiting = again
        while len(self._known) > _REMEMBERED:
            del self._known[next(iter(self._known))]

    def _cuts(self, segment: Segment) -> Cuts:
        """What must be said anywhere is best said where it costs least, so nothing is cut off."""
        wanted = (*segment.constraints, *self._instructions.everywhere)
        return "nothing" if any(each.role.must_occur for each in wanted) else "signs"

    def _parts(self, place: int, segment: Segment, cuts: Cuts) -> Iterator[_Part]:
        """The parts of a segment; the one with most letters must say what is asked of the whole."""
        whole = _Divided(place, divide(segment.source, self._translator.target, cuts=cuts))
        texts = whole.division.texts
        main = max(texts, key=_letters)
        for text in texts:
            part = segment if len(texts) == 1 else replace(segment, source=text.source)
            task = self._tasks.task(part, is_main=text is main)
            yield _Part(whole, text.number, task, task)

    def _results(self, parts: Sequence[_Part]) -> Iterator[tuple[_Part, Outcome | _Part]]:
        """What came of each part; another one where it is to be tried in another way."""
        asked: dict[Request, list[_Part]] = {}
        for part in self._with_guidance([*self._with_compounds(parts)]):
            if part.task.is_copied:
                yield part, copied(part.task)
            elif part.task.contradiction:
                yield part, self._unmet(part, part.task.contradiction)
            elif part.task.whole_term is not None:
                yield part, self._result(part, _told(part.task, part.task.whole_term))
            elif (request := self._request(part.task)) in self._known:
                yield part, self._result(part, self._known[request])
            else:
                asked.setdefault(request, []).append(part)
        requests, how = list(asked), self._instructions
        for number, result in self._translator.translate_each(
            requests, options=how.search, batch_size=how.batch_size
        ):
            answer = self._known[requests[number]] = _answer(result)
            for part in asked[requests[number]]:
                yield part, self._result(part, answer)

    def _with_compounds(self, parts: Sequence[_Part]) -> Iterator[_Part]:
        """The parts, whose terms may be said by the compounds of their plain translations.

        So a translation that says a term already, as a part of a compound, is left as it is.
        """
        joined = {
            number: self._request(part.task, part.task.besides_terms)
            for number, part in enumerate(parts)
            if part.task.may_be_joined
            and not part.task.contradiction
            and part.task.whole_term is None
        }
        self._ask(joined.values())
        for number, part in enumerate(parts):
            answer = self._known[joined[number]] if number in joined else ""
            if isinstance(answer, BareTranslation):
                part = replace(part, task=part.task.with_compounds_of(answer.text))
            yield part

    def _with_guidance(self, parts: Sequence[_Part]) -> Iterator[_Part]:
        """The parts, each with the translation of its guide, if it has pairs of tags."""
        guides = [None if each.task.is_copied else each.task.guide for each in parts]
        asked = [Request(guide.text) if guide else None for guide in guides]
        self._ask(filter(None, asked))
        for part, request in zip(parts, asked, strict=True):
            answer = self._known[request] if request else ""
            if isinstance(answer, BareTranslation):
                part = replace(part, task=replace(part.task, guidance=answer.text))
            yield part

    def _ask(self, requests: Iterable[Request]) -> None:
        """Has all of these answered that are not known yet."""
        how = self._instructions
        new = [each for each in dict.fromkeys(requests) if each not in self._known]
        for place, result in self._translator.translate_each(
            new, options=how.search, batch_size=how.batch_size
        ):
            self._known[new[place]] = _answer(result)

    def _request(self, task: Task, kept: Sequence[int] | None = None) -> Request:
        """The request of a task, with all its wishes or those of these numbers."""
        wishes = task.wishes if kept is None else [task.wishes[number] for number in kept]
        constraints = [wish.constraint for wish in wishes]
        places = [wish.source_place for wish in wishes]
        return Request(task.protected.text, constraints, places=places)

    def _result(self, part: _Part, answer: Answer) -> Outcome | _Part:
        if isinstance(answer, str):
            return self._refused(part, answer)
        try:
            outcome = finished(part.task, range(len(part.task.wishes)), answer)
        except UserError as error:
            return self._refused(part, _why(error))
        lost = part.task.lost(answer.text)
        if not lost:
            return outcome
        numbers = ", ".join(part.task.protected.text[each.start : each.end] for each in lost)
        outcome = replace(outcome, notes=(f"the translation has not the number {numbers}",))
        if part.task.strictness != "usual" or not self._instructions.keeps_numbers:
            return outcome
        task = self._tasks.task(part.task.segment, "numbers", is_main=part.task.is_main)
        return replace(part, task=task, second_best=outcome)

    def _refused(self, part: _Part, why: str) -> Outcome | _Part:
        """Another way to translate a part, as long as there is one."""
        task, first = part.task, part.why or why
        if part.second_best:
            return part.second_best
        if not task.protected.placeholders:
            return self._unmet(part, first)
        if task.strictness != "hidden":
            return replace(part, task=self._hidden(task), why=first)
        return self._unmet(part, first) if task.is_asked else self._apart(part, first)

    def _hidden(self, task: Task) -> Task:
        return self._tasks.task(task.segment, "hidden", is_main=task.is_main)

    def _apart(self, part: _Part, why: str) -> Outcome:
        """What is between the placeholders, translated in parts."""
        segment = part.task.segment
        parts = list(self._parts(0, segment, "everything"))
        if any(each.task.protected.placeholders for each in parts):
            return self._unmet(part, why)
        found = {
            each.number: result.second_best if isinstance(result, _Part) else result
            for each, result in self._results(parts)
        }
        outcomes = [each for _, each in sorted(found.items()) if each]
        if len(outcomes) < len(parts):
            return self._unmet(part, why)
        return joined(segment, parts[0].whole.division, outcomes)

    def _unmet(self, part: _Part, why: str) -> Outcome:
        relaxed = self._relaxed(part, why) if self._instructions.on_unmet == "relax" else None
        return relaxed or left_alone(part.usual, why)

    def _relaxed(self, part: _Part, why: str) -> Outcome | None:
        """The outcome with as many wishes as can be: each is taken that goes with those before it.

        None where not even the placeholders can be kept.
        """
        for task in (part.usual, self._hidden(part.usual)):
            kept = [n for n, wish in enumerate(task.wishes) if wish.account in OUR_OWN]
            outcome = self._tried(task, kept, why)
            for number in range(len(kept), len(task.wishes)):
                if outcome and (better := self._tried(task, [*kept, number], why)):
                    kept, outcome = [*kept, number], better
            if outcome:
                return outcome
        return None

    def _tried(self, task: Task, kept: Sequence[int], why: str) -> Outcome | None:
        try:
            found = self._translator.translate(
                self._request(task, kept), options=self._instructions.search
            )
            return finished(task, kept, _found(found), why)
        except UserError:
            return None


def _told(task: Task, text: str) -> BareTranslation:
    """The translation of a text that the glossary tells, as if it had been searched for."""
    whole = ((len(text) - len(text.lstrip()), len(text.rstrip())),)
    return BareTranslation(
        text, 0.0, tuple(whole if wish.wording is not None else () for wish in task.wishes)
    )


def _letters(text: PartText) -> int:
    return sum(map(str.isalpha, text.source.text))


def _answer(result: Translation | UserError) -> Answer:
    return _why(result) if isinstance(result, UserError) else _found(result)


def _why(error: UserError) -> str:
    """What is wrong, in the words of the command line."""
    return str(error.in_words_of(flag))


def _found(translation: Translation) -> BareTranslation:
    """The translation; its score to so many digits as do not depend on the batch it was in."""
    others = tuple(map(_found, translation.alternatives))
    is_recorded = any(each.hypothesis.trace is not None for each in translation.sentences)
    return BareTranslation(
        translation.text,
        round(translation.score, 4),
        translation.spans,
        translation.kept,
        others,
        SearchEvidence.of(
            [(each.log_prob, each.origin is Origin.GENERATED) for each in translation.tokens]
        ),
        translation.tokens,
        translation.sentences if is_recorded else (),
    )
