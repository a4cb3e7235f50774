"""A server on a tiny model, asked in process; the real one is asked in `test_real_server.py`."""

from __future__ import annotations

import pytest
import tiny
from starlette.testclient import TestClient

from gridbeam.server.app import create_app
from gridbeam.server.engines import Engines
from gridbeam.server.served import served
from gridbeam.server.settings import Settings
from gridbeam.store import Store

HERE = "http://127.0.0.1"


@pytest.fixture(scope="session")
def engines():
    """The engines of a tiny model, loaded once for all tests."""
    found = Engines(served([str(tiny.marian())]), queue=64)
    yield found
    found.close()


@pytest.fixture(scope="session")
def store(tmp_path_factory):
    """A database for all tests that do not mind what others put into it."""
    found = Store.open(tmp_path_factory.mktemp("store") / "gridbeam.sqlite")
    yield found
    found.close()


@pytest.fixture
def client_of(engines, store):
    """Makes the client of a server with such settings."""

    def made(settings: Settings | None = None, **headers: str) -> TestClient:
        app = create_app(settings or Settings(), store, engines)
        return TestClient(app, HERE, raise_server_exceptions=False, headers=headers)

    return made


@pytest.fixture
def client(client_of):
    return client_of()
