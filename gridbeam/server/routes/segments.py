"""A segment: what it is, other wordings at a place, and the grid of its last search."""

from __future__ import annotations

from typing import Any

from fastapi import Query
from pydantic import BaseModel
from starlette.requests import Request

from gridbeam.editing.stretch import Stretch
from gridbeam.errors import UserError
from gridbeam.server.face import OWN
from gridbeam.server.recorded import sentence_grid
from gridbeam.server.routes.projects import RowNumber
from gridbeam.server.running import Call, run_blocking
from gridbeam.server.working import asking_for, telling, workspace_of
from gridbeam.server.workspace_answers import (
    NEWER,
    SegmentWithMatches,
    WordingAnswer,
    WordingsAnswer,
)

router = OWN.router()
_MOST = 20
"""Other wordings of a stretch."""


class SentenceGrid(BaseModel):
    """The grid of one search: its columns, and the number in each column that won."""

    source: str
    text: str
    score: float
    columns: list[dict[str, Any]]
    path: list[int]


class SegmentGrid(SentenceGrid):
    """The grid of the first sentence, and those of any others."""

    more: list[SentenceGrid]


@router.get("/api/segments/{segment}")
def segment(request: Request, segment: RowNumber) -> SegmentWithMatches:
    """A segment, and the confirmed ones that are like it."""
    return SegmentWithMatches(**workspace_of(request).with_matches(segment))


@router.get("/api/segments/{segment}/alternatives", responses={409: NEWER})
async def wordings(
    request: Request,
    segment: RowNumber,
    start: int = Query(ge=0, lt=2**31),
    end: int = Query(ge=0, lt=2**31),
    version: int | None = Query(default=None, ge=0, lt=2**31),
    n: int = Query(default=7, ge=1, le=_MOST),
) -> WordingsAnswer:
    """Other wordings of a stretch of the translation, the most probable first."""
    where = Stretch(start, end)
    return await run_blocking(request, lambda call: _worded(call, segment, version, where, n))


def _worded(
    call: Call, segment: int, version: int | None, where: Stretch, n: int
) -> WordingsAnswer:
    workspace = call.services.workspace
    with telling(workspace):
        found = workspace.alternatives(segment, version, where, n, asking_for(call))
    alternatives = [WordingAnswer(text=each.text, score=each.score) for each in found]
    return WordingsAnswer(where=(where.start, where.end), alternatives=alternatives)


@router.get("/api/segments/{segment}/grid")
async def grid(request: Request, segment: RowNumber) -> SegmentGrid:
    """The grid of the last search for a segment; it is searched again if that is forgotten."""
    return await run_blocking(request, lambda call: _grid(call, segment))


def _grid(call: Call, segment: int) -> SegmentGrid:
    workspace = call.services.workspace
    with telling(workspace):
        found = workspace.searched(segment, asking_for(call))
    project = workspace.store.projects.get(workspace.store.segments.get(segment).project)
    word = call.asking(project.source, project.target).word
    grids = [sentence_grid(each, word) for each in found if each.hypothesis.trace is not None]
    if not grids:
        raise UserError("no search has been recorded for this segment. Translate it.")
    return SegmentGrid(**grids[0], more=[SentenceGrid(**each) for each in grids[1:]])
