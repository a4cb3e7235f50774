"""Acts on a segment, `POST /api/segments/{id}/acts`: stored before they are acknowledged.

A client that accepts `text/event-stream` is told the text with the typed words at once (`typed`),
drafts and columns of the grid while the search runs, and then the `change` or an `error`. When it
goes away, the search ends, and nothing is changed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any

from anyio import to_thread
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from gridbeam.server.asked import BodyPart
from gridbeam.server.face import OWN
from gridbeam.server.refusal import Refused
from gridbeam.server.routes.projects import RowNumber
from gridbeam.server.running import Call, calling, refuse_more, run_blocking
from gridbeam.server.sent import EVENTS, NOT_KEPT, event
from gridbeam.server.working import asking_for, telling, told
from gridbeam.server.workspace_answers import NEWER, ChangeAnswer
from gridbeam.serving.news import News
from gridbeam.translation.drafts import Draft
from gridbeam.workspace.act import Act, ActKind

_LOG = logging.getLogger("gridbeam")
router = OWN.router()
CodePoint = Annotated[int, Field(ge=0, lt=2**31)]
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {"content": {EVENTS: {"schema": {"type": "string"}}}},
    409: NEWER,
}


class ActRequest(BodyPart):
    """What is to be done to a segment, and to which version of it."""

    act: ActKind
    version: CodePoint
    where: tuple[CodePoint, CodePoint] | None = Field(
        default=None, description="A stretch of the translation, in code points."
    )
    words: str | None = None
    left: str | None = Field(default=None, description="What stands left of the cursor.")
    text: str | None = None
    seconds: float | None = Field(default=None, ge=0, le=1e9, allow_inf_nan=False)
    keystrokes: CodePoint | None = None
    clicks: CodePoint | None = None
    client: str = Field(default="", max_length=100, description="Who acts, for the log.")
    id: str | None = Field(
        default=None,
        pattern=r"^[A-Za-z0-9_-]{1,64}$",
        description="Any name, of no other act on the segment: sent again, it is done once.",
    )

    def as_act(self) -> Act:
        """The act that it asks for."""
        values = self.model_dump(exclude={"act"})
        return Act(self.act, **values)


@router.post("/api/segments/{segment}/acts", response_model=ChangeAnswer, responses=_STREAM)
async def act(request: Request, segment: RowNumber, wish: ActRequest) -> Response | dict[str, Any]:
    """Does something to a segment; the answer is what changed."""
    most = request.app.state.services.settings.limits.chars
    for text in (wish.words, wish.left, wish.text):
        refuse_more("characters of a text", len(text or ""), most)
    given = wish.as_act()
    if EVENTS not in request.headers.get("accept", ""):
        return await run_blocking(request, lambda call: _done(call, segment, given))
    news = _news(request, segment, given)
    return StreamingResponse(news, media_type=EVENTS, headers=NOT_KEPT)


def _done(
    call: Call, segment: int, given: Act, news: Callable[[News], None] | None = None
) -> dict[str, Any]:
    workspace = call.services.workspace
    with telling(workspace):
        found: dict[str, Any] = workspace.act(segment, given, asking_for(call, news))
    return found


async def _news(request: Request, segment: int, given: Act) -> AsyncIterator[str]:
    """The events of an act, to its change or what is wrong with it."""
    async with calling(request) as call:
        queue, loop = asyncio.Queue[str | None](), asyncio.get_running_loop()

        def say(text: str | None) -> None:
            loop.call_soon_threadsafe(queue.put_nowait, text)

        work = asyncio.create_task(
            to_thread.run_sync(_acting, call, segment, given, say, limiter=call.services.threads)
        )
        try:
            while (said := await queue.get()) is not None:
                yield said
        finally:
            call.stop.set()
            await asyncio.wait([work])


def _acting(call: Call, segment: int, given: Act, say: Callable[[str | None], object]) -> None:
    """Carries an act out, and says how it goes on."""
    workspace = call.services.workspace
    try:
        news = None
        if not workspace.was_stored(segment, given):
            with telling(workspace):
                shown, drafted = workspace.preview(segment, given)
            say(event("typed", {"text": shown}))
            news = _as_events(say, drafted)
        say(event("change", _done(call, segment, given, news)))
    except Exception as error:  # whatever it is, the answer has begun and must tell it
        found = error.refusal if isinstance(error, Refused) else told(workspace, error)
        if found.status == 500:
            _LOG.error("the act %s on segment %s failed", given.kind, segment, exc_info=error)
        values = {"status": found.status, "error": found.error, "where": found.where}
        say(event("error", {**values, "remedy": found.remedy, **found.more}))
    finally:
        say(None)


def _as_events(
    say: Callable[[str | None], object], drafted: Callable[[Draft], str | None]
) -> Callable[[News], None]:
    """Passes on what an engine tells while it searches; of several grids the first."""

    def heard(news: News) -> None:
        if isinstance(news, Draft):
            if (text := drafted(news)) is not None:
                say(event("draft", {"text": text}))
        elif news.sentence == 0:
            say(event("grid", news.as_json()))

    return heard
