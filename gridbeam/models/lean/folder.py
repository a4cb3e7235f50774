"""Which folders of models are computed here, and their networks, each read once.

A folder is, if it holds Marian's network in 8 bits and nothing that is not known here: any other
takes the way of all models, by transformers, which knows them all, and says what is wrong.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from pathlib import Path
from threading import Lock
from typing import Any
from weakref import WeakValueDictionary

import torch
from safetensors.torch import load_file

from gridbeam.models.eightbit import SCALE, WEIGHTS
from gridbeam.models.folders import reading
from gridbeam.models.lean.marian import ACTIVATIONS, Marian, marian_of
from gridbeam.models.lean.matrices import has_eight_bits
from gridbeam.models.lean.weights import StoredWeights

SWITCH = "GRIDBEAM_LEAN"
"""The environment variable that turns it off: `off`. With `fast`, inputs have one digit."""
_WITHOUT_CONSEQUENCE = {
    "_from_model_config",
    "bos_token_id",
    "decoder_start_token_id",
    "eos_token_id",
    "forced_eos_token_id",
    "max_length",
    "num_beams",
    "output_attentions",
    "output_hidden_states",
    "pad_token_id",
    "transformers_version",
    "use_cache",
}
"""What a generation config may say that changes no score."""
_networks: WeakValueDictionary[tuple[str, int, int, int], Marian] = WeakValueDictionary()
_lock = Lock()


def is_known(config: Any, how: Any, forbidden: Collection[int], device: torch.device) -> bool:
    """Whether a model of this config and generation config can be computed here, and shall be."""
    return (
        os.environ.get(SWITCH) != "off"
        and device.type == "cpu"
        and config.model_type == "marian"
        and getattr(config, "gridbeam", {}).get("storage") == "int8"
        and config.activation_function in ACTIVATIONS
        and config.encoder_attention_heads == config.decoder_attention_heads
        and bool(config.share_encoder_decoder_embeddings and config.tie_word_embeddings)
        and _asks_nothing(how.to_diff_dict(), forbidden)
        and has_eight_bits()
    )


def network_in(where: str | Path, config: Any) -> Marian | None:
    """The network of a folder, one for all that ask for it while anybody holds it.

    None where its weights are not those that its config tells of.
    """
    path = Path(where).resolve() / WEIGHTS
    if not path.is_file():
        return None
    digits = 1 if os.environ.get(SWITCH) == "fast" else 2
    key = (str(path), path.stat().st_mtime_ns, path.stat().st_size, digits)
    with _lock:
        network = _networks.get(key)
        if network is None:
            network = _read(path, config, digits)
        if network is not None:
            _networks[key] = network
        return network


def _read(path: Path, config: Any, digits: int) -> Marian | None:
    with reading(path.parent):
        tensors = load_file(path)
        if {name: tuple(tensor.shape) for name, tensor in tensors.items()} != dict(_shapes(config)):
            return None
        return marian_of(config, StoredWeights(tensors), digits)


def _asks_nothing(settings: dict[str, Any], forbidden: Collection[int]) -> bool:
    """Whether nothing more is asked of scores than that forbidden tokens are not written."""
    without = {tuple(tokens) for tokens in settings.pop("bad_words_ids", None) or ()}
    return settings.keys() <= _WITHOUT_CONSEQUENCE and without <= {(token,) for token in forbidden}


def _shapes(config: Any) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The name and the shape of each tensor of a folder in 8 bits."""
    yield "final_logits_bias", (1, config.vocab_size)
    yield from _matrix("model.shared", config.vocab_size, config.d_model)
    for side, layers, inner in (
        ("encoder", config.encoder_layers, config.encoder_ffn_dim),
        ("decoder", config.decoder_layers, config.decoder_ffn_dim),
    ):
        kinds = ["self_attn"] if side == "encoder" else ["self_attn", "encoder_attn"]
        for number in range(layers):
            name = f"model.{side}.layers.{number}"
            for kind in kinds:
                yield from _attention(f"{name}.{kind}", config.d_model)
            yield from _linear(f"{name}.fc1", inner, config.d_model)
            yield from _linear(f"{name}.fc2", config.d_model, inner)
            yield from _norm(f"{name}.final_layer_norm", config.d_model)


def _attention(name: str, width: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    for part in ("q_proj", "k_proj", "v_proj", "out_proj"):
        yield from _linear(f"{name}.{part}", width, width)
    yield from _norm(f"{name}_layer_norm", width)


def _linear(name: str, out: int, into: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield from _matrix(name, out, into)
    yield f"{name}.bias", (out,)


def _matrix(name: str, out: int, into: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield f"{name}.weight", (out, into)
    yield f"{name}.weight{SCALE}", (out,)


def _norm(name: str, width: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield f"{name}.weight", (width,)
    yield f"{name}.bias", (width,)
