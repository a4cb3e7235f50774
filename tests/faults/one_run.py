"""A run that is broken, as one value, and what runs of commands have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import echo
from breaking import Go

from gridbeam.cli import app
from gridbeam.translation.translator import Translator


@dataclass(frozen=True)
class Run:
    """Something that may be broken at any moment, and then goes on."""

    name: str
    begin: Callable[[Path], object]
    """Makes what is there before; asked once for each folder."""
    go: Go
    check: Callable[[Path, Sequence[str]], object]
    """Asserts what holds at any moment, given what was said to be finished, in order."""
    result: Callable[[Path], object]
    """What is there at the end; None where it is not there yet."""
    words: Callable[[Path], Sequence[str]] | None = None
    """The command that does the same, for a process of its own."""
    kills: int = 40
    """How many of them are tried at least."""


def command(*words: str) -> None:
    """Does what a command of `gridbeam` does; where that fails, it ends the process."""
    try:
        app(list(words))
    except SystemExit as end:
        if end.code:
            raise


@contextmanager
def translators() -> Iterator[None]:
    """Within it, every model repeats its source."""
    with mock.patch.object(Translator, "load", return_value=echo.translator()):
        yield
