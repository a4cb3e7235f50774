"""Segments in, outcomes out: protected, constrained by their terms, translated, put back.

Translation is in batches. What is asked twice is translated once: the same text with the same
constraints, as long as it is not too long ago.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from gridbeam.checks.estimate import SearchEvidence
from gridbeam.decoding.hypothesis import Origin
from gridbeam.documents import Segment
from gridbeam.errors import UserError
from gridbeam.files.checked import Checks
from gridbeam.files.instructions import Instructions
from gridbeam.files.outcome import BareTranslation, Outcome, copied, finished, left_alone
from gridbeam.files.task import Task, Tasks
from gridbeam.markup.protect import writable
from gridbeam.support.flags import flag
from gridbeam.translation.translator import WINDOW, Request, Translation, Translator

Answer: TypeAlias = BareTranslation | str
"""A translation, or why there is none."""
_REMEMBERED = 4096
"""How many translations are kept for segments that say the same."""


class Pipeline:
    """Translates segments as instructed."""

    def __init__(self, translator: Translator, instructions: Instructions) -> None:
        self._translator, self._instructions = translator, instructions
        self._tasks = Tasks(instructions, writable(translator.subwords))
        self._checks = Checks(translator.source, translator.target, instructions.placeholders)
        self._known: dict[Request, Answer] = {}

    @property
    def window(self) -> int:
        """How many segments are best given at a time: enough to batch those of like lengths."""
        return WINDOW * self._instructions.batch_size

    def outcomes(self, segments: Sequence[Segment]) -> Iterator[tuple[int, Outcome]]:
        """The place of each segment in the list, and what came of it, as soon as it is known."""
        for place, outcome in self._outcomes(segments):
            yield place, self._checks.checked(segments[place], outcome)

    def _outcomes(self, segments: Sequence[Segment]) -> Iterator[tuple[int, Outcome]]:
        tasks = [self._tasks.task(segment) for segment in segments]
        asked: dict[Request, list[int]] = {}
        for place, task in enumerate(tasks):
            if task.is_copied:
                yield place, copied(task)
            elif task.contradiction:
                yield place, self._unmet(task, task.contradiction)
            elif (request := self._request(task)) in self._known:
                yield place, self._outcome(task, self._known[request])
            else:
                asked.setdefault(request, []).append(place)
        requests = list(asked)
        how = self._instructions
        for number, result in self._translator.translate_each(
            requests, options=how.search, batch_size=how.batch_size
        ):
            answer = self._known[requests[number]] = _answer(result)
            for place in asked[requests[number]]:
                yield place, self._outcome(tasks[place], answer)
        while len(self._known) > _REMEMBERED:
            del self._known[next(iter(self._known))]

    def _request(self, task: Task, kept: Sequence[int] | None = None) -> Request:
        """The request of a task, with all its wishes or those of these numbers."""
        wishes = task.wishes if kept is None else [task.wishes[number] for number in kept]
        constraints, places = [wish.constraint for wish in wishes], [wish.place for wish in wishes]
        return Request(task.protected.text, constraints, places=places)

    def _outcome(self, task: Task, answer: Answer) -> Outcome:
        if isinstance(answer, str):
            return self._unmet(task, answer)
        try:
            return finished(task, range(len(task.wishes)), answer)
        except UserError as error:
            return self._unmet(task, _why(error))

    def _unmet(self, task: Task, why: str) -> Outcome:
        relaxed = self._relaxed(task, why) if self._instructions.on_unmet == "relax" else None
        return relaxed or left_alone(task, why)

    def _relaxed(self, task: Task, why: str) -> Outcome | None:
        """The outcome with as many wishes as can be: each is taken that goes with those before it.

        None where not even the placeholders can be kept.
        """
        kept = [number for number, wish in enumerate(task.wishes) if wish.account == "placeholder"]
        outcome = self._tried(task, kept, why)
        for number in range(len(kept), len(task.wishes)):
            if outcome and (better := self._tried(task, [*kept, number], why)):
                kept, outcome = [*kept, number], better
        return outcome

    def _tried(self, task: Task, kept: Sequence[int], why: str) -> Outcome | None:
        try:
            found = self._translator.translate(
                self._request(task, kept), options=self._instructions.search
            )
            return finished(task, kept, _found(found), why)
        except UserError:
            return None


def _answer(result: Translation | UserError) -> Answer:
    return _why(result) if isinstance(result, UserError) else _found(result)


def _why(error: UserError) -> str:
    """What is wrong, in the words of the command line."""
    return str(error.in_words_of(flag))


def _found(translation: Translation) -> BareTranslation:
    """The translation; its score to so many digits as do not depend on the batch it was in."""
    others = tuple(map(_found, translation.alternatives))
    return BareTranslation(
        translation.text,
        round(translation.score, 4),
        translation.spans,
        translation.kept,
        others,
        SearchEvidence.of(
            [(each.log_prob, each.origin is Origin.GENERATED) for each in translation.tokens]
        ),
    )
