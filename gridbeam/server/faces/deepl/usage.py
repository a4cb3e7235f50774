"""How many characters were translated since the server started, as DeepL bills them."""

from __future__ import annotations

import threading

from fastapi.responses import JSONResponse, Response
from starlette.requests import Request

from gridbeam.server.faces.deepl.face import new_router

router = new_router()

_LIMIT = 1_000_000_000_000
"""What DeepL says of accounts without a limit."""


class CharacterCount:
    """A counter for many threads."""

    def __init__(self) -> None:
        self._count, self._lock = 0, threading.Lock()

    def add(self, characters: int) -> None:
        """Counts some more."""
        with self._lock:
            self._count += characters

    @property
    def total(self) -> int:
        """All that were counted."""
        return self._count


def characters_of(request: Request) -> CharacterCount:
    """The counter of the server that a request has come to."""
    state = request.app.state
    if not hasattr(state, "deepl_characters"):
        state.deepl_characters = CharacterCount()
    count: CharacterCount = state.deepl_characters
    return count


@router.get("/v1/usage")
@router.get("/v2/usage")
async def usage(request: Request) -> Response:
    """The characters translated since the server started, and a limit that nobody reaches."""
    count = characters_of(request).total
    return JSONResponse({"character_count": count, "character_limit": _LIMIT})
