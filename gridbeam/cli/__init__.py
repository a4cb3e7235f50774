"""The commands: each parses, calls one function and prints.

Results go to stdout, everything else to stderr.
"""

import os  # noqa: I001  the commands as --help lists them

from gridbeam.cli import translation, serving, checking, models, glossaries, experiments
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
    """The entry point.

    Threads of torch that wait for one another do so for a moment, then sleep: where others use the
    processors, too, those that turn in circles keep the very ones from going on that they wait for.
    """
    os.environ.setdefault("GOMP_SPINCOUNT", "1000")
    app()
