"""Acts have an id that their client gives them, so that a repeat is recognised."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Adds the column; the acts that are there have no id."""
    op.add_column("acts", sa.Column("act_id", sa.String(64)))
    name = op.f("ix_acts_segment_act_id")
    op.create_index(name, "acts", ["segment", "act_id"], unique=True)
