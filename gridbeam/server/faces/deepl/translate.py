"""POST /v2/translate: texts, with tags, glossaries, and constraints as an extension of ours."""

from __future__ import annotations

from typing import Any

from fastapi.responses import JSONResponse, Response
from starlette.requests import Request

from gridbeam.files.instructions import Instructions
from gridbeam.server.faces.deepl.codes import ours, short
from gridbeam.server.faces.deepl.face import new_router
from gridbeam.server.faces.deepl.glossary_terms import terms_of
from gridbeam.server.faces.deepl.parameters import MOST_BYTES, TextOptions, TextsCall, call_of
from gridbeam.server.faces.deepl.usage import characters_of
from gridbeam.server.faces.fields import fields_of
from gridbeam.server.faces.formatting import formatted_like
from gridbeam.server.faces.source_language import source_of
from gridbeam.server.faces.translating import DemandedText, TextAnswer, Unsplit, translations
from gridbeam.server.refusal import Refusal, Refused
from gridbeam.server.running import Call, run_blocking
from gridbeam.server.served import ServedPair
from gridbeam.text.languages import is_same
from gridbeam.text.lemmas import has_lemmas

router = new_router()


@router.post("/v1/translate")
@router.post("/v2/translate")
async def translate(request: Request) -> Response:
    """The translation of each text."""
    settings = request.app.state.services.settings
    call = call_of(await fields_of(request, most=MOST_BYTES), settings.limits)
    patience = settings.patience
    is_weblate = request.headers.get("user-agent", "").startswith("Weblate/")
    told = await run_blocking(
        request,
        lambda running: _answers(running, call),
        patience=patience.weblate if is_weblate else patience.deepl,
    )
    characters_of(request).add(sum(map(len, call.texts)))
    return JSONResponse({"translations": told})


def check_languages(pairs: list[ServedPair], options: TextOptions) -> None:
    """Raises where nothing translates between the languages that are asked for."""
    target = ours(options.target)
    into = [pair for pair in pairs if is_same(pair.target, target)]
    if not into:
        _refuse_language("target_lang", options.target, {pair.target for pair in pairs})
    if options.source is not None:
        source = ours(options.source)
        if not any(is_same(pair.source, source) for pair in into):
            _refuse_language("source_lang", options.source, {pair.source for pair in into})


def _refuse_language(name: str, given: str, known: set[str]) -> None:
    there = ", ".join(sorted(short(code).upper() for code in known))
    told = f"Value for '{name}' not supported: {given.upper()[:20]}."
    raise Refused(Refusal(400, told, name, f"There is {there}."))


def _answers(running: Call, call: TextsCall) -> list[dict[str, Any]]:
    pairs = running.services.engines.pairs()
    check_languages(pairs, call.options)
    target = ours(call.options.target)
    languages = [_source(text, pairs, call.options) for text in call.texts]
    answers: list[dict[str, Any]] = [{} for _ in call.texts]
    for source in dict.fromkeys(languages):
        places = [place for place, each in enumerate(languages) if each == source]
        for place, told in zip(places, _of_one(running, call, source, target, places), strict=True):
            answers[place] = _answer(call, call.texts[place], source, told)
    return answers


def _source(text: str, pairs: list[ServedPair], options: TextOptions) -> str:
    """The language of a text: the one that is said, or that the text shows."""
    if options.source is not None:
        return ours(options.source)
    target = ours(options.target)
    found = source_of(text, pairs, target)
    if not found.is_known and not is_same(found.code, target):
        _refuse_language(
            "source_lang",
            found.code,
            {each.source for each in pairs if is_same(each.target, target)},
        )
    return found.code


def _of_one(
    running: Call, call: TextsCall, source: str, target: str, places: list[int]
) -> list[TextAnswer]:
    """The translations of the texts at these places, which are in one language."""
    texts = [call.texts[place] for place in places]
    if is_same(source, target):
        return [TextAnswer(text) for text in texts]
    glossary = terms_of(running.services.store, call.options.glossaries, source, target)
    translator: Any = running.asking(source, target)
    if call.split == "0":
        translator = Unsplit(translator)
    return translations(
        translator,
        [
            DemandedText(text, call.constraints[place])
            for text, place in zip(texts, places, strict=True)
        ],
        Instructions(glossary, lemmas=has_lemmas(source) and has_lemmas(target), on_unmet="relax"),
        call.markup,
    )


def _answer(call: TextsCall, text: str, source: str, told: TextAnswer) -> dict[str, Any]:
    is_plain = call.preserves_formatting and call.markup is None
    written = formatted_like(text, told.text) if is_plain else told.text
    answer: dict[str, Any] = {
        "detected_source_language": short(source).upper(),
        "text": written,
    }
    if call.is_billing_shown:
        answer["billed_characters"] = len(text)
    if call.model_type is not None:
        answer["model_type_used"] = call.model_type.removeprefix("prefer_")
    if call.tag_version is not None and call.markup is not None:
        answer["tag_handling_version"] = call.tag_version
    if told.unmet:
        answer["unmet"] = list(told.unmet)
    return answer
