"""One thread that translates what is new in projects, a few segments at a time.

What it has not come to when the server ends is still new at the next start. A person's act always
wins: what was changed meanwhile stays as that person has left it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from queue import SimpleQueue

from gridbeam.serving.client import StopSearch
from gridbeam.serving.refusals import Stopped
from gridbeam.store import Absent

_LOG = logging.getLogger("gridbeam")


class Background:
    """Does work for one project after the other; for one that waits already, it does it once."""

    def __init__(self, work: Callable[[int, StopSearch], None]) -> None:
        self._work, self._closing = work, StopSearch()
        self._queue: SimpleQueue[int | None] = SimpleQueue()
        self._waiting: set[int] = set()
        self._doing: int | None = None
        self._turn = threading.Lock()
        self._thread: threading.Thread | None = None

    def ask(self, project: int) -> None:
        """Puts a project at the end of the queue."""
        with self._turn:
            if project in self._waiting or self._closing.is_set():
                return
            self._waiting.add(project)
            self._queue.put(project)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="background", daemon=True)
                self._thread.start()

    def is_waiting(self, project: int) -> bool:
        """Whether a project is still to be done, or being done."""
        return project in self._waiting or project == self._doing

    def close(self) -> None:
        """Ends the work after what is being done, and waits for that."""
        self._closing.set()
        self._queue.put(None)
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while (project := self._queue.get()) is not None and not self._closing.is_set():
            with self._turn:
                self._doing = project
                self._waiting.discard(project)
            try:
                self._work(project, self._closing)
            except Absent:
                _LOG.info("project %s was deleted meanwhile", project)
            except Stopped:
                _LOG.info("project %s: the rest stays new", project)
            except Exception:  # whatever it is, the next project may do better
                _LOG.exception("project %s: the work in the background failed", project)
            self._doing = None
