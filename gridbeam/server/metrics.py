"""What /metrics says, in the form of Prometheus: requests by route, and the engines' work."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gridbeam.server.engines import Engines

_SECONDS = (0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
_NO_ROUTE = "none"
"""What is counted for paths that are no route: nobody can fill the memory with names of them."""
_METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
_OTHER_METHOD = "other"
"""What is counted for methods that have no meaning here, as a client may send any word."""


class Metrics:
    """Counts the requests of one server, and asks its engines when it is asked itself."""

    def __init__(self, engines: Engines) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "gridbeam_requests",
            "Requests that were answered.",
            ("route", "method", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "gridbeam_request_seconds",
            "How long answers took, waiting included.",
            ("route",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._registry.register(_OfEngines(engines))

    def count(self, route: str, method: str, status: int, seconds: float) -> None:
        """Counts a request."""
        known = method if method in _METHODS else _OTHER_METHOD
        self._requests.labels(route, known, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def text(self) -> bytes:
        """All of it as Prometheus reads it."""
        return generate_latest(self._registry)


class Counting:
    """Counts each request of an app."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status, began = 500, time.monotonic()

        async def send_counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, send_counted)
        finally:
            route = getattr(scope.get("route"), "path", _NO_ROUTE)
            self._metrics.count(route, scope["method"], status, time.monotonic() - began)


class _OfEngines(Collector):
    """What engines count themselves, read when it is asked for."""

    def __init__(self, engines: Engines) -> None:
        self._engines = engines

    def collect(self) -> Iterable[Metric]:
        """A family for each figure, with a line for each pair of languages."""
        for name, about, is_total in _FIGURES:
            kind: Callable[..., Any] = CounterMetricFamily if is_total else GaugeMetricFamily
            family = kind(f"gridbeam_{name}", about, labels=("model", "source", "target"))
            for pair, engine in self._engines.running().items():
                labels = (pair.model, pair.source, pair.target)
                family.add_metric(labels, float(getattr(engine.stats, name)))
            yield family
        yield _loading(self._engines.seconds)


_FIGURES = (
    ("waiting", "Requests that wait for a search.", False),
    ("running", "Requests that are searched for.", False),
    ("done", "Requests that were answered.", True),
    ("refused", "Requests that found no place in the queue.", True),
    ("columns", "Columns of the grid that were searched.", True),
    ("seconds", "Time that was spent on searching.", True),
)
"""The figures of an engine: name, what it is, and whether it only grows."""


def _loading(seconds: Mapping[str, float]) -> Metric:
    family = GaugeMetricFamily(
        "gridbeam_model_load_seconds", "How long a model took to load.", labels=("model",)
    )
    for name, took in seconds.items():
        family.add_metric((name.rpartition("/")[2],), took)
    return family
