"""The paper's model (`network.py`) as a `Model`, and as a folder: its sizes and its weights."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float, Int
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from gridbeam.errors import UserError
from gridbeam.models.gru.network import AttentionalGRU, GRUConfig
from gridbeam.models.gru.recurrences import Encoded
from gridbeam.models.inputs import batch_of
from gridbeam.models.rowtable import places_of
from gridbeam.support.output_files import replacing_path, write_text

MODEL_TYPE, FORMAT = "gridbeam-gru", 1
CONFIG, WEIGHTS = "config.json", "model.safetensors"


@dataclass(frozen=True)
class GRUState:
    """Where each row stands."""

    encoded: Encoded
    """What was read of each sentence: stored once, however many rows it has."""
    sentence: Int[Tensor, "row"]
    """The number of the sentence that each row belongs to."""
    recurrent: Float[Tensor, "row hidden"]


class GRU:
    """The network as the search sees it.

    A source is a sequence of token ids, ended as those it was trained on.

    >>> model = GRU(AttentionalGRU(GRUConfig(vocab_size=8, embedding=4, hidden=6)))
    >>> log_probs, state = model.step(model.start([[3, 4, 5], [6]]), torch.tensor([1, 1]))
    >>> log_probs.shape
    torch.Size([2, 8])

    A step sees its rows as a table with a line for each sentence, so that what was read of a
    sentence is copied for none of them. `start` puts the network into evaluation mode.
    """

    def __init__(self, network: AttentionalGRU) -> None:
        config = network.config
        self.vocab_size, self.bos, self.eos = config.vocab_size, config.bos, config.eos
        self._network = network

    @property
    def device(self) -> torch.device:
        """Where the network is."""
        return self._network.to_vocabulary.weight.device

    @torch.no_grad()
    def start(self, sources: Sequence[Any]) -> GRUState:
        """The state before the first token of each source."""
        self._network.eval()
        encoded, recurrent = self._network.encode(
            _batch(sources, self._network.config, self.device)
        )
        return GRUState(encoded, torch.arange(len(sources), device=self.device), recurrent)

    @torch.no_grad()
    def step(
        self, state: GRUState, tokens: Int[Tensor, "row"]
    ) -> tuple[Float[Tensor, "row vocab"], GRUState]:
        """The log-probabilities of the next token of each row."""
        places = places_of(state.sentence, len(state.encoded.mask))
        fed = places.table(tokens.to(state.sentence))
        readouts, recurrent = self._network.step(state.encoded, places.table(state.recurrent), fed)
        logits = self._network.to_vocabulary(places.rows(readouts))
        return logits.float().log_softmax(-1), replace(state, recurrent=places.rows(recurrent))

    def select(self, state: GRUState, rows: Int[Tensor, "new_row"]) -> GRUState:
        """The state of these rows.

        Sentences without rows are forgotten once they are half of those there are.
        """
        rows = rows.to(self.device)
        encoded, sentence = state.encoded, state.sentence[rows]
        kept, renumbered = torch.unique(sentence, return_inverse=True)
        if 2 * len(kept) <= len(encoded.mask):
            encoded, sentence = encoded.select(kept), renumbered
        return GRUState(encoded, sentence, state.recurrent[rows])


def _batch(
    sources: Sequence[Any], config: GRUConfig, device: torch.device
) -> Int[Tensor, "batch source"]:
    """The sources, padded on the right."""
    batch = batch_of(
        [{"input_ids": source} for source in sources], side="right", pad=config.pad, device=device
    )
    ids, is_token = batch["input_ids"], batch["attention_mask"].bool()
    for number, token in (
        (is_token & ((ids < 0) | (ids >= config.source_size))).nonzero()[:1].tolist()
    ):
        raise UserError(
            f"source {number} has token {ids[number, token]}, but the model reads ids from 0 to"
            f" {config.source_size - 1}: encode it with the subwords that the model was trained"
            " with"
        )
    for number, _ in (is_token & (ids == config.pad)).nonzero()[:1].tolist():
        raise UserError(
            f"source {number} contains {config.pad}, which is padding to this model: leave it out"
        )
    return ids


def save(network: AttentionalGRU, folder: str | Path) -> None:
    """Writes the network's sizes and weights to a folder, which is made if there is none."""
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file, and a model is a folder of files: give another name")
    folder.mkdir(parents=True, exist_ok=True)
    # Copies: cuDNN keeps the weights of a GRU in one piece of memory.
    weights = {
        name: tensor.detach().cpu().contiguous() for name, tensor in network.state_dict().items()
    }
    text = (
        json.dumps({"model_type": MODEL_TYPE, "format": FORMAT} | asdict(network.config), indent=2)
        + "\n"
    )
    with replacing_path(folder / WEIGHTS) as path:
        save_file(weights, path)
    write_text(folder / CONFIG, text)


