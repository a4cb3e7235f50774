"""A segment without the accelerator of its label, and its outcome with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gridbeam.constraints.occurrences import Span, Spans
from gridbeam.documents import Segment
from gridbeam.files.outcome import Outcome
from gridbeam.markup.accelerators import (
    Accelerator,
    AcceleratorRule,
    Insertion,
    accelerator_of,
    inserted,
)
from gridbeam.markup.inline import as_marked


@dataclass(frozen=True)
class Label:
    """A segment as it is translated, and the accelerator that was taken out of it, if any."""

    bare: Segment
    accelerator: Accelerator | None

    def marked(self, outcome: Outcome, target: str | None) -> Outcome:
        """What came of the segment, with the accelerator in the target language."""
        key = self.accelerator
        if key is None:
            return outcome
        others = [(as_marked(text), score) for text, score in outcome.alternatives]
        outcome = replace(
            outcome,
            alternatives=tuple(
                (str(inserted(text, key.marks_in(text, target))), score) for text, score in others
            ),
        )
        if outcome.text is None:
            return outcome
        marks = key.marks_in(outcome.text, target)
        met = (replace(each, spans=_shifted(each.spans, marks)) for each in outcome.met)
        return replace(outcome, text=inserted(outcome.text, marks), met=tuple(met))


def label_of(segment: Segment, rule: AcceleratorRule, source: str | None) -> Label:
    """A segment, without its accelerator if it has one."""
    key = accelerator_of(segment.source, rule, source, own=segment.accelerator)
    if key is None:
        return Label(segment, None)
    stretches = tuple(_without(stretch, key.own) for stretch in segment.stretches)
    return Label(replace(segment, source=key.bare, stretches=stretches), key)


def _without(stretch: Span | None, marks: Sequence[Insertion]) -> Span | None:
    """The same characters of a source where these marks are not there any more."""
    if stretch is None:
        return None
    start, end = stretch
    for place, mark in marks:
        start -= len(mark) if place < start else 0
        end -= len(mark) if place < end else 0
    return start, end


def _shifted(spans: Spans, marks: Sequence[Insertion]) -> Spans:
    """The spans once the marks are there; none for what a mark cuts in two."""
    shifted = list[Span]()
    for start, end in spans:
        if not any(start < place < end for place, _ in marks):
            shift = sum(len(mark) for place, mark in marks if place <= start)
            shifted.append((start + shift, end + shift))
    return tuple(shifted)
