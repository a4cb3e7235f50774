"""The schedulers there are, by the name that the command line gives them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from gridbeam.distributed.pool import Factory, Pool
from gridbeam.errors import UserError

ENGINES = ("processes", "ray")


@dataclass(frozen=True)
class WorkerEngine:
    """What carries out the work: workers, and who starts them."""

    name: str = "processes"
    workers: int = 1
    """How many there are at a time."""
    gpus: int = 0
    """How many GPUs this machine has for them, or for Ray, how many each takes."""


def engine_of(
    name: str, *, workers: int | None, address: str | None, device: str | None
) -> WorkerEngine:
    """The engine of this name, with as many workers as there is room for if nobody says."""
    check_engine(name, address)
    if name == "ray":
        from gridbeam.distributed.on_ray import connect, room

        connect(address, workers)
        most, gpus = room(wants_gpu=device != "cpu")
        return WorkerEngine(name, workers or most, gpus)
    from gridbeam.distributed.processes import processors

    gpus = 0 if device == "cpu" else _gpus_here()
    return WorkerEngine(name, workers or gpus or processors(), gpus)


def check_engine(name: str, address: str | None) -> None:
    """Raises where there is no such engine, or it is on no cluster."""
    if name not in ENGINES:
        raise UserError(f'--engine "{name}" is unknown: write {" or ".join(ENGINES)}.')
    if address is not None and name != "ray":
        raise UserError("--address is for --engine ray: add it, or leave the address out.")


@contextmanager
def pool_of(factory: Factory, engine: WorkerEngine) -> Iterator[tuple[Pool, int]]:
    """A pool of an engine, whose workers are ended at last, and how many there may be."""
    pool = _pool(factory, engine)
    try:
        yield pool, engine.workers
    finally:
        pool.close()


def _pool(factory: Factory, engine: WorkerEngine) -> Pool:
    if engine.name == "ray":
        from gridbeam.distributed.on_ray import RayPool

        return RayPool(factory, engine.gpus)
    from gridbeam.distributed.processes import Processes

    return Processes(factory, engine.workers, engine.gpus)


def _gpus_here() -> int:
    import torch

    return torch.cuda.device_count()
