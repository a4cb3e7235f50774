"""Work that takes long, in a thread: dropped when its client goes away or its time is over."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from anyio import to_thread
from starlette.requests import Request

from gridbeam.errors import UserError
from gridbeam.server.refusal import Refused
from gridbeam.serving.client import StopSearch
from gridbeam.serving.refusals import Busy

if TYPE_CHECKING:
    from gridbeam.server.services import Services
    from gridbeam.serving.asking import Asking
    from gridbeam.serving.news import News

Done = TypeVar("Done")


@dataclass(frozen=True)
class Call:
    """What work in a thread has: the services, and a stop that its client's going away sets."""

    services: Services
    stop: StopSearch
    patience: float
    """Seconds after which a search is dropped."""

    def asking(
        self,
        source: str | None = None,
        target: str | None = None,
        model: str | None = None,
        *,
        news: Callable[[News], None] | None = None,
    ) -> Asking:
        """A translator of these languages, whose searches end with the call.

        It may load a model first, so it is asked for in the thread.
        """
        engine = self.services.engines.of(source, target, model)
        return engine.asking(patience=self.patience, stop=self.stop, news=news)


async def run_blocking(
    request: Request, work: Callable[[Call], Done], *, patience: float | None = None
) -> Done:
    """What `work` gives, run in a thread that ends soon after its client has gone.

    `patience` is shorter or longer than the server's where a face says so.

        await run_blocking(request, lambda call: call.asking("en", "de").translate(wish))
    """
    services: Services = request.app.state.services
    async with calling(request, patience=patience) as call:
        if services.threads.available_tokens <= 0:
            raise Busy(f"all {services.threads.total_tokens:.0f} places of the queue are taken")
        return await to_thread.run_sync(partial(work, call), limiter=services.threads)


@asynccontextmanager
async def calling(request: Request, *, patience: float | None = None) -> AsyncIterator[Call]:
    """Within it a call whose stop is set when the client goes away, or the server ends.

    For routes that stream and run their work themselves.
    """
    services: Services = request.app.state.services
    call = Call(services, StopSearch(), patience or services.settings.limits.seconds)
    watch = asyncio.create_task(_stop_when_gone(request, call.stop))
    try:
        with services.stopping(call.stop):
            yield call
    finally:
        call.stop.set()
        watch.cancel()


async def _stop_when_gone(request: Request, stop: StopSearch) -> None:
    """Sets the stop when the client goes; the body has been read, so little else can come."""
    with suppress(Refused):  # a body that the route has no use for, and that is too large
        while (await request.receive())["type"] != "http.disconnect":
            pass
        stop.set()


def refuse_more(name: str, found: int, most: int) -> None:
    """Raises where a request asks for more of something than a limit."""
    if found > most:
        raise UserError(f"{found:,} {name}: the limit is {most:,}. Send fewer.")


def refuse_higher(name: str, value: int, most: int) -> None:
    """Raises where an option of a request is more than a limit."""
    if value > most:
        raise UserError(f"{name} is {value:,}: the limit is {most:,}. Ask for no more.").within(
            name
        )