def load(folder: str | Path) -> AttentionalGRU:
    """The network that was saved in a folder, on the CPU and in evaluation mode."""
    folder = Path(folder)
    config = _config(folder)
    with torch.device("meta"):
        network = AttentionalGRU(config)
    weights = _weights(folder / WEIGHTS)
    _check_tensors(folder / WEIGHTS, weights, network.state_dict())
    network.load_state_dict(weights, assign=True)
    return network.eval()


def _config(folder: Path) -> GRUConfig:
    path = folder / CONFIG
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder}: give the folder that a model was saved in")
    if not path.is_file():
        raise UserError(f"{folder} has no {CONFIG}: give the folder that a model was saved in")
    try:
        found = json.loads(path.read_text(encoding="utf8"))
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path} is not JSON ({error}): save the model again") from error
    if not isinstance(found, dict) or found.pop("model_type", None) != MODEL_TYPE:
        raise UserError(
            f'{path} describes another kind of model: one for gridbeam has "model_type":'
            f' "{MODEL_TYPE}"'
        )
    return _sizes(path, found)


def _sizes(path: Path, found: dict[str, Any]) -> GRUConfig:
    found.pop("gridbeam", None)  # what training has written down of languages
    version = found.pop("format", None)
    if isinstance(version, int) and version > FORMAT:
        raise UserError(
            f"{path} was made by a newer gridbeam: format {version}, this one reads {FORMAT}."
            " Update gridbeam."
        )
    if version != FORMAT:
        raise UserError(
            f"{path} has format {json.dumps(version)}, this gridbeam reads {FORMAT}: save the model"
            " again"
        )
    known = {field.name for field in fields(GRUConfig)}
    if known != set(found):
        wrong = [f"lacks {name}" for name in sorted(known - set(found))]
        wrong += [f"has {name}, which is no setting" for name in sorted(set(found) - known)]
        raise UserError(f"{path} {', '.join(wrong)}: save the model again")
    for name, value in found.items():
        if not _is_number(name, value):
            raise UserError(
                f"{path}: {name} is {json.dumps(value)}, which is not a number: save the model"
                " again"
            )
    try:
        return GRUConfig(**found)
    except UserError as error:
        raise error.within(str(path)) from error


def _is_number(name: str, value: object) -> bool:
    if name == "source_vocab_size" and value is None:
        return True
    allowed = (int, float) if name == "dropout" else int
    return isinstance(value, allowed) and not isinstance(value, bool)


def _weights(path: Path) -> dict[str, Tensor]:
    if not path.is_file():
        raise UserError(
            f"{path.parent} has no {path.name}: copy the whole folder that the model was saved in"
        )
    try:
        return load_file(path)
    except SafetensorError as error:
        raise UserError(f"{path} is damaged or cut off ({error}): copy it again") from error


def _check_tensors(path: Path, found: dict[str, Tensor], wanted: dict[str, Tensor]) -> None:
    wrong = [f"lacks {name}" for name in sorted(wanted.keys() - found.keys())]
    wrong += [
        f"has {name}, which the model does not" for name in sorted(found.keys() - wanted.keys())
    ]
    for name in sorted(wanted.keys() & found.keys()):
        if found[name].shape != wanted[name].shape:
            wrong.append(
                f"has {name} of shape {list(found[name].shape)}, not {list(wanted[name].shape)}"
            )
    if wrong:
        raise UserError(
            f"{path} does not fit {CONFIG} beside it: it {', '.join(wrong)}. Copy both from one"
            " model."
        )
