"""The tables. `gridbeam.store.migrations` has made them so: a test compares the two.

What a query looks into is a column, what only travels is JSON. JSON is written in ASCII, so that
any text can be kept in it, on either database.
"""

from __future__ import annotations

import sqlalchemy as sa

from gridbeam.store.columns import Count, Moment, Name, Number, PlainText

metadata = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    }
)


def _number() -> sa.Column[int]:
    """A number for each row, which is never given to another."""
    return sa.Column("id", Number, primary_key=True)


def _owner(name: str, owner: str) -> sa.Column[int]:
    """The row of another table with which a row of this one goes."""
    return sa.Column(name, sa.ForeignKey(owner, ondelete="CASCADE"), nullable=False)


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, PlainText, nullable=False)


def _count(name: str) -> sa.Column[int]:
    return sa.Column(name, Count, nullable=False)


def _json(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.JSON(none_as_null=True), nullable=False)


def _moment(name: str) -> sa.Column[object]:
    return sa.Column(name, Moment, nullable=False)


glossaries = sa.Table(
    "glossaries",
    metadata,
    sa.Column("id", Name(36), primary_key=True),
    _text("name"),
    _text("origin"),
    _moment("created"),
    _moment("touched"),
    _count("version"),
)
dictionaries = sa.Table(
    "dictionaries",
    metadata,
    _number(),
    _owner("glossary", "glossaries.id"),
    _text("source"),
    _text("target"),
    sa.UniqueConstraint("glossary", "source", "target"),
    sqlite_autoincrement=True,
)
entries = sa.Table(
    "entries",
    metadata,
    _number(),
    _owner("dictionary", "dictionaries.id"),
    _text("term"),
    _json("entry"),
    sa.Index(None, "dictionary"),
    sqlite_autoincrement=True,
)
projects = sa.Table(
    "projects",
    metadata,
    _number(),
    _text("name"),
    _text("source"),
    _text("target"),
    _text("format"),
    _text("file"),
    sa.Column("glossary", sa.ForeignKey("glossaries.id", ondelete="SET NULL")),
    _moment("created"),
    _moment("touched"),
    sqlite_autoincrement=True,
)
files = sa.Table(
    "files",
    metadata,
    sa.Column("project", sa.ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("content", sa.LargeBinary, nullable=False),
)
segments = sa.Table(
    "segments",
    metadata,
    _number(),
    _owner("project", "projects.id"),
    _count("number"),
    _text("name"),
    _json("source"),
    _json("details"),
    sa.Column("target", sa.JSON(none_as_null=True)),
    sa.Column("state", sa.JSON(none_as_null=True)),
    _text("status"),
    sa.Column("review", sa.Boolean, nullable=False),
    _json("findings"),
    # The rules of its findings, each between two bars: |numbers|length|.
    _text("rules"),
    # Both texts as they are searched, without capitals.
    _text("source_folded"),
    _text("target_folded"),
    _count("version"),
    # The version whose content it has, and the one that redo leads to; 0 is the start, and none.
    _count("head"),
    _count("ahead"),
    # Its content before the first act, from then on.
    sa.Column("start", sa.JSON(none_as_null=True)),
    _moment("touched"),
    sa.UniqueConstraint("project", "number"),
    # All that the list of projects counts.
    sa.Index(None, "project", "status", "review", "touched"),
    sqlite_autoincrement=True,
)
acts = sa.Table(
    "acts",
    metadata,
    _number(),
    _owner("segment", "segments.id"),
    _count("version"),
    _count("head"),
    _count("parent"),
    _text("kind"),
    _json("payload"),
    _json("after"),
    sa.Column("seconds", sa.Float),
    sa.Column("keystrokes", Count),
    _text("client"),
    _moment("moment"),
    # What its client calls it: of each segment's acts at most one is called so.
    sa.Column("act_id", Name(64)),
    sa.UniqueConstraint("segment", "version"),
    sa.Index(None, "segment", "act_id", unique=True),
    sqlite_autoincrement=True,
)
keys = sa.Table(
    "keys",
    metadata,
    sa.Column("id", Name(16), primary_key=True),
    _text("name"),
    sa.Column("digest", sa.String(64), nullable=False),
    _moment("created"),
    sa.Column("used", Moment),
    sa.Column("revoked", Moment),
)
pairs = sa.Table(
    "pairs",
    metadata,
    _number(),
    _text("source"),
    _text("target"),
    # Grows with each change of the memory of these languages, and with each deletion in it.
    _count("change"),
    _count("deletion"),
    sa.UniqueConstraint("source", "target"),
    sqlite_autoincrement=True,
)
memory = sa.Table(
    "memory",
    metadata,
    sa.Column("segment", sa.ForeignKey("segments.id", ondelete="CASCADE"), primary_key=True),
    _owner("pair", "pairs.id"),
    _text("text"),
    sa.Column("confirmed", sa.Boolean, nullable=False),
    # The change of the pair that it came with.
    _count("change"),
    sa.Index(None, "pair", "change"),
)
