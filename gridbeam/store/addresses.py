"""Where a database is: the file or the URL that a person gives.

>>> address("work.db").place
'the database work.db'
>>> found = address("postgresql://anna:secret@localhost/gridbeam")
>>> found.url.drivername, found.place
('postgresql+pg8000', 'the database postgresql://anna:***@localhost/gridbeam')
"""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from pathlib import Path

import platformdirs
import sqlalchemy as sa

from gridbeam.errors import UserError

_POSTGRESQL = ("postgresql", "postgres", "postgresql+pg8000")


@dataclass(frozen=True)
class Address:
    """A database that can be opened."""

    url: sa.URL
    place: str
    """How messages call it, without a password."""
    file: Path | None = None
    """The file, if it is one of SQLite."""
    arguments: dict[str, object] = field(default_factory=dict)
    """What its driver must be told beside the URL."""


def default_file() -> Path:
    """Where the workspace of this user lies if nobody says otherwise."""
    return platformdirs.user_data_path("gridbeam", appauthor=False) / "workspace.db"


def address(given: str | Path | None) -> Address:
    """The address that a person means by a path, by a URL, or by nothing."""
    if given is None:
        return _of_file(default_file())
    if isinstance(given, Path) or "://" not in given:
        return _of_file(Path(given).expanduser())
    try:
        url = sa.make_url(given)
    except (sa.exc.ArgumentError, ValueError):
        raise _unknown("the database's URL cannot be read") from None
    if url.drivername in ("sqlite", "sqlite+pysqlite"):
        return _of_file_url(url)
    if url.drivername not in _POSTGRESQL:
        raise _unknown(f'unknown kind of database "{url.drivername}"')
    return _of_server(url)


def _unknown(what: str) -> UserError:
    return UserError(
        f"{what}: write a path, sqlite:///PATH or postgresql://USER:PASSWORD@HOST/NAME."
    )


def _of_file(file: Path) -> Address:
    url = sa.URL.create("sqlite", database=str(file))
    return Address(url, f"the database {file}", file)


def _of_file_url(url: sa.URL) -> Address:
    if url.database in (None, "", ":memory:") or url.query:
        raise _unknown("SQLite needs a file that stays, and no options")
    return _of_file(Path(url.database or "").expanduser())


def _of_server(url: sa.URL) -> Address:
    shown = url.set(drivername="postgresql").render_as_string(hide_password=True)
    arguments: dict[str, object] = {}
    for name, value in url.query.items():
        arguments |= _argument(name, str(value), url.port)
    plain = url.set(drivername="postgresql+pg8000", query={})
    return Address(plain, f"the database {shown}", None, arguments)


def _argument(name: str, value: str, port: int | None) -> dict[str, object]:
    """What the driver is told for an option of PostgreSQL's own URLs."""
    if name == "host" and value.startswith("/"):
        return {"unix_sock": f"{value}/.s.PGSQL.{port or 5432}"}
    if name == "application_name":
        return {"application_name": value}
    if name == "sslmode" and value in ("disable", "prefer"):
        return {}
    if name == "sslmode" and value in ("require", "verify-full"):
        return {"ssl_context": _encryption(is_verified=value == "verify-full")}
    raise UserError(
        f"the database's URL has {name}={value}, which is not understood. Known are host=/FOLDER,"
        " application_name, and sslmode=disable, require or verify-full."
    )


def _encryption(*, is_verified: bool) -> ssl.SSLContext:
    """A connection that nobody can listen to; unless verified, to a server that proves nothing."""
    context = ssl.create_default_context()
    if not is_verified:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
