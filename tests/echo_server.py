"""A server whose only model repeats its source, asked in process."""

from __future__ import annotations

import json
from contextlib import closing, contextmanager

import echo
from starlette.testclient import TestClient

from gridbeam.server.app import create_app
from gridbeam.server.engines import Engines
from gridbeam.server.served import ServedModel, ServedPair
from gridbeam.server.settings import Settings
from gridbeam.serving.engine import Engine
from gridbeam.store import Store

HERE = "http://127.0.0.1"
PAIR = ServedPair("echo", "en", "de")


class EchoEngines(Engines):
    """The engine of a model that repeats."""

    def __init__(self):
        super().__init__([ServedModel("echo", (PAIR,))], queue=64)
        self._engines[PAIR] = Engine(echo.translator())


@contextmanager
def client(folder, **settings):
    """The client of a server that keeps its things in a folder."""
    engines = EchoEngines()
    with closing(Store.open(folder / "db.sqlite")) as store, closing(engines):
        app = create_app(Settings(**settings), store, engines)
        with TestClient(app, HERE, raise_server_exceptions=False) as found:
            yield found


def pasted(client, text="The disk is full.\nThe folder", **values):
    """A new project of a text."""
    found = client.post("/api/projects", json={"text": text, **values})
    assert found.status_code == 201, found.text
    return found.json()


def segments(client, project, **query):
    """The segments of a project."""
    return client.get(f"/api/projects/{project['id']}/segments", params=query).json()["segments"]


def act(client, segment, kind, status=200, **values):
    """What an act on a segment answers."""
    body = {"act": kind, "version": segment["version"], **values}
    found = client.post(f"/api/segments/{segment['id']}/acts", json=body)
    assert found.status_code == status, found.text
    return found.json()


def events_of(lines):
    """The events of a stream, each its name and its data."""
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))
