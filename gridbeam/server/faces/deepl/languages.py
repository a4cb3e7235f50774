"""The languages there are, as both versions of DeepL's API list them."""

from __future__ import annotations

from typing import Any

from fastapi.responses import JSONResponse, Response
from starlette.requests import Request

from gridbeam.server.faces.deepl.codes import short, sources, targets, usable
from gridbeam.server.faces.deepl.face import new_router
from gridbeam.server.faces.fields import fields_of, wrong
from gridbeam.server.refusal import Refusal, Refused
from gridbeam.server.served import ServedPair

router = new_router()

_FEATURES = {
    "translate_text": ("tag_handling", "glossary", "auto_detection"),
    "translate_document": ("glossary", "auto_detection"),
    "glossary": (),
}
"""The resources there are, and what each can do for every language."""
_OTHER = ("voice", "write", "style_rules", "translation_memory")


@router.get("/v1/languages")
@router.get("/v2/languages")
async def languages(request: Request) -> Response:
    """The languages that are translated from, or into; old clients say which in the body."""
    kind = (await fields_of(request)).text("type") or "source"
    if kind not in ("source", "target"):
        raise wrong("type", "must be source or target")
    pairs = _pairs(request)
    if kind == "source":
        known = [{"language": code, "name": name} for code, name in sources(pairs).items()]
        return JSONResponse(known)
    return JSONResponse(
        [
            {"language": code, "name": name, "supports_formality": False}
            for code, name in targets(pairs).items()
        ]
    )


@router.get("/v3/languages")
async def languages_of_resource(request: Request) -> Response:
    """The languages of a resource."""
    resource = (await fields_of(request)).text("resource")
    if resource in _OTHER:
        told = f"Resource '{resource}' not found: there is {', '.join(_FEATURES)}."
        raise Refused(Refusal(404, told, "resource"))
    if resource not in _FEATURES:
        raise wrong("resource", f"must be {', '.join((*_FEATURES, *_OTHER))}")
    return JSONResponse(usable(_pairs(request), _FEATURES[resource]))


@router.get("/v3/languages/resources")
async def resources() -> Response:
    """The resources there are, and which languages must support what they can do."""
    return JSONResponse(
        [
            {"name": name, "features": [_needs(feature) for feature in features]}
            for name, features in _FEATURES.items()
        ]
    )


@router.get("/v2/glossary-language-pairs")
async def glossary_pairs(request: Request) -> Response:
    """Every pair of languages that is translated, as glossaries can be for any."""
    found = dict.fromkeys((short(each.source), short(each.target)) for each in _pairs(request))
    known = [{"source_lang": source, "target_lang": target} for source, target in found]
    return JSONResponse({"supported_languages": known})


def _needs(feature: str) -> dict[str, Any]:
    needs: dict[str, Any] = {"name": feature, "needs_source_support": True}
    return needs if feature == "auto_detection" else needs | {"needs_target_support": True}


def _pairs(request: Request) -> list[ServedPair]:
    pairs: list[ServedPair] = request.app.state.services.engines.pairs()
    return pairs
