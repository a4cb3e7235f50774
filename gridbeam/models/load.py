"""Models by name: `builtin:en-de` is in the package, `hf:NAME` on Hugging Face, `gru:FOLDER` ours.

`general:en-de`, the model of the paper's experiments, is in the repository only. `hf:NAME` is any
encoder-decoder. What comes back is a model with its tokenizer and what has to be known of its
languages. transformers is imported when a model is asked for and not before: it takes
seconds. No code of a model's folder is run unless `trust_remote_code` says so.
"""

from __future__ import annotations

import shutil
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from gridbeam.errors import UserError
from gridbeam.models import Model, ends_of
from gridbeam.models.directions import (
    beginning_with,
    chosen,
    direction,
    either,
    tag_ids,
    with_special_tags,
)
from gridbeam.models.eightbit import check_is_new, quiet, restore, write_json
from gridbeam.models.folders import (
    check_sizes,
    check_vocabulary,
    check_weights,
    languages_of,
    read_network,
    read_object,
    reading,
)
from gridbeam.models.padlast import is_ours, pieces_with_padding_last, put_padding_last
from gridbeam.models.starts import end_tokens, first_token
from gridbeam.models.telling import Telling, told_by
from gridbeam.support.output_files import replacing_folder
from gridbeam.support.signature import digest

FOLDERS = {name: Path(__file__).parent / name for name in ("builtin", "general")}
"""Our own models: the one that ships with the package, and that of the paper's experiments."""
_ELSEWHERE = {
    "builtin": (
        "Install it from a wheel, or use a model of your own: hf:NAME, gru:FOLDER or a folder."
    ),
    "general": (
        "This model is in gridbeam's repository and in no wheel: clone the repository and name the"
        " folder gridbeam/models/general in it, with --target."
    ),
}
"""What to do where the weights of one are not here."""


@dataclass(frozen=True)
class Loaded:
    """A model that is ready to translate."""

    name: str
    model: Model[Any]
    tokenizer: Any
    source: str | None = None
    target: str | None = None
    tag: str = ""
    """What is put before each source, where that tells the model what to do: ">>de<< "."""
    positions: int | None = None
    """The most tokens that the model can read or write; None: no limit."""
    telling: Telling | None = None
    """The tokens by which it is told its terms; None: it cannot be."""


def load(
    name: str | Path,
    *,
    source: str | None = None,
    target: str | None = None,
    device: str | torch.device | None = None,
    trust_remote_code: bool = False,
) -> Loaded:
    """The model of this name: `builtin:PAIR`, `hf:NAME`, `gru:FOLDER`, or a folder's path.

    `general:PAIR` is the model of the paper's experiments, where the repository is. The NAME of
    `hf:` is a folder or a name on the hub. `source` and `target` are languages, for models that
    know several. Without a `device` a GPU is used where there is one. `trust_remote_code=True` runs
    the Python code that a model brings along: it can do whatever you can, so read it first.
    """
    name = str(name)
    kind, _, rest = name.partition(":")
    wish = _LoadRequest(name, source, target, _device(device), trust_remote_code)
    if kind in FOLDERS and rest:
        return _own(kind, rest, wish)
    if kind == "hf" and rest:
        return _hugging_face(rest, wish)
    if kind == "gru" and rest:
        return _gru(Path(rest), wish)
    if (Path(name) / "config.json").is_file():
        return _gru(Path(name), wish) if _is_gru(Path(name)) else _hugging_face(name, wish)
    raise UserError(
        f'unknown model "{name}": write builtin:PAIR, general:PAIR, hf:NAME or gru:FOLDER.'
    )


@dataclass(frozen=True)
class _LoadRequest:
    """What was asked for."""

    name: str
    source: str | None
    target: str | None
    device: torch.device
    trust_remote_code: bool


def turned(found: Loaded, target: str) -> Loaded:
    """The same model with the same weights, translating into another of its languages.

    For models that are told theirs by a tag, as ours are.
    """
    if found.target == target:
        return found
    if found.tag != f">>{found.target}<< ":
        raise UserError(f'{found.name} translates into "{found.target}" only, not "{target}".')
    kind = found.name.partition(":")[0]
    name = f"{kind}:{found.source}-{target}" if kind in FOLDERS else found.name
    return replace(found, name=name, target=target, tag=f">>{target}<< ")


