"""Workers that are processes of this machine: one each, started anew, and replaced when they die.

A worker ends with the run that started it, however that ends: nothing is left behind that takes
memory from the next.
"""

from __future__ import annotations

import os
import signal
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import connection, get_context, parent_process
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from threading import Thread
from typing import Any

from gridbeam.distributed.pool import Died, Factory, PoolEvent, event_of, report_of
from gridbeam.errors import UserNotice

_CONTEXT = get_context("spawn")
_END_S = 5.0
"""How long a worker that is told to end may take."""


@dataclass(frozen=True)
class _Worker:
    process: SpawnProcess
    line: Connection
    place: int
    """Which of the places it has, from 0: with GPUs, which of them."""


class Processes:
    """A pool of processes, each with its share of the processors, or a GPU of its own."""

    def __init__(self, factory: Factory, workers: int, gpus: int = 0) -> None:
        self._factory, self._size, self._gpus = factory, workers, gpus
        self._workers: dict[int, _Worker] = {}
        self._count = 0

    def start(self) -> int:
        """Begins a process."""
        here, there = _CONTEXT.Pipe()
        taken = Counter(each.place for each in self._workers.values())
        place = min(range(self._size), key=lambda place: taken[place])
        process = _CONTEXT.Process(target=serve, args=(there, self._factory), daemon=True)
        with _environment(_share(place, self._size, self._gpus)):
            process.start()
        there.close()
        number, self._count = self._count, self._count + 1
        self._workers[number] = _Worker(process, here, place)
        return number

    def give(self, worker: int, task: Any) -> None:
        """Sends a task; what has become of a process that is not there any more is told later."""
        with suppress(BrokenPipeError, ConnectionResetError):
            self._workers[worker].line.send(task)

    def wait(self) -> PoolEvent:
        """What the first of them reports, or that it is gone."""
        lines = {each.line: number for number, each in self._workers.items()}
        first = connection.wait([*lines])[0]
        assert isinstance(first, Connection)
        number = lines[first]
        try:
            report = first.recv()
        except (EOFError, ConnectionResetError):
            return Died(number, self._end(number))
        event = event_of(number, report)
        if isinstance(event, Died):
            self._end(number)
        return event

    def close(self) -> None:
        """Ends all processes."""
        for each in self._workers.values():
            each.process.kill()
        for number in [*self._workers]:
            self._end(number)

    def _end(self, number: int) -> str:
        """Lets go of a process, and says how it ended."""
        worker = self._workers.pop(number)
        worker.process.join(_END_S)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
        code = worker.process.exitcode
        worker.line.close()
        worker.process.close()
        return how_it_ended(code)


def how_it_ended(code: int | None) -> str:
    """What the exit code of a worker tells.

    >>> how_it_ended(-11), how_it_ended(1)
    ('its worker was ended by SIGSEGV', 'its worker ended with exit code 1')
    """
    if code is None or code >= 0:
        return f"its worker ended with exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    hint = ", as by a system that is out of memory" if name == "SIGKILL" else ""
    return f"its worker was ended by {name}{hint}"


def serve(line: Connection, factory: Factory) -> None:
    """The life of a process: it is made, and does one task after the other."""
    for name in ("SIGINT", "SIGHUP"):  # a terminal sends these to all, and the run sees to its own
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    warnings.simplefilter("ignore", UserNotice)  # the run has told it already
    made = report_of("ready", lambda: _made(factory))
    if made[0] != "ready":
        line.send(made)
        return
    hand = made[1]
    line.send(("ready", hand.greeting))
    with suppress(EOFError):
        while True:
            task = line.recv()
            report = report_of("done", lambda task=task: hand(task))  # type: ignore[misc]
            line.send(report)
            if report[0] != "done":
                return


def _made(factory: Factory) -> Any:
    hand = factory()
    _ = hand.greeting
    return hand


def _end_with_parent() -> None:
    """Ends this process as soon as the one is gone that started it."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
    os._exit(1)


def _share(place: int, workers: int, gpus: int) -> Mapping[str, str]:
    """The variables that give a process its share of the machine."""
    found = {}
    if "OMP_NUM_THREADS" not in os.environ:
        found["OMP_NUM_THREADS"] = str(max(1, processors() // workers))
    if gpus:
        given = os.environ.get("CUDA_VISIBLE_DEVICES", "")
        names = given.split(",") if given else [str(number) for number in range(gpus)]
        found["CUDA_VISIBLE_DEVICES"] = names[place % len(names)]
    return found


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def _environment(changes: Mapping[str, str]) -> Iterator[None]:
    """Within it, these variables are set: a process that is started takes them with it."""
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
