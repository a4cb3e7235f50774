"""What an error of the database means to the person whose database it is."""

from __future__ import annotations

import sqlite3

from gridbeam.store.refusals import StoreFailure

_SQLITE = {
    "SQLITE_READONLY": "can only be read. Let this user write to the file and to its folder.",
    "SQLITE_BUSY": (
        "is locked by another program. Close what else has it open, or wait until it is done."
    ),
    "SQLITE_LOCKED": (
        "is locked by another program. Close what else has it open, or wait until it is done."
    ),
    "SQLITE_FULL": "cannot grow: the disk is full. Free some space; nothing was half-written.",
    "SQLITE_CANTOPEN": (
        "cannot be opened. See that its folder is there, and that this user may write to it."
    ),
    "SQLITE_NOTADB": "is no database. Name another file, or move this one away.",
    "SQLITE_CORRUPT": (
        "is damaged. Move it away and put a copy in its place: `sqlite3 FILE .recover` saves what"
        " is left of it."
    ),
    "SQLITE_IOERR": (
        "cannot be read or written: the disk reports an error or a limit. Look at its free space"
        " and its health; nothing was half-written."
    ),
    "SQLITE_TOOBIG": "takes no value as big as this. Send less at once.",
}
"""By the first letters of SQLite's own names."""
_POSTGRESQL = {
    "28": "refuses the user or the password. Check both in the URL.",
    "3D000": "is not there. Make it: createdb NAME.",
    "42501": "does not let this user do that. Give the user all rights to it.",
    "25006": "can only be read. Connect to the server that takes writes.",
    "53100": "cannot grow: the server's disk is full. Free some space; nothing was half-written.",
    "53": "has no connections or memory left. Close some, or let its server have more.",
    "55P03": "is locked by another program. Wait until it is done.",
    "57": "is shutting down or starting. Try again when it is up.",
    "40": "was changed by someone else at the same moment. Try again.",
}
"""By the first letters of the codes of the SQL standard (SQLSTATE)."""


def failure(error: BaseException | None, place: str) -> StoreFailure | None:
    """What to tell a person of an error, if it is one that a person can do something about."""
    if isinstance(error, sqlite3.Error):
        return _told(getattr(error, "sqlite_errorname", ""), _SQLITE, place)
    if code := sqlstate(error):
        return _told(code, _POSTGRESQL, place)
    detail = error.args[0] if error is not None and error.args else ""
    if type(error).__name__ == "InterfaceError" or isinstance(error, OSError):
        return unreachable(place, str(detail))
    return None


def sqlstate(error: BaseException | None) -> str:
    """The code that a PostgreSQL server gave.

    It closes the connection after some, and the driver may fail at that while it raises the first.
    """
    while error is not None:
        if error.args and isinstance(error.args[0], dict):
            return str(error.args[0].get("C", ""))
        error = error.__context__
    return ""


def unreachable(place: str, why: str) -> StoreFailure:
    """What to say when a server does not answer, or no longer does."""
    return StoreFailure(
        f"{place} cannot be reached: {why}. See that its server runs, and that address and port"
        " are right."
    )


def busy(place: str) -> StoreFailure:
    """What to say when all connections are in use for too long."""
    return StoreFailure(f"{place} is too busy. Try again, or send less at once.")


def _told(code: str, remedies: dict[str, str], place: str) -> StoreFailure | None:
    for beginning, told in remedies.items():
        if code.startswith(beginning):
            return StoreFailure(f"{place} {told}")
    return None
