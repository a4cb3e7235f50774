"""A database that is open: each use of it is one transaction, committed when it ends.

SQLite: a writer takes the lock at its first statement (`BEGIN IMMEDIATE`), so that it never has to
give up half-way; readers see the state at their start and wait for nobody. Commits are on the disk
before they return (WAL, `synchronous=FULL`).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event

from gridbeam.errors import UserError
from gridbeam.store.columns import as_json
from gridbeam.store.failures import busy, failure, sqlstate, unreachable

_OPTIONS: dict[str, Any] = {
    **{"pool_size": 10, "max_overflow": 20, "pool_timeout": 60},
    "json_serializer": as_json,
}


@dataclass(frozen=True)
class Database:
    """Connections to a database, for any number of threads."""

    engine: sa.Engine
    place: str
    """How messages call it."""
    _turn: threading.Lock = field(default_factory=threading.Lock)

    @property
    def is_sqlite(self) -> bool:
        """Whether it is a file of this machine."""
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A connection that sees one state and changes nothing."""
        with refusing(self.place), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A connection whose changes are all kept at the end, or none if anything is raised."""
        with refusing(self.place):
            if not self.is_sqlite:
                with self.engine.begin() as connection:
                    yield connection
                return
            # Threads queue here: SQLite lets those who wait try again and again, in no order.
            with self._turn, _writer(self.engine).begin() as connection:
                yield connection


@contextmanager
def refusing(place: str) -> Iterator[None]:
    """What a person can mend is said to them: each error of the database as a UserError."""
    try:
        yield
    except sa.exc.StatementError as error:
        if isinstance(error.orig, UserError):
            raise error.orig from None
        if said := failure(error.orig, place):
            raise said from error
        raise
    except ConnectionError as error:
        raise unreachable(place, str(error)) from error
    except sa.exc.TimeoutError as error:
        raise busy(place) from error


def sqlite_engine(url: sa.URL, patience: float, *, checks_owners: bool = True) -> sa.Engine:
    """Connections to a file, which wait so many seconds for others that write to it.

    A migration must not check owners: dropping a table would delete what belongs to its rows.
    """
    engine = sa.create_engine(url, connect_args={"timeout": patience}, **_OPTIONS)

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: object) -> None:
        # Transactions begin where we say, not where the driver thinks fit.
        connection.isolation_level = None
        for pragma in (f"foreign_keys={int(checks_owners)}", "synchronous=FULL"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        writes = connection.get_execution_options().get("writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def postgresql_engine(url: sa.URL, arguments: dict[str, object]) -> sa.Engine:
    """Connections to a server; those that it has closed meanwhile are replaced."""
    engine = sa.create_engine(url, connect_args=arguments, **_OPTIONS)

    @event.listens_for(engine, "checkout")
    def ask(connection: Any, record: object, _: object) -> None:
        # SQLAlchemy's own question takes the driver's plain errors of the network for a fault.
        try:
            connection.autocommit = True
            connection.cursor().execute("SELECT 1")
            connection.autocommit = False
        except (OSError, engine.dialect.loaded_dbapi.Error) as error:
            raise sa.exc.InvalidatePoolError from error

    @event.listens_for(engine, "handle_error")
    def note(context: sa.engine.ExceptionContext) -> None:
        # A server says why it goes before it closes; SQLAlchemy knows only that it is closed.
        error = context.original_exception
        if isinstance(error, OSError) or sqlstate(error).startswith(("08", "57P")):
            context.is_disconnect = True

    return engine


def _writer(engine: sa.Engine) -> sa.Engine:
    return engine.execution_options(writes=True)
