"""Workers that are actors of Ray, on a cluster or on a Ray that is started for the run.

Ray is asked for no more than a pool is: to start actors wherever there is room, to call them, and
to say that one is gone. It never calls one again by itself, as that would not be counted.
"""

from __future__ import annotations

import logging
import os
from importlib import import_module
from typing import Any

from gridbeam.distributed.pool import Died, Factory, PoolEvent, event_of, report_of
from gridbeam.errors import UserError


def imported() -> Any:
    """The package of Ray, or a word on how to have it."""
    try:
        return import_module("ray")
    except ImportError:
        raise UserError(
            "Ray is not installed: pip install 'gridbeam[ray]', or take --engine processes."
        ) from None


def connect(address: str | None, workers: int | None) -> bool:
    """Whether a Ray was started for this run, as no cluster was named or known."""
    ray = imported()
    if ray.is_initialized():
        return False
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    quiet: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
    if address is None and "RAY_ADDRESS" in os.environ:
        address = os.environ["RAY_ADDRESS"]
    if address not in (None, "local"):
        try:
            ray.init(address=address, **quiet)
        except (ConnectionError, ValueError, RuntimeError) as error:
            first = str(error).strip().partition("\n")[0]
            raise UserError(
                f"--address {address}: there is no Ray to be found ({first}). Start one there with"
                " ray start --head, or leave --address out for one of this machine."
            ) from None
        return False
    ray.init(address="local", num_cpus=workers, include_dashboard=False, **quiet)
    return True


def room(*, wants_gpu: bool) -> tuple[int, int]:
    """How many workers the cluster has room for, and how many GPUs each of them takes."""
    found = imported().cluster_resources()
    gpus = int(found.get("GPU", 0)) if wants_gpu else 0
    return (gpus, 1) if gpus else (max(1, int(found.get("CPU", 1))), 0)


class _Actor:
    """A worker in a process of Ray."""

    def __init__(self, factory: Factory) -> None:
        self._factory = factory

    def begin(self) -> Any:
        """The report of a worker that is made."""

        def made() -> Any:
            self._hand = self._factory()
            return self._hand.greeting

        return report_of("ready", made)

    def carry_out(self, task: Any) -> Any:
        """The report on a task."""
        return report_of("done", lambda: self._hand(task))


class RayPool:
    """A pool of actors."""

    def __init__(self, factory: Factory, gpus: int) -> None:
        self._ray = imported()
        kind = self._ray.remote(
            num_cpus=1,
            num_gpus=gpus,
            max_restarts=0,
            max_task_retries=0,
            scheduling_strategy="SPREAD",
        )
        self._kind = kind(_Actor)
        self._factory = self._ray.put(factory)
        self._actors: dict[int, Any] = {}
        self._awaited: dict[Any, int] = {}
        self._count = 0

    def start(self) -> int:
        """Asks for an actor, which begins as soon as there is room for it."""
        number, self._count = self._count, self._count + 1
        self._actors[number] = actor = self._kind.remote(self._factory)
        self._awaited[actor.begin.remote()] = number
        return number

    def give(self, worker: int, task: Any) -> None:
        """Calls the actor."""
        self._awaited[self._actors[worker].carry_out.remote(task)] = worker

    def wait(self) -> PoolEvent:
        """What the first of them answers, or that it is gone."""
        (first, *_), _ = self._ray.wait([*self._awaited], num_returns=1)
        number = self._awaited.pop(first)
        try:
            event = event_of(number, self._ray.get(first))
        except self._ray.exceptions.RayError as error:
            event = Died(number, _why(error))
        if isinstance(event, Died):
            self._ray.kill(self._actors.pop(number))
        return event

    def close(self) -> None:
        """Ends all actors."""
        for actor in self._actors.values():
            self._ray.kill(actor)
        self._actors.clear()


def _why(gone: Exception) -> str:
    """The first line of what Ray says of an actor that is gone."""
    lines = [line.strip() for line in str(gone).splitlines() if line.strip()]
    return f"its worker is gone: {' '.join(lines[:1]) or type(gone).__name__}"
