"""Apertium APy's two routes, by which OmegaT and Weblate ask."""

from __future__ import annotations

from fastapi.responses import JSONResponse, Response
from starlette.requests import Request

from gridbeam.files.instructions import Instructions
from gridbeam.markup.blocks import MarkupRules
from gridbeam.server.face import Face, bearer
from gridbeam.server.faces.fields import fields_of
from gridbeam.server.faces.translating import DemandedText, translations
from gridbeam.server.refusal import Refusal, Refused
from gridbeam.server.running import Call, run_blocking
from gridbeam.text.languages import is_same, language

_CODES = """
ar:ara bg:bul ca:cat cs:ces da:dan de:deu el:ell en:eng es:spa et:est fa:fas fi:fin fr:fra he:heb
hi:hin hr:hrv hu:hun id:ind it:ita ja:jpn ko:kor lt:lit lv:lav nl:nld no:nob pl:pol pt:por ro:ron
ru:rus sk:slk sl:slv sr:srp sv:swe th:tha tr:tur uk:ukr vi:vie zh:zho
"""
_LONG = dict(pair.split(":") for pair in _CODES.split())
"""The codes of three letters that Apertium has for plain ones."""
_REASONS = {400: "Bad Request", 403: "Forbidden", 404: "Not Found", 503: "Service Unavailable"}


async def _key(request: Request) -> str | None:
    return (await fields_of(request)).text("key") or bearer(request)


def _answer(refusal: Refusal) -> Response:
    status = {401: 403, 422: 400}.get(refusal.status, refusal.status)
    explanation = refusal.told
    message = _REASONS.get(status, "Error")
    told = {"status": "error", "code": status, "message": message, "explanation": explanation}
    return JSONResponse(told, status, dict(refusal.headers))


APERTIUM = Face("apertium", _key, _answer)
router, open_router = APERTIUM.router(), APERTIUM.router()
router.include_in_schema = open_router.include_in_schema = False


@open_router.get("/listPairs")
async def pairs(request: Request) -> Response:
    """The pairs of languages, in codes of three letters, and of two for those who know no other."""
    known = [
        (language(each.source), language(each.target))
        for each in request.app.state.services.engines.pairs()
    ]
    named = [(_LONG.get(source, source), _LONG.get(target, target)) for source, target in known]
    listed = [
        {"sourceLanguage": source, "targetLanguage": target}
        for source, target in dict.fromkeys([*named, *known])
    ]
    return JSONResponse({"responseData": listed, "responseDetails": None, "responseStatus": 200})


@router.get("/translate")
async def translate(request: Request) -> Response:
    """The translation of a text."""
    fields = await fields_of(request)
    text, pair = fields.text("q"), fields.text("langpair")
    if text is None or not pair:
        missing = "q" if text is None else "langpair"
        raise Refused(Refusal(400, f"Missing argument {missing}", missing))
    source, _, target = pair.partition("|")
    markup = MarkupRules(is_html=True) if fields.text("format") == "html" else None

    def work(running: Call) -> str:
        _check(running, source, target)
        how = Instructions(on_unmet="relax")
        (told,) = translations(running.asking(source, target), [DemandedText(text)], how, markup)
        return told.text

    services = request.app.state.services
    if len(text) > services.settings.limits.chars:
        raise Refused(Refusal(400, f"the text has more than {services.settings.limits.chars:,}"))
    done = await run_blocking(request, work, patience=services.settings.patience.apertium)
    told = {"responseData": {"translatedText": done}, "responseDetails": None}
    return JSONResponse({**told, "responseStatus": 200})


def _check(running: Call, source: str, target: str) -> None:
    known = running.services.engines.pairs()
    if not any(is_same(each.source, source) and is_same(each.target, target) for each in known):
        told = f"That pair is not installed: {source[:20]}|{target[:20]}"
        raise Refused(Refusal(400, told, "langpair"))
