r"""Bodies that no route has to look at: too large ones, and JSON with halves of characters.

Both are refused while they are read. JSON may write a half of a character (`"\ud800"`), which no
text can hold: it could neither be translated, nor stored, nor answered.
"""

from __future__ import annotations

import re

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gridbeam.server.refusal import Refusal, Refused

_FORMS = ("multipart/form-data", "application/x-www-form-urlencoded")
"""What is not read as JSON; anything else may be, whatever it is called."""
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>u[dD][89a-fA-F])|.)"
)
"""An escape of JSON: a whole character in two halves, a half alone, or any other."""


class BodyLimit:
    """Refuses a body while it is read; whoever reads it gets a `Refused` instead."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app, self._most = app, most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        said = headers.get("content-length", "0")
        is_form = headers.get("content-type", "").lower().startswith(_FORMS)
        is_said_too_large = said.isdigit() and int(said) > self._most
        read = 0

        async def receive_within() -> Message:
            nonlocal read
            if is_said_too_large:
                raise self._too_large()
            message = await receive()
            read += len(message.get("body", b""))
            if read > self._most:
                raise self._too_large()
            return message

        async def receive_whole() -> Message:
            message = await receive_within()
            parts = [message.get("body", b"")]
            while message.get("more_body", False):
                message = await receive_within()
                parts.append(message.get("body", b""))
            body = b"".join(parts)
            _refuse_halves(body)
            return {**message, "body": body}

        await self._app(scope, receive_within if is_form else receive_whole, send)

    def _too_large(self) -> Refused:
        told = f"the request has more than {self._most:,} bytes, which is the limit"
        return Refused(Refusal(413, told, "body", "Send less at a time."))


def _refuse_halves(body: bytes) -> None:
    if _HALF.search(body) and any(found["half"] for found in _ESCAPE.finditer(body)):
        told = "the body has half of a character: \\ud800 to \\udfff stand in pairs only"
        raise Refused(Refusal(422, told, "body", "Send whole characters, best in UTF-8."))
