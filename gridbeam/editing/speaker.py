"""Who says the source in the target language: a translator and its text, or a segment of a file.

Editing asks nothing else of it than to say the source so that constraints are met.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from gridbeam.constraints.occurrences import Spans
from gridbeam.constraints.terms import Constraint
from gridbeam.decoding.options import SearchOptions
from gridbeam.editing.as_one import AsOne
from gridbeam.editing.joining import Alternative, between
from gridbeam.editing.state import Word
from gridbeam.editing.stretch import Stretch
from gridbeam.errors import UserError
from gridbeam.text.words import spans, words
from gridbeam.translation.defaults import POST_EDITING
from gridbeam.translation.request import Request, TokenSpan, Translation
from gridbeam.translation.translator import Translates


@dataclass(frozen=True)
class Said:
    """A text that meets all that was asked."""

    text: str
    score: float
    spans: tuple[Spans, ...] = ()
    """For each constraint, in the order given, the stretches of `text` that meet it."""
    words: tuple[Word, ...] = ()
    fixed: tuple[Stretch, ...] = ()
    """What cannot be edited: placeholders and tags."""
    others: tuple[Said, ...] = ()
    """The next best, best first."""
    translation: Translation | None = field(default=None, repr=False, compare=False)
    """What the search found, with the recorded grid where the options ask for it."""


class Speaker(Protocol):
    """Says a source in the target language."""

    @property
    def target(self) -> str | None:
        """The language that it speaks, where that is known."""
        ...

    def say(
        self,
        ways: Sequence[Sequence[Constraint]],
        *,
        n_best: int = 1,
        options: SearchOptions | None = None,
    ) -> list[Said | UserError]:
        """For each list of constraints the best text that meets it, or why there is none.

        All are searched together. `n_best` asks for so many texts, as far as there are; `options`
        take the place of the speaker's own.
        """
        ...

    def between(
        self, left: str, right: str, constraints: Sequence[Constraint], *, n_best: int
    ) -> list[Alternative]:
        """What may stand between two texts, the best first; perhaps fewer than asked for."""
        ...


class TextSpeaker:
    """Says a plain text, as one sentence."""

    def __init__(
        self, translator: Translates, source: str, options: SearchOptions = POST_EDITING
    ) -> None:
        self.source = source
        self._translator, self._options = AsOne(translator), options

    @property
    def target(self) -> str | None:
        """The language that it speaks, where that is known."""
        return self._translator.target

    def say(
        self,
        ways: Sequence[Sequence[Constraint]],
        *,
        n_best: int = 1,
        options: SearchOptions | None = None,
    ) -> list[Said | UserError]:
        """For each list of constraints the best text that meets it, or why there is none."""
        chosen = self._options if options is None else options
        most = min(n_best, chosen.widest)
        requests = [Request(self.source, tuple(way), n_best=most) for way in ways]
        found = dict(self._translator.translate_each(requests, options=chosen))
        return [_answer(found[number]) for number in range(len(requests))]

    def between(
        self, left: str, right: str, constraints: Sequence[Constraint], *, n_best: int
    ) -> list[Alternative]:
        """What may stand between two texts, the best first; perhaps fewer than asked for."""
        return between(self._translator, self.source, left, right, constraints, n_best)


def said(found: Translation) -> Said:
    """A translation as what was said."""
    return Said(
        found.text,
        found.score,
        found.spans,
        words_of(found.text, found.tokens),
        others=tuple(map(said, found.alternatives)),
        translation=found,
    )


def words_of(text: str, tokens: Sequence[TokenSpan]) -> tuple[Word, ...]:
    """The words of a text, each with the geometric mean of its tokens' probabilities."""
    placed = spans(text, words(text))
    return tuple(Word(start, end, _confidence(tokens, start, end)) for start, end in placed)


def _confidence(tokens: Sequence[TokenSpan], start: int, end: int) -> float | None:
    costs = [token.log_prob for token in tokens if max(token.start, start) < min(token.end, end)]
    return round(math.exp(sum(costs) / len(costs)), 4) if costs else None


def _answer(found: Translation | UserError) -> Said | UserError:
    return found if isinstance(found, UserError) else said(found)
