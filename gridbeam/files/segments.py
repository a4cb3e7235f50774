"""Segments in, outcomes out, as a document has them: with accelerators, and within limits.

What a pipeline translates has no accelerator. What comes back too long is searched again, with a
price on each character that rises until there is room. A translation that is the best at a price
is less likely than the plain one by what its characters save, at most: where that is much, part of
the sentence was left out rather than said shortly, and it counts for nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gridbeam.constraints.terms import Constraint
from gridbeam.documents import Segment
from gridbeam.documents.limit import SizeLimit
from gridbeam.files.instructions import Instructions
from gridbeam.files.label import Label, label_of
from gridbeam.files.outcome import Outcome
from gridbeam.files.pipeline import Pipeline
from gridbeam.files.pricing import priced
from gridbeam.markup.protect import Protected
from gridbeam.markup.shown import as_shown
from gridbeam.translation.translator import Translates

_PRICES = (0.05, 0.1, 0.2, 0.3, 0.35, 0.4, 0.45)
"""What a character costs, in logarithms of probability."""
_MOST_LOST = 4.0
"""How much less likely a translation may be for being short, in the same."""
_WIDTH = 20
"""The beam for such searches, which has room for unlikely words."""


class SegmentTranslator:
    """Translates segments as instructed."""

    def __init__(self, translator: Translates, instructions: Instructions) -> None:
        self._translator, self._instructions = translator, instructions
        self._pipeline = Pipeline(translator, instructions)
        self._priced: dict[tuple[float, SizeLimit], Pipeline] = {}

    @property
    def window(self) -> int:
        """How many segments are best given at a time."""
        return self._pipeline.window

    def outcomes(self, segments: Sequence[Segment]) -> Iterator[tuple[int, Outcome]]:
        """The place of each segment in the list, and what came of it, as soon as it is known."""
        labels = [self._label(segment) for segment in segments]
        for place, outcome in self._pipeline.outcomes([label.bare for label in labels]):
            yield place, self._within_limits(segments[place], labels[place], outcome)

    def protected(self, segment: Segment) -> Protected:
        """A segment as the model sees it, in one piece."""
        return self._pipeline.protected(self._label(segment).bare)

    def in_words_of_model(
        self, segment: Segment, constraints: Sequence[Constraint]
    ) -> tuple[Constraint, ...]:
        """Constraints on a translation of a segment as they are put to the model."""
        bare = self._label(replace(segment, constraints=tuple(constraints), stretches=())).bare
        protected = self._pipeline.protected(bare)
        return tuple(as_shown(each, protected) for each in bare.constraints)

    def _label(self, segment: Segment) -> Label:
        return label_of(segment, self._instructions.accelerators, self._translator.source)

    def _within_limits(self, segment: Segment, label: Label, outcome: Outcome) -> Outcome:
        whole = label.marked(outcome, self._translator.target)
        broken = _broken(segment, whole)
        if broken is None:
            return whole
        for price in _PRICES:
            ((_, found),) = self._at(price, broken).outcomes([label.bare])
            shorter = label.marked(found, self._translator.target)
            if price * _saved(broken, whole, shorter) > _MOST_LOST:
                break
            if shorter.text is not None and _broken(segment, shorter) is None:
                return shorter
        return self._too_long(whole, broken)

    def _at(self, price: float, limit: SizeLimit) -> Pipeline:
        """The pipeline whose searches pay this for each character, or byte, that they write."""
        key = price, replace(limit, most=0)
        if key not in self._priced:
            search = self._instructions.search
            score = priced(self._translator, limit, price)
            shorter = search.but(
                score=score,
                beam=max(search.beam, _WIDTH),
                length_reward=0.0,
                n_best=1,
            )
            self._priced[key] = Pipeline(
                self._translator, replace(self._instructions, search=shorter)
            )
        return self._priced[key]

    def _too_long(self, outcome: Outcome, limit: SizeLimit) -> Outcome:
        """What becomes of a segment that cannot be said in the room it has."""
        assert outcome.text is not None
        shown = " ".join(str(outcome.text).split())  # a message has one line
        why = (
            f'"{shown}" has {limit.size(outcome.text):,} {limit.unit}, and there is room for'
            f" {limit.most:,}"
        )
        unmet = "; ".join(filter(None, (outcome.unmet, why)))
        if self._instructions.on_unmet == "relax":
            dropped = (*outcome.dropped, {"max": limit.most, "unit": limit.unit})
            return replace(outcome, unmet=unmet, dropped=dropped)
        uses = tuple(replace(use, is_met=False, said="") for use in outcome.uses)
        return Outcome(outcome.number, outcome.name, outcome.line, uses=uses, unmet=unmet)


def _saved(limit: SizeLimit, one: Outcome, other: Outcome) -> int:
    """How much less the second translation takes; nothing where there is none."""
    if one.text is None or other.text is None:
        return 0
    return (limit.size(one.text) or 0) - (limit.size(other.text) or 0)


def _broken(segment: Segment, outcome: Outcome) -> SizeLimit | None:
    """The first limit that a translation does not keep."""
    text = outcome.text
    return next(
        (each for each in segment.limits if text is not None and not each.holds(text)), None
    )
