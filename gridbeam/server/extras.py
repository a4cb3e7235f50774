"""Whether what the server is built with is installed; imports nothing of it."""

from __future__ import annotations

from importlib.util import find_spec

from gridbeam.errors import UserError

_NEEDED = (
    "alembic",
    "fastapi",
    "multipart",
    "platformdirs",
    "prometheus_client",
    "rapidfuzz",
    "sqlalchemy",
    "uvicorn",
)
"""The modules of the extra [serve] of pyproject.toml."""


def check_extras() -> None:
    """Raises where a package of the extra is missing."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise UserError(
            f"the server needs {', '.join(missing)}, which is not installed here. Run"
            " pip install 'gridbeam[serve]'."
        )
