"""Work in threads on a real server: it ends when its client goes, when time is over, at the end."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from dataclasses import dataclass, field

import pytest
from real_server import serving, soon
from starlette.requests import Request

from gridbeam.server.app import create_app
from gridbeam.server.running import Call, calling, run_blocking
from gridbeam.server.settings import RequestLimits, Settings


@dataclass
class Watched:
    """Work that waits until it is stopped, and says so."""

    begun: threading.Event = field(default_factory=threading.Event)
    stopped: threading.Event = field(default_factory=threading.Event)

    def __call__(self, call: Call) -> str:
        self.begun.set()
        if call.stop.wait(20):
            self.stopped.set()
        return "done"


@pytest.fixture
def watched():
    return Watched()


@pytest.fixture
def app(engines, store, watched):
    app = create_app(Settings(limits=RequestLimits(queue=2)), store, engines)

    @app.post("/wait")
    async def wait(request: Request) -> str:
        await request.body()
        return await run_blocking(request, watched)

    @app.get("/stream")
    async def stream(request: Request) -> str:
        async with calling(request) as call:
            return await run_blocking(request, lambda _: watched(call))

    return app


@pytest.mark.parametrize("request_line", ["POST /wait", "GET /stream"])
def test_a_client_that_hangs_up_stops_its_work(app, watched, request_line):
    with serving(app) as server:
        connection = server.sent(request_line, b"{}")
        assert watched.begun.wait(20)
        assert not watched.stopped.is_set()
        connection.close()
        assert watched.stopped.wait(20)


def test_a_client_that_waits_is_not_taken_for_gone(app, watched):
    with serving(app) as server:
        connection = server.sent("POST /wait", b"{}")
        assert watched.begun.wait(20)
        assert not watched.stopped.wait(0.5)
        connection.close()


def test_the_end_of_the_server_stops_all_work(app, watched):
    with serving(app) as server:
        connection = server.sent("POST /wait", b"{}")
        assert watched.begun.wait(20)
        app.state.services.stop_all()
        assert watched.stopped.wait(20)
        with connection, connection.makefile("rb") as answer:
            assert answer.readline().startswith(b"HTTP/1.1 200")


def test_whoever_comes_when_all_places_are_taken_is_told_when_to_come_back(app, watched):
    with serving(app) as server:
        waiting = [server.sent("POST /wait", b"{}") for _ in range(2)]
        assert soon(lambda: app.state.services.threads.available_tokens == 0)
        wish = urllib.request.Request(f"{server.url}/wait", b"{}", method="POST")
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(wish)
        with refused.value as answer:
            assert answer.code == 503 and int(answer.headers["retry-after"]) >= 1
            assert set(json.load(answer)) == {"error", "where", "remedy"}
        for connection in waiting:
            connection.close()
        assert soon(lambda: app.state.services.threads.available_tokens == 2)
