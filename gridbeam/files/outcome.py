"""What came of a segment: plain values, which a line of the journal holds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from typing import Any

from gridbeam.checks import Finding
from gridbeam.checks.estimate import SearchEvidence
from gridbeam.constraints.notation import to_json
from gridbeam.constraints.occurrences import Span, Spans
from gridbeam.errors import UserError
from gridbeam.files.task import OUR_OWN, Account, Task, Wish
from gridbeam.markup.inline import Code, Marked
from gridbeam.markup.projection import Anchor
from gridbeam.markup.restore import Restored, restored_text
from gridbeam.support.typed_values import fits
from gridbeam.translation.request import Sentence, TokenSpan


@dataclass(frozen=True)
class BareTranslation:
    """A translation as the model sees it, without all that is not needed any more."""

    text: str
    score: float
    spans: tuple[Spans, ...]
    """For each constraint of the request."""
    kept: tuple[tuple[Span, Span], ...] = ()
    """What the model has no letters for: its stretch of the source that the model was given, and of
    the text."""
    alternatives: tuple[BareTranslation, ...] = ()
    search: SearchEvidence | None = None
    """What the search tells of it."""
    tokens: tuple[TokenSpan, ...] = ()
    sentences: tuple[Sentence, ...] = ()
    """What was searched, where the grid was recorded."""


@dataclass(frozen=True)
class NextBest:
    """Another translation as it is written, and how it came about."""

    text: Marked
    score: float
    tokens: tuple[TokenSpan, ...] = ()
    sentences: tuple[Sentence, ...] = ()
    """What was searched, where the grid was recorded."""


@dataclass(frozen=True)
class Met:
    """A constraint, as JSON, and the stretches of the translation that meet it."""

    constraint: Any
    said: tuple[str, ...]
    spans: Spans
    """In characters of the translation as it is written, with tags within them."""
    account: Account = "segment"
    """On whose account it is there."""


@dataclass(frozen=True)
class Use:
    """A due glossary term: the number of its entry, its words in the source, what came of it."""

    entry: int
    source: str
    is_met: bool
    said: str = ""
    """The form that was chosen; empty for a term that only forbids."""


@dataclass(frozen=True)
class Outcome:
    """What came of a segment."""

    number: int
    name: str
    line: int
    text: Marked | None = None
    """The translation; None where the segment stays as it is."""
    score: float = 0.0
    met: tuple[Met, ...] = ()
    uses: tuple[Use, ...] = ()
    unmet: str = ""
    """Why not all constraints were met."""
    dropped: tuple[Any, ...] = ()
    """The constraints, as JSON, that the translation was made without."""
    alternatives: tuple[tuple[str, float], ...] = ()
    """The next best translations and their scores."""
    search: SearchEvidence | None = None
    """What the search tells of the translation; None where there was none."""
    findings: tuple[Finding, ...] = ()
    """What the checks find in the translation."""
    quality: float | None = None
    """The chance that the translation is usable; None where there is none."""
    notes: tuple[str, ...] = ()
    """What else there is to say, such as what was not understood and stays as it is."""
    tokens: tuple[TokenSpan, ...] = field(default=(), compare=False, repr=False)
    """How the translation came about, in characters of it as it is written; a line of JSON does
    without, and without the two below."""
    others: tuple[NextBest, ...] = field(default=(), compare=False, repr=False)
    """The `alternatives` with their codes and tokens, where all was searched as one."""
    sentences: tuple[Sentence, ...] = field(default=(), compare=False, repr=False)
    """What was searched, where the search was asked to record its grid."""

    def as_line(self) -> str:
        """The outcome as a line of JSON, without what only shows how it came about."""
        values = asdict(replace(self, **_PASSING)) | {
            "text": None if self.text is None else [_value(piece) for piece in self.text.pieces]
        }
        for name in _PASSING:
            del values[name]
        return json.dumps(values, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_line(cls, line: str | bytes) -> Outcome:
        """The outcome that a line of JSON holds; a ValueError where it holds something else."""
        try:
            found = cls._of_values(json.loads(line))
        except (TypeError, LookupError, AttributeError, RecursionError) as error:
            raise ValueError(f"this line holds no outcome: {error}") from None
        if not fits(found, cls):
            raise ValueError("this line holds no outcome: one of its values is of another kind")
        return found

    @classmethod
    def _of_values(cls, values: dict[str, Any]) -> Outcome:
        pieces = values.pop("text")
        return cls(
            **values
            | {
                "text": None if pieces is None else Marked(tuple(_piece(each) for each in pieces)),
                "met": tuple(
                    Met(
                        each["constraint"],
                        tuple(each["said"]),
                        _spans(each["spans"]),
                        each["account"],
                    )
                    for each in values["met"]
                ),
                "uses": tuple(Use(**each) for each in values["uses"]),
                "dropped": tuple(values["dropped"]),
                "notes": tuple(values.get("notes", ())),
                "alternatives": tuple((text, score) for text, score in values["alternatives"]),
                "search": None if values["search"] is None else SearchEvidence(**values["search"]),
                "findings": tuple(map(Finding.of_values, values["findings"])),
            }
        )


_PASSING: dict[str, Any] = {"tokens": (), "others": (), "sentences": ()}


def copied(task: Task) -> Outcome:
    """The outcome of a segment without words, which is its own translation."""
    segment = task.segment
    uses = tuple(Use(term.entry, term.text, True, term.text) for term in task.terms)
    return Outcome(
        segment.number, segment.name, segment.line, segment.source, uses=uses, quality=1.0
    )


def left_alone(task: Task, why: str) -> Outcome:
    """The outcome of a segment whose constraints cannot be met."""
    segment = task.segment
    uses = tuple(Use(term.entry, term.text, False) for term in task.terms)
    return Outcome(segment.number, segment.name, segment.line, uses=uses, unmet=why)


def finished(
    task: Task, kept: Sequence[int], found: BareTranslation, why_fewer: str = ""
) -> Outcome:
    """The outcome of a segment translated with some of its constraints, everything put back.

    `kept` has the numbers of those constraints. Raises where a placeholder has changed places with
    another.
    """
    segment = task.segment
    restored = restored_text(found.text, task.protected, _anchors(task, kept, found))
    others = tuple(_others(task, kept, found.alternatives))
    spans_of = dict(zip(kept, found.spans, strict=True))
    said = {
        wish: tuple(found.text[start:end] for start, end in spans)
        for wish, spans in spans_of.items()
    }
    return Outcome(
        segment.number,
        segment.name,
        segment.line,
        restored.text,
        found.score,
        met=tuple(
            _met(task.wishes[wish], said[wish], spans, restored)
            for wish, spans in spans_of.items()
            if task.wishes[wish].account not in OUR_OWN
        ),
        uses=tuple(_use(task, number, said) for number in range(len(task.terms))),
        unmet=why_fewer,
        dropped=tuple(_json(wish) for number, wish in enumerate(task.wishes) if number not in said),
        alternatives=tuple((str(each.text), each.score) for each in others),
        search=found.search,
        tokens=tuple(moved_tokens(found.tokens, restored.place)),
        others=others,
        sentences=found.sentences,
    )


def _met(wish: Wish, said: tuple[str, ...], spans: Spans, restored: Restored) -> Met:
    places = tuple(place for place in map(restored.place, spans) if place)
    return Met(_json(wish), said, places, wish.account)


def moved_tokens(
    tokens: Iterable[TokenSpan], place: Callable[[Span], Span | None]
) -> Iterator[TokenSpan]:
    """The tokens where they are in another text, without those that have written nothing there."""
    for each in tokens:
        there = place((each.start, each.end)) if each.start < each.end else None
        if there is not None:
            yield replace(each, start=there[0], end=there[1])


def _anchors(task: Task, kept: Sequence[int], found: BareTranslation) -> Iterator[Anchor]:
    """The stretches of the task's text that the translation says, and where it says them.

    Where two overlap the first is taken: what is known before what the guide has told.
    """
    for number, spans in zip(kept, found.spans, strict=True):
        stretch = task.wishes[number].stretch
        if stretch is not None and spans:
            yield Anchor(stretch, _as_one(spans, found.text))
    yield from (Anchor(*each) for each in found.kept)
    if task.guide and task.guidance:
        yield from task.guide.anchors(task.guidance, found.text)


def _as_one(spans: Spans, text: str) -> Span:
    """The spans as one, where nothing but white space stands between them.

    Else the first of them.
    """
    is_one = all(not text[end:start].strip() for (_, end), (start, _) in pairwise(spans))
    return (spans[0][0], spans[-1][1]) if is_one else spans[0]


def _others(
    task: Task, kept: Sequence[int], found: Sequence[BareTranslation]
) -> Iterator[NextBest]:
    """The texts with everything put back, without those where that cannot be."""
    for each in found:
        with suppress(UserError):
            restored = restored_text(each.text, task.protected, _anchors(task, kept, each))
            tokens = tuple(moved_tokens(each.tokens, restored.place))
            yield NextBest(restored.text, each.score, tokens, each.sentences)


def _use(task: Task, number: int, said: dict[int, tuple[str, ...]]) -> Use:
    term = task.terms[number]
    own = [place for place, wish in enumerate(task.wishes) if wish.term == number]
    form = next((" ".join(said[wish]) for wish in own if said.get(wish)), "")
    return Use(term.entry, term.text, all(wish in said for wish in own), form)


def _json(wish: Wish) -> Any:
    return json.loads(to_json([wish.constraint]))[0]


def _value(piece: str | Code) -> Any:
    return piece if isinstance(piece, str) else asdict(piece)


def _piece(value: Any) -> str | Code:
    return value if isinstance(value, str) else Code(**value)


def _spans(values: Sequence[Sequence[int]]) -> Spans:
    return tuple((start, end) for start, end in values)
