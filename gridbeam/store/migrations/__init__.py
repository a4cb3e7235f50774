"""How the tables came to be: each step is a file in `versions`, which Alembic runs."""
