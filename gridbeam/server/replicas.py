"""Replicas of the server in processes of their own, started and watched by Ray Serve.

Each has its own models, and all work on one database. Ray is imported when it is asked for and not
before: it is the extra `[ray]`, and takes seconds.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import closing
from typing import Any

from fastapi import FastAPI

from gridbeam.errors import UserError
from gridbeam.server.app import create_app
from gridbeam.server.command import address_of, bound, check_keys
from gridbeam.server.kept import keep_glossaries
from gridbeam.server.settings import Settings
from gridbeam.store import Store


def serve_replicas(settings: Settings, count: int, say: Callable[[str], None]) -> None:
    """Serves with so many replicas until a signal ends it; `say` gets the address once they answer.

    A replica that dies is started anew.
    """
    ray, serve = _ray()
    with bound(settings.host, settings.port) as listening:
        port, address = listening.getsockname()[1], address_of(settings.host, listening)
    with closing(Store.open(settings.database)) as store:
        check_keys(settings, store)
        keep_glossaries(store, settings.glossaries)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        _start(ray, settings)
        for number, handler in handlers.items():  # Ray has put its own in their place
            signal.signal(number, handler)
        serve.start(http_options={"host": settings.host, "port": port})
        serve.run(_deployment(serve, settings, count), name="gridbeam")
        say(address)
        while True:
            time.sleep(3600)
    finally:
        serve.shutdown()
        ray.shutdown()


def _ray() -> tuple[Any, Any]:
    """Ray and Ray Serve."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would tell its makers of its use
    try:
        import ray
        from ray import serve
    except ImportError:
        raise UserError(
            "--engine ray needs Ray, which is not installed: pip install 'gridbeam[ray]'."
        ) from None
    return ray, serve


def _start(ray: Any, settings: Settings) -> None:
    """Starts Ray on this machine, joining no cluster that is there."""
    ray.init(
        address="local",
        include_dashboard=False,
        log_to_driver=False,
        logging_level=settings.log_level,
    )


def _deployment(serve: Any, settings: Settings, count: int) -> Any:
    """The application as Ray Serve runs it; each replica makes its own.

    A replica is given more requests than it has places, so that it is our server who refuses some.
    """
    made = serve.deployment(
        serve.ingress(_builder(settings))(),
        name="server",
        num_replicas=count,
        max_ongoing_requests=2 * settings.limits.queue,
        ray_actor_options={"num_cpus": 0},
    )
    return made.bind()


def _builder(settings: Settings) -> Callable[[], FastAPI]:
    def build() -> FastAPI:
        return create_app(settings)

    return build
