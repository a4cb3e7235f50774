"""Runs of many workers, of which the run itself is killed, or one of its workers.

Here the workers are forks of the run, where they are new processes else: that takes a hundredth of
the time. `faults.py --cold` kills real ones.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from unittest import mock

import breaking
import tiny
from breaking import LOST, Go, Kill, Say
from one_run import Run, command, translators

from gridbeam.distributed import attempts, processes, run
from gridbeam.distributed.manifest import manifest_in
from gridbeam.distributed.parts import PartFiles, ShardPiece
from gridbeam.distributed.pool import Died, PoolEvent
from gridbeam.distributed.processes import Processes
from gridbeam.distributed.terms import extract_by_many

SEGMENTS = 16
OF_A_WORKER = 0.25
"""Which share of the calls, bytes and work of a run fall to one of its workers, about."""
TWO_WORKERS = ("--engine", "processes", "--workers", "2")


def texts(folder: Path) -> None:
    """Makes the file that is translated."""
    lines = ({"text": f"The disk {n}", "constraints": ["voll"][n % 2 :]} for n in range(SEGMENTS))
    (folder / "in.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf8")


def by_two(folder: Path) -> Sequence[str]:
    """The command that translates it by two workers."""
    given = (folder / "in.jsonl", "-o", folder / "out", "--batch-size", 2, "--beam", 1)
    how = ("--max-length", 12, "--fail-on", "nothing", "--shards", 4)
    return ("translate", *map(str, given), *map(str, how), *TWO_WORKERS)


def as_an_array(folder: Path) -> Sequence[Sequence[str]]:
    """The commands of an array of two jobs, and the one that writes the output."""
    words = with_model(by_two(folder)[: -len(TWO_WORKERS)])
    jobs = ((*words, "--shard", f"{number}/2") for number in (1, 2))
    return (*jobs, ("gather", str(folder / "out")))


def with_model(words: Sequence[str]) -> Sequence[str]:
    """A command with a model that is small, and another where it is loaded."""
    return (*words, "-m", str(tiny.marian(("de",))))


def killed(commands: Callable[[Path], Sequence[Sequence[str]]], *, is_worker: bool) -> Go:
    """Commands one after the other, which die where they are told to, or lose a worker there."""

    def go(folder: Path, say: Say) -> None:
        kill = breaking.disarm() if is_worker else None
        with translators(), forked(say, kill), heard(say):
            for words in commands(folder):
                command(*words)

    return go


@contextmanager
def forked(say: Say, kill: Kill | None) -> Iterator[None]:
    """Within it workers are forks, of which one is killed, and no segment is ever set aside.

    Who is killed again and again at a single segment would set it aside, as is promised.
    """
    begin, serve, wait = Processes.start, processes.serve, Processes.wait
    number = -1
    victim = None if kill is None else int(kill.place * 1000) % 2

    def start(pool: Processes) -> int:
        nonlocal number
        number += 1
        return begin(pool)

    def live(*given: object) -> None:
        breaking.disarm()
        if kill is not None and number == victim:
            breaking.arm(replace(kill, place=kill.place * OF_A_WORKER))
        serve(*given)  # type: ignore[arg-type]

    def hear(pool: Processes) -> PoolEvent:
        event = wait(pool)
        if isinstance(event, Died) and "ended by SIG" in event.why:
            say(LOST)
        return event

    with ExitStack() as open_:
        for place, name, new in (
            (processes, "_CONTEXT", get_context("fork")),
            (processes, "serve", live),
            (Processes, "start", start),
            (Processes, "wait", hear),
            (attempts, "MOST", 1000),
        ):
            open_.enter_context(mock.patch.object(place, name, new))
        yield


@contextmanager
def heard(say: Say) -> Iterator[None]:
    """Within it, each piece is said that the run knows to be done."""
    done = run._ShardedRun.done

    def doing(this, order, found):
        piece = order.piece
        say(f"{piece.shard.number} {piece.first} {piece.end}")
        done(this, order, found)

    with mock.patch.object(run._ShardedRun, "done", doing):
        yield


def check(folder: Path, said: Sequence[str]) -> None:
    """Asserts that all parts can be read, and that what was done is among them."""
    out = folder / "out"
    manifest = manifest_in(out) if out.exists() else None
    if manifest is None:
        assert not said
        return
    parts = PartFiles(out, manifest.id)
    done = set[int]()
    for path in (out / "parts").glob("part-*.jsonl"):
        shard, _, stretch = path.stem.removeprefix("part-").partition(".")
        whole = manifest.shards[int(shard)]
        first, end = stretch.split("-") if stretch else (whole.first, whole.end)
        done |= {each.number for each in parts.read(ShardPiece(whole, int(first), int(end)))}
    for each in said:
        if each != LOST:
            _, first, end = map(int, each.split())
            assert set(range(first, end)) <= done, f"lost: {each}"


def translated(folder: Path) -> object:
    """The output of a run that is done, and what else it has left."""
    out = folder / "out" / "in.jsonl"
    if not out.exists():
        return None
    kept = [path.name for path in out.parent.glob("*/*") if not path.name.startswith(".")]
    return out.read_bytes(), sorted(kept)


# Terms.


def corpus(folder: Path) -> None:
    """Makes a parallel text."""
    for name, text in (
        ("en", "The hard disk {} is full."),
        ("de", "Die feste Platte {} ist voll."),
    ):
        lines = (text.format(number % 3) for number in range(60))
        (folder / f"a.{name}").write_text("".join(f"{line}\n" for line in lines))


def counted(folder: Path) -> Sequence[str]:
    """The command that finds its terms by two workers."""
    paths = (folder / "a.en", folder / "a.de", "-o", folder / "terms.tsv")
    return ("terms", "extract", *map(str, paths), *TWO_WORKERS)


def counting(*, is_worker: bool) -> Go:
    """Finds terms by two workers, in several chunks."""
    go = killed(lambda folder: [counted(folder)], is_worker=is_worker)

    def in_chunks(folder: Path, say: Say) -> None:
        with mock.patch.dict(extract_by_many.__kwdefaults__, segments_at_once=20):
            go(folder, say)
        say("counted")

    return in_chunks


def check_terms(folder: Path, said: Sequence[str]) -> None:
    """Asserts that the file is there if it was finished."""
    assert "counted" not in said or (folder / "terms.tsv").exists()


def terms(folder: Path) -> object:
    """The terms, once they are written."""
    path = folder / "terms.tsv"
    return path.read_bytes() if path.exists() else None


def of_two(name: str, *, is_worker: bool) -> Run:
    """A file translated by two workers."""
    go = killed(lambda folder: [with_model(by_two(folder))], is_worker=is_worker)
    return Run(name, texts, go, check, translated, None if is_worker else by_two, kills=6)


RUNS: tuple[Run, ...] = (
    of_two("many workers", is_worker=False),
    of_two("many workers, one dies", is_worker=True),
    Run("array of jobs", texts, killed(as_an_array, is_worker=False), check, translated, kills=5),
    Run("terms by many", corpus, counting(is_worker=False), check_terms, terms, kills=4),
    Run("terms by many, one dies", corpus, counting(is_worker=True), check_terms, terms, kills=2),
)
