"""What Alembic runs: the steps that are due, on the connection that it is given."""

from __future__ import annotations

from alembic import context

from gridbeam.store.tables import metadata


def run() -> None:
    """Runs the steps in the transaction of the connection, which its owner commits."""
    context.configure(
        connection=context.config.attributes["connection"],
        target_metadata=metadata,
        version_table="gridbeam_revision",
        # Our connections begin SQLite's transactions themselves, so that tables are part of them.
        transactional_ddl=True,
    )
    context.run_migrations()


# Alembic loads this file under a name of its own; whoever imports it runs nothing.
if __name__ == "env_py":
    run()
