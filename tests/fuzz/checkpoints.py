"""Checkpoints of a training with one file that is not as it was."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from tempfile import mkdtemp

import torch
from bounded import Read
from fuzzed import Parser

from gridbeam.training import checkpoint
from gridbeam.training.checkpoint import Position

FILES = ("state.json", "model.safetensors", "optimizer.safetensors")


def learner() -> tuple[torch.nn.Module, torch.optim.Optimizer]:
    """A network of a few numbers, and what trains it."""
    torch.manual_seed(0)
    network = torch.nn.Linear(3, 2)
    return network, torch.optim.Adam(network.parameters())


@cache
def saved() -> Path:
    """A checkpoint after one update."""
    folder = Path(mkdtemp(prefix="fuzz-")) / "last"
    network, optimizer = learner()
    network(torch.ones(3)).sum().backward()
    optimizer.step()
    checkpoint.save(folder, Position(1, best=2.5), network, optimizer)
    return folder


def contents(name: str) -> Sequence[bytes]:
    """A file of the checkpoint."""
    return ((saved() / name).read_bytes(),)


def with_file(name: str) -> Read:
    """Reads an input as that file of a checkpoint."""

    def read(data: bytes, folder: Path) -> None:
        here = folder / "last"
        shutil.rmtree(here, ignore_errors=True)
        shutil.copytree(saved(), here, copy_function=shutil.copy)
        (here / name).write_bytes(data)
        checkpoint.load(here, *learner())

    return read


PARSERS = tuple(
    Parser("checkpoints", f"checkpoint: {name}", partial(contents, name), with_file(name))
    for name in FILES
)
