"""The state of a training run on disk: tensors as safetensors, numbers as JSON, always whole.

A checkpoint is written beside the last one and takes its place when it is complete, so that a kill
or a full disk at any moment leaves one to go on from.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from gridbeam.errors import UserError
from gridbeam.support.output_files import recover, replacing_folder, write_text

FORMAT = 1


@dataclass(frozen=True)
class Position:
    """How far a run has come."""

    update: int = 0
    epoch: int = 0
    batch: int = 0
    """How many batches of the epoch are done."""
    best: float | None = None
    """The best validation: BLEU, or loss."""
    since_best: int = 0
    """How many validations have not been better."""
    processes: int = 1
    """How many processes train together; others would see other batches."""


def save(
    folder: Path, position: Position, network: nn.Module, optimizer: torch.optim.Optimizer
) -> None:
    """Writes a checkpoint in place of the one in `folder`."""
    with replaced(folder, f"the checkpoint of update {position.update}") as new:
        save_file(_own(network.state_dict()), new / "model.safetensors")
        save_file(_flat(optimizer.state_dict()["state"]), new / "optimizer.safetensors")
        state = {"format": FORMAT, **asdict(position)}
        write_text(new / "state.json", json.dumps(state, indent=2) + "\n")


def load(folder: Path, network: nn.Module, optimizer: torch.optim.Optimizer) -> Position | None:
    """Puts network and optimizer in the state of the checkpoint in `folder`, if there is one."""
    recover(folder)
    if not folder.exists():
        return None
    try:
        state = json.loads((folder / "state.json").read_text("utf8"))
        if not isinstance(state, dict):
            raise ValueError("state.json holds no JSON object")
        if state.pop("format", None) != FORMAT:
            raise UserError(
                f"{folder}/state.json: a checkpoint of another version of gridbeam. Use that"
                " version, or another --out."
            )
        position = Position(**state)
        _load_network(network, load_file(folder / "model.safetensors"))
        _load_optimizer(optimizer, load_file(folder / "optimizer.safetensors"))
    except (OSError, ValueError, TypeError, KeyError, RuntimeError, SafetensorError) as error:
        if isinstance(error, UserError):
            raise
        raise UserError(
            f"{folder} is no checkpoint of this configuration, or is damaged: {error}. "
            "Remove it to start anew, or choose another --out."
        ) from None
    return position


@contextmanager
def replaced(folder: Path, what: str) -> Iterator[Path]:
    """A new folder to write to, which takes the place of `folder` once it is complete."""
    try:
        with replacing_folder(folder) as new:
            yield new
    except (OSError, SafetensorError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        before = "The one before it is whole: make" if folder.exists() else "Make"
        raise UserError(
            f"{what} cannot be written to {folder}: {why}. {before} room, then run the same"
            " command."
        ) from None


def put(path: Path, text: str) -> None:
    """Writes a text file, whole or not at all."""
    remedy = "Make room, or choose another --out."
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}. {remedy}") from None
    write_text(path, text, remedy)


def _own(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """The tensors, those that share memory only once."""
    owners: dict[int, str] = {}
    return {
        name: tensor.contiguous()
        for name, tensor in state.items()
        if owners.setdefault(tensor.data_ptr(), name) == name
    }


def _load_network(network: nn.Module, tensors: dict[str, Tensor]) -> None:
    own = network.state_dict()
    for name in tensors.keys() & own.keys():
        if tensors[name].shape != own[name].shape:
            raise ValueError(
                f"{name} has the sizes {list(tensors[name].shape)}, and should have"
                f" {list(own[name].shape)}"
            )
    missing, unexpected = network.load_state_dict(tensors, strict=False)
    shared = set(own) - set(_own(own))
    lacking = sorted(set(missing) - shared)
    if lacking or unexpected:
        raise ValueError(
            f"tensors are missing or unknown: {', '.join([*lacking, *unexpected][:3])}"
        )


def _flat(state: dict[int, dict[str, Any]]) -> dict[str, Tensor]:
    return {
        f"{number}.{name}": value.contiguous()
        for number, own in state.items()
        for name, value in own.items()
    }


def _load_optimizer(optimizer: torch.optim.Optimizer, tensors: dict[str, Tensor]) -> None:
    state: dict[int, dict[str, Tensor]] = {}
    for key, tensor in tensors.items():
        number, name = key.split(".")
        state.setdefault(int(number), {})[name] = tensor
    optimizer.load_state_dict(
        {"state": state, "param_groups": optimizer.state_dict()["param_groups"]}
    )
