"""Projects: made of a file or a text, looked at, given another name or glossary, removed."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from gridbeam.documents import Languages
from gridbeam.errors import UserError
from gridbeam.server.asked import BodyPart
from gridbeam.server.face import OWN
from gridbeam.server.running import Call, run_blocking
from gridbeam.server.sent import accepts, sent
from gridbeam.server.working import workspace_of
from gridbeam.server.workspace_answers import ProjectAnswer
from gridbeam.workspace.importing import WantedProject
from gridbeam.workspace.upload import Upload
from gridbeam.workspace.views import project_view

router = OWN.router()
RowNumber = Annotated[int, Path(ge=0, lt=2**31)]
"""The number of a project, a segment or an entry."""
_LONGEST_NAME = 200
_LANGUAGE = r"^[A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8})*$"
Language = Annotated[str | None, Field(pattern=_LANGUAGE, max_length=35, examples=["de"])]


class ProjectFields(BodyPart):
    """What is said of a new project; what is left out its file says, or it is the first model's.

    Languages that a file says itself, and that are served, hold in any case.
    """

    name: str = Field(default="", max_length=_LONGEST_NAME)
    source: Language = None
    target: Language = None
    glossary: str | None = Field(default=None, description="The id of a glossary.")
    format: str | None = Field(default=None, description="Where the file's name does not tell it.")


class PastedText(ProjectFields):
    """A text that becomes a project, each line a segment."""

    text: str


class ProjectChange(BodyPart):
    """What is to be different in a project."""

    name: str | None = Field(default=None, min_length=1, max_length=_LONGEST_NAME)
    glossary: str | None = None


@router.get("/api/projects")
def projects(request: Request) -> list[ProjectAnswer]:
    """All projects, the one that was touched last first."""
    rows = workspace_of(request).store.projects.all()
    return [ProjectAnswer(**project_view(row)) for row in rows]


@router.post("/api/projects", status_code=201, openapi_extra=accepts(PastedText, ProjectFields))
async def create_project(request: Request) -> ProjectAnswer:
    """A new project of a file (a form with `file`), or of a text (JSON with `text`)."""
    fields, upload = await sent(request, PastedText, ProjectFields)
    return await run_blocking(request, lambda call: _created(call, fields, upload))


def _created(call: Call, fields: ProjectFields, upload: Upload | None) -> ProjectAnswer:
    wanted = WantedProject(fields.name, fields.source, fields.target, fields.glossary)
    form = fields.format
    if isinstance(fields, PastedText):
        upload, form = Upload("text.txt", fields.text.encode()), "text"
    if upload is None:
        raise UserError("the form has no file: send one.").within("file")
    pairs = call.services.engines.pairs()
    default = Languages(pairs[0].source, pairs[0].target) if pairs else Languages()
    served = [Languages(pair.source, pair.target) for pair in pairs]
    return ProjectAnswer(**call.services.workspace.create(upload, wanted, default, form, served))


@router.get("/api/projects/{project}")
def project(request: Request, project: RowNumber) -> ProjectAnswer:
    """A project."""
    return ProjectAnswer(**project_view(workspace_of(request).store.projects.get(project)))


@router.patch("/api/projects/{project}")
def change_project(request: Request, project: RowNumber, change: ProjectChange) -> ProjectAnswer:
    """The project with another name, another glossary, or (null) none."""
    store = workspace_of(request).store
    store.projects.get(project)
    if change.glossary is not None:
        store.glossaries.get(change.glossary)
    if change.name is not None:
        store.projects.rename(project, change.name)
    if "glossary" in change.model_fields_set:
        store.projects.set_glossary(project, change.glossary)
        workspace_of(request).judging.ask(project)
    return ProjectAnswer(**project_view(store.projects.get(project)))


@router.delete("/api/projects/{project}", status_code=204, response_class=Response)
def delete_project(request: Request, project: RowNumber) -> None:
    """Removes a project with its segments and their history."""
    workspace_of(request).store.projects.delete(project)
