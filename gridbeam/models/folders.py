"""What is read from the folder of a model: no code of it is run unasked, damage is a `UserError`.

Libraries complain of a damaged file in many ways. Whatever reads a folder does so within `reading`,
which turns all of them into a message that names the file, where it can be told, and the remedy.
The library's own error stays its cause.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from pickle import PickleError
from typing import Any

from huggingface_hub.errors import StrictDataclassError
from safetensors import SafetensorError, safe_open

from gridbeam.errors import UserError, UserNotice

DAMAGE = (
    OSError,  # a file that is not there, or whose JSON transformers cannot read
    EOFError,
    ValueError,  # JSON, UTF-8, settings that contradict each other
    RuntimeError,  # SentencePiece; sizes that do not fit; JSON that is nested too deeply
    SafetensorError,
    PickleError,
    StrictDataclassError,  # a setting of a wrong type
    LookupError,  # a setting that is missing, or that names nothing
    TypeError,
    AttributeError,
    ArithmeticError,  # a size of 0, or one too large
    AssertionError,  # torch: a token that is not in the vocabulary
)
"""What libraries raise over damaged files; NameError or SyntaxError is a program's mistake."""

_AGAIN = "copy the whole folder of the model again"
_TOLD_BY_MESSAGE = (OSError, ValueError, RuntimeError, SafetensorError, StrictDataclassError)
_SENTENCEPIECE = (".spm", "spiece.model", "sentencepiece.bpe.model")
_SIZES = ("_layers", "_heads", "_dim", "d_model", "vocab_size", "max_position_embeddings")
"""What names of sizes in a config.json end with."""
_CHANCES = ("dropout", "layerdrop")
"""What names of chances in a config.json end with."""
LARGEST = 1 << 26
"""No model has more of anything that is counted."""
_MOST_NAMED = 3
"""No message names more weights."""


@contextmanager
def reading(where: str | Path) -> Iterator[None]:
    """Within it, complaints over a folder or a name on the hub are `UserError`s."""
    try:
        yield
    except UserError:
        raise
    except ImportError as error:
        raise UserError(
            f"{where} could not be loaded: {_reason(error)} Install what it needs."
        ) from error
    except Exception as error:
        # tokenizers raises plain exceptions.
        if not isinstance(error, DAMAGE) and type(error) is not Exception:
            raise
        raise UserError(_complaint(Path(where), error)) from error


def read_object(path: Path) -> dict[str, Any]:
    """The JSON object in a file."""
    try:
        found = json.loads(path.read_text(encoding="utf8"))
    except FileNotFoundError as error:
        raise UserError(f"{path.parent} has no {path.name}: {_AGAIN}.") from error
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"{path} is not JSON ({_reason(error)[:-1]}): {_AGAIN}.") from error
    if not isinstance(found, dict):
        raise UserError(
            f"{path} holds a {type(found).__name__} instead of a JSON object: {_AGAIN}."
        )
    return found


