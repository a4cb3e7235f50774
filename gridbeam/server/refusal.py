"""Why a request is refused: one value, whatever went wrong, from which each face makes its answer.

A `UserError` says what is wrong, where and what to do in one text; here they are told apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from gridbeam.errors import UserError
from gridbeam.serving.refusals import Busy, Stopped, TooSlow
from gridbeam.store import Absent, Outdated, StoreFailure

CLIENT_GONE = 499
"""What is logged for a request whose client has gone; nobody reads it."""
_RETRY_SECONDS = 2
_DOCS = "GET /docs lists all routes."
_NO_ROUTE = {
    404: ("there is nothing at this address", "path", _DOCS),
    405: ("there is no such method at this address", "method", _DOCS),
}
"""What the framework says of addresses: our own routes raise `Refused`."""
_QUOTED = re.compile(r'"[^"]*"')
_SENTENCE_END = re.compile(r"(?<=\.)( +)(?=[A-Z])")
_MARKS = (".", ":", ";", "!", "?")
_COLON = re.compile(r"([:;] +)(?=\S)")


@dataclass(frozen=True)
class Refusal:
    """An answer that is none: what is wrong, where, and what to do."""

    status: int
    error: str
    where: str = ""
    remedy: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)
    """What else the answer of our own API has: the newer segment, the constraints that clash."""

    @property
    def told(self) -> str:
        """What is wrong and what to do, in one text.

        >>> Refusal(422, "there is no such model", remedy="write builtin:en-de").told
        'there is no such model: write builtin:en-de'
        >>> Refusal(401, "this server asks for an API key", remedy="Send one.").told
        'this server asks for an API key. Send one.'
        """
        if not self.remedy:
            return self.error
        has_mark = self.error.endswith(_MARKS)
        sign = "" if has_mark else "." if self.remedy[0].isupper() else ":"
        return f"{self.error}{sign} {self.remedy}"


class Refused(Exception):
    """Raised by a route to answer with a refusal."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.error)
        self.refusal = refusal


def refusal_of(error: Exception) -> Refusal:
    """The refusal that an error is; one of the server itself says nothing of its inside."""
    match error:
        case Refused():
            return error.refusal
        case RequestValidationError():
            return _invalid(error.errors())
        case HTTPException(__cause__=Refused() as cause):  # FastAPI wraps what reading raises
            return cause.refusal
        case HTTPException(detail="Not Found" | "Method Not Allowed"):
            status = error.status_code
            return Refusal(status, *_NO_ROUTE[status], headers=error.headers or {})
        case HTTPException():
            return Refusal(error.status_code, str(error.detail), headers=error.headers or {})
        case Busy():
            retry = {"Retry-After": str(_RETRY_SECONDS)}
            remedy = "Ask again in a few seconds."
            return Refusal(503, str(error), remedy=remedy, headers=retry)
        case TooSlow():
            remedy = "Ask for less at a time, or start the server with a longer --timeout."
            return Refusal(504, str(error), remedy=remedy)
        case Stopped():
            return Refusal(CLIENT_GONE, str(error))
        case UserError():
            return _told(error)
        case _:
            remedy = "The log of the server says more."
            return Refusal(500, "the server failed at this request", remedy=remedy)


def _status(error: UserError) -> int:
    match error:
        case Absent():
            return 404
        case Outdated():
            return 409
        case StoreFailure():
            return 503
        case _:
            return 422


def _told(error: UserError) -> Refusal:
    wrong, remedy = wrong_and_remedy(error.what)
    return Refusal(_status(error), wrong, ": ".join(error.where), remedy)


def wrong_and_remedy(text: str) -> tuple[str, str]:
    """What is wrong and what to do, of a message that says both.

    >>> wrong_and_remedy('"Mr. X" needs 6 tokens, but beam is 5. Raise beam or shorten it.')
    ('"Mr. X" needs 6 tokens, but beam is 5.', 'Raise beam or shorten it.')
    >>> wrong_and_remedy("there is no such model: write builtin:en-de")
    ('there is no such model', 'write builtin:en-de')
    >>> wrong_and_remedy("beam=0: must be at least 1")
    ('beam=0: must be at least 1', '')
    """
    masked = _QUOTED.sub(lambda match: "x" * len(match[0]), text)
    for sign in (_SENTENCE_END, _COLON):
        for found in sign.finditer(masked):
            wrong, remedy = text[: found.start(1)], text[found.end() :]
            if " " in wrong:
                return wrong, remedy
    return text, ""


def _invalid(errors: Iterable[Mapping[str, Any]]) -> Refusal:
    """What pydantic finds wrong with a request, without what the request says there."""
    first = next(iter(errors), {})
    place = [str(each) for each in first.get("loc", ())]
    if first.get("type") == "json_invalid":
        reason = str(first.get("ctx", {}).get("error", "the body is not JSON"))
        remedy = "Send JSON in UTF-8."
        return Refusal(400, f"the body is not JSON: {reason}", ".".join(place), remedy)
    remedy = "/docs says what this route takes."
    return Refusal(422, str(first.get("msg", "the request is wrong")), ".".join(place), remedy)
