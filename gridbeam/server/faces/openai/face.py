"""How OpenAI's clients bring their key, and read an error."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response
from starlette.requests import Request

from gridbeam.server.face import Face, bearer
from gridbeam.server.refusal import Refusal, Refused

_STATUS = {422: 400}
_INVALID = "invalid_request_error"
_TYPES = {401: "authentication_error", 403: "permission_error", 404: _INVALID, 413: _INVALID}


async def _key(request: Request) -> str | None:
    return bearer(request)


def _answer(refusal: Refusal) -> Response:
    status = _STATUS.get(refusal.status, refusal.status)
    is_asked_wrong = status in (400, 415)
    kind = _INVALID if is_asked_wrong else _TYPES.get(status, "server_error")
    message = refusal.told
    where = refusal.where or None
    told = {"message": message, "type": kind, "param": where, "code": refusal.more.get("code")}
    return JSONResponse({"error": told}, status, dict(refusal.headers))


OPENAI = Face("openai", _key, _answer)


def new_router() -> APIRouter:
    """A router for some routes of this face."""
    router = OPENAI.router()
    router.include_in_schema = False
    return router


def refused(parameter: str, why: str, status: int = 400) -> Refused:
    """The refusal of a parameter."""
    return Refused(Refusal(status, why, parameter))
