"""What happens in projects, told to whoever listens: a row as it changes, the counts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

Listener = Callable[[int], None]
"""Is told the number of a segment that has changed; it must not wait."""


@dataclass
class Events:
    """Those who listen to projects, from any thread."""

    _listeners: dict[int, list[Listener]] = field(default_factory=dict)
    _turn: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def heard_by(self, project: int, listener: Listener) -> Iterator[None]:
        """Within it a listener is told of each change in a project."""
        with self._turn:
            self._listeners.setdefault(project, []).append(listener)
        try:
            yield
        finally:
            with self._turn:
                self._listeners[project].remove(listener)
                if not self._listeners[project]:
                    del self._listeners[project]

    def tell(self, project: int, segment: int) -> None:
        """Tells all that a segment of a project has changed."""
        with self._turn:
            listeners = list(self._listeners.get(project, ()))
        for listener in listeners:
            listener(segment)
