"""A segment of a file says its source: with its placeholders and tags, numbers, terms and limits.

What a person does to a segment is carried out by `gridbeam.editing`, which sees the text with its
codes. What it asks for goes through the pipeline of files, as constraints of the segment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from gridbeam.constraints.occurrences import Spans
from gridbeam.constraints.terms import Constraint
from gridbeam.decoding.options import SearchOptions
from gridbeam.documents import Segment
from gridbeam.editing.as_one import AsOne
from gridbeam.editing.joining import Alternative, between
from gridbeam.editing.speaker import Said, words_of
from gridbeam.editing.state import Word
from gridbeam.editing.stretch import Stretch
from gridbeam.errors import UserError
from gridbeam.files.instructions import Instructions
from gridbeam.files.outcome import NextBest, Outcome
from gridbeam.files.segments import SegmentTranslator
from gridbeam.markup.inline import Marked
from gridbeam.markup.shown import shown_text, written_text
from gridbeam.translation.request import TokenSpan
from gridbeam.translation.translator import Translates
from gridbeam.workspace.texts import codes_of


@dataclass
class SegmentSpeaker:
    """Says the source of a segment; what it must say besides is among the segment's constraints."""

    translator: Translates
    segment: Segment
    instructions: Instructions
    heard: dict[str, Outcome] = field(default_factory=dict)
    """For each text that was found what came of its search."""

    @property
    def target(self) -> str | None:
        """The language that it speaks, where that is known."""
        return self.translator.target

    def say(
        self,
        ways: Sequence[Sequence[Constraint]],
        *,
        n_best: int = 1,
        options: SearchOptions | None = None,
    ) -> list[Said | UserError]:
        """For each list of constraints the best text that meets it, or why there is none."""
        search = self.instructions.search if options is None else options
        search = search.but(n_best=min(n_best, search.widest))
        how = replace(self.instructions, search=search)
        pipeline = SegmentTranslator(AsOne(self.translator), how)
        found = dict(pipeline.outcomes([self._with(way) for way in ways]))
        for each in found.values():
            self._hear(each)
        return [self._said(found[number]) for number in range(len(ways))]

    def between(
        self, left: str, right: str, constraints: Sequence[Constraint], *, n_best: int
    ) -> list[Alternative]:
        """What may stand between two texts, the best first."""
        pipeline = SegmentTranslator(self.translator, self.instructions)
        protected = pipeline.protected(self.segment)
        before, after = (shown_text(text, protected) for text in (left, right))
        asked = pipeline.in_words_of_model(self.segment, constraints)
        found = between(self.translator, protected.text, before, after, asked, n_best)
        return [replace(each, text=written_text(each.text, protected)) for each in found]

    def _hear(self, outcome: Outcome) -> None:
        for other in outcome.others:
            found = replace(outcome, quality=None, sentences=other.sentences)
            self.heard.setdefault(str(other.text), found)
        if outcome.text is not None:
            self.heard[str(outcome.text)] = outcome

    def _with(self, way: Sequence[Constraint]) -> Segment:
        own = self.segment
        stretches = own.stretches or (None,) * len(own.constraints)
        return replace(
            own,
            constraints=(*own.constraints, *way),
            stretches=(*stretches, *[None] * len(way)),
        )

    def _said(self, outcome: Outcome) -> Said | UserError:
        if outcome.text is None:
            return UserError(outcome.unmet)
        asked = [met.spans for met in outcome.met if met.account == "segment"]
        return _said(
            NextBest(outcome.text, outcome.score, outcome.tokens),
            tuple(asked[len(self.segment.constraints) :]),
            tuple(_said(each) for each in outcome.others),
        )


def _said(found: NextBest, asked: tuple[Spans, ...] = (), others: tuple[Said, ...] = ()) -> Said:
    text, codes = str(found.text), codes_of(found.text)
    return Said(
        text,
        found.score,
        asked,
        words_in(found.text, found.tokens),
        tuple(Stretch(start, end) for start, end in codes),
        others,
    )


def words_in(text: Marked, tokens: Sequence[TokenSpan]) -> tuple[Word, ...]:
    """The words of a text that are no codes, with how probable the model finds each there."""
    codes = codes_of(text)
    return tuple(
        word
        for word in words_of(str(text), tokens)
        if all(word.end <= first or last <= word.start for first, last in codes)
    )
