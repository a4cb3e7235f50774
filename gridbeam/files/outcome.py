"""What came of a segment: plain values, which a line of the journal holds."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from gridbeam.checks import Finding
from gridbeam.checks.estimate import SearchEvidence
from gridbeam.constraints.notation import to_json
from gridbeam.constraints.occurrences import Span, Spans
from gridbeam.errors import UserError
from gridbeam.files.task import OUR_OWN, Task, Wish
from gridbeam.markup.inline import Code, Marked
from gridbeam.markup.projection import Anchor
from gridbeam.markup.restore import restore


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


@dataclass(frozen=True)
class Met:
    """A constraint, as JSON, and the stretches of the translation that meet it."""

    constraint: Any
    said: tuple[str, ...]
    spans: Spans
    """In characters of the translation as it is written; none for what a tag or a placeholder cuts
    in two."""


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

    def as_line(self) -> str:
        """All of it as a line of JSON."""
        values = asdict(self) | {
            "text": None if self.text is None else [_value(piece) for piece in self.text.pieces]
        }
        return json.dumps(values, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_line(cls, line: str | bytes) -> Outcome:
        """The outcome that a line of JSON holds."""
        values = json.loads(line)
        pieces = values.pop("text")
        return cls(
            **values
            | {
                "text": None if pieces is None else Marked(tuple(_piece(each) for each in pieces)),
                "met": tuple(
                    Met(each["constraint"], tuple(each["said"]), _spans(each["spans"]))
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
    segment, text = task.segment, restore(found.text, task.protected, _anchors(task, kept, found))
    spans_of = dict(zip(kept, found.spans, strict=True))
    said = {
        wish: tuple(found.text[start:end] for start, end in spans)
        for wish, spans in spans_of.items()
    }
    return Outcome(
        segment.number,
        segment.name,
        segment.line,
        text,
        found.score,
        met=tuple(
            Met(_json(task.wishes[wish]), said[wish], _places(spans, found.text, text))
            for wish, spans in spans_of.items()
            if task.wishes[wish].account not in OUR_OWN
        ),
        uses=tuple(_use(task, number, said) for number in range(len(task.terms))),
        unmet=why_fewer,
        dropped=tuple(_json(wish) for number, wish in enumerate(task.wishes) if number not in said),
        alternatives=tuple(_restored(task, kept, found.alternatives)),
        search=found.search,
    )


def _anchors(task: Task, kept: Sequence[int], found: BareTranslation) -> Iterator[Anchor]:
    """The stretches of the task's text that the translation says, and where it says them."""
    for number, spans in zip(kept, found.spans, strict=True):
        stretch = task.wishes[number].stretch
        if stretch is not None and spans:
            yield Anchor(stretch, _as_one(spans, found.text))
    yield from (Anchor(*each) for each in found.kept)


def _as_one(spans: Spans, text: str) -> Span:
    """The spans as one, where nothing but white space stands between them.

    Else the first of them.
    """
    is_one = all(not text[end:start].strip() for (_, end), (start, _) in pairwise(spans))
    return (spans[0][0], spans[-1][1]) if is_one else spans[0]


def _restored(
    task: Task, kept: Sequence[int], others: Sequence[BareTranslation]
) -> Iterator[tuple[str, float]]:
    """The texts with everything put back, without those where that cannot be."""
    for each in others:
        with suppress(UserError):
            yield str(restore(each.text, task.protected, _anchors(task, kept, each))), each.score


def _use(task: Task, number: int, said: dict[int, tuple[str, ...]]) -> Use:
    term = task.terms[number]
    own = [place for place, wish in enumerate(task.wishes) if wish.term == number]
    form = next((" ".join(said[wish]) for wish in own if said.get(wish)), "")
    return Use(term.entry, term.text, all(wish in said for wish in own), form)


def _json(wish: Wish) -> Any:
    return json.loads(to_json([wish.constraint]))[0]


def _places(spans: Spans, before: str, after: Marked) -> Spans:
    """Where spans of a text are once everything is put back.

    A span becomes the same occurrence of the same characters.
    """
    if str(after) == before:
        return spans
    found = (
        _place(before[start:end], len(list(_occurrences(before[start:end], before[:end]))), after)
        for start, end in spans
    )
    return tuple(place for place in found if place)


def _place(part: str, which: int, text: Marked) -> tuple[int, int] | None:
    done = 0
    for piece in text.pieces:
        if isinstance(piece, str):
            for start in _occurrences(part, piece):
                which -= 1
                if not which:
                    return done + start, done + start + len(part)
        done += len(str(piece))
    return None


def _occurrences(part: str, text: str) -> Iterator[int]:
    return (match.start() for match in re.finditer(re.escape(part), text))


def _value(piece: str | Code) -> Any:
    return piece if isinstance(piece, str) else asdict(piece)


def _piece(value: Any) -> str | Code:
    return value if isinstance(value, str) else Code(**value)


def _spans(values: Sequence[Sequence[int]]) -> Spans:
    return tuple((start, end) for start, end in values)
