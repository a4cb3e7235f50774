"""How DeepL's clients bring their key, read an error and follow an answer."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response
from fastapi.routing import APIRoute
from starlette.requests import Request

from gridbeam.server.face import Face, bearer
from gridbeam.server.refusal import Refusal

_SCHEME = "deepl-auth-key"
_TRACE = "X-Trace-ID"
_STATUS = {401: 403, 405: 404, 422: 400}
"""What DeepL answers where others have another status: its clients know no other."""


class TracedRoute(APIRoute):
    """A route whose answers have a number of their own."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, which adds the number."""
        handler = super().get_route_handler()

        async def traced(request: Request) -> Response:
            answer = await handler(request)
            answer.headers[_TRACE] = _number()
            return answer

        return traced


async def _key(request: Request) -> str | None:
    kind, _, key = request.headers.get("authorization", "").partition(" ")
    return (key.strip() or None) if kind.lower() == _SCHEME else bearer(request)


def _answer(refusal: Refusal) -> Response:
    detail = refusal.more.get("detail")
    told = {"message": refusal.told}
    headers = {**refusal.headers, _TRACE: _number()}
    status = _STATUS.get(refusal.status, refusal.status)
    return JSONResponse(told | ({"detail": detail} if detail else {}), status, headers)


def _number() -> str:
    return uuid.uuid4().hex


_REMEDY = 'Send the header "Authorization: DeepL-Auth-Key KEY".'
DEEPL = Face(
    "deepl",
    _key,
    _answer,
    Refusal(403, "Authorization failed: this server asks for an API key.", remedy=_REMEDY),
    Refusal(403, "Authorization failed: the API key is unknown or revoked.", remedy=_REMEDY),
)


def new_router() -> APIRouter:
    """A router for some routes of this face."""
    router = DEEPL.router()
    router.route_class, router.include_in_schema = TracedRoute, False
    return router
