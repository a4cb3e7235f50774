"""What is new in a project is translated by the machine, as `gridbeam translate` does it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from gridbeam.files.instructions import Instructions
from gridbeam.files.segments import SegmentTranslator
from gridbeam.glossary.entries import Glossary
from gridbeam.serving.client import StopSearch
from gridbeam.serving.refusals import Busy
from gridbeam.store import NewAct, Outdated, ProjectRow, SegmentRow, Snapshot, Store
from gridbeam.translation.translator import Translates
from gridbeam.workspace.glossaries import Glossaries
from gridbeam.workspace.opened import OpenSegment
from gridbeam.workspace.study import MACHINE

_WINDOW = 8
"""How many segments are given to the model together: few, so that people need not wait."""


_PAUSE = 1.0
"""Seconds to wait for a place in the queue."""


@dataclass(frozen=True)
class MachineWork:
    """Translates for nobody in particular."""

    store: Store
    glossaries: Glossaries
    translating: Callable[[str, str, StopSearch], Translates]
    """The translator of two languages, whose searches end when the event is set."""
    told: Callable[[int, int], None]
    """Is told each project and segment that has changed."""

    def translate(self, number: int, closing: StopSearch) -> None:
        """Translates the new segments of a project, until there are none or the server closes.

        Those that anybody has acted on are left alone: what was undone to its very beginning is
        new again, but somebody's, and can be redone.
        """
        project = self.store.projects.get(number)
        found = self.store.segments.of(number, status="new").rows
        self._all(project, [row for row in found if row.version == 0], closing)

    def translate_again(self, number: int, closing: StopSearch) -> None:
        """Translates anew what the machine has translated, and nobody has edited or confirmed."""
        project = self.store.projects.get(number)
        self._all(project, self.store.segments.of(number, status="machine").rows, closing)

    def _all(self, project: ProjectRow, rows: Sequence[SegmentRow], closing: StopSearch) -> None:
        for start in range(0, len(rows), _WINDOW):
            if closing.is_set():
                return
            self._patiently(project, rows[start : start + _WINDOW], closing)

    def _patiently(
        self, project: ProjectRow, rows: Sequence[SegmentRow], closing: StopSearch
    ) -> None:
        """Translates some rows; where all places of the queue are taken, people go first."""
        while not closing.is_set():
            try:
                return self._window(project, rows, closing)
            except Busy:
                closing.wait(_PAUSE)

    def _window(self, project: ProjectRow, rows: Sequence[SegmentRow], closing: StopSearch) -> None:
        terms = self.glossaries.of(project)
        opened = [OpenSegment(project, row, terms) for row in rows]
        left = [each for each in opened if not self._repeated(each)]
        for each, after in self._translated(project, left, closing):
            self._keep(each.row, NewAct("translate", client=MACHINE), after)

    def _repeated(self, opened: OpenSegment) -> bool:
        """Whether the same source was confirmed elsewhere, so that its translation is taken."""
        found = exact_match(self.store, opened)
        if found is not None:
            self._keep(opened.row, NewAct("translate", {"match": True}, client=MACHINE), found)
        return found is not None

    def _translated(
        self, project: ProjectRow, opened: Sequence[OpenSegment], closing: StopSearch
    ) -> Iterator[tuple[OpenSegment, Snapshot]]:
        if not opened:
            return
        translator = self.translating(project.source, project.target, closing)
        pipeline = SegmentTranslator(translator, together(opened))
        for place, outcome in pipeline.outcomes([each.segment for each in opened]):
            if outcome.text is not None:
                yield opened[place], opened[place].translated(outcome)

    def _keep(self, row: SegmentRow, act: NewAct, after: Snapshot) -> None:
        try:
            self.store.act(row.id, row.version, act, after)
        except Outdated:
            return  # a person was faster
        self.told(row.project, row.id)


def exact_match(store: Store, opened: OpenSegment) -> Snapshot | None:
    """The translation of a confirmed segment with the same source, if there is one."""
    project, row = opened.project, opened.row
    found = store.memory.matches(
        project.source, project.target, row.source["text"], beside=row.id, least=100, most=1
    )
    same = [each for each in found if each.source["text"] == row.source["text"]]
    return opened.as_machine(same[0].target["text"]) if same else None


def together(opened: Sequence[OpenSegment]) -> Instructions:
    """How segments of one project are translated, with those terms that they have."""
    entries = dict.fromkeys(match.entry for each in opened for match in each.matches)
    terms = opened[0].terms
    known = terms.glossary
    glossary = Glossary(tuple(entries), known.source_language, known.target_language)
    return Instructions(glossary, lemmas=terms.has_forms, on_unmet="relax")
