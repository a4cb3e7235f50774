"""Clients that hang up, in their request or in its answer, cost nobody else anything."""

from __future__ import annotations

import json
import random
import socket
import struct
import sys
from contextlib import closing, suppress
from pathlib import Path

import echo_server
import httpx

sys.path.append(str(Path(__file__).parent.parent / "server"))
from real_server import serving, soon

from gridbeam.server.app import create_app
from gridbeam.server.settings import Settings
from gridbeam.store import Store

CUTS = 60
"""Connections that are cut, at places that are drawn."""


def head(path: str, size: int, accept: str = "*/*") -> bytes:
    """The beginning of a request."""
    return (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Accept: {accept}\r\nContent-Length: {size}\r\n\r\n"
    ).encode()


def requests(version: int) -> list[bytes]:
    """A request of each kind whose answer may be cut: whole, in a stream, in the background."""
    act = "/api/segments/1/acts", {"act": "write", "version": version, "text": f"v{version + 1}"}
    search = "/api/segments/2/acts", {"act": "translate", "version": 0}
    chat = {"model": "echo", "stream": True, "messages": [{"role": "user", "content": "The disk"}]}
    bodies = [
        (*act, "*/*"),
        (*act, "text/event-stream"),
        (*search, "text/event-stream"),
        ("/api/translate", {"source": ["The disk is full."] * 4}, "*/*"),
        ("/v1/chat/completions", chat, "*/*"),
        ("/api/projects", {"text": "a\nb", "target": "de"}, "*/*"),
    ]
    found = []
    for path, body, accept in bodies:
        sent = json.dumps(body).encode()
        found.append(head(path, len(sent), accept) + sent)
    return found


def hang_up(port: int, request: bytes, draw: random.Random) -> None:
    """Sends some or all of a request, reads some or nothing of its answer, and is gone."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        is_whole = draw.random() < 0.6
        connection.sendall(request if is_whole else request[: draw.randrange(len(request))])
        if is_whole and draw.random() < 0.6:
            connection.recv(draw.choice((1, 40, 400)))
        if draw.random() < 0.5:  # a reset, and no farewell
            linger = struct.pack("ii", 1, 0)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)


def acknowledged(client: httpx.Client) -> int | None:
    """The version of the first segment after one more act; None where somebody was faster."""
    version = client.get("/api/segments/1").json()["version"]
    body = {"act": "write", "version": version, "text": f"v{version + 1}"}
    answer = client.post("/api/segments/1/acts", json=body)
    assert answer.status_code in (200, 409), answer.text
    return version + 1 if answer.status_code == 200 else None


def test_connections_that_are_cut_lose_and_double_nothing(tmp_path):
    draw, known = random.Random(11), []
    engines = echo_server.EchoEngines()
    with closing(engines), Store.open(tmp_path / "db.sqlite") as store:
        app = create_app(Settings(), store, engines)
        with serving(app) as server, httpx.Client(base_url=server.url, timeout=60) as client:
            pasted = {"text": "The disk is full.\nThe folder", "target": "de"}
            assert client.post("/api/projects", json=pasted).status_code == 201
            for number in range(CUTS):
                version = client.get("/api/segments/1").json()["version"]
                with suppress(ConnectionError):
                    hang_up(server.port, draw.choice(requests(version)), draw)
                if number % 3 == 0:
                    known.append(acknowledged(client))
            assert client.get("/health").status_code == 200
            engine = engines.of("en", "de")
            assert soon(lambda: engine.stats.waiting + engine.stats.running == 0, 60.0)
            answer = client.post("/api/translate", json={"source": "The disk is full."})
            assert answer.status_code == 200
            log = client.get("/api/projects/1/study").json()["acts"]
    versions = [act["version"] for act in log if act["segment"] == 1]
    assert versions == list(range(1, len(versions) + 1))
    assert {version for version in known if version} <= set(versions)
    assert all(act["text"] == f"v{act['version']}" for act in log if act["segment"] == 1)
