"""What many workers gain, and what a sentence costs: the figures that docs/scale.md plans with.

    python benchmarks/scale.py --text news.en --reference news.de [--sentences N] [--save]
    ... --only-workers     # the first table alone, in less than five minutes on two processors

`workers`: the same sentences by one worker and by two, in turns, from when all workers are ready
and warm (each has translated a few sentences that are not counted) until the last piece is done,
with what the last pieces leave idle. Loading the model and writing the output are not in it: they
are paid once a run. The efficiency is how many sentences a second two workers do, for each that two
separate ones would do. `processor_s` is the time that processors spent on it: it counts what
workers cost each other but not what other work on the machine takes from them. `load` is what else
ran before: above 0.3 the clock says little.
`cost`: the processor's time of a sentence with so many phrases of its reference required of it.
`bytes`: what is sent to a worker and written to disk, for each piece and each sentence.
`planning`: the seconds of cutting a file of lines. The model is the one that ships, on a CPU, one
thread for each worker.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import random
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

import torch

from gridbeam.distributed import run
from gridbeam.distributed.engines import WorkerEngine, pool_of
from gridbeam.distributed.manifest import manifest_in
from gridbeam.distributed.parts import ShardPiece
from gridbeam.distributed.plan import cost, cut
from gridbeam.distributed.pool import Ready
from gridbeam.distributed.translating import Order, TranslationJob
from gridbeam.documents import Languages
from gridbeam.documents.registry import format_of
from gridbeam.files.arguments import Arguments
from gridbeam.files.command import translator_for
from gridbeam.files.instructions import Instructions
from gridbeam.files.segments import SegmentTranslator
from gridbeam.support.signature import signature
from gridbeam.text.parallel import aligned
from gridbeam.translation.defaults import TRANSLATION
from gridbeam.translation.translator import Translates

RESULTS = Path(__file__).parent / "results"
MODEL = "builtin:en-de"
_WARMING = "GRIDBEAM_BENCHMARK_SENTENCES"
"""The variable that tells workers which file has the sentences that warm them."""
A_SHARD = 16
"""How many sentences a piece has, about: a batch. What the last pieces leave idle is counted."""


def asked(path: Path, out: Path | None) -> Arguments:
    return Arguments(
        text=None,
        path=path,
        out=out,
        constraints=(),
        glossary=(),
        case="sentence",
        sheet=None,
        names=None,
        forms=None,
        lemmas=False,
        every_time=False,
        placeholders=(),
        accelerators="auto",
        format=None,
        to=None,
        numbers="localise",
        on_unmet="skip",
        retranslate="nothing",
        fail_on="nothing",
        review_below=None,
        report=None,
        resume=False,
        restart=False,
        model=MODEL,
        source=None,
        target=None,
        device="cpu",
        told=False,
        search=TRANSLATION,
        batch_size=16,
    )


def written(path: Path, pairs: list[tuple[str, str]], phrases: int) -> Path:
    """A file of sentences, each with so many phrases of two words of its reference."""
    draw = random.Random(1)
    with path.open("w", encoding="utf8") as file:
        for source, reference in pairs:
            words = reference.split()
            starts = range(0, max(1, len(words) - 1), 2)
            chosen = sorted(draw.sample(starts, min(phrases, len(starts))))
            required = [" ".join(words[start : start + 2]) for start in chosen]
            file.write(f"{json.dumps({'text': source, 'constraints': required})}\n")
    return path


def warm(given: Arguments) -> Translates:
    """The translator of a worker, after its first sentences: these take longer than others."""
    translator = translator_for(given)
    path = Path(os.environ[_WARMING])
    segments = islice(format_of(path).open(path, Languages()).segments(), A_SHARD)
    [*SegmentTranslator(translator, Instructions(on_unmet="skip")).outcomes([*segments])]
    return translator


class TimedPool:
    """A pool that keeps its workers back until all are ready, and tells when it began."""

    def __init__(self, pool: Any, workers: int) -> None:
        self._pool, self._workers, self._kept = pool, workers, []
        self.began = 0.0

    def wait(self) -> Any:
        while not self.began:
            self._kept.append(self._pool.wait())
            if sum(isinstance(each, Ready) for each in self._kept) == self._workers:
                self.began = time.perf_counter()
        return self._kept.pop(0) if self._kept else self._pool.wait()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pool, name)


def by_workers(path: Path, folder: Path, workers: int, shards: int) -> dict[str, float]:
    """The seconds of a run when all workers are ready, and of their processors."""
    held: list[TimedPool] = []

    @contextmanager
    def timed(factory: Any, engine: WorkerEngine) -> Iterator[tuple[Any, int]]:
        with pool_of(factory, engine) as (pool, size):
            held.append(TimedPool(pool, size))
            yield held[0], size

    run.pool_of = timed
    before = processor_s()
    engine = WorkerEngine("processes", workers)
    job = TranslationJob(asked(path, folder), warm)
    run.translate_sharded(job, engine, shards=shards)
    last = max(each.stat().st_mtime for each in (folder / "parts").iterdir())
    wall = last - (time.time() - (time.perf_counter() - held[0].began))
    return {"wall_s": wall, "processor_s": processor_s() - before}


def processor_s() -> float:
    """The time that ended children have spent on processors."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def efficiency(path: Path, folder: Path, times: int, shards: int) -> list[dict[str, Any]]:
    """One worker and two, in turns."""
    empty = folder / "empty.jsonl"
    empty.write_text("")
    start = {n: _start(empty, folder, n) for n in (1, 2)}
    found: dict[int, list[dict[str, float]]] = {1: [], 2: []}
    for number in range(times):
        for workers in (1, 2):
            measured = by_workers(path, folder / f"{number}-{workers}", workers, shards)
            measured["processor_s"] -= start[workers]
            found[workers].append(measured)
            print(workers, measured, flush=True)
    one, two = (
        {name: median(each[name] for each in found[n]) for name in ("wall_s", "processor_s")}
        for n in (1, 2)
    )
    count = sum(1 for _ in path.open())
    return [
        {
            "workers": n,
            "sentences": count,
            "wall_s": round(each["wall_s"], 1),
            "processor_s": round(each["processor_s"], 1),
            "efficiency": round(one["wall_s"] / each["wall_s"] / n, 2),
            "efficiency_by_processor": round(one["processor_s"] / each["processor_s"], 2),
        }
        for n, each in ((1, one), (2, two))
    ]


