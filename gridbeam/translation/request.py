"""What crosses every edge: a `Request` goes in, a `Translation` comes out. Plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import index
from typing import Any, TypeAlias

from gridbeam.constraints.occurrences import Span, Spans
from gridbeam.constraints.terms import Constraints, as_constraints, refuse_half_characters
from gridbeam.decoding.hypothesis import Hypothesis, Origin
from gridbeam.decoding.options import at_least_one
from gridbeam.errors import UserError

SourcePlace: TypeAlias = int | Span
"""A character of the source, counted from 0, or a stretch of it from `start` up to `end`."""


@dataclass(frozen=True)
class Request:
    """A text to translate, and what its translation must say.

    >>> Request("The disk is full.", ["Festplatte"])
    Request(source='The disk is full.', constraints=(Phrase('Festplatte'),), n_best=1, places=())
    """

    source: str
    constraints: Constraints = ()
    n_best: int = 1
    """How many translations are wanted, at most the beam; the rest are the `alternatives`.

    There may be fewer: each is another text.
    """
    places: Sequence[SourcePlace | None] = ()
    """For each constraint where in `source` it stems from: an offset, or better a span.

    It goes to the translation of the sentence there, and a model that can be told its terms is told
    it beside the words of the span. None, or no places at all: to that of the sentence where it
    costs the model least.
    """

    def __post_init__(self) -> None:
        if not isinstance(self.source, str):
            raise UserError(f"source is a {type(self.source).__name__}: give a text")
        refuse_half_characters(self.source)
        terms = as_constraints(self.constraints)
        object.__setattr__(self, "constraints", terms)
        object.__setattr__(self, "n_best", at_least_one("n_best", self.n_best))
        object.__setattr__(self, "places", _places(self.places))
        if self.places and len(self.places) != len(terms):
            raise UserError(
                f"places has {len(self.places)} entries for {len(terms)} constraints: give one for"
                " each"
            )
        for place in self.places:
            if place is not None:
                _refuse_outside(place, len(self.source))

    @property
    def offsets(self) -> list[int | None]:
        """For each constraint the character of the source where its place begins."""
        places = self.places or [None] * len(as_constraints(self.constraints))
        return [place[0] if isinstance(place, tuple) else place for place in places]

    def span(self, number: int) -> Span | None:
        """The stretch of the source that a constraint stems from; None where it is not known."""
        place = self.places[number] if self.places else None
        return place if isinstance(place, tuple) else None


@dataclass(frozen=True)
class TokenSpan:
    """The characters that one token wrote, from `start` up to `end`, and how it came about."""

    start: int
    end: int
    origin: Origin
    log_prob: float


@dataclass(frozen=True)
class Sentence:
    """One sentence of a translation, which was searched on its own."""

    source: str
    text: str
    start: int
    """Where its text begins in that of the whole."""
    hypothesis: Hypothesis
    """What the search found, with the recorded grid where it was asked for: `gridbeam.draw` draws
    it."""
    told: tuple[int, ...] = ()
    """The numbers of the constraints that the model was told in its source."""


@dataclass(frozen=True)
class Translation:
    """A text that meets all constraints of its request."""

    text: str
    score: float
    """The scores of its sentences, added up."""
    spans: tuple[Spans, ...]
    """For each constraint, in the order given, the stretches of `text` that meet it, in characters;
    none for `Avoid`."""
    tokens: tuple[TokenSpan, ...]
    """How the text came about, token by token; tokens without text, such as the end token, are
    empty stretches."""
    source: str
    sentences: tuple[Sentence, ...] = field(repr=False)
    kept: tuple[tuple[Span, Span], ...] = field(default=(), repr=False)
    """What the model has no letters for: the characters of `source` and of `text` where it
    stands."""
    alternatives: tuple[Translation, ...] = field(default=(), repr=False)
    """The next best, where the request asked for more than one."""

    def marked(self, before: str = "[", after: str = "]") -> str:
        """The text with marks around what meets constraints; stretches that touch are one."""
        return marked(self.text, [span for spans in self.spans for span in spans], before, after)

    def as_json(self) -> dict[str, Any]:
        """Everything but the sentences, as values that JSON knows."""
        shown: dict[str, Any] = {
            "source": self.source,
            "text": self.text,
            "score": self.score,
            "spans": [[list(span) for span in spans] for spans in self.spans],
            "tokens": [
                {
                    "start": each.start,
                    "end": each.end,
                    "origin": each.origin.name.lower(),
                    "log_prob": each.log_prob,
                }
                for each in self.tokens
            ],
        }
        return shown | (
            {"alternatives": [each.as_json() for each in self.alternatives]}
            if self.alternatives
            else {}
        )


def marked(text: str, spans: Sequence[Span], before: str, after: str) -> str:
    """The text with marks around these stretches of it; those that touch are one."""
    shown, done = "", 0
    for start, end in _merged(spans):
        shown += text[done:start] + before + text[start:end] + after
        done = end
    return shown + text[done:]


def _places(given: Any) -> tuple[SourcePlace | None, ...]:
    try:
        return tuple(None if place is None else _place(place) for place in given)
    except (TypeError, ValueError):
        raise UserError(
            f"places={given!r}: must be a list of whole numbers or None, or of pairs (start,"
            " end), one for each constraint"
        ) from None


def _place(given: Any) -> SourcePlace:
    if not isinstance(given, tuple | list):
        return index(given)
    start, end = map(index, given)
    return start, end


def _refuse_outside(place: SourcePlace, size: int) -> None:
    """Raises where a source of so many characters does not have a place."""
    if isinstance(place, tuple):
        if not 0 <= place[0] < place[1] <= size:
            raise UserError(
                f"places has {place}, and the source has {size} characters: give the first one of"
                " the stretch, counted from 0, and the one after its last"
            )
    elif not 0 <= place < size:
        raise UserError(f"places has {place}, but the source has {size} characters: count from 0")


def _merged(spans: Sequence[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
