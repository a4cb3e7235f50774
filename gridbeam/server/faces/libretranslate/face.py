"""How LibreTranslate's clients bring their key, and read an error."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response
from starlette.requests import Request

from gridbeam.server.face import Face, bearer
from gridbeam.server.faces.fields import fields_of
from gridbeam.server.refusal import Refusal

_STATUS = {401: 400, 404: 400, 413: 400, 415: 400, 422: 400}
"""What LibreTranslate answers where others have another status."""


async def _key(request: Request) -> str | None:
    fields = await fields_of(request)
    return fields.text("api_key") or fields.text("apiKey") or bearer(request)


def _answer(refusal: Refusal) -> Response:
    told = refusal.told
    status = _STATUS.get(refusal.status, refusal.status)
    return JSONResponse({"error": told}, status, dict(refusal.headers))


LIBRETRANSLATE = Face(
    "libretranslate",
    _key,
    _answer,
    Refusal(400, "Please contact the server operator to get an API key"),
    Refusal(403, "Invalid API key"),
)


def new_router() -> APIRouter:
    """A router for some routes of this face."""
    router = LIBRETRANSLATE.router()
    router.include_in_schema = False
    return router
