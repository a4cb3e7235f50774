"""The commands: each parses, calls one function and prints.

Results go to stdout, everything else to stderr.
"""

from gridbeam.cli import translation, serving, checking, models, glossaries, experiments  # noqa: I001  as --help lists them
from gridbeam.cli.commands import app, command

__all__ = [
    "app",
    "checking",
    "command",
    "experiments",
    "glossaries",
    "main",
    "models",
    "serving",
    "translation",
]


def main() -> None:
    """The entry point."""
    app()
