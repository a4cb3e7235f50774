"""A face: the form in which one kind of client brings its key and reads its errors.

Our own API is one, `OWN`; those of other services are in `gridbeam/server/faces/`. Routes belong
to a face by the router that it gives them, whose tag is its name.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response
from starlette.requests import Request

from gridbeam.server.refusal import Refusal

NO_KEY = Refusal(
    401,
    "this server asks for an API key",
    "Authorization",
    'Send the header "Authorization: Bearer KEY"; `gridbeam keys create NAME` makes one.',
    {"WWW-Authenticate": "Bearer"},
)
WRONG_KEY = Refusal(
    401,
    "this API key is unknown or revoked",
    "Authorization",
    "`gridbeam keys create NAME` makes a new one.",
    {"WWW-Authenticate": "Bearer"},
)


@dataclass(frozen=True)
class Face:
    """How one kind of client speaks to the server."""

    name: str
    key_of: Callable[[Request], Awaitable[str | None]]
    """The API key that a request brings; it may read the body, which FastAPI keeps."""
    answer: Callable[[Refusal], Response]
    """An error as the client reads it."""
    no_key: Refusal = NO_KEY
    wrong_key: Refusal = WRONG_KEY

    def router(self) -> APIRouter:
        """A router for routes of this face."""
        return APIRouter(tags=[self.name])


def bearer(request: Request) -> str | None:
    """The key of the header `Authorization: Bearer KEY`."""
    kind, _, key = request.headers.get("authorization", "").partition(" ")
    return key.strip() or None if kind.lower() == "bearer" else None


async def _own_key(request: Request) -> str | None:
    return bearer(request)


def _own_answer(refusal: Refusal) -> Response:
    values: dict[str, Any] = {
        "error": refusal.error,
        "where": refusal.where,
        "remedy": refusal.remedy,
        **refusal.more,
    }
    return JSONResponse(values, refusal.status, dict(refusal.headers))


OWN = Face("gridbeam", _own_key, _own_answer)
"""That of our own API: `{"error", "where", "remedy"}`."""
