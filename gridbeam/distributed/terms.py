"""Terms of a corpus that fits no memory, by many workers: those that one machine would find.

The text is cut into chunks; each step is done for all chunks before the next begins, and between
two steps the runs of all chunks are merged (`gridbeam.terminology.chunks`).
"""

from __future__ import annotations

import json
import os
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from shutil import rmtree
from socket import gethostname
from tempfile import mkstemp
from typing import Any, Literal, TypeAlias, Unpack

import numpy as np

from gridbeam.distributed.carrying import Crew
from gridbeam.distributed.engines import WorkerEngine, pool_of
from gridbeam.errors import UserError
from gridbeam.support.output_files import claim
from gridbeam.terminology.chunks import (
    SIDES,
    ChunkedTerms,
    ChunkExamples,
    TextChunk,
    TextSide,
    choose,
    counts_of_chosen,
    merged,
    tabulate,
    tabulate_words,
)
from gridbeam.terminology.extract import ROUNDING, OnProgress, Term, best_first, npmi
from gridbeam.terminology.ngrams import Longs, most_frequent
from gridbeam.terminology.options import TERMS, TermKeywords, TermOptions
from gridbeam.text.parallel import aligned

_USUAL = 50_000
"""How many segments a chunk has: some 300 MB while it is worked on."""
_MOST_TRIES = 3
_LOCK = ".lock"
"""What a file beside the folder of an extraction ends with: locked while somebody is at work."""
TermStep: TypeAlias = Literal["read", "grow", "pair", "examples"]


@dataclass(frozen=True)
class StepTask:
    """A step to be done for a chunk."""

    step: TermStep
    chunk: TextChunk
    side: TextSide = "source"
    length: int = 0
    """The length of the n-grams that are counted; for pairs, the number of all segments."""


class TermHand:
    """Does steps for chunks: all that it needs, and all that it leaves, is on disk."""

    greeting = None

    def __call__(self, task: StepTask) -> ChunkExamples | None:
        """What a chunk has to show, where that was asked."""
        chunk = task.chunk
        if task.step == "read":
            chunk.read()
        elif task.step == "grow":
            chunk.grow(task.side, task.length)
        elif task.step == "pair":
            chunk.pair(task.length)
        else:
            return chunk.examples(np.load(chunk.terms.folder / "pairs.npy"))
        return None


def extract_by_many(
    source: Path,
    target: Path,
    engine: WorkerEngine,
    folder: Path,
    *,
    segments_at_once: int = _USUAL,
    progress: OnProgress | None = None,
    options: TermOptions = TERMS,
    **changes: Unpack[TermKeywords],
) -> list[Term]:
    """What `gridbeam.terminology.extract.extract` gives, counted by workers in a new folder.

    It is made in `folder`, which all workers see, and takes some ten times the room of the text.
    """
    options = options.but(**changes)
    with _told(folder), _work_folder(folder) as work:
        terms = ChunkedTerms(work, options)
        chunks, segments = _cut(terms, source, target, segments_at_once)
        steps = _TermSteps(terms, chunks, segments, progress or (lambda stage, done: None))
        with pool_of(TermHand, engine) as (pool, workers):
            Crew(pool, min(workers, 2 * len(chunks))).carry_out(steps)
        return best_first(steps.terms(), options)