def export(name: str, destination: str | Path) -> None:
    """Writes a model as an ordinary Hugging Face folder of float weights, for any other tool.

    In one of ours `<pad>` becomes the last piece, as in every model of Marian
    (`gridbeam.models.padlast`); no score changes.
    """
    kind, _, rest = name.partition(":")
    folder = _own_folder(name) if kind in FOLDERS else Path(rest if kind == "hf" else name)
    if not (folder / "config.json").is_file():
        raise UserError(
            f'"{name}" cannot be exported: it is neither a model of ours nor a folder with a'
            " config.json."
        )
    check_is_new(destination)
    with replacing_folder(Path(destination)) as to:
        network = _model(str(folder), _read_config(str(folder)))
        tokenizer = _tokenizer(str(folder))
        if is_ours(network.config):
            put_padding_last(network)
            tokenizer = _tokenizer_with_padding_last(folder, tokenizer, to)
        with quiet():
            network.save_pretrained(to)
        tokenizer.save_pretrained(to)
        config = _config(to)
        if "gridbeam" in config:
            about = {**config["gridbeam"], "storage": "float"}
            write_json(to / "config.json", {**config, "gridbeam": about})


def _tokenizer_with_padding_last(folder: Path, tokenizer: Any, to: Path) -> Any:
    """Writes the tokenizer's files with other ids, and reads them."""
    for name in ("source.spm", "target.spm"):
        shutil.copyfile(folder / name, to / name)
    write_json(to / "vocab.json", pieces_with_padding_last(tokenizer.encoder, tokenizer.pad_token))
    settings = read_object(folder / "tokenizer_config.json")
    settings.pop("added_tokens_decoder", None)  # it has ids too, and is written anew
    write_json(to / "tokenizer_config.json", settings)
    return _tokenizer(str(to))


def folder_of(name: str) -> Path:
    """The folder of a model, where it has one: a name on the hub is no folder."""
    kind, _, rest = name.partition(":")
    return FOLDERS.get(kind) or Path(rest if kind in ("hf", "gru") else name)


def digest_of_weights(name: str) -> str:
    """The first digits of the hash of a model's weights, where they are at hand."""
    path = folder_of(name) / "model.safetensors"
    return digest(path)[:12] if path.is_file() else "unknown"


def network_of(folder: Path) -> Any:
    """The network of a folder that training has written, however stored, to train on."""
    from gridbeam.models.gru import model as gru

    return gru.load(folder) if _is_gru(folder) else _model(str(folder), _read_config(str(folder)))


def _own(kind: str, pair: str, wish: _LoadRequest) -> Loaded:
    folder = _own_folder(wish.name)
    known = languages_of(_config(folder), folder / "config.json")
    pairs = {f"{known['source']}-{language}": language for language in known.get("targets", ())}
    if pair not in pairs:
        raise UserError(
            f'no {kind} model translates "{pair}": write'
            f" {either(f'{kind}:{each}' for each in pairs)}."
        )
    if wish.target not in (None, pairs[pair]):
        raise UserError(
            f'{wish.name} translates into "{pairs[pair]}", not "{wish.target}": leave target out.'
        )
    return _hugging_face(str(folder), replace(wish, target=pairs[pair]))


def _own_folder(name: str) -> Path:
    kind = name.partition(":")[0]
    folder = FOLDERS[kind]
    if not (folder / "config.json").is_file():
        raise UserError(
            f"{name}: this installation of gridbeam came without its weights ({folder} has none)."
            f" {_ELSEWHERE[kind]}"
        )
    return folder


