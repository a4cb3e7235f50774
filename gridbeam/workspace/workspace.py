"""The workspace: projects of segments in a store, and everything that people do to them.

It knows nothing of HTTP. Whatever searches is given the translator by its caller, who may end the
search; each act is stored before it is answered.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gridbeam.documents import Languages
from gridbeam.editing.joining import Alternative
from gridbeam.editing.others import alternatives
from gridbeam.editing.stretch import Stretch, stands_in
from gridbeam.errors import UserError
from gridbeam.markup.protect import protect
from gridbeam.markup.shown import written_text
from gridbeam.serving.client import StopSearch
from gridbeam.store import Outdated, ProjectRow, SegmentPage, SegmentRow, SegmentStatus, Store
from gridbeam.translation.drafts import Draft
from gridbeam.translation.request import Sentence
from gridbeam.translation.translator import Translates
from gridbeam.workspace import views
from gridbeam.workspace.act import Act
from gridbeam.workspace.acting import Translating, acted, staying, typed
from gridbeam.workspace.background import Background
from gridbeam.workspace.events import Events
from gridbeam.workspace.exporting import as_tmx, exported
from gridbeam.workspace.glossaries import Glossaries
from gridbeam.workspace.grids import RememberedGrids
from gridbeam.workspace.importing import WantedProject, imported
from gridbeam.workspace.machine import MachineWork, exact_match
from gridbeam.workspace.opened import OpenSegment
from gridbeam.workspace.rejudging import Rejudging
from gridbeam.workspace.study import study_view
from gridbeam.workspace.termbases import Termbases
from gridbeam.workspace.upload import Upload


class Workspace:
    """Projects of segments, and the people who correct them; for any number of threads."""

    def __init__(
        self, store: Store, translating: Callable[[str, str, StopSearch], Translates]
    ) -> None:
        """`translating` gives the translator of two languages to the thread in the background."""
        self.store, self.events = store, Events()
        self.glossaries = Glossaries(store)
        self.termbases = Termbases(store, self.glossaries)
        machine = MachineWork(store, self.glossaries, translating, self.events.tell)
        self.background = Background(machine.translate)
        self.again = Background(machine.translate_again)
        self.judging = Background(Rejudging(store, self.glossaries, self.events.tell).judge)
        self._grids = RememberedGrids()

    def close(self) -> None:
        """Ends what goes on in the background."""
        for each in (self.background, self.again, self.judging):
            each.close()

    def create(
        self,
        upload: Upload,
        wanted: WantedProject,
        default: Languages,
        format: str | None = None,
        served: Sequence[Languages] = (),
    ) -> dict[str, Any]:
        """A new project of a file."""
        if wanted.glossary is not None:
            self.store.glossaries.get(wanted.glossary)
        found = imported(upload, wanted, default, format, served)
        row = self.store.projects.add(found.project, found.segments, upload.content)
        return views.project_view(row)

    def page(
        self,
        project: int,
        *,
        offset: int = 0,
        limit: int | None = None,
        status: SegmentStatus | None = None,
        review: bool | None = None,
        search: str = "",
        finding: str = "",
    ) -> dict[str, Any]:
        """Some of the segments of a project."""
        found: SegmentPage = self.store.segments.of(
            project,
            offset=offset,
            limit=limit,
            status=status,
            review=review,
            search=search,
            rule=finding,
        )
        row = self.store.projects.get(project)
        terms = self.glossaries.of(row)
        shown = [views.segment_view(OpenSegment(row, each, terms)) for each in found.rows]
        return {"total": found.total, "segments": shown}

    def view(self, segment: int) -> dict[str, Any]:
        """A segment as it is shown in a list."""
        return views.segment_view(self.opened(self.store.segments.get(segment)))

    def with_matches(self, segment: int) -> dict[str, Any]:
        """A segment with the confirmed ones that are like it."""
        opened = self.opened(self.store.segments.get(segment))
        project, row = opened.project, opened.row
        found = self.store.memory.matches(
            project.source, project.target, row.source["text"], beside=row.id
        )
        return {**views.segment_view(opened), "matches": views.match_views(row, found)}

    def opened(self, row: SegmentRow, project: ProjectRow | None = None) -> OpenSegment:
        """A segment ready to be worked on."""
        project = project or self.store.projects.get(row.project)
        return OpenSegment(project, row, self.glossaries.of(project))

    def act(self, segment: int, act: Act, translating: Callable[[ProjectRow], Translates]) -> Any:
        """The change that an act makes, once it is stored; `Outdated` on an older version.

        An act that was stored before is not done again: the segment is answered as it is now.
        """
        began = time.monotonic()
        if self.was_stored(segment, act):
            return self._unchanged(self.store.segments.get(segment))
        before = self._newest(segment, act.version)
        opened = self.opened(before)
        try:
            row = self._done(opened, act, lambda: translating(opened.project))
        except Outdated as error:  # its repeat may have come while it was searched
            if not self.was_stored(segment, act):
                raise
            return self._unchanged(error.row)
        self.events.tell(row.project, row.id)
        after = self.opened(row, opened.project)
        return views.change_view(before, after, time.monotonic() - began)

    def was_stored(self, segment: int, act: Act) -> bool:
        """Whether it is the repeat of an act whose acknowledgement was lost."""
        return act.id is not None and self.store.has_act(segment, act.id)

    def _unchanged(self, row: SegmentRow) -> Any:
        return views.change_view(row, self.opened(row), 0.0)

    def preview(self, segment: int, act: Act) -> tuple[str, Callable[[Draft], str | None]]:
        """The text as its person leaves it, before the model has said anything; and a function.

        It makes of a draft what people see. What has not ended, or lacks what is typed or locked,
        is not for their eyes: nothing is ever taken back.
        """
        opened = self.opened(self._newest(segment, act.version))
        protected, kept = protect(opened.segment.source), staying(opened.state, act)

        def seen(draft: Draft) -> str | None:
            text = written_text(draft.text, protected)
            return text if draft.is_whole and stands_in(text, kept) else None

        return typed(opened.state, act), seen

    def alternatives(
        self,
        segment: int,
        version: int | None,
        where: Stretch,
        n: int,
        translating: Callable[[ProjectRow], Translates],
    ) -> list[Alternative]:
        """Other wordings of a stretch of a translation."""
        opened = self.opened(self._newest(segment, version))
        state = opened.state
        if not state.text:
            raise UserError("there is no translation yet. Translate it, or type one.")
        speaker = opened.speaker(translating(opened.project), state.text)
        return alternatives(speaker, state, where, n)

    def searched(
        self, segment: int, translating: Callable[[ProjectRow], Translates]
    ) -> tuple[Sentence, ...]:
        """What was searched last for a segment, with its grid; searched anew if it is forgotten."""
        if known := self._grids.of(segment):
            return known
        opened = self.opened(self.store.segments.get(segment))
        again = Act("translate", opened.row.version)
        found = acted(opened, again, lambda: translating(opened.project)).searched
        self._grids.remember(segment, found)
        return found

    @contextmanager
    def exported(self, project: int) -> Iterator[Path]:
        """Within it the file of a project with its translations."""
        row = self.store.projects.get(project)
        rows = self.store.segments.of(project).rows
        with exported(row, self.store.projects.content(project), rows) as path:
            yield path

    def memory(self, project: int) -> Iterator[str]:
        """The confirmed segments of a project as TMX, piece by piece."""
        row = self.store.projects.get(project)
        return as_tmx(row, self.store.segments.confirmed(project))

    def study(self, project: int) -> dict[str, Any]:
        """What people did in a project, and what it has cost them."""
        row = self.store.projects.get(project)
        return study_view(row, self.store.segments.of(project).rows, self.store.log(project))

    def _newest(self, segment: int, version: int | None) -> SegmentRow:
        """A segment, if it has that version."""
        row = self.store.segments.get(segment)
        if version is not None and row.version != version:
            raise Outdated(row)
        return row

    def _done(self, opened: OpenSegment, act: Act, translating: Translating) -> SegmentRow:
        row = opened.row
        if act.kind in ("undo", "redo"):
            return self._gone_back(row, act)
        after = None
        if act.kind == "translate" and row.status == "new" and row.state is None:
            after = exact_match(self.store, opened)
        if after is None:
            found = acted(opened, act, translating)
            after = found.after
            self._grids.remember(row.id, found.searched)
        return self.store.act(row.id, act.version, act.logged, after)

    def _gone_back(self, row: SegmentRow, act: Act) -> SegmentRow:
        """The segment as it was before, from the store."""
        can = row.can_undo if act.kind == "undo" else row.can_redo
        if not can:
            raise UserError(f"there is nothing to {act.kind}. Go on from here.")
        go = self.store.undo if act.kind == "undo" else self.store.redo
        return go(row.id, act.version, act.logged)
