"""Who may use a server: where API keys are asked for, whoever brings one that is not revoked."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from gridbeam.server.face import OWN, Face
from gridbeam.server.refusal import Refused
from gridbeam.server.services import Services


def face_of(request: Request) -> Face:
    """The face that a request has come to; our own where it has come to no route."""
    faces: Mapping[str, Face] = request.app.state.faces
    tags = getattr(request.scope.get("route"), "tags", ())
    return next((faces[tag] for tag in tags if tag in faces), OWN)


async def admitted(request: Request) -> None:
    """Raises where a key is asked for and the request brings none, or a wrong one."""
    services: Services = request.app.state.services
    if not services.settings.needs_keys:
        return
    face = face_of(request)
    key = await face.key_of(request)
    if not key:
        raise Refused(face.no_key)
    if await run_in_threadpool(services.store.keys.check, key) is None:
        raise Refused(face.wrong_key)