def _hugging_face(where: str, wish: _LoadRequest) -> Loaded:
    config = _read_config(where, wish.trust_remote_code)
    tokenizer = with_special_tags(_tokenizer(where, wish.trust_remote_code))
    to = direction(wish.name, config, tokenizer, source=wish.source, target=wish.target)
    forbidden = {tokenizer.pad_token_id, *tag_ids(tokenizer)} - {None, tokenizer.eos_token_id}
    check_vocabulary(where, tokenizer)
    model: Model[Any] | None = _lean(where, config, wish.device, forbidden)
    if model is None:
        network = _model(where, config, wish.trust_remote_code).to(wish.device).eval()
        how = network.generation_config
        if to.token is not None:
            how = beginning_with(to.token, how, tokenizer)
        model = _by_transformers(where, network, how, forbidden)
    _check_ids(where, model, forbidden)
    return Loaded(
        wish.name,
        model,
        tokenizer,
        source=to.source,
        target=to.target,
        tag=to.tag,
        positions=getattr(config, "max_position_embeddings", None),
        telling=told_by(where, getattr(config, "gridbeam", {}), tokenizer),
    )


def _lean(where: str, config: Any, device: torch.device, forbidden: set[int]) -> Model[Any] | None:
    """The model computed without transformers, where that is known to give the same."""
    from gridbeam.models.lean.folder import is_known, network_in
    from gridbeam.models.lean.model import Lean

    if not (Path(where) / "generation_config.json").is_file():
        return None
    how = _generation_config(where)
    if not is_known(config, how, forbidden, device):
        return None
    network = network_in(where, config)
    if network is None:
        return None
    with reading(where):
        ends = end_tokens(how)
        return Lean(network, bos=first_token(how), eos=ends, forbidden=forbidden)


def _by_transformers(where: str, network: Any, how: Any, forbidden: set[int]) -> Model[Any]:
    from gridbeam.models.huggingface.adapter import HuggingFace

    with reading(where):
        return HuggingFace(network, generation_config=how, forbidden=forbidden)


def _generation_config(where: str) -> Any:
    from transformers import GenerationConfig

    read_object(Path(where) / "generation_config.json")  # transformers would go on without it
    with reading(where):
        return GenerationConfig.from_pretrained(where)


def _check_ids(where: str, model: Model[Any], forbidden: set[int]) -> None:
    for token in forbidden:
        if token >= model.vocab_size:
            raise UserError(
                f"{where}: the tokenizer pads or says languages with token {token}, but the model"
                f" has ids from 0 to {model.vocab_size - 1}: copy the whole folder of the model"
                " again."
            )
    for token in (model.bos, *ends_of(model)):
        if type(token) is not int or not 0 <= token < model.vocab_size:
            raise UserError(
                f"{where}: texts start or end with token {token}, but the model has ids from 0 to"
                f" {model.vocab_size - 1}: copy generation_config.json and config.json again."
            )


def _gru(folder: Path, wish: _LoadRequest) -> Loaded:
    from gridbeam.models.gru import model as gru

    if not (folder / "config.json").is_file():
        raise UserError(
            f"{wish.name}: {folder} has no config.json. Name the folder that training has written."
        )
    tokenizer = with_special_tags(_tokenizer(str(folder), wish.trust_remote_code))
    known = languages_of(_config(folder), folder / "config.json")
    targets = known.get("targets", ())
    source = chosen(
        wish.name, "source", wish.source, [known["source"]] if "source" in known else []
    )
    target = chosen(wish.name, "target", wish.target, targets)
    check_vocabulary(folder, tokenizer)
    model: Any = gru.GRU(gru.load(folder).to(wish.device))
    tag = f">>{target}<< " if len(targets) > 1 else ""
    telling = told_by(str(folder), _config(folder).get("gridbeam"), tokenizer)
    return Loaded(
        wish.name, model, tokenizer, source=source, target=target, tag=tag, telling=telling
    )


def _is_gru(folder: Path) -> bool:
    return (folder / "config.json").is_file() and _config(folder).get(
        "model_type"
    ) == "gridbeam-gru"


def _config(folder: Path) -> dict[str, Any]:
    return read_object(folder / "config.json")


def _device(device: str | torch.device | None) -> torch.device:
    """The device that is asked for, or the best there is."""
    if device is None:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        wanted = torch.device(device)
        torch.empty(0, device=wanted)
    except (RuntimeError, AssertionError, ImportError):
        raise UserError(
            f'device="{device}" is not here: write {either(_devices())}, or leave device out.'
        ) from None
    return wanted


