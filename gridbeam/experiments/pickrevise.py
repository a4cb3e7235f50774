"""Pick-Revise, section 4.1: in each cycle a simulated user corrects every translation.

All are then translated anew. A sentence that the user has nothing to say about stays as it is and
is not searched again. The log has a line for each sentence of each cycle, and at the end of a cycle
its summary.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, Literal, TypeAlias, get_args

from rich.console import Console

from gridbeam.decoding.options import SearchOptions
from gridbeam.distributed.engines import WorkerEngine
from gridbeam.distributed.requests import ManyTranslators, many_translators
from gridbeam.editing.effort import Effort
from gridbeam.errors import UserError
from gridbeam.experiments.cycles import summary
from gridbeam.experiments.defaults import EXPERIMENTS
from gridbeam.experiments.draft import PlayedDraft
from gridbeam.experiments.log import SUMMARY, Log, header
from gridbeam.experiments.picking import CHOICES, MODES, Choice, Mode
from gridbeam.experiments.reference import ReferenceText, WordReader, in_tokens
from gridbeam.experiments.users import METHODS, Correction, Method, method
from gridbeam.support.output_files import refuse_overwriting
from gridbeam.support.progress import progress
from gridbeam.text.parallel import aligned
from gridbeam.translation.request import Request
from gridbeam.translation.translator import Translator

EXPERIMENT = "pick-revise"
Units: TypeAlias = Literal["words", "tokens"]
"""What a phrase has up to three of: words, or tokens of the model, which may be parts of words."""


@dataclass(frozen=True)
class PickReviseSetting:
    """What is tried on what; the same setting gives the same numbers."""

    source: Path
    reference: Path
    model: str
    target: str | None = None
    name: str | None = None
    """What the test set is called in reports; without it, the name of its file."""
    method: str = "pick"
    units: Units = "words"
    mode: Mode = "strict"
    pick: Choice = "first"
    seed: int = 1
    search: SearchOptions = EXPERIMENTS
    limit: int | None = None
    """How many sentences, from the first; without it, all."""

    def __post_init__(self) -> None:
        for option, value, choices in (
            ("method", self.method, METHODS),
            ("units", self.units, get_args(Units)),
            ("mode", self.mode, MODES),
            ("pick", self.pick, CHOICES),
        ):
            if value not in choices:
                raise UserError(
                    f"--{option} {value}: must be {', '.join(choices[:-1])} or {choices[-1]}."
                )

        if self.units != "words" and self.method != "pick":
            raise UserError(f"--units {self.units} is for --method pick: leave out one of them.")

    def reading(self, translator: Translator | ManyTranslators, device: str | None) -> WordReader:
        """How texts are divided into what the user gives up to three of.

        The tokens are those of the translator, or of its model where workers hold it.
        """
        if self.units == "words":
            return ReferenceText.of
        if not isinstance(translator, Translator):
            translator = Translator.load(self.model, target=self.target, device=device)
        return in_tokens(translator)

    def corrected_by(self, read: WordReader) -> Method:
        """How the simulated user goes about it."""
        return method(self.method, self.mode, self.pick, read)

    def header(self, languages: str) -> dict[str, Any]:
        """What identifies a run."""
        options: dict[str, Any] = {
            "name": self.name or self.source.name.split(".")[0],
            "languages": languages,
        }
        options |= {"method": self.method, "limit": self.limit}
        if self.method == "pick":
            options |= {"mode": self.mode, "pick": self.pick} | (
                {"seed": self.seed} if self.pick == "random" else {}
            )
            options |= {"units": self.units} if self.units != "words" else {}
        return header(
            EXPERIMENT,
            model=self.model,
            data=[self.source, self.reference],
            search=self.search,
            options=options,
        )


def run(
    setting: PickReviseSetting,
    out: Path,
    *,
    cycles: int = 3,
    batch_size: int = 64,
    device: str | None = None,
    engine: WorkerEngine | None = None,
    console: Console | None = None,
) -> Log:
    """Carries out all cycles, going on with what the log has.

    With an engine by many workers, and the same is logged but for the order and how long it took.
    """
    refuse_overwriting({"--out": out}, {"--src": setting.source, "--ref": setting.reference})
    pairs = read_pairs(setting.source, setting.reference, setting.limit)
    with ExitStack() as held:
        translator = held.enter_context(_translator(setting, device, engine))
        languages = f"{translator.source or '?'}-{translator.target or '?'}"
        log = held.enter_context(Log(out, setting.header(languages)))
        _take_down(pairs, log)
        read = setting.reading(translator, device)
        experiment = _PickRevise(pairs, setting, read, translator, log, batch_size)
        for cycle in range(cycles + 1):
            if console is not None:
                console.print(f"cycle {cycle} of {cycles}", highlight=False)
            experiment.carry_out(cycle, console)
    return log


@contextmanager
def _translator(
    setting: PickReviseSetting, device: str | None, engine: WorkerEngine | None
) -> Iterator[Translator | ManyTranslators]:
    """What translates: a model in this process, or workers."""
    if engine is None:
        yield Translator.load(setting.model, target=setting.target, device=device)
        return
    with many_translators(
        setting.model, engine, target=setting.target, device=device
    ) as translator:
        yield translator


def read_pairs(source: Path, reference: Path, limit: int | None) -> list[tuple[str, str]]:
    """The sentences of a test set with their references; none is blank."""
    pairs = list(islice(aligned(source, reference), limit))
    if not pairs:
        raise UserError(f"{source} is empty: give a test set, a sentence a line.")
    for number, pair in enumerate(pairs, 1):
        for path, text in zip((source, reference), pair, strict=True):
            if not text.strip():
                raise UserError(f"{path} line {number} is blank. Remove the line from both files.")
    return pairs


def _take_down(pairs: Sequence[tuple[str, str]], log: Log) -> None:
    """Puts the sentences into the log, so that examples can be shown from it alone."""
    for number, (source, reference) in enumerate(pairs):
        if f"pair/{number}" not in log:
            log.add(
                {
                    "key": f"pair/{number}",
                    "kind": "pair",
                    "number": number,
                    "source": source,
                    "reference": reference,
                }
            )


class _PickRevise:
    """A run: the sentences, and what is done with them in a cycle."""

    def __init__(
        self,
        pairs: Sequence[tuple[str, str]],
        setting: PickReviseSetting,
        read: WordReader,
        translator: Translator | ManyTranslators,
        log: Log,
        batch_size: int,
    ) -> None:
        self._sources = [source for source, _ in pairs]
        self._references = [read(reference) for _, reference in pairs]
        self._setting, self._translator, self._log, self._batch_size = (
            setting,
            translator,
            log,
            batch_size,
        )
        self._method = setting.corrected_by(read)

    def carry_out(self, cycle: int, console: Console | None) -> None:
        """Corrects and translates every sentence that is not done yet, and sums the cycle up."""
        before = self._drafts(cycle - 1)
        due = [draft for draft in before if f"{cycle}/{draft.number}" not in self._log]
        corrections = [self._correction(draft, cycle) for draft in due]
        turns = [
            (draft, said) for draft, said in zip(due, corrections, strict=True) if said is not None
        ]
        for draft, said in zip(due, corrections, strict=True):
            if said is None:
                self._log.add(draft.kept(cycle).as_record())
        with progress(console, len(before), len(before) - len(turns)) as advance:
            for draft in self._translated(turns):
                self._log.add(draft.as_record())
                advance()
        if f"{SUMMARY}/{cycle}" not in self._log:
            drafts = [self._drafts(number) for number in dict.fromkeys([0, cycle])]
            self._log.add(summary(cycle, drafts[0], drafts[-1], self._references, self._method))

    def _drafts(self, cycle: int) -> list[PlayedDraft]:
        """All sentences after a cycle; there is nothing before the first."""
        count = range(len(self._sources))
        return [
            PlayedDraft(number, -1) if cycle < 0 else PlayedDraft.of(self._log[f"{cycle}/{number}"])
            for number in count
        ]

    def _correction(self, before: PlayedDraft, cycle: int) -> Correction | None:
        """What the user has to say, which in the first cycle is nothing yet."""
        if cycle == 0:
            return Correction((), Effort())
        # Seeded by the place, so that a run that was broken off draws the same.
        random = Random(f"{self._setting.seed}/{cycle}/{before.number}")
        return self._method.user(self._references[before.number], before.text, before.given, random)

    def _translated(self, turns: Sequence[tuple[PlayedDraft, Correction]]) -> Iterator[PlayedDraft]:
        """The sentences with their new translations, as they are found."""
        requests = [self._request(draft, said) for draft, said in turns]
        results = self._translator.translate_each(
            requests, options=self._setting.search, split=False, batch_size=self._batch_size
        )
        since = time.perf_counter()
        for place, found in results:
            now = time.perf_counter()
            yield turns[place][0].revised(turns[place][1], found, now - since)
            since = now

    def _request(self, draft: PlayedDraft, said: Correction) -> Request:
        reference = self._references[draft.number]
        return Request(
            self._sources[draft.number],
            self._method.constraints(reference, said.given),
        )
