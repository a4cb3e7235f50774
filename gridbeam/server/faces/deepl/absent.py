"""What DeepL's API has and this server has not: a plain answer in its form."""

from __future__ import annotations

from fastapi.responses import Response
from starlette.requests import Request

from gridbeam.server.faces.deepl.face import new_router
from gridbeam.server.refusal import Refusal, Refused

router = new_router()
_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]


@router.api_route("/v2/write/{rest:path}", methods=_METHODS)
@router.api_route("/v2/admin/{rest:path}", methods=_METHODS)
@router.api_route("/v3/style_rules", methods=_METHODS)
@router.api_route("/v3/style_rules/{rest:path}", methods=_METHODS)
@router.api_route("/v3/translation_memories", methods=_METHODS)
async def absent(request: Request) -> Response:
    """Nothing but that it is not here."""
    path = request.url.path
    raise Refused(Refusal(404, f"Not found: {path} is not offered by this server."))
