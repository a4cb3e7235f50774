"""A segment without the accelerator of its label, and its outcome with it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from gridbeam.constraints.occurrences import Span
from gridbeam.constraints.terms import Constraint, Pattern, Phrase
from gridbeam.constraints.walk import rebuilt
from gridbeam.documents import Segment
from gridbeam.files.outcome import NextBest, Outcome, moved_tokens
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
            others=tuple(_marked(each, key, target) for each in outcome.others),
        )
        if outcome.text is None:
            return outcome
        marks = key.marks_in(outcome.text, target)
        met = (
            replace(each, spans=tuple(_shifted(span, marks) for span in each.spans))
            for each in outcome.met
        )
        return replace(
            outcome,
            text=inserted(outcome.text, marks),
            met=tuple(met),
            tokens=tuple(moved_tokens(outcome.tokens, partial(_shifted, marks=marks))),
        )


def _marked(each: NextBest, key: Accelerator, target: str | None) -> NextBest:
    marks = key.marks_in(each.text, target)
    tokens = tuple(moved_tokens(each.tokens, partial(_shifted, marks=marks)))
    return replace(each, text=inserted(each.text, marks), tokens=tokens)


def label_of(segment: Segment, rule: AcceleratorRule, source: str | None) -> Label:
    """A segment, without its accelerator if it has one."""
    key = accelerator_of(segment.source, rule, source, own=segment.accelerator)
    if key is None:
        return Label(segment, None)
    stretches = tuple(_without(stretch, key.own) for stretch in segment.stretches)
    constraints = tuple(_unmarked(each, key.mark) for each in segment.constraints)
    bare = replace(segment, source=key.bare, stretches=stretches, constraints=constraints)
    return Label(bare, key)


def _without(stretch: Span | None, marks: Sequence[Insertion]) -> Span | None:
    """The same characters of a source where these marks are not there any more."""
    if stretch is None:
        return None
    start, end = stretch
    for place, mark in marks:
        start -= len(mark) if place < start else 0
        end -= len(mark) if place < end else 0
    return start, end


def _unmarked(constraint: Constraint, mark: str) -> Constraint:
    """The same constraint on texts without the mark of a key before their letters."""

    def phrase(given: Phrase) -> Pattern:
        if not isinstance(given.content, str):
            return given
        content = re.sub(rf"{re.escape(mark)}(?=\w)", "", given.content)
        return replace(given, content=content) if content else given

    return rebuilt(constraint, phrase=phrase)


def _shifted(span: Span, marks: Sequence[Insertion]) -> Span:
    """The span once the marks are there; one within it is part of it."""
    start = span[0] + sum(len(mark) for place, mark in marks if place <= span[0])
    return start, span[1] + sum(len(mark) for place, mark in marks if place < span[1])
