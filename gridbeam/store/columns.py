"""Types of columns that mean the same on SQLite and PostgreSQL, and text as it is searched.

What neither could keep or compare is refused as it is bound, so that no driver has to.
"""

from __future__ import annotations

import json
import re
import unicodedata
from datetime import UTC, datetime

import sqlalchemy as sa

from gridbeam.errors import UserError
from gridbeam.store.refusals import Absent

MOST = 2**31 - 1
"""The biggest number of a column."""
_UNKEPT = re.compile("[\0\ud800-\udfff]")
"""PostgreSQL keeps no NUL, and neither database half of a character."""


class Moment(sa.TypeDecorator[datetime]):
    """A time in UTC; SQLite keeps no zone."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """The time as the database takes it."""
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """The time with its zone."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class PlainText(sa.TypeDecorator[str]):
    """Text that either database can keep."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:
        """The text, or a UserError that names the character that cannot be kept."""
        if value is not None and (bad := _UNKEPT.search(value)):
            raise UserError(f"{value!r} has the character U+{ord(bad[0]):04X}. Leave it out.")
        return value


class Number(sa.TypeDecorator[int]):
    """The number by which a row is known; there is no row with one that is too big."""

    impl = sa.Integer
    cache_ok = True

    def process_bind_param(self, value: int | None, dialect: sa.Dialect) -> int | None:
        """The number, or `Absent`."""
        if value is not None and abs(value) > MOST:
            raise Absent.of("row with the number", value)
        return value


class Name(sa.TypeDecorator[str]):
    """The letters by which a row is known; there is no row with some that cannot be kept."""

    impl = sa.String
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:
        """The letters, or `Absent`."""
        if value is not None and _UNKEPT.search(value):
            raise Absent.of("row with the id", kept(value))
        return value


class Count(sa.TypeDecorator[int]):
    """A number of things."""

    impl = sa.Integer
    cache_ok = True

    def process_bind_param(self, value: int | None, dialect: sa.Dialect) -> int | None:
        """The number, or a UserError that says that it is too big."""
        if value is not None and abs(value) > MOST:
            raise UserError(f"the number {value} is too big. Give one of at most {MOST}.")
        return value


def as_json(value: object) -> str:
    """A value as JSON in ASCII; a UserError for a number that JSON does not have."""
    try:
        return json.dumps(value, allow_nan=False)
    except ValueError:
        raise UserError("a number is infinite, or none at all. Give one that is.") from None


def now() -> datetime:
    """The time in UTC."""
    return datetime.now(UTC)


def kept(text: str) -> str:
    r"""A text as a column can keep it.

    >>> kept("a\0b")
    'a�b'
    """
    return _UNKEPT.sub("�", text)


def folded(text: str) -> str:
    """A text as it is searched: without capitals, however its accents are written.

    >>> folded("STRASSE") == folded("Straße"), folded("E\u0301") == folded("é")
    (True, True)
    """
    composed = unicodedata.normalize("NFC", kept(text))
    return unicodedata.normalize("NFC", composed.casefold())
