"""The memory, filled with what is confirmed already; and what else a file says of a segment."""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Makes the tables, and fills them."""
    op.add_column("segments", sa.Column("details", sa.JSON, nullable=False, server_default="{}"))
    pairs = op.create_table(
        "pairs",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("target", sa.Text, nullable=False),
        sa.Column("change", sa.Integer, nullable=False),
        sa.Column("deletion", sa.Integer, nullable=False),
        sa.UniqueConstraint("source", "target"),
        sqlite_autoincrement=True,
    )
    segment = sa.ForeignKey("segments.id", ondelete="CASCADE")
    pair = sa.ForeignKey("pairs.id", ondelete="CASCADE")
    memory = op.create_table(
        "memory",
        sa.Column("segment", sa.Integer, segment, primary_key=True),
        sa.Column("pair", sa.Integer, pair, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("confirmed", sa.Boolean, nullable=False),
        sa.Column("change", sa.Integer, nullable=False),
    )
    op.create_index(op.f("ix_memory_pair_change"), "memory", ["pair", "change"])
    _fill(pairs, memory)


def _fill(pairs: sa.Table, memory: sa.Table) -> None:
    numbers: dict[tuple[str, str], int] = {}
    rows: list[dict[str, Any]] = []
    confirmed = sa.text(
        "SELECT segments.id, segments.source AS text, projects.source, projects.target"
        " FROM segments JOIN projects ON projects.id = segments.project"
        " WHERE segments.status = 'confirmed' ORDER BY segments.id"
    )
    for row in op.get_bind().execute(confirmed):
        pair = (_language(row.source), _language(row.target))
        number = numbers.setdefault(pair, len(numbers) + 1)
        kept = row.text if isinstance(row.text, dict) else json.loads(row.text)
        text = _plain(kept["text"])
        shared = {"pair": number, "text": text, "confirmed": True, "change": 1}
        rows.append({"segment": row.id, **shared})
    named = [{"source": one, "target": other} for one, other in numbers]
    op.bulk_insert(pairs, [{**each, "change": 1, "deletion": 0} for each in named])
    op.bulk_insert(memory, rows)


def _language(code: str) -> str:
    return code.strip().lower().replace("_", "-")


def _plain(text: str) -> str:
    """The text without what no database keeps: NUL, and half characters."""
    return "".join("�" if each == "\0" or 0xD800 <= ord(each) < 0xE000 else each for each in text)
