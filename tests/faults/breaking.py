"""How a run is broken: killed at a system call, at a byte of a file, or after so much work.

A run goes on in a fork of a process that has loaded all it needs, which takes a hundredth of the
time of a new process. Where it dies is drawn by number and does not depend on how busy the machine
is: calls and bytes are counted, and work is measured in seconds of the processor.
"""

from __future__ import annotations

import io
import os
import resource
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, Literal, TypeAlias

Say: TypeAlias = Callable[[str], None]
"""Takes down that something is finished, whatever happens afterwards."""
Go: TypeAlias = Callable[[Path, Say], object]
"""Begins a run in a folder, or goes on with one that was broken off there."""
LOST = "a worker was killed"
"""What a run says of a worker that it has lost."""
_CALLS = frozenset(
    {
        *("write", "truncate", "flush", "fsync", "close", "open", "flock", "chmod", "mkstemp"),
        *("rename", "replace", "unlink", "rmdir", "mkdir", "serialize_file"),
        *("execute", "commit", "rollback"),
    }
)
"""Functions of C that change files or databases, by their names."""


@dataclass(frozen=True)
class Kill:
    """Where a process dies: before or after the n-th call, at a byte, after so many seconds."""

    at: Literal["call", "byte", "work"]
    place: float


@dataclass(frozen=True)
class Broken:
    """What came of a process."""

    said: tuple[str, ...]
    """What it has taken down as finished."""
    is_killed: bool
    code: int
    """What it ended with, if it was not killed."""
    messages: str

    @property
    def kills(self) -> int:
        """How many processes were killed: this one, and workers that it has lost."""
        return self.is_killed + self.said.count(LOST)


def gone_on(go: Go, folder: Path, kill: Kill | None = None, *, most: int | None = None) -> Broken:
    """What comes of a run in a process of its own, that dies at a place, or may fill a disk.

    With `most`, no file may have more bytes: to write more is an error, as on a full disk.
    """
    ours, theirs = os.pipe()
    heard = folder.with_name(f"{folder.name}.stderr")
    child = os.fork()
    if child == 0:
        os.close(ours)
        os._exit(_work(go, folder, theirs, heard, kill, most))
    os.close(theirs)
    with os.fdopen(ours) as lines:
        said = tuple(line.rstrip("\n") for line in lines if line.endswith("\n"))
    _, status = os.waitpid(child, 0)
    messages = heard.read_text("utf8", "replace") if heard.exists() else ""
    is_killed = os.WIFSIGNALED(status)
    return Broken(said, is_killed, 0 if is_killed else os.WEXITSTATUS(status), messages)


def _work(go: Go, folder: Path, out: int, heard: Path, kill: Kill | None, most: int | None) -> int:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with heard.open("w") as told, redirect_stderr(told), redirect_stdout(io.StringIO()):
        try:
            if most is not None:
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
            if kill is not None:
                arm(kill)
            go(folder, lambda text: _say(out, text))
        except SystemExit as end:
            return int(end.code or 0)
        except BaseException:
            traceback.print_exc()
            return 1
        finally:
            sys.setprofile(None)
            told.flush()
    return 0


def _say(out: int, text: str) -> None:
    os.write(out, f"{text}\n".encode())


_ARMED: list[Kill] = []


def arm(kill: Kill) -> None:
    """Sets the place where this process dies."""
    _ARMED.append(kill)
    match kill.at:
        case "byte":
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            most = max(1, int(kill.place))
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
        case "work":
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_PROF, max(0.001, kill.place))
        case "call":
            count = Counted(int(kill.place))
            threading.setprofile(count)
            sys.setprofile(count)


def disarm() -> Kill | None:
    """Lets this process live, and gives the place where it was to die."""
    if not _ARMED:
        return None
    sys.setprofile(None)
    threading.setprofile(None)  # type: ignore[arg-type]
    signal.setitimer(signal.ITIMER_PROF, 0)
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    return _ARMED.pop()


class Counted:
    """Counts calls that change files, before and after each, and dies at one of them."""

    def __init__(self, last: int | None = None) -> None:
        self.count, self._last = 0, last

    def __call__(self, _: FrameType, event: str, function: Any) -> None:
        """Hears of a call; the interpreter calls it."""
        if event not in ("c_call", "c_return") or function.__name__ not in _CALLS:
            return
        self.count += 1
        if self.count == self._last:
            os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True)
class Measure:
    """How many places a run has where it may die."""

    calls: int
    bytes: int
    work: float

    def kill(self, draw: Any) -> Kill:
        """One of them."""
        at = draw.choice(("call", "call", "byte", "work"))
        most = {"call": self.calls, "byte": self.bytes, "work": self.work}[at]
        return Kill(at, draw.uniform(1, most) if at != "work" else draw.uniform(0, most))


def measured(go: Go, folder: Path) -> Measure:
    """Where a run may die, found by one that does not."""

    def counting(folder: Path, say: Say) -> None:
        count = Counted()
        threading.setprofile(count)
        sys.setprofile(count)
        go(folder, lambda _: None)
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
        say(f"{count.count}")

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = gone_on(counting, folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert not found.is_killed and found.code == 0 and found.said, found
    work = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    largest = max((each.stat().st_size for each in folder.rglob("*") if each.is_file()), default=1)
    return Measure(int(found.said[-1]), largest + 1, work)