def _start(empty: Path, folder: Path, workers: int) -> float:
    """What it takes to start workers that have nothing to do."""
    before = processor_s()
    run.pool_of = pool_of
    out = folder / f"start-{workers}"
    job = TranslationJob(asked(empty, out), warm)
    run.translate_sharded(job, WorkerEngine("processes", workers))
    return processor_s() - before


def costs(pairs: list[tuple[str, str]], folder: Path) -> list[dict[str, Any]]:
    """What a sentence costs with so many phrases that it must say."""
    found = []
    for phrases in (0, 1, 2, 4):
        path = written(folder / f"cost-{phrases}.jsonl", pairs, phrases)
        translator = translator_for(asked(path, None))
        segments = [*format_of(path).open(path, Languages()).segments()]
        pipeline = SegmentTranslator(translator, Instructions(on_unmet="skip"))
        [*pipeline.outcomes(segments[:2])]
        before = time.process_time()
        [*SegmentTranslator(translator, Instructions(on_unmet="skip")).outcomes(segments)]
        spent = time.process_time() - before
        row = {
            "phrases": phrases,
            "characters": round(sum(len(str(each.source)) for each in segments) / len(segments)),
            "required_characters": round(
                sum(len(str(c)) for each in segments for c in each.constraints) / len(segments)
            ),
            "ms": round(1000 * spent / len(segments)),
            "planned": round(sum(map(cost, segments)) / len(segments)),
        }
        found.append(row | {"ratio": round(row["ms"] / found[0]["ms"], 2) if found else 1.0})
        print(found[-1], flush=True)
    return found


def sizes(folder: Path) -> list[dict[str, Any]]:
    """What goes over the wire, and what is written."""
    manifest = manifest_in(folder)
    assert manifest is not None
    piece = ShardPiece.whole(manifest.shards[-1])
    sentences = sum(each.due for each in manifest.shards)
    written_ = sum(each.stat().st_size for each in (folder / "parts").iterdir())
    shards = json.dumps([asdict(each) for each in manifest.shards], indent=1)
    return [
        {"what": "an order to a worker", "bytes": len(pickle.dumps(Order(manifest.id, piece)))},
        {"what": "the answer", "bytes": len(pickle.dumps(("done", piece.shard.due)))},
        {"what": "a shard in the manifest", "bytes": len(shards) // len(manifest.shards)},
        {"what": "a sentence in a part", "bytes": written_ // sentences},
    ]


def planning(folder: Path, pairs: list[tuple[str, str]], count: int) -> list[dict[str, Any]]:
    """How long it takes to cut a file of so many lines."""
    path = folder / "plan.jsonl"
    with path.open("w", encoding="utf8") as file:
        for number in range(count):
            file.write(f"{json.dumps({'text': pairs[number % len(pairs)][0]})}\n")
    form = format_of(path)
    before = time.process_time()
    found = cut(form.open(path, Languages()), form, Instructions(), workers=100)
    spent = time.process_time() - before
    return [{"lines": count, "shards": len(found), "us_per_line": round(1e6 * spent / count, 1)}]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", type=Path, required=True)
    parser.add_argument("--reference", type=Path, required=True)
    parser.add_argument("--sentences", type=int, default=320)
    parser.add_argument("--times", type=int, default=2)
    parser.add_argument("--lines", type=int, default=200_000)
    parser.add_argument("--only-workers", action="store_true")
    parser.add_argument("--save", action="store_true")
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"  # for the workers, which are new processes
    torch.set_num_threads(1)
    load = round(os.getloadavg()[0], 1)
    pairs = [*islice(aligned(options.text, options.reference), options.sentences)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = written(folder / "work.jsonl", pairs, 1)
        os.environ[_WARMING] = str(path)
        rows = efficiency(path, folder, options.times, options.sentences // A_SHARD)
        found = {"signature": f"{signature()}, load {load} before", "model": MODEL, "rows": rows}
        kept(found, "workers.json", is_saved=options.save)
        if options.only_workers:
            return
        found = {"signature": signature(), "model": MODEL, "bytes": sizes(folder / "0-2")}
        found["planning"] = planning(folder, pairs, options.lines)
        found["cost"] = costs(pairs[: max(20, options.sentences // 4)], folder)
        kept(found, "scale.json", is_saved=options.save)


def kept(found: dict[str, Any], name: str, *, is_saved: bool) -> None:
    """Prints results, and writes them where they are wanted."""
    print(json.dumps(found, indent=1), flush=True)
    if is_saved:
        (RESULTS / name).write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
