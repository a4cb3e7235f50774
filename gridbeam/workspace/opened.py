"""A segment that is being worked on: its row, what its file and its project say of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from gridbeam.checks.pair import CheckedPair
from gridbeam.constraints.roles import Role
from gridbeam.constraints.terms import Constraint
from gridbeam.documents import Segment
from gridbeam.editing.state import EditingState, Word
from gridbeam.editing.stretch import Stretch
from gridbeam.files.instructions import Instructions
from gridbeam.files.outcome import Outcome
from gridbeam.files.task import Wish
from gridbeam.glossary.index import TextWords
from gridbeam.glossary.matching import Match, constraints_for
from gridbeam.markup.inline import Marked
from gridbeam.markup.numbers import NumberStyle, lacking
from gridbeam.markup.parts import divide
from gridbeam.store import ProjectRow, SegmentRow, SegmentStatus, Snapshot
from gridbeam.translation.defaults import TRANSLATION
from gridbeam.translation.translator import Translates
from gridbeam.workspace.glossaries import Terms
from gridbeam.workspace.judging import findings_in, matches_in, pair_of
from gridbeam.workspace.kept import restored, with_codes
from gridbeam.workspace.speaking import SegmentSpeaker, words_in
from gridbeam.workspace.texts import codes_of, shown

_SOON = TRANSLATION.but(trace=True)
"""How an act searches: a person waits for it. The paper's beam of 10 in every row, which
`PostEditing` has, takes about six times as long for a sentence with a few locks."""


@dataclass(frozen=True)
class OpenSegment:
    """A segment of a project, and all that is needed to work on it."""

    project: ProjectRow
    row: SegmentRow
    terms: Terms

    @cached_property
    def segment(self) -> Segment:
        """The segment as documents have it."""
        return restored(self.row, self.project.file)

    @cached_property
    def is_divided(self) -> bool:
        """Whether it is a message, or has one in it, whose texts are translated each on its own."""
        return len(divide(self.segment.source, None, cuts="nothing").texts) > 1

    @cached_property
    def matches(self) -> Sequence[Match]:
        """The terms of its source."""
        return matches_in(self.segment, self.terms)

    @property
    def state(self) -> EditingState:
        """How far its editing is; nothing is said in a new one."""
        kept = self.row.state
        if kept is None:
            return EditingState("")
        found = EditingState.from_json(kept)
        return found if found.fixed else replace(found, fixed=self._fixed(found.text))

    def speaker(self, translator: Translates, left: str | None) -> SegmentSpeaker:
        """Who says the source again after a person has left the text so; None: as nothing at all.

        Terms and numbers that the text says are said again. Those that it does not say, the person
        has done without.
        """
        asked = [
            (each, (match.start, match.end))
            for match in self.matches
            for each in (constraints_for([match]) if left is None else _still_owed(match, left))
        ]
        bare, own = self.segment, self.segment.stretches
        segment = replace(
            bare,
            constraints=(*bare.constraints, *(each for each, _ in asked)),
            stretches=(
                *(own or (None,) * len(bare.constraints)),
                *(stretch for _, stretch in asked),
            ),
        )
        numbers = NumberStyle(self.project.source, self.project.target).numbers(bare.source.text)
        how = Instructions(
            keeps_numbers=left is None or not lacking(numbers, left),
            search=_SOON,
        )
        return SegmentSpeaker(translator, segment, how)

    def snapshot(
        self, state: EditingState, status: SegmentStatus, *, review: bool, quality: float | None
    ) -> Snapshot:
        """What an act leaves of it, checked anew; without a text it is new again."""
        kept = state.as_json() | {"quality": quality}
        if not state.text:
            return Snapshot(None, kept, "new", review)
        target = with_codes(self.row, state.text)
        return Snapshot(shown(target), kept, status, review, self.findings(target))

    def translated(self, outcome: Outcome) -> Snapshot:
        """What the machine leaves of it; what somebody should look at needs review."""
        assert outcome.text is not None
        words = words_in(outcome.text, outcome.tokens)
        found = self.as_machine(str(outcome.text), words, outcome.quality)
        return replace(found, review=found.review or bool(outcome.unmet))

    def as_machine(
        self, text: str, words: tuple[Word, ...] = (), quality: float | None = None
    ) -> Snapshot:
        """What is left of it by a translation that nobody has looked at."""
        state = EditingState(text, words=words, fixed=self._fixed(text))
        found = self.snapshot(state, "machine", review=False, quality=quality)
        is_wrong = any(each["severity"] == "error" for each in found.findings)
        return replace(found, review=is_wrong)

    def findings(self, target: Marked) -> tuple[dict[str, Any], ...]:
        """What the checks find in a translation of it."""
        return findings_in(self.segment, target, self.pair(target))

    def pair(self, target: Marked | None) -> CheckedPair:
        """It and a translation of it, as the checks look at them."""
        return pair_of(self.segment, target, self.project, self.matches)

    def _fixed(self, text: str) -> tuple[Stretch, ...]:
        return tuple(Stretch(*each) for each in codes_of(with_codes(self.row, text)))


def _still_owed(match: Match, left: str) -> Iterator[Constraint]:
    """What a translation owes to a term after a person has left the text so."""
    line, wording = TextWords(left), match.required
    is_said = wording is not None and bool(wording.places(line))
    has_forbidden = any(bad.places(line) for bad in match.forbidden)
    for each in constraints_for([match]):
        if is_said if each.role is Role.REQUIRED else not has_forbidden:
            yield Wish(each, "term", wording=wording).with_compounds_of(left).constraint
