"""A model of transformers in a quarter of the bytes: 8-bit matrices, a scale for each row.

Each row of a matrix is whole numbers from -127 to 127 and one scale. `store` writes such a folder,
`restore` reads the weights back as float32; no weight is off by more than half its scale. What can
be worked out is left out: matrices that are tied to others, and the position tables of Marian,
unless a model has put something into them.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int8
from safetensors.torch import load_file, save_file
from torch import Tensor

from gridbeam.errors import UserError
from gridbeam.models.folders import read_network, read_object, reading
from gridbeam.support.output_files import replacing_folder, write_text

WEIGHTS = "model.safetensors"
SCALE = ".scale"
_POSITIONS = "embed_positions.weight"
_LARGEST = 127
_OTHER_WEIGHTS = (".safetensors", ".bin", ".h5", ".msgpack", ".ot", ".index.json")


def store(model_folder: str | Path, destination: str | Path) -> None:
    """Writes a folder's encoder-decoder model in 8 bits, with its configuration and tokenizer."""
    source = Path(model_folder)
    check_is_new(destination)
    with quiet():
        model = read_network(source)
    config = read_object(source / "config.json")
    has_sines = config["model_type"] == "marian"
    kept = {
        name: tensor
        for name, tensor in _untied(model.state_dict())
        if not (has_sines and name.endswith(_POSITIONS) and is_marian_table(tensor))
    }
    stored = dict(_stored(kept))
    in_order = {name: stored[name] for name in sorted(stored)}
    config["gridbeam"] = {"format": 1, **config.get("gridbeam", {}), "storage": "int8"}
    with replacing_folder(Path(destination)) as target:
        save_file(in_order, target / WEIGHTS, metadata={"format": "pt"})
        write_json(target / "config.json", config)
        for path in filter(_is_kept, sorted(source.iterdir())):
            shutil.copyfile(path, target / path.name)


def is_marian_table(positions: Float[Tensor, "position width"]) -> bool:
    """Whether a table of positions is the one that Marian works out."""
    return torch.allclose(positions.detach().float(), sinusoids(*positions.shape), atol=1e-4)


def _is_kept(path: Path) -> bool:
    """Whether a file of a model folder is taken over as it is."""
    is_written_anew = path.name == "config.json" or path.name.endswith(_OTHER_WEIGHTS)
    return path.is_file() and not is_written_anew


def restore(folder: str | Path) -> dict[str, Tensor]:
    """The weights of a stored folder as float32, the position tables among them.

    Tied matrices are there once.
    """
    config = read_object(Path(folder) / "config.json")
    with reading(folder):
        stored = load_file(Path(folder) / WEIGHTS)
    weights = {
        name: dequantized(tensor, stored[name + SCALE]) if tensor.dtype == torch.int8 else tensor
        for name, tensor in stored.items()
        if not name.endswith(SCALE)
    }
    if config["model_type"] == "marian":
        table = sinusoids(config["max_position_embeddings"], config["d_model"])
        tables = {f"model.{side}.{_POSITIONS}": table.clone() for side in ("encoder", "decoder")}
        weights = tables | weights
    return weights


def quantized(
    weights: Float[Tensor, "row column"],
) -> tuple[Int8[Tensor, "row column"], Float[Tensor, "row"]]:
    """A matrix as whole numbers, and what one of them is worth in each row."""
    largest = weights.float().abs().amax(1)
    scale = torch.where(largest > 0, largest / _LARGEST, 1.0)
    return (weights.float() / scale[:, None]).round().clamp(-_LARGEST, _LARGEST).to(
        torch.int8
    ), scale


def dequantized(
    numbers: Int8[Tensor, "row column"], scale: Float[Tensor, "row"]
) -> Float[Tensor, "row column"]:
    """The matrix that the numbers stand for.

    By numpy, as threads that wait for each other take longer than the work.
    """
    weights = numbers.numpy().astype(np.float32)
    weights *= scale.numpy()[:, None]
    return torch.from_numpy(weights)


def sinusoids(positions: int, width: int) -> Float[Tensor, "position width"]:
    """Marian's position table, the sines before the cosines.

    All at once, as its own way takes a second.
    """
    rates = torch.pow(10000.0, -torch.arange(0, width, 2, dtype=torch.float64) / width)
    angles = torch.arange(positions, dtype=torch.float64)[:, None] * rates
    return torch.cat([angles.sin(), angles[:, : width // 2].cos()], 1).float()


def check_is_new(path: str | Path) -> None:
    """Raises where there is a folder with something in it: nothing is ever overwritten."""
    folder = Path(path)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(
            f"{folder} is not empty, and nothing is overwritten: name a new folder, or empty it"
            " first."
        )


@contextmanager
def quiet() -> Iterator[None]:
    """Silences transformers' progress bars, as nothing here takes long, and weight reports.

    Errors say what the reports would.
    """
    from transformers.utils import logging as transformers_logging

    logging: Any = transformers_logging
    was_enabled, level = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if was_enabled:
            logging.enable_progress_bar()


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Writes a value as JSON, the same bytes each time."""
    text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False)
    write_text(path, f"{text}\n")


def _untied(weights: Mapping[str, Tensor]) -> Iterator[tuple[str, Tensor]]:
    """Each tensor once, under the first name it goes by."""
    seen: set[int] = set()
    for name, tensor in weights.items():
        if tensor.data_ptr() not in seen:
            seen.add(tensor.data_ptr())
            yield name, tensor


def _stored(weights: Mapping[str, Tensor]) -> Iterator[tuple[str, Tensor]]:
    for name, tensor in weights.items():
        is_matrix = tensor.is_floating_point() and tensor.ndim == 2 and min(tensor.shape) > 1
        if is_matrix and not name.endswith(_POSITIONS):
            numbers, scale = quantized(tensor)
            yield name, numbers.contiguous()
            yield name + SCALE, scale
        else:
            yield name, (tensor.float() if tensor.is_floating_point() else tensor).contiguous()