class _TermSteps:
    """The tasks of an extraction: those of a step, and then those of the next."""

    def __init__(
        self, terms: ChunkedTerms, chunks: Sequence[TextChunk], segments: int, tell: OnProgress
    ) -> None:
        self._terms, self._chunks, self._segments, self._tell = terms, chunks, segments, tell
        self._examples: list[ChunkExamples] = []
        self._tries = Counter[StepTask]()
        self._plan = self._steps()
        self._left: deque[StepTask] = deque()
        self._open = 0
        self._go_on()

    @property
    def is_open(self) -> bool:
        """Whether there is a task that nobody has been given."""
        return bool(self._left)

    def greeted(self, greeting: Any) -> None:
        """A worker has nothing to say."""

    def next(self) -> StepTask:
        """A task of the step that is being done."""
        return self._left.popleft()

    def done(self, task: StepTask, result: ChunkExamples | None) -> None:
        """Goes on to the next step when all of this one is done."""
        if result is not None:
            self._examples.append(result)
        self._open -= 1
        self._tell(self._name, 1 - self._open / self._size)
        if not self._open:
            self._go_on()

    def died(self, task: StepTask, why: str) -> None:
        """Has the task done again, a few times."""
        self._tries[task] += 1
        if self._tries[task] >= _MOST_TRIES:
            raise UserError(
                f"a worker that counts terms has failed {_MOST_TRIES} times: {why}. Give it more"
                " memory, or take fewer --workers."
            )
        self._left.appendleft(task)

    def terms(self) -> Iterator[Term]:
        """The terms, when all is done."""
        counts = [counts_of_chosen(self._terms, side) for side in SIDES]
        forms = [Counters(), Counters()]
        firsts: dict[tuple[int, int], int] = {}
        for each in self._examples:
            forms[0].add(each.sources)
            forms[1].add(each.targets)
            for pair, first in each.firsts.items():
                firsts[pair] = min(first, firsts.get(pair, first))
        for (x, y), joint in zip(self._pairs.tolist(), self._joint.tolist(), strict=True):
            own = int(counts[0][x]), int(counts[1][y]), joint
            score = float(self._scores[(x, y)])
            yield Term(forms[0].shown(x), forms[1].shown(y), score, *own, firsts[x, y])

    def _go_on(self) -> None:
        for name, tasks in self._plan:
            if tasks:
                self._name, self._left, self._open = name, deque(tasks), len(tasks)
                self._size = len(tasks)
                self._tell(name, 0.0)
                return

    def _steps(self) -> Iterator[tuple[str, list[StepTask]]]:
        """The tasks of each step; what is merged between two is merged when the next is asked."""
        chunks = self._chunks
        yield "reading", [StepTask("read", each) for each in chunks]
        lengths = dict.fromkeys(SIDES, 1)
        found = {side: tabulate_words(self._terms, side, self._runs(side, 1)) for side in SIDES}
        for length in range(2, self._terms.longest + 1):
            growing = [side for side in SIDES if found[side]]
            tasks = [StepTask("grow", each, side, length) for each in chunks for side in growing]
            yield f"n-grams of {length}", tasks
            for side in growing:
                runs = self._runs(side, length)
                found[side] = tabulate(self._terms, side, length, runs)
                lengths[side] = length
        for side in SIDES:
            choose(self._terms, side, lengths[side])
        yield "pairs", [StepTask("pair", each, length=self._segments) for each in chunks]
        self._merge_pairs()
        yield "terms", [StepTask("examples", each) for each in chunks] * (len(self._pairs) > 0)

    def _runs(self, side: TextSide | None, length: int) -> list[Path]:
        return [each.run(side, length) for each in self._chunks]

    def _merge_pairs(self) -> None:
        """Keeps the pairs that reach the threshold."""
        counts = [counts_of_chosen(self._terms, side) for side in SIDES]
        width = max(1, len(counts[1]))
        pairs, joints, scores = [np.zeros((0, 2), np.int64)], [np.zeros(0, np.int64)], [np.zeros(0)]
        for keys, joint in merged(self._runs(None, 0)):
            x, y = keys // width, keys % width
            found = npmi(joint, counts[0][x], counts[1][y], self._segments)
            stays = found >= self._terms.options.threshold - ROUNDING
            pairs.append(np.stack([x, y], axis=1)[stays])
            joints.append(joint[stays])
            scores.append(found[stays])
        self._pairs: Longs = np.concatenate(pairs)
        self._joint: Longs = np.concatenate(joints)
        every = np.concatenate(scores).tolist()
        self._scores = dict(zip(map(tuple, self._pairs.tolist()), every, strict=True))
        np.save(self._terms.folder / "pairs.npy", self._pairs)


class Counters:
    """The forms of n-grams, added up over chunks."""

    def __init__(self) -> None:
        self._forms: dict[int, Counter[str]] = {}

    def add(self, forms: dict[int, Counter[str]]) -> None:
        """Adds those of a chunk."""
        for number, counted in forms.items():
            self._forms.setdefault(number, Counter()).update(counted)

    def shown(self, number: int) -> str:
        """The form that most segments have."""
        return most_frequent(self._forms[number])


def _cut(
    terms: ChunkedTerms, source: Path, target: Path, at_once: int
) -> tuple[list[TextChunk], int]:
    """The chunks of two aligned files, and how many segments they have."""
    pairs, chunks, segments = aligned(source, target), list[TextChunk](), 0
    while some := [*islice(pairs, at_once)]:
        chunks.append(TextChunk(terms, len(chunks), segments))
        with chunks[-1].text.open("w", encoding="utf8") as file:
            file.writelines(f"{json.dumps(pair)}\n" for pair in some)
        segments += len(some)
    if not segments:
        raise UserError(
            f"{source} and {target} are empty: there is nothing to count. Give files of one segment"
            " a line."
        )
    return chunks, segments


@contextmanager
def _told(folder: Path) -> Iterator[None]:
    """Within it, a folder that cannot be written to, or that is full, is told."""
    try:
        yield
    except OSError as error:
        raise UserError(
            f"{folder} has no room to count in: {error.strerror or error}. Make room, or put the"
            " output into a folder where you may write."
        ) from None


@contextmanager
def _work_folder(folder: Path) -> Iterator[Path]:
    """A folder for the time of an extraction; those that others have left here are taken away."""
    _remove_abandoned(folder)
    handle, name = mkstemp(prefix=_prefix(), suffix=_LOCK, dir=folder)
    with os.fdopen(handle, "ab") as file:
        claim(file, folder)
        work = Path(name).with_suffix("")
        try:
            work.mkdir()
            yield work
        finally:
            _remove(Path(name))


def _remove_abandoned(folder: Path) -> None:
    """Takes away the folders of extractions of this machine that were killed: they are large."""
    for lock in folder.glob(f"{_prefix()}*{_LOCK}"):
        with suppress(UserError, OSError), lock.open("ab") as file:
            if claim(file, folder):
                _remove(lock)


def _remove(lock: Path) -> None:
    rmtree(lock.with_suffix(""), ignore_errors=True)
    lock.unlink(missing_ok=True)


def _prefix() -> str:
    return f".gridbeam-terms-{gethostname()}-"
