"""Models by name: `builtin:en-de` ships with the package, `hf:NAME` is any encoder-decoder of Hugging Face, `gru:FOLDER` ours.

What comes back is a model with its tokenizer and what has to be known of its languages. transformers is imported when a model
is asked for and not before: it takes seconds.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from gridbeam.errors import UserError
from gridbeam.models import Model
from gridbeam.models.eightbit import empty_folder, quiet, restore, write_json

BUILTIN = Path(__file__).parent / "builtin"
"""Where the weights are that ship with the package."""


@dataclass(frozen=True)
class Loaded:
    """A model that is ready to translate."""

    name: str
    model: Model[Any]
    tokenizer: Any
    source: str | None = None
    target: str | None = None
    tag: str = ""
    """What is put before each source, such as ">>de<< ", where a model knows several targets."""
    positions: int | None = None
    """The most tokens that the model can read or write; None: no limit."""


def load(name: str | Path, *, target: str | None = None, device: str | torch.device | None = None) -> Loaded:
    """The model of this name: `builtin:PAIR`, `hf:NAME` (a folder or a name on the hub), `gru:FOLDER`, or a folder's path.

    `target` is a language, for models that know several. Without a `device` a GPU is used where there is one.
    """
    name = str(name)
    kind, _, rest = name.partition(":")
    if kind == "builtin" and rest:
        return _builtin(name, rest, target, device)
    if kind == "hf" and rest:
        return _hugging_face(name, rest, target, device)
    if kind == "gru" and rest:
        return _gru(name, Path(rest), target, device)
    if (Path(name) / "config.json").is_file():
        return _gru(name, Path(name), target, device) if _is_gru(Path(name)) else _hugging_face(name, name, target, device)
    raise UserError(f'unknown model "{name}": write builtin:PAIR, hf:NAME or gru:FOLDER.')


def export(name: str, destination: str | Path) -> None:
    """Writes a model as an ordinary Hugging Face folder of float weights, which any other tool can load."""
    kind, _, rest = name.partition(":")
    folder = _builtin_folder(name) if kind == "builtin" else Path(rest if kind == "hf" else name)
    if not (folder / "config.json").is_file():
        raise UserError(f'"{name}" cannot be exported: it is neither a builtin model nor a folder with a config.json.')
    to = empty_folder(destination)
    with quiet():
        _model(str(folder), _read_config(str(folder))).save_pretrained(to)
    _tokenizer(str(folder)).save_pretrained(to)
    config = _config(to)
    if "gridbeam" in config:
        write_json(to / "config.json", {**config, "gridbeam": {**config["gridbeam"], "storage": "float"}})


def folder_of(name: str) -> Path:
    """The folder of a model, where it has one: a name on the hub is no folder."""
    kind, _, rest = name.partition(":")
    return BUILTIN if kind == "builtin" else Path(rest if kind in ("hf", "gru") else name)


def network_of(folder: Path) -> Any:
    """The network of a folder that training has written, in whichever way it is stored there, to learn on."""
    from gridbeam.models import gru

    return gru.load(folder) if _is_gru(folder) else _model(str(folder), _read_config(str(folder)))


def _builtin(name: str, pair: str, target: str | None, device: str | torch.device | None) -> Loaded:
    folder = _builtin_folder(name)
    known = _config(folder)["gridbeam"]
    pairs = {f"{known['source']}-{language}": language for language in known["targets"]}
    if pair not in pairs:
        raise UserError(f'no builtin model translates "{pair}": write {_either("builtin:" + each for each in pairs)}.')
    if target not in (None, pairs[pair]):
        raise UserError(f'{name} translates into "{pairs[pair]}", not "{target}": leave target out.')
    return _hugging_face(name, str(folder), pairs[pair], device)


def _builtin_folder(name: str) -> Path:
    if not (BUILTIN / "config.json").is_file():
        raise UserError(
            f"{name}: this installation of gridbeam came without its weights ({BUILTIN} has none). "
            "Install it from a wheel, or use a model of your own: hf:NAME or gru:FOLDER."
        )
    return BUILTIN


def _hugging_face(name: str, where: str, target: str | None, device: str | torch.device | None) -> Loaded:
    from gridbeam.models.huggingface import HuggingFace

    config, tokenizer = _read_config(where), _with_special_tags(_tokenizer(where))
    source, targets = _languages(config, tokenizer)
    chosen = _chosen(name, target, targets)
    model = _model(where, config).to(_device(device)).eval()
    _forbid(model, tokenizer)
    return Loaded(
        name,
        HuggingFace(model),
        tokenizer,
        source=source,
        target=chosen,
        tag=f">>{chosen}<< " if len(targets) > 1 or f">>{chosen}<<" in _codes(tokenizer) else "",
        positions=getattr(config, "max_position_embeddings", None),
    )


def _gru(name: str, folder: Path, target: str | None, device: str | torch.device | None) -> Loaded:
    from gridbeam.models import gru

    if not (folder / "config.json").is_file():
        raise UserError(f"{name}: {folder} has no config.json. Name the folder that training has written.")
    tokenizer = _with_special_tags(_tokenizer(str(folder)))
    model: Any = gru.GRU(gru.load(folder).to(_device(device)))
    known = _config(folder).get("gridbeam", {})
    chosen = _chosen(name, target, known.get("targets", ()))
    tag = f">>{chosen}<< " if len(known.get("targets", ())) > 1 else ""
    return Loaded(name, model, tokenizer, source=known.get("source"), target=chosen, tag=tag)


def _is_gru(folder: Path) -> bool:
    return (folder / "config.json").is_file() and _config(folder).get("model_type") == "gridbeam-gru"


def _config(folder: Path) -> dict[str, Any]:
    config: dict[str, Any] = json.loads((folder / "config.json").read_text(encoding="utf8"))
    return config


def _device(device: str | torch.device | None) -> torch.device:
    """The device that is asked for, or the best there is."""
    try:
        wanted = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    except RuntimeError:
        raise UserError(f'device="{device}" is not known: write cpu, cuda, or cuda:1 for the second GPU.') from None
    if wanted.type == "cuda" and not torch.cuda.is_available():
        raise UserError(f'device="{device}": no GPU can be used here. Leave device out, or write cpu.')
    return wanted


def _read_config(where: str) -> Any:
    from transformers import AutoConfig

    is_path = where.startswith((".", "/", "~")) or Path(where).exists()
    if is_path and not (Path(where) / "config.json").is_file():
        raise UserError(f"{where} has no config.json: name the folder of a model, or a model on the hub.")
    return _fetched(where, AutoConfig.from_pretrained)


def _model(where: str, config: Any) -> Any:
    """The model of a folder, however it is stored, or of a name on the hub."""
    from transformers import AutoModelForSeq2SeqLM

    with quiet():
        if getattr(config, "gridbeam", {}).get("storage") == "int8":
            return _restored(where, config)
        return _fetched(where, AutoModelForSeq2SeqLM.from_pretrained)


def _restored(where: str, config: Any) -> Any:
    """The model of a folder in 8 bits: made without weights and then given them, as to initialise them first takes seconds."""
    from transformers import AutoModelForSeq2SeqLM, GenerationConfig
    from transformers.initialization import no_init_weights

    kind: Any = AutoModelForSeq2SeqLM._model_mapping[type(config)]
    weights = restore(where)
    with no_init_weights(), torch.device("meta"):
        model = kind(config)
    model.load_state_dict(weights, assign=True, strict=False)
    model.tie_weights()
    if any(tensor.is_meta for tensor in (*model.parameters(), *model.buffers())):
        model = kind.from_pretrained(None, config=config, state_dict=weights)
    if (Path(where) / "generation_config.json").is_file():
        model.generation_config = GenerationConfig.from_pretrained(where)
    return model


def _tokenizer(where: str) -> Any:
    from transformers import AutoTokenizer, MarianTokenizer

    is_marian = (Path(where) / "source.spm").is_file()
    for name in ("target.spm", "vocab.json") if is_marian else ():
        if not (Path(where) / name).is_file():
            raise UserError(f"{where} has no {name}, which belongs to source.spm: copy the whole folder of the model.")
    kind: Any = MarianTokenizer if is_marian else AutoTokenizer
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Recommended: pip install sacremoses")
        return _fetched(where, kind.from_pretrained)


def _fetched(where: str, fetch: Callable[[str], Any]) -> Any:
    """What transformers makes of a folder or a name; its complaints on one line."""
    try:
        return fetch(where)
    except (OSError, ValueError) as error:
        raise UserError(f"{where} could not be loaded: {_first_line(error)} Name a folder, or a model on the hub.") from None


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".") + "."


def _languages(config: Any, tokenizer: Any) -> tuple[str | None, Sequence[str]]:
    """The source language, where it is known, and all target languages."""
    known = getattr(config, "gridbeam", None)
    if known is not None:
        return known["source"], known["targets"]
    codes = [code[2:-2] for code in _codes(tokenizer)]
    target = getattr(tokenizer, "target_lang", None)
    return getattr(tokenizer, "source_lang", None), codes or ([target] if target else [])


def _with_special_tags(tokenizer: Any) -> Any:
    """The tokenizer, to which language tags are no text: no translation holds one, and no "<" is written by one."""
    tokenizer.add_special_tokens({"additional_special_tokens": list(_codes(tokenizer))})
    return tokenizer


def _codes(tokenizer: Any) -> Sequence[str]:
    """The tags by which a Marian model is told the target language."""
    return getattr(tokenizer, "supported_language_codes", [])


def _chosen(name: str, target: str | None, targets: Sequence[str]) -> str | None:
    if target is None and len(targets) > 1:
        raise UserError(f"{name} translates into several languages: say with --target (target=) {_either(targets)}.")
    if target is not None and targets and target not in targets:
        raise UserError(f'{name} does not translate into "{target}": say with --target (target=) {_either(targets)}.')
    return target or (targets[0] if targets else None)


def _either(choices: Iterable[str]) -> str:
    *most, last = choices
    return f"{', '.join(most)} or {last}" if most else str(last)


def _forbid(model: Any, tokenizer: Any) -> None:
    """Tokens that belong in no translation get no probability: padding, language tags, what the model itself rules out."""
    ruled_out = [word[0] for word in model.generation_config.bad_words_ids or () if len(word) == 1]
    tags = tokenizer.convert_tokens_to_ids(list(_codes(tokenizer)))
    if hasattr(model, "final_logits_bias"):
        model.final_logits_bias[:, [tokenizer.pad_token_id, *ruled_out, *tags]] = -torch.inf
