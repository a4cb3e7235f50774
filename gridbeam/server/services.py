"""What the routes of a server share: `request.app.state.services`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from anyio import CapacityLimiter

from gridbeam.server.engines import Engines
from gridbeam.server.metrics import Metrics
from gridbeam.server.settings import Settings
from gridbeam.serving.client import StopSearch
from gridbeam.store import Store
from gridbeam.workspace.workspace import Workspace


@dataclass
class Services:
    """What there is once in a server."""

    settings: Settings
    store: Store
    engines: Engines
    metrics: Metrics
    threads: CapacityLimiter
    """Places for work that searches; the queue's limit."""
    workspace: Workspace
    owned: ExitStack
    """What is closed with the server."""
    is_closing: bool = False
    _stops: set[StopSearch] = field(default_factory=set)

    @contextmanager
    def stopping(self, stop: StopSearch) -> Iterator[None]:
        """Within it the stop is set when the server ends."""
        self._stops.add(stop)
        if self.is_closing:
            stop.set()
        try:
            yield
        finally:
            self._stops.discard(stop)

    def stop_all(self) -> None:
        """Ends every search that runs; requests that come now end at once."""
        self.is_closing = True
        for stop in tuple(self._stops):
            stop.set()

    def close(self) -> None:
        """Ends all that runs, and lets go of what is the server's own."""
        self.stop_all()
        self.owned.close()
