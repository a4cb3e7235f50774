"""Translations whose texts contain what they must: `POST /api/translate`.

A text is translated as `gridbeam translate` does it: placeholders stay, terms are used, and the
checks say what is doubtful.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field
from starlette.requests import Request

from gridbeam.documents import Segment
from gridbeam.errors import UserError
from gridbeam.files.instructions import Instructions, OnUnmet
from gridbeam.files.outcome import Outcome
from gridbeam.files.segments import SegmentTranslator
from gridbeam.markup.inline import as_marked
from gridbeam.server.asked import (
    LanguagesWish,
    SaidWish,
    SearchWish,
    TermsWish,
    TextWish,
    options_of,
    refuse_long,
)
from gridbeam.server.face import OWN
from gridbeam.server.findings import FindingAnswer
from gridbeam.server.running import Call, run_blocking
from gridbeam.server.settings import RequestLimits
from gridbeam.server.terms import glossary_of
from gridbeam.translation.translator import in_order

router = OWN.router()
_HERE = Path("source")


class TranslateRequest(SaidWish, TermsWish, LanguagesWish, SearchWish):
    """Texts to translate, and what their translations must say."""

    source: str | list[str | TextWish] = Field(description="A text, or several.")
    model: str | None = Field(default=None, description="The name of a model, as in /api/status.")
    on_unmet: OnUnmet = Field(
        default="error",
        description="Where not all can be met: error, skip (no text), relax (drop some).",
    )

    def wishes(self) -> list[TextWish]:
        """Each text, with what all of them must say, and what its own translation must."""
        texts = [self.source] if isinstance(self.source, str) else self.source
        return [TextWish(text=each) if isinstance(each, str) else each for each in texts]


class MetAnswer(BaseModel):
    """A constraint, and where the translation says it."""

    constraint: Any = Field(description="As JSON, in the notation of requests.")
    said: list[str]
    spans: list[tuple[int, int]] = Field(description="Stretches of the text, in code points.")


class TermAnswer(BaseModel):
    """A term of the glossary that the source has."""

    source: str
    met: bool
    said: str | None = Field(description="How the translation says it.")


class AlternativeAnswer(BaseModel):
    """One of the next best."""

    text: str
    score: float


class TranslationAnswer(BaseModel):
    """A translation, and how it meets what was asked."""

    source: str
    text: str | None = Field(description="None where it was skipped, as not all could be met.")
    score: float
    quality: float | None = Field(description="The chance that it is usable, from 0 to 1.")
    met: list[MetAnswer]
    terms: list[TermAnswer]
    findings: list[FindingAnswer]
    alternatives: list[AlternativeAnswer]
    unmet: str = Field(description="Why not all was met; empty where it was.")
    notes: list[str]


@router.post("/api/translate")
async def translate(
    request: Request, wish: TranslateRequest
) -> TranslationAnswer | list[TranslationAnswer]:
    """Translates a text, or each of several; constraints are met, or it is said which cannot be."""
    found = await run_blocking(request, lambda call: _translated(call, wish))
    return found[0] if isinstance(wish.source, str) else found


def _translated(call: Call, wish: TranslateRequest) -> list[TranslationAnswer]:
    limits, wishes = call.services.settings.limits, wish.wishes()
    refuse_long([each.text for each in wishes], limits)
    segments = [_segment(number, each, wish, limits) for number, each in enumerate(wishes)]
    options = options_of(wish, limits)
    asking = call.asking(wish.source_language, wish.target_language, wish.model)
    instructions = Instructions(
        glossary=glossary_of(call.services, wish, asking.source, asking.target),
        lemmas=wish.lemmas,
        every_time=wish.every_time,
        on_unmet=wish.on_unmet,
        search=options,
    )
    outcomes = SegmentTranslator(asking, instructions).outcomes(segments)
    found = [outcome for _, outcome in in_order(outcomes)]
    return [_answer(segment, each, wish) for segment, each in zip(segments, found, strict=True)]


def _segment(number: int, text: TextWish, wish: TranslateRequest, limits: RequestLimits) -> Segment:
    """A text as a segment that must say what is asked of it, even if it has no words."""
    own = text.terms(limits, f"source[{number}].")
    constraints = (*wish.terms(limits), *own)
    return Segment(
        number, str(number), as_marked(text.text), _HERE, number + 1, constraints=constraints
    )


def _answer(segment: Segment, outcome: Outcome, wish: TranslateRequest) -> TranslationAnswer:
    if outcome.text is None and wish.on_unmet == "error":
        where = "source" if isinstance(wish.source, str) else f"source[{segment.number}]"
        raise UserError(outcome.unmet).within(where)
    return TranslationAnswer(
        source=str(segment.source),
        text=None if outcome.text is None else str(outcome.text),
        score=outcome.score,
        quality=outcome.quality,
        met=[MetAnswer(**asdict(each)) for each in outcome.met],
        terms=[
            TermAnswer(source=use.source, met=use.is_met, said=use.said or None)
            for use in outcome.uses
        ],
        findings=[FindingAnswer(**asdict(each)) for each in outcome.findings],
        alternatives=[
            AlternativeAnswer(text=text, score=score) for text, score in outcome.alternatives
        ],
        unmet=outcome.unmet,
        notes=list(outcome.notes),
    )
