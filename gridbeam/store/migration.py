"""Bringing a database up to date, in one transaction: it is as before, or as it should be."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from gridbeam.store.failures import failure
from gridbeam.store.refusals import StoreFailure
from gridbeam.store.tables import metadata

VERSION_TABLE = "gridbeam_revision"
_FOLDER = Path(__file__).parent / "migrations"


def bring_up_to_date(
    connection: sa.Connection, place: str, file: Path | None = None, to: str = "head"
) -> None:
    """Makes the tables, or migrates them; of an old file a copy is kept beside it.

    What is newer than this version of gridbeam, or is not ours, is refused and stays as it is.
    """
    revision = revision_of(connection)
    if revision is None:
        _see_that_it_is_empty(connection, place, file)
    elif revision not in revisions():
        raise StoreFailure(
            f"{place} was written by a newer gridbeam (revision {revision}; this one knows"
            f" {newest()}). Install the newest gridbeam, or open another database."
        )
    if revision == newest():
        return
    if revision is not None and file is not None:
        _copy(file, revision, place)
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, to)
    if file is not None:
        _see_owners(connection, place)


def revision_of(connection: sa.Connection) -> str | None:
    """The revision of a database; None if it has none of our tables."""
    context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
    return context.get_current_revision()


@cache
def revisions() -> tuple[str, ...]:
    """Every revision that this version knows, the newest first."""
    script = ScriptDirectory.from_config(_config())
    return tuple(each.revision for each in script.walk_revisions())


def newest() -> str:
    """The revision that this version writes."""
    return revisions()[0]


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    return config


def _see_that_it_is_empty(connection: sa.Connection, place: str, file: Path | None) -> None:
    """Refuses the file of another program, and a server's database whose tables have our names."""
    there = set(sa.inspect(connection).get_table_names())
    strange = there if file is not None else there & metadata.tables.keys()
    if strange:
        raise StoreFailure(
            f"{place} belongs to another program: it has the table {min(strange)}. Name another"
            " one; an empty one will do."
        )


def _copy(file: Path, revision: str, place: str) -> None:
    """Copies a file as it is before a migration, whole or not at all."""
    copy = file.with_name(f"{file.stem}.revision-{revision}{file.suffix}")
    part = copy.with_name(f"{copy.name}.part")
    try:
        with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(part)) as target:
            source.backup(target)
        os.replace(part, copy)
    except sqlite3.Error as error:
        raise failure(error, f"the copy {copy} of {place}") or error from error
    except OSError as error:
        raise StoreFailure(
            f"the copy {copy} of {place} cannot be made: {error.strerror}. Let this user write to"
            " its folder."
        ) from error
    finally:
        part.unlink(missing_ok=True)


def _see_owners(connection: sa.Connection, place: str) -> None:
    if lost := connection.exec_driver_sql("PRAGMA foreign_key_check").first():
        raise StoreFailure(
            f"{place} is damaged: a row of the table {lost[0]} belongs to nothing. It was left as"
            " it was; put a copy in its place."
        )
