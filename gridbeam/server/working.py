"""How routes of the workspace reach it, and what its refusals answer besides their words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from starlette.requests import Request

from gridbeam.editing.clash import Clash
from gridbeam.server.refusal import Refusal, Refused, refusal_of
from gridbeam.server.running import Call
from gridbeam.store import Outdated, ProjectRow
from gridbeam.workspace.views import segment_view
from gridbeam.workspace.workspace import Workspace

if TYPE_CHECKING:
    from gridbeam.server.services import Services
    from gridbeam.serving.asking import Asking
    from gridbeam.serving.news import News


def workspace_of(request: Request) -> Workspace:
    """The workspace of the server that was asked."""
    services: Services = request.app.state.services
    return services.workspace


def asking_for(
    call: Call, news: Callable[[News], None] | None = None
) -> Callable[[ProjectRow], Asking]:
    """Gives the translator of a project, whose searches end with the call."""
    return lambda project: call.asking(project.source, project.target, news=news)


@contextmanager
def telling(workspace: Workspace) -> Iterator[None]:
    """Within it a refusal brings the newer segment along, or what of the text clashes."""
    try:
        yield
    except (Outdated, Clash) as error:
        raise Refused(told(workspace, error)) from error


def told(workspace: Workspace, error: Exception) -> Refusal:
    """The refusal of an act, with all that the page needs to say it in place."""
    found = refusal_of(error)
    match error:
        case Outdated():
            return replace(found, more={"segment": segment_view(workspace.opened(error.row))})
        case Clash():
            clash = [where.as_json() for where in error.locks]
            return replace(found, more={"clash": clash, "forbidden": list(error.forbidden)})
        case _:
            return found
