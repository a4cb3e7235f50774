"""A real server in a thread, for what can only be seen over a socket."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import uvicorn
from fastapi import FastAPI


@dataclass(frozen=True)
class RealServer:
    """Where a server is."""

    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def sent(self, request: str, body: bytes = b"") -> socket.socket:
        """A connection on which a request has been sent, and nothing read."""
        head = f"{request} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        connection = socket.create_connection(("127.0.0.1", self.port))
        connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        return connection


@contextmanager
def serving(app: FastAPI) -> Iterator[RealServer]:
    """Within it an app is served by uvicorn, as `gridbeam serve` does it."""
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off", ws="none"))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            assert soon(lambda: server.started)
            yield RealServer(listening.getsockname()[1])
        finally:
            server.should_exit = True
            thread.join()


def soon(holds: Callable[[], bool], seconds: float = 20.0) -> bool:
    """Whether something becomes true in that time."""
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.01)
    return holds()