def _devices() -> list[str]:
    """The devices that torch can use here."""
    best = torch.accelerator.current_accelerator(check_available=True)
    others = (
        []
        if best is None
        else [f"{best.type}:{number}" for number in range(torch.accelerator.device_count())]
    )
    return ["cpu", *others]


def _read_config(where: str, trust_remote_code: bool = False) -> Any:
    from transformers import AutoConfig

    is_path = where.startswith((".", "/", "~")) or Path(where).exists()
    if is_path and not (Path(where) / "config.json").is_file():
        raise UserError(
            f"{where} has no config.json: name the folder of a model, or a model on the hub."
        )
    if is_path:
        languages_of(_config(Path(where)), Path(where) / "config.json")
        check_sizes(_config(Path(where)), Path(where) / "config.json")
    with reading(where):
        return AutoConfig.from_pretrained(where, trust_remote_code=trust_remote_code)


def _model(where: str, config: Any, trust_remote_code: bool = False) -> Any:
    """The model of a folder, however it is stored, or of a name on the hub."""
    _refuse_other_kinds(where, config)
    if (Path(where) / "generation_config.json").is_file():
        read_object(Path(where) / "generation_config.json")  # transformers would go on without it
    with quiet():
        if getattr(config, "gridbeam", {}).get("storage") == "int8":
            return _restored(where, config)
        return read_network(where, trust_remote_code=trust_remote_code)


def _refuse_other_kinds(where: str, config: Any) -> None:
    from transformers import AutoModelForSeq2SeqLM as Kinds

    is_known = type(config) in Kinds._model_mapping
    if not is_known and Kinds.__name__ not in (getattr(config, "auto_map", None) or {}):
        raise UserError(
            f'{where} is a "{config.model_type}", which is no encoder-decoder: name a model that'
            " translates."
        )


def _restored(where: str, config: Any) -> Any:
    """The model of a folder in 8 bits, made without weights and then given them.

    To initialise them first would take seconds.
    """
    from transformers import AutoModelForSeq2SeqLM, GenerationConfig
    from transformers.initialization import no_init_weights

    with reading(where):
        kind: Any = AutoModelForSeq2SeqLM._model_mapping[type(config)]
        weights = restore(where)
        with no_init_weights(), torch.device("meta"):
            model = kind(config)
        surplus = model.load_state_dict(weights, assign=True, strict=False).unexpected_keys
        model.tie_weights()
        found = {
            "missing_keys": [],
            "mismatched_keys": [],
            "unexpected_keys": surplus,
            "error_msgs": [],
        }
        if any(tensor.is_meta for tensor in (*model.parameters(), *model.buffers())):
            model, found = kind.from_pretrained(
                None, config=config, state_dict=weights, output_loading_info=True
            )
        check_weights(where, model, found)
        if (Path(where) / "generation_config.json").is_file():
            model.generation_config = GenerationConfig.from_pretrained(where)
    return model


def _tokenizer(where: str, trust_remote_code: bool = False) -> Any:
    from transformers import AutoTokenizer, MarianTokenizer

    is_marian = (Path(where) / "source.spm").is_file()
    for name in ("target.spm", "vocab.json") if is_marian else ():
        if not (Path(where) / name).is_file():
            raise UserError(
                f"{where} has no {name}, which belongs to source.spm: copy the whole folder of the"
                " model."
            )
    kind: Any = (
        MarianTokenizer
        if is_marian and not (trust_remote_code and _has_own_tokenizer(where))
        else AutoTokenizer
    )
    with warnings.catch_warnings(), reading(where):
        warnings.filterwarnings("ignore", "Recommended: pip install sacremoses")
        _refuse_empty(Path(where))
        tokenizer = kind.from_pretrained(where, trust_remote_code=trust_remote_code)
        tokenizer("a")  # settings of a wrong type are noticed here, and not by the first text
        return tokenizer


def _refuse_empty(folder: Path) -> None:
    """Raises at a file of SentencePiece that has no content.

    Where protobuf is installed, it would be read as a tokenizer without tokens.
    """
    for path in folder.glob("*.model"):
        if not path.stat().st_size:
            raise EOFError(f"{path.name} is empty")


def _has_own_tokenizer(where: str) -> bool:
    path = Path(where) / "tokenizer_config.json"
    return path.is_file() and "auto_map" in read_object(path)
