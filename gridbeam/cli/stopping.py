"""How a command ends that is stopped from outside: by a signal, or as nobody reads it any more.

A process manager sends SIGTERM, a terminal that closes SIGHUP: both are what Ctrl-C is, so that
journals are kept and the message says how to go on. Exit codes are those of a shell, 128 and the
number of the signal. Where the reader of a pipe has gone, as `| head` does, nothing is said, and
the code is 141 as for a tool that SIGPIPE has ended.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from rich.console import Console

BROKEN_PIPE = 141
_SIGNALS = ("SIGTERM", "SIGHUP")
"""Those that are taken for Ctrl-C; not every system has all of them."""


class Terminated(KeyboardInterrupt):
    """A signal has asked the command to end."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class Messages(Console):
    """A console whose reader may go: that is an error here, and not an exit as rich has it."""

    def on_broken_pipe(self) -> None:
        """Raises what rich has caught."""
        self.quiet = True
        raise BrokenPipeError


def exit_code(stop: KeyboardInterrupt) -> int:
    """What a command that was stopped so exits with."""
    return 128 + (stop.number if isinstance(stop, Terminated) else signal.SIGINT)


@contextmanager
def as_interrupts() -> Iterator[None]:
    """Within it, signals that ask for the end raise `Terminated`.

    One that the process was started with to be ignored, as by nohup, still is.
    """
    before = {}
    for name in _SIGNALS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            with suppress(ValueError):  # signals are the main thread's
                before[number] = signal.signal(number, _raise)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def silence_stdout() -> None:
    """Lets the interpreter end without a complaint that stdout is closed."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _raise(number: int, _: FrameType | None) -> None:
    raise Terminated(number)
