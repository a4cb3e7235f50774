"""Whether the server is there, which models it has, and how it is doing."""

from __future__ import annotations

from dataclasses import asdict

from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from gridbeam import __version__
from gridbeam.server.face import OWN
from gridbeam.server.services import Services

router, open_router = OWN.router(), OWN.router()


class HealthAnswer(BaseModel):
    """The server is there."""

    status: str = "ok"


class ModelStatus(BaseModel):
    """A pair of languages that can be translated."""

    name: str = Field(description="What requests call the model.")
    source: str
    target: str
    ready: bool = Field(description="Whether it is loaded; otherwise the first request waits.")


class LimitsStatus(BaseModel):
    """The most that a request may ask for."""

    chars: int
    texts: int
    constraints: int
    entries: int
    beam: int
    length: int
    body: int
    seconds: float
    queue: int


class StatusAnswer(BaseModel):
    """What the server is and has."""

    version: str
    models: list[ModelStatus]
    limits: LimitsStatus


@open_router.get("/health")
async def health() -> HealthAnswer:
    """Says that the server is there; it asks for no key."""
    return HealthAnswer()


@router.get("/api/status")
async def status(request: Request) -> StatusAnswer:
    """The version, the models and whether they are loaded, and the limits of requests."""
    services: Services = request.app.state.services
    engines = services.engines
    models = [
        ModelStatus(
            name=pair.model, source=pair.source, target=pair.target, ready=engines.is_ready(pair)
        )
        for pair in engines.pairs()
    ]
    limits = LimitsStatus(**asdict(services.settings.limits))
    return StatusAnswer(version=__version__, models=models, limits=limits)


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def metrics(request: Request) -> Response:
    """Counts and times, as Prometheus reads them."""
    services: Services = request.app.state.services
    media = "text/plain; version=0.0.4; charset=utf-8"
    return Response(services.metrics.text(), media_type=media)
