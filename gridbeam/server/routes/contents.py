"""What is in a project: its segments, their machine translation, export, and the log of a study."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

from fastapi import Query
from pydantic import BaseModel
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse

from gridbeam.server.face import OWN
from gridbeam.server.routes.projects import RowNumber
from gridbeam.server.running import Call, calling, run_blocking
from gridbeam.server.sent import EVENTS, NOT_KEPT, STILL_HERE, attachment, event
from gridbeam.server.working import workspace_of
from gridbeam.server.workspace_answers import SegmentPageAnswer, StudyAnswer
from gridbeam.store import Absent
from gridbeam.workspace.views import counts_view
from gridbeam.workspace.workspace import Workspace

router = OWN.router()
_MOST = 500
"""Segments of one page."""
_QUIET = 1.0
"""Seconds after which a stream without news says that it is still there, and looks for the end."""
_FILE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/octet-stream": {"schema": {"type": "string"}}}}
}
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {"content": {EVENTS: {"schema": {"type": "string"}}}}
}


class BegunAnswer(BaseModel):
    """How much the machine has been asked to translate."""

    new: int


@router.get("/api/projects/{project}/segments")
def segments(
    request: Request,
    project: RowNumber,
    offset: int = Query(default=0, ge=0, lt=2**31),
    limit: int = Query(default=100, ge=1, le=_MOST),
    status: Literal["", "new", "machine", "edited", "confirmed", "review"] = "",
    search: str = Query(default="", max_length=1000),
    finding: str = Query(default="", max_length=100, description="A rule, or any."),
) -> SegmentPageAnswer:
    """The segments of a project in their order, those that meet every condition."""
    found = workspace_of(request).page(
        project,
        offset=offset,
        limit=limit,
        status=None if status == "" or status == "review" else status,
        review=True if status == "review" else None,
        search=search,
        finding=finding,
    )
    return SegmentPageAnswer(**found)


@router.post("/api/projects/{project}/translate", status_code=202)
async def translate_project(
    request: Request,
    project: RowNumber,
    again: bool = Query(
        default=False,
        description="Also what it has translated, and nobody has edited or confirmed.",
    ),
) -> BegunAnswer:
    """Has the machine translate what is new, in the background; its events tell how it goes on."""
    return await run_blocking(request, lambda call: _begun(call, project, again))


def _begun(call: Call, project: int, again: bool) -> BegunAnswer:
    workspace = call.services.workspace
    row = workspace.store.projects.get(project)
    machine = row.counts.machine if again else 0
    if row.counts.new + machine:
        call.asking(row.source, row.target)  # refuses languages that no model has
    if row.counts.new:
        workspace.background.ask(project)
    if machine:
        workspace.again.ask(project)
    return BegunAnswer(new=row.counts.new + machine)


@router.get("/api/projects/{project}/events", response_class=Response, responses=_STREAM)
async def events(request: Request, project: RowNumber) -> StreamingResponse:
    """What happens in a project as server-sent events: `segment`, a row that changed; `counts`."""
    workspace = workspace_of(request)
    await asyncio.to_thread(workspace.store.projects.get, project)
    news = _news(request, workspace, project)
    return StreamingResponse(news, media_type=EVENTS, headers=NOT_KEPT)


async def _news(request: Request, workspace: Workspace, project: int) -> AsyncIterator[str]:
    loop, queue = asyncio.get_running_loop(), asyncio.Queue[int]()

    def tell(segment: int) -> None:
        loop.call_soon_threadsafe(queue.put_nowait, segment)

    with workspace.events.heard_by(project, tell):
        async with calling(request) as call:
            yield await asyncio.to_thread(_counts, workspace, project)
            while not call.stop.is_set():
                changed = await _next(queue)
                try:
                    yield await asyncio.to_thread(_changed, workspace, project, changed)
                except Absent:
                    return


async def _next(queue: asyncio.Queue[int]) -> list[int]:
    """The segments that have changed; none where nothing happens for a while."""
    try:
        changed = [await asyncio.wait_for(queue.get(), _QUIET)]
    except TimeoutError:
        return []
    while not queue.empty():
        changed.append(queue.get_nowait())
    return changed


def _changed(workspace: Workspace, project: int, changed: list[int]) -> str:
    if not changed:
        return STILL_HERE
    rows = [event("segment", workspace.view(each)) for each in dict.fromkeys(changed)]
    return "".join([*rows, _counts(workspace, project)])


def _counts(workspace: Workspace, project: int) -> str:
    return event("counts", counts_view(workspace.store.projects.get(project).counts))


@router.get("/api/projects/{project}/export", response_class=Response, responses=_FILE)
async def export(
    request: Request,
    project: RowNumber,
    form: Literal["file", "tmx"] = Query(
        default="file", alias="as", description="The file with translations, or a TMX of them."
    ),
) -> Response:
    """The file of a project with its translations, or its confirmed segments as TMX."""
    if form == "file":
        return await run_blocking(request, lambda call: _exported(call.services.workspace, project))
    return await run_blocking(request, lambda call: _memory(call.services.workspace, project))


def _exported(workspace: Workspace, project: int) -> Response:
    """The file, which is there until it has been sent."""
    row = workspace.store.projects.get(project)
    with ExitStack() as stack:
        path: Path = stack.enter_context(workspace.exported(project))
        until_sent = BackgroundTask(stack.pop_all().close)
    headers = attachment(row.file)
    return FileResponse(
        path, media_type="application/octet-stream", headers=headers, background=until_sent
    )


def _memory(workspace: Workspace, project: int) -> Response:
    row = workspace.store.projects.get(project)
    pieces = workspace.memory(project)
    headers = attachment(f"{row.name}.tmx")
    return StreamingResponse(pieces, media_type="application/x-tmx+xml", headers=headers)


@router.get("/api/projects/{project}/study")
def study(request: Request, project: RowNumber) -> StudyAnswer:
    """Every act with its time and keystrokes; for each segment its cycles, effort and KSMR."""
    return StudyAnswer(**workspace_of(request).study(project))
