"""Which models a server has, and which pairs of languages each of them translates.

    builtin          the model that ships, into every language it knows
    builtin:en-de    the same, into German only
    FOLDER           a model that training has written, into every language it knows
    NAME@en-de       any other model, where it does not say itself what it translates

Nothing is loaded here but the settings of models that say in them what they translate.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gridbeam.errors import UserError
from gridbeam.models.folders import languages_of, read_object
from gridbeam.models.load import FOLDERS, folder_of, load
from gridbeam.text.languages import is_same, is_written_alike, pair_of


@dataclass(frozen=True)
class ServedPair:
    """A model and two languages that it translates from and into."""

    model: str
    """What requests call the model: no path of this machine."""
    source: str
    target: str


@dataclass(frozen=True)
class ServedModel:
    """A model that is loaded once, and all pairs that it is asked for."""

    name: str
    """What `gridbeam.models.load` knows it by."""
    pairs: tuple[ServedPair, ...]


def served(names: Iterable[str]) -> tuple[ServedModel, ...]:
    """The models of these names, each once; raises where one is not there."""
    found: dict[str, list[ServedPair]] = {}
    for name in names:
        model = _served(name)
        pairs = found.setdefault(model.name, [])
        pairs += [pair for pair in model.pairs if pair not in pairs]
    return tuple(ServedModel(name, tuple(pairs)) for name, pairs in found.items())


def matching(
    pairs: Sequence[ServedPair], source: str | None, target: str | None, model: str | None
) -> ServedPair:
    """The first pair of what is asked for, whose codes are written so, or else of the language.

    What is None may be anything.
    """
    named = [pair for pair in pairs if model in (None, pair.model)]
    if not named:
        raise UserError(f'no model "{model}" is served: write {_listed(p.model for p in pairs)}.')
    for alike in (is_written_alike, is_same):
        for pair in named:
            is_from = source is None or alike(pair.source, source)
            if is_from and (target is None or alike(pair.target, target)):
                return pair
    known = _listed(f"{pair.source}-{pair.target}" for pair in named)
    raise UserError(f"nothing translates {_asked(source, target)} here: there is {known}.")


def _asked(source: str | None, target: str | None) -> str:
    if source is not None and target is not None:
        return f'"{source}-{target}"'
    return f'from "{source}"' if source is not None else f'into "{target}"'


def _served(name: str) -> ServedModel:
    name, _, languages = name.partition("@") if "@" in name.rpartition("/")[2] else (name, "", "")
    kind, _, pair = name.partition(":")
    if kind in FOLDERS:
        return _own(kind, pair)
    if languages:
        source, target = pair_of(languages)
        return ServedModel(
            f"{name}@{languages}", (ServedPair(_shown(name), str(source), str(target)),)
        )
    config = folder_of(name) / "config.json"
    known = languages_of(read_object(config), config) if config.is_file() else {}
    if known.get("targets"):
        pairs = [ServedPair(_shown(name), known["source"], each) for each in known["targets"]]
        return ServedModel(name, tuple(pairs))
    found = load(name)
    if found.source is None or found.target is None:
        raise UserError(f"{name} does not say what it translates: write {name}@en-de, say.")
    return ServedModel(name, (ServedPair(_shown(name), found.source, found.target),))


def _own(kind: str, pair: str) -> ServedModel:
    config = FOLDERS[kind] / "config.json"
    known = languages_of(read_object(config), config)
    source, targets = known["source"], known["targets"]
    wanted = [pair] if pair else [f"{source}-{target}" for target in targets]
    pairs = [
        ServedPair(f"{kind}:{each}", source, each.partition("-")[2])
        for each in wanted
        if each.partition("-")[::2] in [(source, target) for target in targets]
    ]
    if not pairs:
        known_pairs = _listed(f"{kind}:{source}-{target}" for target in targets)
        raise UserError(f'no {kind} model translates "{pair}": write {known_pairs}.')
    return ServedModel(kind, tuple(pairs))


def _shown(name: str) -> str:
    """What requests call a model: of a folder its last name."""
    kind, _, rest = name.partition(":")
    return Path(rest if kind in ("hf", "gru") else name).name or name


def _listed(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names))
