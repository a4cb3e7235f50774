"""The engines of a server: one for each pair of languages, loaded when it is first asked for.

A model that knows several languages is loaded once, and its weights serve all of them.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Mapping

from gridbeam.errors import UserError
from gridbeam.models.load import FOLDERS, Loaded, load, turned
from gridbeam.server.refusal import Refusal, Refused
from gridbeam.server.served import ServedModel, ServedPair, matching
from gridbeam.serving.engine import Engine
from gridbeam.serving.limits import EngineLimits
from gridbeam.text.languages import pair_of
from gridbeam.translation.translator import Translator

_LOG = logging.getLogger("gridbeam")


class Engines:
    """The engines of some models; safe to use from many threads."""

    def __init__(self, models: Iterable[ServedModel], *, queue: int) -> None:
        self._models = tuple(models)
        self._limits = EngineLimits(queue=queue)
        self._weights: dict[str, Loaded] = {}
        self._lock = threading.Lock()
        self._engines: dict[ServedPair, Engine] = {}
        self._loading: threading.Thread | None = None
        self._is_closing = False
        self.seconds: dict[str, float] = {}
        """How long each model took to load."""

    def pairs(self) -> list[ServedPair]:
        """All pairs, in the order in which models were named."""
        return [pair for model in self._models for pair in model.pairs]

    def of(self, source: str | None, target: str | None, model: str | None = None) -> Engine:
        """The engine for these languages; loads its model first where nobody has asked before."""
        return self.at(matching(self.pairs(), source, target, model))

    def at(self, pair: ServedPair) -> Engine:
        """The engine of a pair."""
        found = self._engines.get(pair)
        return self._started(pair) if found is None else found

    def is_ready(self, pair: ServedPair) -> bool:
        """Whether the engine of a pair is there, so that nobody waits for it."""
        return pair in self._engines

    def running(self) -> Mapping[ServedPair, Engine]:
        """The engines that are there."""
        return dict(self._engines)

    def warm(self) -> None:
        """Loads all models, one after the other, in a thread of its own."""
        if self._loading is None:
            self._loading = threading.Thread(target=self._load_all, name="loading", daemon=True)
            self._loading.start()

    def close(self) -> None:
        """Ends all engines, and what they search for; a model that is being loaded is awaited."""
        self._is_closing = True
        if self._loading is not None:
            self._loading.join()
        for engine in self._engines.values():
            engine.close()

    def _load_all(self) -> None:
        for pair in self.pairs():
            if self._is_closing:
                return
            try:
                self.at(pair)
            except Exception:  # whoever asks for it gets the same
                _LOG.exception("%s cannot be loaded", pair.model)

    def _started(self, pair: ServedPair) -> Engine:
        model = next(each for each in self._models if pair in each.pairs)
        with self._lock:  # libraries do not like to be imported by two threads at once
            if pair not in self._engines:
                translator = _translator(self._loaded(model), pair.target)
                self._engines[pair] = Engine(translator, self._limits)
            return self._engines[pair]

    def _loaded(self, model: ServedModel) -> Loaded:
        """The weights of a model; where they cannot be read, the server is at fault."""
        if model.name not in self._weights:
            began = time.monotonic()
            try:
                self._weights[model.name] = _load(model)
            except UserError as error:
                told = f"the model {model.pairs[0].model} cannot be loaded"
                raise Refused(Refusal(503, told, remedy="See the log of the server.")) from error
            self.seconds[model.name] = time.monotonic() - began
        return self._weights[model.name]


def _load(model: ServedModel) -> Loaded:
    first = model.pairs[0]
    if model.name in FOLDERS:
        return load(f"{model.name}:{first.source}-{first.target}")
    name, _, languages = model.name.partition("@")
    source, target = pair_of(languages or None)
    return load(name, source=source, target=target or first.target)


def _translator(found: Loaded, target: str) -> Translator:
    own = turned(found, target)
    return Translator(
        own.model,
        own.tokenizer,
        tag=own.tag,
        source=own.source,
        target=own.target,
        positions=own.positions,
    )
