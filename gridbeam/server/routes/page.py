"""The page itself. It asks for no key: it says nothing, and asks the API as any client does."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from gridbeam.server.face import OWN
from gridbeam.web import PageFile, page_files

router = OWN.router()


@router.get("/", include_in_schema=False)
async def index(request: Request) -> Response:
    """The page."""
    return _answer(request, page_files()["index.html"])


@router.get("/icon.svg", include_in_schema=False)
async def icon(request: Request) -> Response:
    """Its sign."""
    return _answer(request, page_files()["icon.svg"])


@router.get("/modules/{name}", include_in_schema=False)
async def module(request: Request, name: str) -> Response:
    """A part of its program."""
    return _answer(request, _found(f"modules/{name}"))


@router.get("/styles/{name}", include_in_schema=False)
async def style(request: Request, name: str) -> Response:
    """A part of its looks."""
    return _answer(request, _found(f"styles/{name}"))


def _found(path: str) -> PageFile:
    file = page_files().get(path)
    if file is None:
        raise HTTPException(404, "the page has no such file")
    return file


def _answer(request: Request, file: PageFile) -> Response:
    """The file; nothing but its tag for a browser that has it already."""
    headers = {"ETag": file.tag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
    if request.headers.get("if-none-match") == file.tag:
        return Response(status_code=304, headers=headers)
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(file.body, media_type=file.media, headers=headers)
    headers["Content-Encoding"] = "gzip"
    return Response(file.packed, media_type=file.media, headers=headers)
