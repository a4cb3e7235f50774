"""Databases for tests: a file of SQLite, and a database of a real PostgreSQL server.

The server is private: made in a temporary folder for the session, reached by a socket in it, run by
an unprivileged user where the tests are run by root, whom PostgreSQL refuses.
"""

from __future__ import annotations

import os
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import count
from pathlib import Path

import pg8000.dbapi
import pytest
from system_programs import do_without, program

from gridbeam.store import Store

USER = "gridbeam"
KINDS = ("sqlite", "postgresql")


class Server:
    """A PostgreSQL server that runs."""

    def __init__(self, programs: Path) -> None:
        self.programs = programs
        self.folder = Path(tempfile.mkdtemp(prefix="gridbeam-pg-"))
        self._numbers = count(1)
        self._free: list[str] = []
        user = _unprivileged()
        if user:
            os.chown(self.folder, user.pw_uid, user.pw_gid)
        data = self.folder / "data"
        initdb = [programs / "initdb", "-D", data, "-U", USER, "-A", "trust", "-E", "UTF8"]
        made = _start([*initdb, "--locale=C", "--no-sync", "--no-instructions"], user)
        assert made.wait(60) == 0, "initdb failed"
        # Only the machine's own fall could lose what is not synchronised, and the test with it.
        quick = ["-c", "fsync=off", "-c", "shared_buffers=32MB", "-c", "max_connections=200"]
        socket = ["-k", self.folder, "-c", "listen_addresses="]
        self.process = _start([programs / "postgres", "-D", data, *socket, *quick], user)
        self._wait()

    def new_database(self) -> str:
        """The URL of a database that is empty."""
        if self._free:
            return self.url(self._free.pop())
        name = f"test_{next(self._numbers)}"
        self.run(f"CREATE DATABASE {name}")
        return self.url(name)

    def give_back(self, url: str) -> None:
        """Empties a database for the next who wants one: a new one takes ten times as long."""
        name = url.partition("?")[0].rpartition("/")[2]
        others = f"datname = '{name}' AND pid <> pg_backend_pid()"
        self.run(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}")
        self.run("DROP SCHEMA public CASCADE; CREATE SCHEMA public", name)
        self._free.append(name)

    def url(self, name: str, user: str = USER) -> str:
        """The URL of a database of this server."""
        return f"postgresql://{user}@/{name}?host={self.folder}"

    def run(self, statement: str, name: str = "postgres") -> None:
        """Runs a statement outside of transactions."""
        with closing(self._connected(name)) as connection:
            connection.autocommit = True
            connection.cursor().execute(statement)

    def stop(self) -> None:
        """Stops the server and removes all that it kept."""
        self.process.send_signal(signal.SIGINT)  # a fast shutdown: it waits for no connection
        self.process.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _connected(self, name: str) -> pg8000.dbapi.Connection:
        socket = str(self.folder / ".s.PGSQL.5432")
        return pg8000.dbapi.connect(user=USER, database=name, unix_sock=socket)

    def _wait(self) -> None:
        for _ in range(300):
            try:
                self._connected("postgres").close()
                return
            except (pg8000.dbapi.Error, OSError):
                assert self.process.poll() is None, "PostgreSQL did not start"
                time.sleep(0.1)
        raise AssertionError("PostgreSQL did not start within 30 s")


def _unprivileged() -> pwd.struct_passwd | None:
    """As whom the server runs, where it may not run as we are."""
    if os.geteuid() != 0:
        return None
    known = {each.pw_name: each for each in pwd.getpwall()}
    return known.get("postgres") or known["nobody"]


def _start(command: Sequence[object], user: pwd.struct_passwd | None) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [str(word) for word in command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        user=user and user.pw_uid,
        group=user and user.pw_gid,
        extra_groups=user and [],
    )


def _programs() -> Path | None:
    """The folder of PostgreSQL's programs, of the newest if there are several."""
    folders = Path("/usr/lib/postgresql").glob("*/bin")
    newest = sorted(folders, key=lambda path: -int(re.sub(r"\D", "", path.parent.name) or 0))
    found = program("initdb", folders=newest)
    return None if found is None else found.resolve().parent


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Server]:
    """A PostgreSQL server of this session."""
    programs = _programs()
    if programs is None:
        do_without("postgresql")
    server = Server(programs)
    yield server
    server.stop()


@pytest.fixture(params=KINDS)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty database, of each kind."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'workspace.db'}"
        return
    server = request.getfixturevalue("postgresql")
    url = server.new_database()
    yield url
    server.give_back(url)


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    """A store in an empty database, of each kind."""
    store = Store.open(database_url)
    yield store
    store.close()
