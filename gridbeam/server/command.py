"""A server from its start to its end: `gridbeam serve`.

What can be wrong is told before anything is loaded: the port, the database, a key that is missing.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import uvicorn
from fastapi import FastAPI

from gridbeam.errors import UserError
from gridbeam.server.app import create_app
from gridbeam.server.kept import keep_glossaries
from gridbeam.server.services import Services
from gridbeam.server.settings import Settings
from gridbeam.store import Store

_LAST_SECONDS = 5
"""How long answers that are being written have when the server ends."""
_BACKLOG = 256


def serve(settings: Settings, say: Callable[[str], None], *, opens_browser: bool = False) -> None:
    """Serves until a signal ends it; `say` gets the address once it answers."""
    logging.basicConfig(
        level=settings.log_level.upper(), format="%(levelname)s %(name)s: %(message)s"
    )
    listening = bound(settings.host, settings.port)
    with listening:
        store = Store.open(settings.database)
        try:
            check_keys(settings, store)
            keep_glossaries(store, settings.glossaries)
            app = create_app(settings, store)
            _Server(app, settings, listening, say, opens_browser).run(sockets=[listening])
        finally:
            store.close()


def share_processors(threads: int | None) -> None:
    """Tells torch, which is not loaded yet, how many threads it has, unless the user has."""
    if threads is not None:
        os.environ["OMP_NUM_THREADS"] = str(threads)
    else:
        os.environ.setdefault("OMP_NUM_THREADS", str(max(1, _processors() - 1)))


def _processors() -> int:
    """How many processors this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # not every system has it
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens at an address, or an error that says why there is none."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host.strip("[]"), port))
        listening.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        listening.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(
            f"{host} port {port} cannot be listened on: {reason}. Choose another with --port (0"
            " takes a free one), or an address of this machine with --host."
        ) from None
    return listening


def address_of(host: str, listening: socket.socket) -> str:
    """The URL by which a browser on this machine reaches it."""
    port = listening.getsockname()[1]
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{name}:{port}/"


def check_keys(settings: Settings, store: Store) -> None:
    """Refuses to start a server that asks for keys and that nobody has one for."""
    usable = [key for key in store.keys.all() if key.revoked is None]
    if settings.needs_keys and not usable:
        raise UserError(
            "this server asks for an API key, as others can reach it, and there is none. Make one"
            " with gridbeam keys create NAME, or let everyone in with --no-keys."
        )


class _Server(uvicorn.Server):
    """uvicorn, which says where it is, and drops searches as soon as it is to end."""

    def __init__(
        self,
        app: FastAPI,
        settings: Settings,
        listening: socket.socket,
        say: Callable[[str], None],
        opens_browser: bool,
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                lifespan="on",
                log_config=None,
                log_level=settings.log_level,
                access_log=settings.log_level in ("debug", "info"),
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=_LAST_SECONDS,
                ws="none",
            )
        )
        self._services: Services = app.state.services
        self._address, self._say = address_of(settings.host, listening), say
        self._opens_browser = opens_browser

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Starts, and says where."""
        await super().startup(sockets)
        self._say(self._address)
        if self._opens_browser:
            webbrowser.open(self._address)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Ends: what is searched for is dropped first, so that nobody waits for it."""
        self._services.stop_all()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Takes a terminal that closes for a wish to end, as uvicorn does Ctrl-C and SIGTERM."""
        with super().capture_signals(), _taken("SIGHUP", self.handle_exit):
            yield


@contextmanager
def _taken(name: str, handler: Callable[..., None]) -> Iterator[None]:
    """Within it a signal goes to this handler, unless it is ignored, as under nohup."""
    number = getattr(signal, name, None)
    if number is None or signal.getsignal(number) == signal.SIG_IGN:
        yield
        return
    before = None
    with suppress(ValueError):  # signals are the main thread's
        before = signal.signal(number, handler)
    try:
        yield
    finally:
        if before is not None:
            signal.signal(number, before)
