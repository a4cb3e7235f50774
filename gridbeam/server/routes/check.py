"""What is wrong with a translation, whoever made it: `POST /api/check`."""

from __future__ import annotations

from dataclasses import asdict

from pydantic import BaseModel, Field
from starlette.requests import Request

from gridbeam.checks import CheckedPair, check, chosen
from gridbeam.glossary.matching import Matcher, once_a_sentence
from gridbeam.server.asked import LanguagesWish, TermsWish, refuse_long
from gridbeam.server.face import OWN
from gridbeam.server.findings import FindingAnswer
from gridbeam.server.running import Call, run_blocking
from gridbeam.server.terms import glossary_of

router = OWN.router()


class CheckRequest(TermsWish, LanguagesWish):
    """A text and its translation."""

    source: str
    target: str | None = Field(description="None says that there is no translation yet.")
    rules: list[str] = Field(default=[], description="Only these rules.")
    skip: list[str] = Field(default=[], description="All but these rules.")


class CheckAnswer(BaseModel):
    """What was found."""

    findings: list[FindingAnswer]


@router.post("/api/check")
async def check_pair(request: Request, wish: CheckRequest) -> CheckAnswer:
    """Checks a translation for what anyone can see: numbers, placeholders, brackets, terms."""
    return await run_blocking(request, lambda call: _checked(call, wish))


def _checked(call: Call, wish: CheckRequest) -> CheckAnswer:
    refuse_long([wish.source, wish.target or ""], call.services.settings.limits)
    source, target = wish.source_language, wish.target_language
    glossary = glossary_of(call.services, wish, source, target)
    matches = Matcher(glossary, lemmas=wish.lemmas).match(wish.source) if glossary.entries else []
    terms = matches if wish.every_time else once_a_sentence(matches)
    pair = CheckedPair.of(wish.source, wish.target, source, target, terms=terms)
    found = check(pair, chosen(wish.rules, wish.skip))
    return CheckAnswer(findings=[FindingAnswer(**asdict(each)) for each in found])
