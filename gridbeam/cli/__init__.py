"""The commands: each parses, calls one function and prints.

Results go to stdout, everything else to stderr.
"""

import gc  # noqa: I001  the commands as --help lists them
import os

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

_OBJECTS = 10_000
"""How many new objects there are before Python looks for garbage among them: by default 700."""


def main() -> None:
    """The entry point.

    Threads of torch that wait for one another do so for a moment, then sleep: where others use the
    processors, too, those that turn in circles keep the very ones from going on that they wait for.

    What libraries make while they load is no garbage: to look through it again and again takes a
    tenth of the time of a short command.
    """
    os.environ.setdefault("GOMP_SPINCOUNT", "1000")
    gc.set_threshold(_OBJECTS)
    app()
