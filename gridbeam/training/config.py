"""What to train, on what and how: a TOML file, read into frozen values.

What it does not know, it names.

Each table of the file is one class here; a key is documented under its field.
"""

from __future__ import annotations

import dataclasses
import difflib
import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from gridbeam.errors import UserError
from gridbeam.training.corpus import Cleaning
from gridbeam.training.sentencepieces import VocabularyOptions


@dataclass(frozen=True)
class Corpus:
    """Two files that are aligned line by line, plain or .xz.

    Paths are relative to the folder of the data.
    """

    source: str
    target: str
    language: str
    """The language of `target`."""
    repeat: int = 1
    """How many times an epoch goes through it."""
    placeholders: float = 0.0
    """In which share of the pairs names and numbers, where there are any, give their places to
    placeholders such as {0}."""
    varied: float = 0.0
    """In which share of the pairs the text is varied, where it can be: other capitals, no full
    stop, codes in the places of placeholders, several labels in a list."""
    told: float = 0.0
    """In which share of the pairs the source tells some words of the target, beside the words that
    they translate or at its end: the model learns to use a glossary."""
    held_out: int = 0
    """One pair in so many, by a hash of its source, is left out, for others to test on; 0: none."""


@dataclass(frozen=True)
class Network:
    """What is trained."""

    kind: Literal["marian", "gru"]
    """marian: a transformer; gru: the paper's."""
    encoder_layers: int = 6
    decoder_layers: int = 2
    width: int = 512
    heads: int = 8
    feed_forward: int = 2048
    dropout: float = 0.1
    positions: int = 512
    """The longest text that a transformer can read or write, in tokens."""
    embedding: int = 300
    """The size of the embeddings (gru)."""
    hidden: int = 1000
    """The size of the recurrent layers (gru)."""


@dataclass(frozen=True)
class Training:
    """How it is trained."""

    updates: int
    start_from: str = ""
    """The folder of a model that learns on, with its vocabulary, instead of one that has learned
    nothing."""
    batch_tokens: int = 0
    """The padded tokens of a batch, on its longer side; or give batch_sentences."""
    batch_sentences: int = 0
    optimizer: Literal["adamw", "adadelta"] = "adamw"
    learning_rate: float = 1e-3
    schedule: Literal["cosine", "inverse_sqrt", "constant"] = "cosine"
    """How the learning rate falls after the warm-up: to zero at the last update, with the root of
    the updates, not at all."""
    warmup: int = 0
    """Over how many updates the learning rate rises to its height."""
    cooldown: int = 0
    """Over how many updates, the last of `updates`, it falls to zero in a straight line, in
    addition to the schedule."""
    weight_decay: float = 0.0
    """Decoupled from the gradient (adamw)."""
    l2: float = 0.0
    """The weight of the sum of squares of all parameters in the loss."""
    clip: float = 1.0
    """The largest norm of a gradient."""
    label_smoothing: float = 0.0
    average: float = 0.0
    """The decay of a running average of the weights, such as 0.9995, which is then what is tried
    and kept; 0: the weights as they are."""
    loss_per: Literal["token", "sentence"] = "token"
    """Whether the loss is the mean over tokens, or over sentences of the sum over their tokens, as
    in the paper's software."""
    validate_every: int = 1000
    """After how many updates the model is tried on the development sets."""
    patience: int = 0
    """After how many validations without a better one training ends; 0: never."""
    best_by: Literal["bleu", "loss"] = "bleu"
    """Which measure says what is better."""
    bleu_sentences: int = 200
    """How many sentences from all over each development set are translated for BLEU; 0: none, and
    best_by must be loss."""
    bleu_beam: int = 1
    save_every: int = 500
    """After how many updates a checkpoint is written, besides those at validations."""
    log_every: int = 50
    precision: Literal["bf16", "float32"] = "bf16"
    """Of the gradients on a GPU; weights are kept in float32, and a CPU always computes in it."""
    compile: bool = False
    """Whether torch.compile makes network, loss and AdaDelta faster, after half a minute of making
    them (gru)."""
    graphs: bool = False
    """Whether a GPU is given whole updates at once, as CUDA graphs (gru, one process); a CPU pads
    batches alike."""


@dataclass(frozen=True)
class Config:
    """A whole training run."""

    name: str
    source: str
    """The language of the sources."""
    corpus: tuple[Corpus, ...]
    development: tuple[Corpus, ...]
    network: Network
    training: Training
    vocabulary: VocabularyOptions = field(default_factory=VocabularyOptions)
    cleaning: Cleaning = field(default_factory=Cleaning)
    seed: int = 1

    @property
    def is_told(self) -> bool:
        """Whether the model learns to be told terms."""
        return any(corpus.told for corpus in self.corpus)

    @property
    def targets(self) -> tuple[str, ...]:
        """The target languages, in the order in which the corpora name them."""
        return tuple(dict.fromkeys(corpus.language for corpus in self.corpus))


