"""Opening a database: it is made or migrated first, or refused and left as it is."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import sqlalchemy as sa

from gridbeam.store.addresses import Address, address
from gridbeam.store.database import Database, postgresql_engine, sqlite_engine
from gridbeam.store.failures import failure
from gridbeam.store.migration import bring_up_to_date
from gridbeam.store.refusals import StoreFailure

_ADVISORY_LOCK = 7_127_310_421
"""The number under which servers of one PostgreSQL database take turns to migrate it."""


def open_database(given: str | Path | None, patience: float) -> Database:
    """The database at an address, in the shape that this version of gridbeam knows."""
    found = address(given)
    if found.file is None:
        return _server(found)
    _make_file(found.file, found.place)
    return _file(found, found.file, patience)


def _server(found: Address) -> Database:
    database = Database(postgresql_engine(found.url, found.arguments), found.place)
    try:
        with database.writing() as connection:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_ADVISORY_LOCK)))
            _see_encoding(connection, found.place)
            bring_up_to_date(connection, found.place)
    except BaseException:
        database.engine.dispose()
        raise
    return database


def _see_encoding(connection: sa.Connection, place: str) -> None:
    encoding = connection.exec_driver_sql("SHOW server_encoding").scalar()
    if encoding != "UTF8":
        raise StoreFailure(
            f"{place} keeps text as {encoding}. Make one that keeps any: createdb -E UTF8 NAME."
        )


def _make_file(file: Path, place: str) -> None:
    """Makes the file, which only its user can read, and its folder."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise StoreFailure(
            f"{place} cannot be opened: {error.strerror}. Name a file that this user may write to."
        ) from error


def _file(found: Address, file: Path, patience: float) -> Database:
    # Owners are checked only afterwards: a migration may have to build a table anew.
    migrating = Database(sqlite_engine(found.url, patience, checks_owners=False), found.place)
    try:
        with migrating.writing() as connection:
            bring_up_to_date(connection, found.place, file)
        _keep_a_log(file, found.place, patience)
    finally:
        migrating.engine.dispose()
    return Database(sqlite_engine(found.url, patience), found.place)


def _keep_a_log(file: Path, place: str, patience: float) -> None:
    """Has changes written to a log beside the file (WAL): readers and a writer share it then."""
    until = time.monotonic() + patience
    with closing(sqlite3.connect(file, timeout=patience)) as connection:
        while True:
            try:
                connection.execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.OperationalError as error:
                # Others open the file at this moment; for this SQLite waits for nobody by itself.
                if time.monotonic() > until:
                    raise failure(error, place) or error from error
                time.sleep(0.01)
