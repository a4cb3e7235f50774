"""Glossaries: uploaded as TSV, CSV, TBX or XLSX, listed, and edited entry by entry."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fastapi import Query
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from gridbeam.constraints.terms import Case
from gridbeam.glossary.entries import Entry
from gridbeam.server.asked import BodyPart, written_targets
from gridbeam.server.face import OWN
from gridbeam.server.routes.projects import Language, RowNumber
from gridbeam.server.running import refuse_more, run_blocking
from gridbeam.server.sent import accepts, sent
from gridbeam.server.working import workspace_of
from gridbeam.store import Absent, EntryRow
from gridbeam.workspace.termbases import entry_view, glossary_view
from gridbeam.workspace.workspace import Workspace

router = OWN.router()
_PLACE = Entry("?", do_not_translate=True)
"""What a new entry takes the place of."""
_NAME = Field(default="", max_length=200)


class GlossaryFields(BodyPart):
    """What is said of a new glossary; a file may say its languages itself."""

    name: str = _NAME
    source: Language = None
    target: Language = None


class GlossaryAnswer(BaseModel):
    """A glossary without its entries."""

    id: str
    name: str
    origin: str
    source: str
    target: str
    count: int
    created: str
    touched: str


class EntryAnswer(BaseModel):
    """A term, and what is due where it occurs."""

    id: int
    source: str
    target: str = Field(description="The target; several have bars between.")
    targets: list[str]
    forbidden: list[str] | None
    forms: list[str]
    case: Case
    do_not_translate: bool
    note: str
    met: int | None = Field(default=None, description="How often the project asked for meets it.")
    missing: int | None = None


class ConflictAnswer(BaseModel):
    """Something to mend in a glossary."""

    kind: str
    entry: int
    message: str


class EntriesAnswer(BaseModel):
    """The entries of a glossary, and what is wrong with it as a whole."""

    entries: list[EntryAnswer]
    conflicts: list[ConflictAnswer]


class EntryChange(BodyPart):
    """What is to be different in an entry; what is left out stays."""

    source: str | None = None
    target: str | None = Field(
        default=None, description="The target, or several with bars between."
    )
    targets: list[str] | None = None
    forbidden: list[str] | None = None
    forms: list[str] | None = None
    case: Case | None = None
    do_not_translate: bool | None = None
    note: str | None = None

    def applied(self, entry: Entry) -> Entry:
        """The entry with the change."""
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in self.model_dump(exclude={"target"}).items()
            if value is not None
        }
        if self.target is not None and self.targets is None:
            values["targets"] = written_targets(self.target)
        return replace(entry, **values)


class NewEntry(EntryChange):
    """An entry to be."""

    source: str

    def entry(self) -> Entry:
        """The entry itself."""
        values = {"do_not_translate": False, **self.model_dump(exclude_none=True)}
        return EntryChange(**values).applied(_PLACE)


class GlossaryChange(BodyPart):
    """Another name, or other entries in place of all that are there."""

    name: str | None = Field(default=None, min_length=1, max_length=200)
    entries: list[NewEntry] | None = None


@router.get("/api/glossaries")
def glossaries(request: Request) -> list[GlossaryAnswer]:
    """All glossaries, the oldest first."""
    rows = workspace_of(request).store.glossaries.all()
    return [GlossaryAnswer(**glossary_view(row)) for row in rows]


@router.post(
    "/api/glossaries", status_code=201, openapi_extra=accepts(GlossaryFields, GlossaryFields)
)
async def create_glossary(request: Request) -> GlossaryAnswer:
    """A new glossary: of a file (a form with `file`), or an empty one (JSON)."""
    fields, upload = await sent(request, GlossaryFields)
    found = await run_blocking(
        request,
        lambda call: call.services.workspace.termbases.create(
            fields.name, fields.source, fields.target, upload
        ),
    )
    return GlossaryAnswer(**found)


@router.get("/api/glossaries/{glossary}")
def glossary(request: Request, glossary: str) -> GlossaryAnswer:
    """A glossary."""
    return GlossaryAnswer(**glossary_view(workspace_of(request).store.glossaries.get(glossary)))


@router.put("/api/glossaries/{glossary}")
def change_glossary(request: Request, glossary: str, change: GlossaryChange) -> GlossaryAnswer:
    """The glossary with another name, or other entries."""
    workspace = workspace_of(request)
    if change.entries is not None:
        most = request.app.state.services.settings.limits.entries
        refuse_more("entries", len(change.entries), most)
        workspace.termbases.replace(glossary, [each.entry() for each in change.entries])
        _judge_anew(workspace, glossary)
    if change.name is not None:
        workspace.store.glossaries.rename(glossary, change.name)
    return GlossaryAnswer(**glossary_view(workspace.store.glossaries.get(glossary)))


@router.delete("/api/glossaries/{glossary}", status_code=204, response_class=Response)
def delete_glossary(request: Request, glossary: str) -> None:
    """Removes a glossary; projects that used it have none then."""
    workspace = workspace_of(request)
    projects = _projects_with(workspace, glossary)
    workspace.store.glossaries.delete(glossary)
    for project in projects:
        workspace.judging.ask(project)


@router.get("/api/glossaries/{glossary}/entries")
async def entries(
    request: Request,
    glossary: str,
    project: int | None = Query(
        default=None, ge=0, lt=2**31, description="A project in which they are counted."
    ),
) -> EntriesAnswer:
    """The entries of a glossary, and what is wrong with it as a whole."""
    found = await run_blocking(
        request, lambda call: call.services.workspace.termbases.contents(glossary, project)
    )
    return EntriesAnswer(**found)


@router.post("/api/glossaries/{glossary}/entries", status_code=201)
def add_entry(request: Request, glossary: str, new: NewEntry) -> EntryAnswer:
    """Adds an entry."""
    workspace = workspace_of(request)
    source, target = workspace.termbases.languages(glossary)
    row = workspace.store.entries.add(glossary, source, target, new.entry())
    _judge_anew(workspace, glossary)
    return EntryAnswer(**entry_view(row))


@router.patch("/api/glossaries/{glossary}/entries/{number}")
def change_entry(
    request: Request, glossary: str, number: RowNumber, change: EntryChange
) -> EntryAnswer:
    """The entry with a change."""
    row = _entry(request, glossary, number)
    workspace = workspace_of(request)
    changed = workspace.store.entries.change(number, change.applied(row.entry))
    _judge_anew(workspace, glossary)
    return EntryAnswer(**entry_view(changed))


@router.delete(
    "/api/glossaries/{glossary}/entries/{number}", status_code=204, response_class=Response
)
def delete_entry(request: Request, glossary: str, number: RowNumber) -> None:
    """Removes an entry."""
    _entry(request, glossary, number)
    workspace = workspace_of(request)
    workspace.store.entries.delete(number)
    _judge_anew(workspace, glossary)


def _projects_with(workspace: Workspace, glossary: str) -> list[int]:
    """The projects that use a glossary."""
    return [row.id for row in workspace.store.projects.all() if row.glossary == glossary]


def _judge_anew(workspace: Workspace, glossary: str) -> None:
    """Has all that uses a glossary checked anew, in the background."""
    for project in _projects_with(workspace, glossary):
        workspace.judging.ask(project)


def _entry(request: Request, glossary: str, number: int) -> EntryRow:
    row = workspace_of(request).store.entries.get(number)
    if row.glossary != glossary:
        raise Absent.of("entry", number)
    return row
