"""A real server on a real port, for the official clients of other services."""

from __future__ import annotations

import socket
import threading
import time
from dataclasses import dataclass

import pytest
import uvicorn
from fastapi import FastAPI

from gridbeam.server.app import create_app
from gridbeam.server.engines import Engines
from gridbeam.server.served import served
from gridbeam.server.settings import Settings
from gridbeam.store import Store


@dataclass(frozen=True)
class RealServer:
    """Where a server listens, and a key that it lets in."""

    url: str
    key: str
    app: FastAPI


@pytest.fixture(scope="package")
def server(tmp_path_factory):
    """A server with the model that ships, which asks for keys."""
    store = Store.open(tmp_path_factory.mktemp("faces") / "faces.db")
    _, key = store.keys.add("tests")
    engines = Engines(served(["builtin:en-de", "builtin:en-fr"]), queue=64)
    for pair in engines.pairs():  # in this thread: warnings are counted for all threads
        engines.at(pair)
    app = create_app(Settings(keys=True), store, engines)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        running = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
        thread.start()
        until = time.monotonic() + 60
        while not running.started and time.monotonic() < until:
            time.sleep(0.02)
        yield RealServer(f"http://127.0.0.1:{listening.getsockname()[1]}", key, app)
        running.should_exit = True
        thread.join()