def languages_of(config: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """What a config.json says under "gridbeam": `source` and `targets`, or nothing of languages."""
    known = config.get("gridbeam", {})
    if not isinstance(known, dict):
        raise UserError(
            f'{path}: "gridbeam" is {json.dumps(known)}, which is no JSON object: {_AGAIN}.'
        )
    if "source" not in known and "targets" not in known:
        return {}
    source, targets = known.get("source"), known.get("targets")
    if not isinstance(source, str) or not _are_names(targets):
        found = f'"source" is {json.dumps(source)} and "targets" is {json.dumps(targets)}'
        raise UserError(
            f'{path}: in "gridbeam" {found}, instead of a language and a list of languages:'
            f" {_AGAIN}."
        )
    return {"source": source, "targets": targets}


def check_sizes(config: Mapping[str, Any], path: Path) -> None:
    """Refuses a config.json whose sizes are none: libraries build something else of them.

    The same for chances, which libraries look at only when they are used.
    """
    for name, value in config.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        is_wrong_size = name.endswith(_SIZES) and is_number and not 1 <= value <= LARGEST
        is_wrong_chance = name.endswith(_CHANCES) and is_number and not 0 <= value <= 1
        if is_wrong_size or is_wrong_chance:
            raise UserError(
                f'{path.parent} could not be loaded: {path.name} says "{name}" is'
                f" {json.dumps(value)}, which is no {'size' if is_wrong_size else 'chance'}. If it"
                f" is damaged, {_AGAIN}."
            )


def check_vocabulary(where: str | Path, tokenizer: Any) -> None:
    """Refuses a tokenizer whose tokens have something else than ids."""
    for token, number in tokenizer.get_vocab().items():
        if type(number) is not int or not 0 <= number <= LARGEST:
            raise UserError(
                f'{where}: the token "{token}" has the id {number!r}, which is none: {_AGAIN}.'
            )


def read_network(where: str | Path, *, trust_remote_code: bool = False) -> Any:
    """The encoder-decoder of a folder, or of a name on the hub, with all of its weights."""
    from transformers import AutoModelForSeq2SeqLM

    options: dict[str, Any] = {"trust_remote_code": trust_remote_code, "weights_only": True}
    with reading(where):
        model, found = AutoModelForSeq2SeqLM.from_pretrained(
            where, output_loading_info=True, ignore_mismatched_sizes=True, **options
        )
    check_weights(where, model, found)
    return model


def check_weights(where: str | Path, model: Any, found: Mapping[str, Any]) -> None:
    """Refuses weights that do not fit the config: transformers would go on with random ones."""
    surplus = sorted(found["unexpected_keys"])
    wrong = [f"{name} is missing" for name in sorted(found["missing_keys"])]
    for name, stored, wanted in sorted(found["mismatched_keys"]):
        wrong.append(f"{name} is {list(stored)} instead of {list(wanted)}")
    if hasattr(model.config, "gridbeam"):  # in a folder of somebody else's there may be more
        wrong += [f"{name} is too many" for name in surplus]
    if wrong or found["error_msgs"]:
        what = _some([*wrong, *map(str, found["error_msgs"])])
        raise UserError(f"{where}: the weights do not fit its config.json ({what}): {_AGAIN}.")
    if surplus:
        warnings.warn(
            f"{where}: weights that the network does not have are left out: {_some(surplus)}.",
            UserNotice,
            stacklevel=2,
        )


def _complaint(where: Path, error: Exception) -> str:
    if "trust_remote_code" in str(error):
        return (
            f"{where} needs Python code of its own, and no code of a model is run unasked. Once you"
            " have read the code and trust it, load the model in Python with Translator.load(...,"
            " trust_remote_code=True)."
        )
    if not where.is_dir():
        return (
            f"{where} could not be loaded: {_reason(error)} Name a folder, or a model on the hub."
        )
    for path in sorted(where.iterdir()):
        if damage := _damage(path):
            return f"{path} is damaged or cut off ({damage[:-1]}): {_AGAIN}."
    return (
        f"{where} could not be loaded: {_reason(error)} If its files are damaged or come from"
        f" several models, {_AGAIN}."
    )


def _damage(path: Path) -> str:
    """What is wrong with a file of a model, or nothing."""
    try:
        _try(path)
    except (*DAMAGE, UserError) as error:
        return _reason(error)
    return ""


def _try(path: Path) -> None:
    """Reads a file as what its name says."""
    if path.name.endswith(".json") and not isinstance(
        json.loads(path.read_text(encoding="utf8")), dict
    ):
        raise ValueError("it holds no JSON object")
    if path.name.endswith(".safetensors"):
        with safe_open(path, framework="pt"):
            pass
    if path.name.endswith(_SENTENCEPIECE):
        import sentencepiece

        sentencepiece.SentencePieceProcessor(model_file=str(path))


def _reason(error: Exception) -> str:
    """What an error says, as a sentence on one line."""
    lines = str(error).strip().splitlines() or [""]
    said = " ".join(line.strip() for line in lines[: 1 + lines[0].endswith(":")])
    if not isinstance(error, _TOLD_BY_MESSAGE) or not said:
        said = f"{type(error).__name__}: {said}".rstrip(": ")
    return said.rstrip(".") + "."


def _are_names(found: object) -> bool:
    return isinstance(found, list) and found != [] and all(isinstance(each, str) for each in found)


def _some(names: Sequence[str]) -> str:
    rest = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {rest} more" if rest > 0 else "")
