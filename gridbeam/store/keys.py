"""API keys: what a client shows to be let in, and who knows it cannot be read from here.

A key is 256 random bits, written by us. What is kept is its SHA-256: a slow, salted hash is for
passwords, which people choose and attackers guess; nobody can try 2**256 keys, no two are alike,
and a request is not made to wait. A key carries the name under which its hash is found, so that
hashes are compared, in constant time, and never looked up.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import timedelta

import sqlalchemy as sa

from gridbeam.store.columns import now
from gridbeam.store.database import Database
from gridbeam.store.refusals import Absent
from gridbeam.store.rows import KeyRow
from gridbeam.store.tables import keys

_SHOWN = (keys.c.id, keys.c.name, keys.c.created, keys.c.used, keys.c.revoked)
_MINUTE = timedelta(minutes=1)
_LONGEST = 200
"""Characters; what is longer is none of ours."""


@dataclass(frozen=True)
class KeyStore:
    """All keys."""

    database: Database

    def add(self, name: str = "") -> tuple[KeyRow, str]:
        """A new key: what is known of it, and the key itself, which nobody can read again."""
        identity, secret = secrets.token_hex(8), secrets.token_urlsafe(32)
        key = f"gb_{identity}_{secret}"
        values = {"id": identity, "name": name, "digest": _digest(key), "created": now()}
        with self.database.writing() as connection:
            connection.execute(sa.insert(keys).values(values))
            return _one(connection, identity), key

    def all(self) -> tuple[KeyRow, ...]:
        """Every key, also those that were revoked, the oldest first."""
        query = sa.select(*_SHOWN).order_by(keys.c.created, keys.c.id)
        with self.database.reading() as connection:
            return tuple(KeyRow(**row) for row in connection.execute(query).mappings())

    def check(self, key: str) -> KeyRow | None:
        """What is known of a key that lets its owner in; None for any other text."""
        parts = key.split("_", 2)
        if len(key) > _LONGEST or len(parts) != 3 or not parts[1].isalnum():
            return None
        row = self._known(parts[1], key)
        if row is not None and (row.used is None or now() - row.used > _MINUTE):
            self._use(row.id)
        return row

    def revoke(self, identity: str) -> KeyRow:
        """The key, which lets nobody in any more."""
        with self.database.writing() as connection:
            row = _one(connection, identity)
            if row.revoked is None:
                change = sa.update(keys).where(keys.c.id == identity)
                connection.execute(change.values(revoked=now()))
            return _one(connection, identity)

    def _known(self, identity: str, key: str) -> KeyRow | None:
        query = sa.select(*_SHOWN, keys.c.digest).where(keys.c.id == identity)
        with self.database.reading() as connection:
            found = connection.execute(query).mappings().first()
        # An unknown name takes as long as a wrong key.
        digest = _digest("") if found is None else found["digest"]
        is_right = hmac.compare_digest(digest, _digest(key))
        if found is None or not is_right or found["revoked"] is not None:
            return None
        return KeyRow(**{column.name: found[column.name] for column in _SHOWN})

    def _use(self, identity: str) -> None:
        change = sa.update(keys).where(keys.c.id == identity).values(used=now())
        with self.database.writing() as connection:
            connection.execute(change)


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf8", "replace")).hexdigest()


def _one(connection: sa.Connection, identity: str) -> KeyRow:
    found = connection.execute(sa.select(*_SHOWN).where(keys.c.id == identity)).mappings().first()
    if found is None:
        raise Absent.of("key", identity)
    return KeyRow(**found)
