"""Times of this process alone, without the work that other tests left behind.

A collection of garbage walks over everything that a process holds, models that other tests have
loaded among it: half a second that a bound on a fast function must not count.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class Taken:
    """What was taken; `seconds` of processor time is there when the work is done."""

    seconds: float = float("nan")


@contextmanager
def timed() -> Iterator[Taken]:
    taken, collects = Taken(), gc.isenabled()
    gc.disable()
    begun = time.process_time()
    try:
        yield taken
    finally:
        taken.seconds = time.process_time() - begun
        if collects:
            gc.enable()
