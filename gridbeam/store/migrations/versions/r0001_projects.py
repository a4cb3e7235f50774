"""Projects, segments, acts, glossaries and keys."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Makes the tables."""
    _glossaries()
    _projects()
    _segments()
    _acts()
    op.create_table(
        "keys",
        sa.Column("id", sa.String(16), primary_key=True),
        _text("name"),
        sa.Column("digest", sa.String(64), nullable=False),
        _moment("created"),
        sa.Column("used", sa.DateTime(timezone=True)),
        sa.Column("revoked", sa.DateTime(timezone=True)),
    )


def _glossaries() -> None:
    op.create_table(
        "glossaries",
        sa.Column("id", sa.String(36), primary_key=True),
        _text("name"),
        _text("origin"),
        _moment("created"),
        _moment("touched"),
        _count("version"),
    )
    op.create_table(
        "dictionaries",
        _number(),
        sa.Column("glossary", sa.String(36), _goes_with("glossaries"), nullable=False),
        _text("source"),
        _text("target"),
        sa.UniqueConstraint("glossary", "source", "target"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "entries",
        _number(),
        sa.Column("dictionary", sa.Integer, _goes_with("dictionaries"), nullable=False),
        _text("term"),
        sa.Column("entry", sa.JSON, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_entries_dictionary"), "entries", ["dictionary"])


def _projects() -> None:
    op.create_table(
        "projects",
        _number(),
        _text("name"),
        _text("source"),
        _text("target"),
        _text("format"),
        _text("file"),
        sa.Column("glossary", sa.String(36), sa.ForeignKey("glossaries.id", ondelete="SET NULL")),
        _moment("created"),
        _moment("touched"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "files",
        sa.Column("project", sa.Integer, _goes_with("projects"), primary_key=True),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )


def _segments() -> None:
    op.create_table(
        "segments",
        _number(),
        sa.Column("project", sa.Integer, _goes_with("projects"), nullable=False),
        _count("number"),
        _text("name"),
        sa.Column("source", sa.JSON, nullable=False),
        sa.Column("target", sa.JSON),
        sa.Column("state", sa.JSON),
        _text("status"),
        sa.Column("review", sa.Boolean, nullable=False),
        sa.Column("findings", sa.JSON, nullable=False),
        _text("rules"),
        _text("source_folded"),
        _text("target_folded"),
        _count("version"),
        _count("head"),
        _count("ahead"),
        sa.Column("start", sa.JSON),
        _moment("touched"),
        sa.UniqueConstraint("project", "number"),
        sqlite_autoincrement=True,
    )
    counted = ["project", "status", "review", "touched"]
    op.create_index(op.f("ix_segments_project_status_review_touched"), "segments", counted)


def _acts() -> None:
    op.create_table(
        "acts",
        _number(),
        sa.Column("segment", sa.Integer, _goes_with("segments"), nullable=False),
        _count("version"),
        _count("head"),
        _count("parent"),
        _text("kind"),
        sa.Column("payload", sa.JSON, nullable=False),
        sa.Column("after", sa.JSON, nullable=False),
        sa.Column("seconds", sa.Float),
        sa.Column("keystrokes", sa.Integer),
        _text("client"),
        _moment("moment"),
        sa.UniqueConstraint("segment", "version"),
        sqlite_autoincrement=True,
    )


def _number() -> sa.Column[int]:
    return sa.Column("id", sa.Integer, primary_key=True)


def _goes_with(table: str) -> sa.ForeignKey:
    return sa.ForeignKey(f"{table}.id", ondelete="CASCADE")


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False)


def _count(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, nullable=False)


def _moment(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=False)
