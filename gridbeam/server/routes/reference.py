"""/docs: every route of the OpenAPI schema, as a page without a script."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from gridbeam.server.face import OWN
from gridbeam.server.reference import STYLE, page

router = OWN.router()


@router.get("/docs", include_in_schema=False)
async def docs(request: Request) -> Response:
    """The routes, what they take and what they answer."""
    return Response(page(request.app.openapi()), media_type="text/html; charset=utf-8")


@router.get("/docs.css", include_in_schema=False)
async def style() -> Response:
    """How the page looks."""
    return Response(STYLE, media_type="text/css; charset=utf-8")
