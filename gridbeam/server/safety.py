"""What keeps a page of somewhere else from using this server by way of its visitor's browser.

Three refusals before anything is read: a Host that is not ours (DNS rebinding), a request that a
page of another origin makes (CSRF, embedding), a body that is too large. Each answer has headers
that let a browser run nothing but what comes from here.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gridbeam.server.face import OWN
from gridbeam.server.refusal import Refusal
from gridbeam.server.settings import Settings

CONTENT_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
"""What a browser may load and run for a page of ours: what comes from here, and nothing inline."""
PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"
"""For a picture that is opened by itself, and brings its style along."""
SAFE_HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
"""On every answer that does not say otherwise itself."""
ANY_ORIGIN = "*"


class Safety:
    """Refuses what is not from here, and puts `SAFE_HEADERS` on all answers."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app, self._settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_shared = bool(self._settings.origins)

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SAFE_HEADERS.items():
                    headers.setdefault(name, value)
                if is_shared:
                    headers["Cross-Origin-Resource-Policy"] = "cross-origin"
            await send(message)

        refusal = refused(self._settings, scope["method"], Headers(scope=scope))
        if refusal is not None:
            await OWN.answer(refusal)(scope, receive, send_safely)
        else:
            await self._app(scope, receive, send_safely)


def refused(settings: Settings, method: str, headers: Headers) -> Refusal | None:
    """Why a request is refused by its headers alone; None where it is not."""
    host = headers.get("host", "")
    known = settings.known_hosts
    if known and _without_port(host) not in known:
        return Refusal(
            421,
            "this server does not go by that name",
            "Host",
            f"Call it {known[0]}, or start it with --allow-host and the name.",
        )
    if _is_from_elsewhere(settings, method, headers, host):
        return Refusal(
            403,
            "pages of other origins may not use this server",
            "Origin",
            "Start it with --allow-origin and the origin of the page.",
        )
    return None


def _without_port(host: str) -> str:
    """The name in a Host header, in small letters; an IPv6 address keeps its brackets.

    >>> _without_port("LocalHost:8000"), _without_port("[::1]:8000"), _without_port("[::1]")
    ('localhost', '[::1]', '[::1]')
    """
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).lower()


def _host_of(origin: str) -> str | None:
    """The host and port of an origin; None where it is none.

    >>> _host_of("http://localhost:8000"), _host_of("null"), _host_of("http://[")
    ('localhost:8000', None, None)
    """
    try:
        return urlsplit(origin).netloc or None
    except ValueError:
        return None


def _is_from_elsewhere(settings: Settings, method: str, headers: Headers, host: str) -> bool:
    """Whether a browser says that a page of another origin makes the request.

    Programs say nothing of it. To follow a link to here is no request of that page.
    """
    origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
    if ANY_ORIGIN in settings.origins or origin in settings.origins:
        return False
    if origin is not None and _host_of(origin) != host:
        return True
    is_link = method == "GET" and headers.get("sec-fetch-mode") == "navigate"
    is_embedded = headers.get("sec-fetch-dest") in ("object", "embed", "iframe", "frame")
    return site not in ("same-origin", "none") and not (is_link and not is_embedded)
