"""Training: a configuration in, a folder with the best model out.

A kill at any time costs a few minutes and changes nothing.

`train` is a generator of what happened, which the command line shows. The order of batches and
every random choice follow from the seed and the number of the update, so a run that goes on from a
checkpoint is the run it would have been.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import sentencepiece
import torch
import transformers

from gridbeam.errors import UserError
from gridbeam.evaluation.metrics import bleu
from gridbeam.support.output_files import recover
from gridbeam.support.signature import signature
from gridbeam.text.parallel import aligned
from gridbeam.training import checkpoint, log, sentencepieces
from gridbeam.training.average import RunningAverage
from gridbeam.training.checkpoint import Position
from gridbeam.training.config import Config, Corpus, as_json, differences, from_json
from gridbeam.training.corpus import Pairs
from gridbeam.training.events import Event, TrainingProgress, Validation
from gridbeam.training.learners import build
from gridbeam.training.meter import Meter
from gridbeam.training.minibatches import Batches
from gridbeam.training.optimizers import learning_rate, optimizer_of
from gridbeam.training.prepare import digests, prepare, text_sets
from gridbeam.training.ranks import Ranks
from gridbeam.training.updates import Updates
from gridbeam.translation.translator import Translator

_MAY_CHANGE = {
    f"training.{key}"
    for key in (
        "updates",
        "cooldown",
        "validate_every",
        "patience",
        "save_every",
        "log_every",
        "compile",
    )
}


def train(config: Config, run: Path, data: Path) -> Iterator[Event]:
    """Trains in the folder `run`, or resumes the run there; `run/best` then has the best model."""
    ranks = Ranks.start()
    transformers.logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        yield from _TrainingRun(config, run, data, ranks).events()
    finally:
        ranks.end()


class _TrainingRun:
    """One run: what it has on disk, and what it has in memory."""

    def __init__(self, config: Config, folder: Path, data: Path, ranks: Ranks) -> None:
        self.config, self.training, self.folder, self.data, self.ranks = (
            config,
            config.training,
            folder,
            data,
            ranks,
        )
        self.vocabulary, self.log, self.encoded = (
            folder / "vocabulary.model",
            folder / "log.jsonl",
            folder / "data",
        )

    def events(self) -> Iterator[Event]:
        problem = ""
        if self.ranks.is_first:
            try:
                self._claim()
                yield from prepare(
                    self.config, self.data, self.vocabulary, self.encoded, self.ranks.device
                )
                self._sign()
            except UserError as error:
                problem = str(error)
        if problem := self.ranks.agreed(problem):
            raise UserError(problem) if self.ranks.is_first else SystemExit(2)
        self._build()
        start = Position(processes=self.ranks.world)
        position = (
            checkpoint.load(self.folder / "last", self.learner.network, self.optimizer) or start
        )
        if position.processes != self.ranks.world:
            raise UserError(
                f"{self.folder} was trained by {position.processes} processes: go on with as many,"
                " or use another --out."
            )
        if self.ranks.is_first:
            self.seconds, self.tokens = log.cut(self.log, position.update)
        self.updates = Updates(
            self.learner,
            self.optimizer,
            self.training,
            self.ranks,
            self.config.seed,
            self.average,
        )
        yield from self._loop(position)

    def _claim(self) -> None:
        """Writes down the configuration, or makes sure that it is the one this run began with."""
        path = self.folder / "config.json"
        if path.exists():
            changed = [
                key for key in differences(_read(path), self.config) if key not in _MAY_CHANGE
            ]
            if changed:
                raise UserError(
                    f"{path}: this run began with another {changed[0]}. Go on as it began, or use"
                    " another --out."
                )
        checkpoint.put(path, as_json(self.config))
        for name in ("last", "best"):
            recover(self.folder / name)

    def _sign(self) -> None:
        """Writes what the run was made with: versions, commit, machine, and hashes of all text."""
        about = {"signature": signature(), "data": digests(self.config, self.data)}
        checkpoint.put(self.folder / "signature.json", json.dumps(about, indent=2) + "\n")

    def _build(self) -> None:
        torch.manual_seed(self.config.seed)
        vocab_size = len(sentencepiece.SentencePieceProcessor(model_file=str(self.vocabulary)))
        self.learner = build(
            self.config.network,
            vocab_size,
            self.training.label_smoothing,
            pad=sentencepieces.pad_of(self.vocabulary),
        ).to(self.ranks.device)
        if self.training.start_from:
            self.learner.begin(
                Path(self.training.start_from),
                self.vocabulary,
                has_other_pieces=bool(self.config.vocabulary.file),
            )
        self.optimizer = optimizer_of(self.learner, self.training, self.ranks.device)
        self.average = RunningAverage(self.optimizer, self.training.average)
        sets = text_sets(self.config, self.data, self.vocabulary, self.encoded)
        parts = [item for item in sets if item.kind == "corpus" for _ in range(item.pair.repeat)]
        sizes = {"tokens": self.training.batch_tokens, "sentences": self.training.batch_sentences}
        about: Any = {
            "pad": self.learner.pad,
            "seed": self.config.seed,
            "device": self.ranks.device,
            **sizes,
        }
        self.batches = Batches(Pairs.joined(Pairs.load(part.path) for part in parts), **about)
        self.development: dict[str, tuple[Corpus, Batches]] = {}
        for item in sets:
            if item.kind == "development":
                pairs = Pairs.load(item.path)
                if not len(pairs):
                    raise UserError(
                        f"{item.pair.target}: every pair of this development set is empty or too"
                        " long. Give another."
                    )
                name = Path(item.pair.target).name
                self.development[item.pair.target if name in self.development else name] = (
                    item.pair,
                    Batches(pairs, **about),
                )
        self.seconds, self.tokens = 0.0, 0

    def _loop(self, position: Position) -> Iterator[Event]:
        meter = Meter(self.seconds, self.tokens)
        while position.update < self.training.updates and not self._has_lost_patience(position):
            with meter.waiting():
                order = self.batches.epoch(position.epoch)
            order = (
                order[: len(order) // self.ranks.world * self.ranks.world]
                or order * self.ranks.world
            )
            for place in range(position.batch, len(order), self.ranks.world):
                with meter.waiting():
                    batch = self.batches.batch(order[place + self.ranks.rank])
                meter.add(
                    self.updates.make(position.update, batch),
                    batch.target_tokens * self.ranks.world,
                )
                position = replace(
                    position, update=position.update + 1, batch=place + self.ranks.world
                )
                is_last = position.update == self.training.updates
                is_tried = is_last or position.update % self.training.validate_every == 0
                is_saved = is_tried or position.update % self.training.save_every == 0
                # What is saved is reported, so that a run that goes on from there reports the same.
                if is_saved or position.update % self.training.log_every == 0:
                    yield from self._logged(
                        meter.report(position, learning_rate(position.update - 1, self.training))
                    )
                if is_tried:
                    with meter.paused():
                        position, validation = self._validated(position)
                    yield from self._logged(validation)
                if is_saved:
                    self._save(position)
                if is_last or self._has_lost_patience(position):
                    return
            position = replace(position, epoch=position.epoch + 1, batch=0)

    def _has_lost_patience(self, position: Position) -> bool:
        return 0 < self.training.patience <= position.since_best

    def _validated(self, position: Position) -> tuple[Position, Validation]:
        """How the model does on the development sets; the best is kept as a folder of its own."""
        return self.ranks.agreed(self._tried(position) if self.ranks.is_first else None)

    def _tried(self, position: Position) -> tuple[Position, Validation]:
        found, candidate = {}, self.folder / "candidate"
        with self.average.in_place():
            loss, source_gain = self._development_loss()
            with checkpoint.replaced(candidate, f"the model of update {position.update}") as new:
                self.learner.save(new, self.config, self.vocabulary)
        if self.training.bleu_sentences:
            for name, (pair, _) in self.development.items():
                found[name] = self._bleu(candidate, pair)
        measure = sum(found.values()) / len(found) if self.training.best_by == "bleu" else -loss
        is_best = position.best is None or measure > position.best
        if is_best:
            with checkpoint.replaced(self.folder / "best", "the best model") as new:
                new.rmdir()
                candidate.rename(new)
            position = replace(position, best=measure, since_best=0)
        else:
            shutil.rmtree(candidate)
            position = replace(position, since_best=position.since_best + 1)
        return position, Validation(
            position.update, round(loss, 5), round(source_gain, 5), found, is_best
        )

    @torch.no_grad()
    def _development_loss(self) -> tuple[float, float]:
        """The negative log-probability of a development token, and how much other sources add."""
        self.learner.eval()
        sums, tokens = [0.0, 0.0], 0
        for _, batches in self.development.values():
            for numbers in batches.epoch(0):
                batch = batches.batch(numbers)
                for place, given in enumerate(
                    (batch, replace(batch, source=batch.source.roll(1, 0)))
                ):
                    with self.updates.precision():
                        sums[place] += float(self.learner(given)[1])
                tokens += batch.target_tokens
        return sums[0] / tokens, (sums[1] - sums[0]) / tokens

    def _bleu(self, model: Path, pair: Corpus) -> float:
        """BLEU of some sentences of a development set, as translated by the saved model."""
        texts = _spread(
            list(aligned(self.data / pair.source, self.data / pair.target)),
            self.training.bleu_sentences,
        )
        translator = Translator.load(str(model), target=pair.language, device=self.ranks.device)
        found = translator.translate_all(
            [source for source, _ in texts], beam=self.training.bleu_beam, split=False
        )
        return round(
            bleu([translation.text for translation in found], [target for _, target in texts]), 2
        )

    def _save(self, position: Position) -> None:
        if self.ranks.is_first:
            checkpoint.save(self.folder / "last", position, self.learner.network, self.optimizer)

    def _logged(self, event: TrainingProgress | Validation) -> Iterator[Event]:
        if self.ranks.is_first:
            log.write(self.log, event)
            yield event


def _spread(texts: list[tuple[str, str]], number: int) -> list[tuple[str, str]]:
    """So many of them from all over the set, whose first ones may be of one kind."""
    number = min(number, len(texts))
    return [texts[place * len(texts) // number] for place in range(number)]


def _read(path: Path) -> Config:
    """The configuration that a run began with."""
    try:
        return from_json(path.read_text("utf8"))
    except (OSError, ValueError) as error:
        raise UserError(
            f"{path} is damaged, or of another version of gridbeam: {error}. Use another --out."
        ) from None
