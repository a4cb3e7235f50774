"""Many rows at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa


def insert_all(
    connection: sa.Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]
) -> None:
    """Adds rows, a thousand a statement.

    That it asks for numbers makes SQLAlchemy send them so; else a server is asked row by row.
    """
    if rows:
        statement = sa.insert(table).returning(*table.primary_key)
        connection.execute(statement, list(rows)).all()
