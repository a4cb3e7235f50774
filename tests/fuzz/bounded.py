"""Inputs tried in a process of their own, which has 5 seconds and 500 MB for each.

The seconds are those that the processor spends, so that a busy machine changes nothing; a process
that only waits is ended after five minutes. Both end the process from outside: code that never
returns to Python cannot hold them up.
"""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, TypeAlias

from gridbeam.errors import ModelError, UserError

SECONDS = 5.0
WAITING = 300.0
MEMORY = 500 << 20
"""Bytes beyond what the process had when it began."""
_ENDS = {
    signal.SIGPROF: "it worked for too long",
    signal.SIGALRM: "it waited for too long",
}
Read: TypeAlias = Callable[[bytes, Path], None]
"""Reads an input, in a folder of its own; a `UserError` is the only error that it may raise."""


@dataclass(frozen=True)
class Tried:
    """What came of some inputs."""

    read: int = 0
    """How many were read without a word."""
    refused: int = 0
    slowest: float = 0.0
    """Seconds of the processor."""
    megabytes: int = 0
    """How much larger the process became."""
    faults: tuple[str, ...] = ()
    """Each with the number of its input."""

    @property
    def inputs(self) -> int:
        return self.read + self.refused + len(self.faults)

    def __add__(self, other: Tried) -> Tried:
        return Tried(
            self.read + other.read,
            self.refused + other.refused,
            max(self.slowest, other.slowest),
            max(self.megabytes, other.megabytes),
            self.faults + other.faults,
        )


def tried(
    read: Read,
    inputs: Callable[[int], bytes],
    numbers: Sequence[int],
    seconds: float = SECONDS,
) -> Tried:
    """What comes of the inputs of these numbers; after a fault that kills, the rest go on."""
    found, left = Tried(), list(numbers)
    while left:
        one, done = _in_a_process(read, inputs, left, seconds)
        found, left = found + one, left[done:]
    return found


def _in_a_process(
    read: Read, inputs: Callable[[int], bytes], numbers: Sequence[int], seconds: float
) -> tuple[Tried, int]:
    """What came of the first inputs, and how many they were: a killed process does not do all."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ours)
        try:
            _work(read, inputs, numbers, theirs, seconds)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(theirs)
    with os.fdopen(ours) as lines:
        found, done = Tried(), 0
        for line in lines:
            found, done = found + _of(json.loads(line)), done + 1
    _, status = os.waitpid(child, 0)
    if done < len(numbers):
        why = _ENDS.get(os.WTERMSIG(status), f"the process ended with status {status}")
        found, done = found + Tried(faults=(f"{numbers[done]}: {why}",)), done + 1
    return found, done


def _of(line: Any) -> Tried:
    how, seconds, megabytes, fault = line
    faults = (fault,) if fault else ()
    return Tried(how == "read", how == "refused", seconds, megabytes, faults)


def _work(
    read: Read, inputs: Callable[[int], bytes], numbers: Sequence[int], out: int, most: float
) -> None:
    """Tries one input after the other, and writes a line for each."""
    _limit()
    warnings.simplefilter("ignore")
    first = _largest()
    with os.fdopen(out, "w", buffering=1) as lines, TemporaryDirectory() as folder:
        for number in numbers:
            given = inputs(number)
            before = time.process_time()
            _set_clocks(most, WAITING)
            how, fault = _outcome(read, given, Path(folder))
            _set_clocks(0, 0)
            seconds = time.process_time() - before
            told = fault and f"{number}: {fault}"
            _tell(lines, [how, seconds, (_largest() - first) >> 10, told])


def _tell(lines: IO[str], line: Any) -> None:
    lines.write(json.dumps(line) + "\n")


def _outcome(read: Read, given: bytes, folder: Path) -> tuple[str, str]:
    """Whether an input was read or refused; else what is wrong."""
    try:
        read(given, folder)
    except (UserError, ModelError) as error:
        said = str(error)
        return ("refused", "") if (wrong := _bad_message(said)) is None else ("fault", wrong)
    except BaseException as error:
        return "fault", _told(error)
    return "read", ""


def _bad_message(said: str) -> str | None:
    """What is wrong with a message to a person."""
    if max(map(len, said.split("\n"))) > 10_000:
        return f"a message of {len(said)} characters: {said[:200]!r}"
    if re.search("[\ud800-\udfff\0]", said):
        return f"a message that cannot be shown: {said[:400]!r}"
    return None


def _told(error: BaseException) -> str:
    frames = list(traceback.extract_tb(error.__traceback__))
    ours = [each for each in frames if "gridbeam" in each.filename][-1:] or frames[-1:]
    where = " ".join(f"{Path(each.filename).name}:{each.lineno}" for each in (*ours, frames[-1]))
    return f"{type(error).__name__} at {where}: {str(error)[:300]!r}"


def _limit() -> None:
    """Sets bounds that end the process whatever it is doing."""
    for number in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    with suppress(OSError, ValueError):
        most = _mapped() + MEMORY
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.setrecursionlimit(1000)


def _set_clocks(working: float, waiting: float) -> None:
    signal.setitimer(signal.ITIMER_PROF, working)
    signal.setitimer(signal.ITIMER_REAL, waiting)


def _mapped() -> int:
    """Bytes of memory that this process may write to."""
    found = re.search(r"VmData:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found
    return int(found[1]) << 10


def _largest() -> int:
    """Kilobytes that this process has ever taken."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
