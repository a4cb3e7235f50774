"""What LibreTranslate says of itself: languages, settings, its description for machines."""

from __future__ import annotations

from typing import Any

from fastapi.responses import JSONResponse, Response
from starlette.requests import Request

from gridbeam import __version__
from gridbeam.server.faces.kept_files import suffixes
from gridbeam.server.faces.libretranslate.codes import languages
from gridbeam.server.faces.libretranslate.face import new_router
from gridbeam.server.refusal import Refusal, Refused
from gridbeam.text.languages import english_name

router, open_router = new_router(), new_router()

_TEXT = {"q": "string", "source": "string", "target": "string"}
_ROUTES: dict[str, tuple[str, str, dict[str, str]]] = {
    "/translate": (
        "post",
        "Translates a text, or each of a list",
        {**_TEXT, "format": "string", "alternatives": "integer", "api_key": "string"},
    ),
    "/detect": ("post", "Tells the language of a text", {"q": "string", "api_key": "string"}),
    "/languages": ("get", "Lists all languages", {}),
    "/translate_file": (
        "post",
        "Translates a file",
        {"file": "file", "source": "string", "target": "string", "api_key": "string"},
    ),
    "/suggest": ("post", "Is switched off", {**_TEXT, "s": "string"}),
    "/frontend/settings": ("get", "Tells limits and formats", {}),
    "/health": ("get", "Tells that the server is there", {}),
}


@open_router.get("/languages")
async def known_languages(request: Request) -> Response:
    """All languages, each with those that it is translated into."""
    return JSONResponse(languages(request.app.state.services.engines.pairs()))


@open_router.get("/frontend/settings")
async def frontend_settings(request: Request) -> Response:
    """What a page of LibreTranslate asks before it is shown."""
    settings = request.app.state.services.settings
    first = request.app.state.services.engines.pairs()[0]
    return JSONResponse(
        {
            "charLimit": settings.limits.chars,
            "frontendTimeout": 500,
            "apiKeys": settings.needs_keys,
            "keyRequired": settings.needs_keys,
            "suggestions": False,
            "filesTranslation": True,
            "supportedFilesFormat": suffixes(),
            "language": {
                "source": {"code": "auto", "name": "Auto Detect"},
                "target": {"code": first.target, "name": english_name(first.target)},
            },
        }
    )


@router.post("/suggest")
async def suggest() -> Response:
    """Nothing: suggestions are switched off."""
    raise Refused(Refusal(403, "Suggestions are disabled on this server."))


@open_router.get("/spec")
async def spec() -> Response:
    """The routes of this face, as Swagger 2."""
    about = {"title": "LibreTranslate", "version": __version__, "license": {"name": "MIT"}}
    paths = {path: {verb: _operation(*rest)} for path, (verb, *rest) in _ROUTES.items()}
    return JSONResponse({"swagger": "2.0", "info": about, "basePath": "/", "paths": paths})


def _operation(*said: Any) -> dict[str, Any]:
    summary, fields = said
    parameters = [{"in": "formData", "name": name, "type": kind} for name, kind in fields.items()]
    return {
        "summary": summary,
        "parameters": parameters,
        "responses": {"200": {"description": "It is done."}},
    }
