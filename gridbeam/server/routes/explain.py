"""How a translation was found: `POST /api/explain` gives the grid of its search."""

from __future__ import annotations

from typing import Any, Literal

from fastapi import Query
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from gridbeam import draw
from gridbeam.errors import UserError
from gridbeam.server.asked import LanguagesWish, SaidWish, SearchWish, options_of, refuse_long
from gridbeam.server.face import OWN
from gridbeam.server.grids import GridAnswer, grid_answer
from gridbeam.server.running import Call, run_blocking
from gridbeam.server.safety import PICTURE_POLICY
from gridbeam.translation.request import Request as TextRequest

router = OWN.router()
_SVG = "image/svg+xml"
_PICTURE: dict[int | str, dict[str, Any]] = {
    200: {"content": {_SVG: {"schema": {"type": "string"}}}}
}


class ExplainRequest(SaidWish, LanguagesWish, SearchWish):
    """One sentence, and what its translation must say."""

    source: str
    model: str | None = Field(default=None, description="The name of a model, as in /api/status.")


@router.post("/api/explain", response_model=GridAnswer, responses=_PICTURE)
async def explain(
    request: Request,
    wish: ExplainRequest,
    form: Literal["json", "svg"] = Query("json", alias="format", description="json or svg."),
) -> GridAnswer | Response:
    """The grid in which the translation of a sentence was found, as JSON or as a picture."""
    found = await run_blocking(request, lambda call: _explained(call, wish, form))
    if isinstance(found, GridAnswer):
        return found
    headers = {"Content-Security-Policy": PICTURE_POLICY}
    return Response(found, media_type=_SVG, headers=headers)


def _explained(call: Call, wish: ExplainRequest, form: str) -> GridAnswer | str:
    limits = call.services.settings.limits
    refuse_long([wish.source], limits)
    constraints, options = wish.terms(limits), options_of(wish, limits)
    asking = call.asking(wish.source_language, wish.target_language, wish.model)
    sentence = TextRequest(wish.source, constraints)
    found = asking.translate(sentence, options=options, split=False, trace=True)
    if not found.sentences:
        raise UserError("there is nothing to translate: give a sentence")
    drawn = draw.up_to_its_end(found.sentences[0].hypothesis)
    if form == "svg":
        return draw.as_svg(drawn, asking.word)
    return grid_answer(wish.source, found.text, drawn, asking.word)
