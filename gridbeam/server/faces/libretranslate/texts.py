"""POST /translate and /detect of LibreTranslate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from fastapi.responses import JSONResponse, Response
from starlette.requests import Request

from gridbeam.files.instructions import Instructions
from gridbeam.markup.blocks import MarkupRules
from gridbeam.server.faces.fields import Fields, fields_of
from gridbeam.server.faces.formatting import formatted_like
from gridbeam.server.faces.libretranslate.codes import check_pair, ours
from gridbeam.server.faces.libretranslate.face import new_router
from gridbeam.server.faces.source_language import SourceLanguage, source_of
from gridbeam.server.faces.translating import DemandedText, TextAnswer, translations
from gridbeam.server.refusal import Refusal, Refused
from gridbeam.server.running import Call, run_blocking
from gridbeam.server.settings import RequestLimits
from gridbeam.text.detection import detected
from gridbeam.text.languages import is_same
from gridbeam.translation.defaults import TRANSLATION

router = new_router()

_HTML = MarkupRules(is_html=True, joins_lines=True)


@dataclass(frozen=True)
class TranslateCall:
    """A call of /translate."""

    texts: tuple[str, ...]
    is_list: bool
    source: str | None
    """None: to be found out."""
    target: str
    format: Literal["text", "html"]
    alternatives: int


@router.post("/translate")
async def translate(request: Request) -> Response:
    """The translation of a text, or of each of a list."""
    services = request.app.state.services
    call = _call_of(await fields_of(request), services.settings.limits)
    answer = await run_blocking(
        request,
        lambda running: _answer(running, call),
        patience=services.settings.patience.libretranslate,
    )
    return JSONResponse(answer)


@router.post("/detect")
async def detect(request: Request) -> Response:
    """The languages that a text may be in, the likeliest first; English if nothing tells."""
    text = _required(await fields_of(request), "q")
    found = [
        {"confidence": round(100 * each.confidence), "language": each.language}
        for each in detected(text)
    ]
    return JSONResponse(found or [{"confidence": 0, "language": "en"}])


def _call_of(fields: Fields, limits: RequestLimits) -> TranslateCall:
    is_list = "q" in fields.lists
    texts = fields.texts("q") if is_list else [_required(fields, "q")]
    if not texts:
        raise _missing("q")
    source, target = _required(fields, "source"), ours(_required(fields, "target"))
    form = fields.text("format") or "text"
    if form not in ("text", "html"):
        raise Refused(Refusal(400, f"{form[:20]} format is not supported"))
    for size, most in ((len(texts), limits.texts), (max(map(len, texts)), limits.chars)):
        if size > most:
            told = f"Invalid request: request ({size}) exceeds text limit ({most})"
            raise Refused(Refusal(400, told))
    return TranslateCall(
        tuple(texts),
        is_list,
        None if source.lower() == "auto" else ours(source),
        target,
        "html" if form == "html" else "text",
        _alternatives(fields, limits.beam - 1),
    )


def _alternatives(fields: Fields, most: int) -> int:
    try:
        wanted = max(0, fields.number("alternatives") or 0)
    except Refused:
        told = "Invalid request: alternatives parameter is not a number"
        raise Refused(Refusal(400, told)) from None
    if wanted > most:
        raise Refused(Refusal(400, f"Invalid request: alternatives parameter must be <= {most}"))
    return wanted


def _required(fields: Fields, name: str) -> str:
    found = fields.text(name)
    if not found:
        raise _missing(name)
    return found


def _missing(name: str) -> Refused:
    return Refused(Refusal(400, f"Invalid request: missing {name} parameter"))


def _answer(running: Call, call: TranslateCall) -> dict[str, Any]:
    pairs = running.services.engines.pairs()
    found = [
        SourceLanguage(call.source, 1.0)
        if call.source is not None
        else source_of(text, pairs, call.target)
        for text in call.texts
    ]
    told: list[TextAnswer] = [TextAnswer(text) for text in call.texts]
    for source in dict.fromkeys(each.code for each in found):
        check_pair(pairs, source, call.target)
        if is_same(source, call.target):
            continue
        places = [place for place, each in enumerate(found) if each.code == source]
        for place, one in zip(places, _translated(running, call, source, places), strict=True):
            told[place] = one
    return _shown(call, told, found)


def _translated(
    running: Call, call: TranslateCall, source: str, places: list[int]
) -> list[TextAnswer]:
    wanted = call.alternatives + 1 if call.format == "text" else 1
    search = TRANSLATION.but(n_best=wanted, beam=max(TRANSLATION.beam, wanted))
    return translations(
        running.asking(source, call.target),
        [DemandedText(call.texts[place]) for place in places],
        Instructions(on_unmet="relax", search=search),
        _HTML if call.format == "html" else None,
    )


def _shown(
    call: TranslateCall, told: list[TextAnswer], found: list[SourceLanguage]
) -> dict[str, Any]:
    texts = [_formed(call, *each) for each in zip(call.texts, told, strict=True)]
    answer: dict[str, Any] = {"translatedText": _one_or_all(call, [text for text, _ in texts])}
    if call.source is None:
        languages = [
            {"confidence": round(100 * each.confidence), "language": each.code} for each in found
        ]
        answer["detectedLanguage"] = _one_or_all(call, languages)
    if call.alternatives > 0:
        answer["alternatives"] = _one_or_all(call, [others for _, others in texts])
    return answer


def _one_or_all(call: TranslateCall, values: list[Any]) -> Any:
    return values if call.is_list else values[0]


def _formed(call: TranslateCall, text: str, told: TextAnswer) -> tuple[str, list[str]]:
    """The translation and its alternatives, each once, in the form of LibreTranslate."""
    if call.format == "html":
        return told.text, []
    best = formatted_like(text, told.text)
    others = dict.fromkeys(formatted_like(text, each) for each in told.alternatives)
    return best, [each for each in others if each != best][: call.alternatives]