def read(path: Path, changes: Sequence[str] = ()) -> Config:
    """The configuration in a TOML file, with `changes` such as "training.updates=100" made."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UserError(
            f"{path} cannot be read: {error.strerror}. Give a training configuration; configs/ has"
            " some."
        ) from None
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8: a training configuration is a TOML file") from None
    try:
        table = tomllib.loads(text)
    except ValueError as error:  # a number of thousands of digits is one, too
        raise UserError(f"{path}: {error}") from None
    except RecursionError:
        raise UserError(
            f"{path}: nested too deep. A configuration has tables of plain values."
        ) from None
    for change in changes:
        _make(change, table)
    changed = frozenset(change.partition("=")[0].strip() for change in changes)
    config: Config = _read(Config, table, _TableInFile(str(path), text, "", changed))
    _check(config, path)
    return config


def from_json(text: str) -> Config:
    """The configuration that `as_json` has written."""
    config: Config = _read(Config, json.loads(text), _TableInFile("config", text, ""))
    return config


def as_json(config: Config) -> str:
    """The configuration, every default included."""
    return json.dumps(dataclasses.asdict(config), indent=2, ensure_ascii=False) + "\n"


def differences(one: Any, other: Any, path: str = "") -> list[str]:
    """The keys in which two configurations differ, as "training.updates"."""
    if dataclasses.is_dataclass(one):
        names = [f.name for f in dataclasses.fields(one)]
        return [
            d
            for n in names
            for d in differences(getattr(one, n), getattr(other, n), f"{path}.{n}" if path else n)
        ]
    return [] if one == other else [path]


_HEAD = r"^[ \t]*\[+[ \t]*{}[ \t]*\]+"
_WORDS = {int: "a whole number", float: "a number", str: "a text in quotes", bool: "true or false"}
_LARGEST = 1 << 53
_MAY_BE_ZERO = {
    "batch_tokens",
    "batch_sentences",
    "warmup",
    "cooldown",
    "patience",
    "bleu_sentences",
    "sample",
    "seed",
    "held_out",
}


@dataclass(frozen=True)
class _TableInFile:
    """Where in a file a table stands, for messages."""

    file: str
    text: str
    table: str
    changed: frozenset[str] = frozenset()
    """The keys that were not taken from the file, but from --set."""

    def inside(self, key: str) -> _TableInFile:
        return replace(self, table=self.name(key))

    def line(self, key: str) -> str:
        """The file and the line of a key, as far as it can be told."""
        if self.name(key) in self.changed:
            return f"--set {self.name(key)}"
        start = self._start()
        head = re.compile(r"^[ \t]*\[", re.MULTILINE).search(self.text, start)
        end = head.start() if head else len(self.text)
        found = re.compile(rf"^[ \t]*{re.escape(key)}[ \t]*=", re.MULTILINE).search(
            self.text, start, end
        )
        found = found or (
            None if self.table else re.search(_HEAD.format(re.escape(key)), self.text, re.MULTILINE)
        )
        return self._at(found.end()) if found else self.here

    @property
    def here(self) -> str:
        """The file and the line where the table begins."""
        return self._at(self._start()) if self.table and self._start() else self.file

    def _start(self) -> int:
        """Where the text of the table begins, after its head; 0 where it has none."""
        name, _, number = self.table.removesuffix("]").partition("[")
        heads = (
            list(re.finditer(_HEAD.format(re.escape(name)), self.text, re.MULTILINE))
            if name
            else []
        )
        return heads[int(number or 0)].end() if len(heads) > int(number or 0) else 0

    def _at(self, offset: int) -> str:
        return f"{self.file} line {self.text.count(chr(10), 0, offset) + 1}"

    def name(self, key: str) -> str:
        return f"{self.table}.{key}" if self.table else key


def _make(change: str, table: dict[str, Any]) -> None:
    path, is_given, value = change.partition("=")
    if not is_given:
        raise UserError(f"--set {change}: write KEY=VALUE, as in --set training.updates=100")
    *tables, key = path.strip().split(".")
    for name in tables:
        table = table.setdefault(name, {})
        if not isinstance(table, dict):
            raise UserError(
                f"--set {change}: {name} is no single table, so it cannot be changed from outside;"
                " edit the file"
            )
    try:
        table[key] = tomllib.loads(f"value = {value}")["value"]
    except (ValueError, RecursionError):
        table[key] = value


def _read(kind: type[Any], table: Any, place: _TableInFile) -> Any:
    """A value of this class from a table."""
    if not isinstance(table, Mapping):
        raise UserError(
            f"{place.here}: {place.table or 'a configuration'} must be a table, not {table!r}"
        )
    hints = get_type_hints(kind)
    for key in table:
        if key not in hints:
            near = difflib.get_close_matches(key, hints, 1)
            advice = (
                f"Did you mean {near[0]}?" if near else f"The keys here are {', '.join(hints)}."
            )
            raise UserError(f"{place.line(key)}: unknown key {place.name(key)}. {advice}")
    fields = dataclasses.fields(kind)
    missing = [f.name for f in fields if f.name not in table and _is_required(f)]
    if missing:
        raise UserError(f"{place.here}: {place.name(missing[0])} is missing. {kind.__doc__}")
    return kind(**{key: _value(hints[key], value, key, place) for key, value in table.items()})


def _is_required(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _value(hint: Any, value: Any, key: str, place: _TableInFile) -> Any:
    """A value of this type; whole numbers pass for others, and nothing else does for anything."""
    if dataclasses.is_dataclass(hint):
        if not isinstance(value, Mapping):
            raise UserError(
                f"{place.line(key)}: {place.name(key)} must be a table, written"
                f" [{place.name(key)}], not {value!r}"
            )
        return _read(hint, value, place.inside(key))  # type: ignore[arg-type]
    if get_origin(hint) is tuple:
        if not isinstance(value, list) or not value:
            raise UserError(
                f"{place.line(key)}: {place.name(key)} must be one or more tables, written"
                f" [[{place.name(key)}]]"
            )
        return tuple(
            _read(get_args(hint)[0], item, place.inside(f"{key}[{n}]"))
            for n, item in enumerate(value)
        )
    if get_origin(hint) is Literal:
        if value not in get_args(hint):
            choices = ", ".join(map(str, get_args(hint)))
            raise UserError(
                f"{place.line(key)}: {place.name(key)} is {value!r}; choose one of {choices}"
            )
        return value
    fits = isinstance(value, hint) and (hint is bool or not isinstance(value, bool))
    if not fits and not (hint is float and type(value) is int):
        raise UserError(
            f"{place.line(key)}: {place.name(key)} is {value!r}, and must be {_WORDS[hint]}"
        )
    least = 1 if hint is int and key not in _MAY_BE_ZERO else 0
    if hint in (int, float) and not value >= least:
        raise UserError(
            f"{place.line(key)}: {place.name(key)} is {value}, and must be at least {least}"
        )
    if hint in (int, float) and value > _LARGEST:
        raise UserError(f"{place.line(key)}: {place.name(key)} is beyond any use: write less")
    return hint(value)


def _check(config: Config, path: Path) -> None:
    training = config.training
    if bool(training.batch_tokens) == bool(training.batch_sentences):
        raise UserError(
            f"{path}: give training.batch_tokens or training.batch_sentences, and not both"
        )
    if training.best_by == "bleu" and not training.bleu_sentences:
        raise UserError(f'{path}: training.bleu_sentences is 0, so training.best_by must be "loss"')
    if training.cooldown:
        _check_cooldown(training, path)
    if training.graphs:
        _check_graphs(config, path)
    if not training.clip:
        raise UserError(
            f"{path}: training.clip is 0, so nothing would be learned; give the largest norm of a"
            " gradient"
        )
    for name, share in (
        ("network.dropout", config.network.dropout),
        ("training.label_smoothing", training.label_smoothing),
        ("training.average", training.average),
    ):
        if share >= 1:
            raise UserError(f"{path}: {name} is {share}, and must be less than 1")
    if config.vocabulary.kind not in ("unigram", "bpe"):
        raise UserError(
            f"{path}: vocabulary.kind is {config.vocabulary.kind!r}; choose one of unigram, bpe"
        )
    unknown = [
        corpus.language for corpus in config.development if corpus.language not in config.targets
    ]
    if unknown:
        raise UserError(
            f"{path}: a development set is {unknown[0]}, and no corpus is; the languages are"
            f" {config.targets}"
        )
    if config.network.kind == "marian" and config.network.width % config.network.heads:
        raise UserError(f"{path}: network.width must be a multiple of network.heads")
    if (
        config.network.kind == "marian"
        and config.cleaning.max_tokens + 2 > config.network.positions
    ):
        raise UserError(
            f"{path}: cleaning.max_tokens must be at most network.positions - 2, for the language"
            " tag and the end"
        )


def _check_cooldown(training: Training, path: Path) -> None:
    if training.warmup + training.cooldown > training.updates:
        raise UserError(
            f"{path}: training.warmup and training.cooldown take"
            f" {training.warmup + training.cooldown} of {training.updates} updates; make them"
            " shorter"
        )
    if training.patience:
        raise UserError(
            f"{path}: training.patience may end a run before its training.cooldown; set one of them"
            " to 0"
        )


def _check_graphs(config: Config, path: Path) -> None:
    """A graph repeats an update with nothing changed but the batch and the learning rate."""
    training = config.training
    for key, found, needed in (
        ("network.kind", config.network.kind, "gru"),
        ("training.optimizer", training.optimizer, "adadelta"),
        ("training.loss_per", training.loss_per, "sentence"),
    ):
        if found != needed:
            raise UserError(
                f"{path}: training.graphs needs {key} = {needed!r}, and it is {found!r}; or set"
                " training.graphs to false"
            )
    if not training.batch_sentences:
        raise UserError(
            f"{path}: training.graphs needs training.batch_sentences; or set it to false"
        )
