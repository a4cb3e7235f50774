"""The application: services, what guards them, and the routers of all faces."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, closing
from functools import partial
from typing import Any

from anyio import CapacityLimiter
from fastapi import APIRouter, Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response

from gridbeam import __version__
from gridbeam.errors import UserError
from gridbeam.server.admission import admitted, face_of
from gridbeam.server.answers import REFUSALS
from gridbeam.server.body_limit import BodyLimit
from gridbeam.server.engines import Engines
from gridbeam.server.face import OWN, Face
from gridbeam.server.faces import doors
from gridbeam.server.metrics import Counting, Metrics
from gridbeam.server.refusal import Refused, refusal_of
from gridbeam.server.routes import (
    acts,
    check,
    contents,
    explain,
    glossaries,
    page,
    projects,
    reference,
    segments,
    status,
    translate,
)
from gridbeam.server.safety import SAFE_HEADERS, Safety
from gridbeam.server.served import served
from gridbeam.server.services import Services
from gridbeam.server.settings import Settings
from gridbeam.serving.client import StopSearch
from gridbeam.serving.refusals import Busy, Stopped
from gridbeam.store import Store
from gridbeam.translation.translator import Translates
from gridbeam.workspace.workspace import Workspace

_LOG = logging.getLogger("gridbeam")
OPEN_ROUTERS: tuple[APIRouter, ...] = (status.open_router, page.router, reference.router)
"""Routes that ask for no key: they say nothing but that the server is there."""
ROUTERS: tuple[APIRouter, ...] = (
    status.router,
    translate.router,
    check.router,
    explain.router,
    projects.router,
    contents.router,
    segments.router,
    acts.router,
    glossaries.router,
)
"""All others, our own first."""
FACES: tuple[Face, ...] = (OWN, *doors.FACES)
_OURS = (Refused, UserError, Busy, Stopped, RequestValidationError, HTTPException)


def create_app(
    settings: Settings | None = None, store: Store | None = None, engines: Engines | None = None
) -> FastAPI:
    """The application of these settings; models are loaded once it starts, or when asked for.

    It closes what it has opened itself when it ends, and nothing that it was given.
    """
    settings = settings or Settings()
    owned = ExitStack()
    if store is None:
        store = owned.enter_context(closing(Store.open(settings.database)))
    if engines is None:
        made = Engines(served(settings.models), queue=settings.limits.queue)
        engines = owned.enter_context(closing(made))
    places = CapacityLimiter(settings.limits.queue)
    workspace = Workspace(store, partial(_in_the_background, engines))
    owned.callback(workspace.close)
    services = Services(settings, store, engines, Metrics(engines), places, workspace, owned)
    app = FastAPI(
        title="gridbeam",
        version=__version__,
        description="Translations that contain what they must.",
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
    )
    app.state.services = services
    app.state.faces = {face.name: face for face in FACES}
    _include_all(app)
    _guard(app, services)
    return app


def _in_the_background(engines: Engines, source: str, target: str, stop: StopSearch) -> Translates:
    """The translator of two languages for a thread that nobody waits for."""
    asking: Translates = engines.of(source, target).asking(stop=stop, background=True)
    return asking


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    services: Services = app.state.services
    services.is_closing = False
    services.engines.warm()
    try:
        yield
    finally:
        services.close()


def _include_all(app: FastAPI) -> None:
    responses: Any = REFUSALS
    for router in (*OPEN_ROUTERS, *doors.OPEN_ROUTERS):
        app.include_router(router, responses=responses)
    for router in (*ROUTERS, *doors.ROUTERS):
        app.include_router(router, dependencies=[Depends(admitted)], responses=responses)


def _guard(app: FastAPI, services: Services) -> None:
    """Puts the guards around the routes: the last that is added is asked first."""
    settings = services.settings
    for kind in _OURS:
        app.add_exception_handler(kind, _answer)
    app.add_exception_handler(Exception, _answer_failure)
    app.add_middleware(BodyLimit, most=settings.limits.body)
    if settings.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.origins,
            allow_methods=["*"],
            allow_headers=["*"],
        )
    app.add_middleware(Safety, settings=settings)
    app.add_middleware(Counting, metrics=services.metrics)


async def _answer(request: Request, error: Exception) -> Response:
    return face_of(request).answer(refusal_of(error))


async def _answer_failure(request: Request, error: Exception) -> Response:
    """A fault of ours, which the log tells and the answer does not."""
    _LOG.error("%s %s failed", request.method, request.url.path, exc_info=error)
    answer = face_of(request).answer(refusal_of(error))
    answer.headers.update(SAFE_HEADERS)
    return answer
