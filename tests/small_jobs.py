"""Jobs of many workers with a translator that repeats its source, and may kill who runs it."""

from __future__ import annotations

import json
import os
import signal
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import echo
import tiny

from gridbeam.decoding.options import SearchOptions
from gridbeam.distributed import run
from gridbeam.distributed.engines import WorkerEngine
from gridbeam.distributed.pool import event_of, report_of
from gridbeam.distributed.run import translate_sharded
from gridbeam.distributed.translating import TranslationJob
from gridbeam.files.arguments import Arguments
from gridbeam.files.run import translate_file
from gridbeam.models.load import load
from gridbeam.translation.translator import Translator

PROCESSES = WorkerEngine("processes", 2)
HERE = WorkerEngine("here", 2)


class Perilous(Translator):
    """A translator that dies of some texts, fails at others, and takes its time for a third."""

    def translate_each(self, requests, **options):
        for request in requests:
            if "deadly" in request.source:
                os.kill(os.getpid(), signal.SIGKILL)
            if "broken" in request.source:
                raise RuntimeError("this text is broken")
            if "slow" in request.source:
                time.sleep(0.05)
        return super().translate_each(requests, **options)


def perilous(given: Arguments) -> Translator:
    tokenizer = load(given.model).tokenizer
    model = echo.Echo(len(tokenizer.get_vocab()))
    return Perilous(model, tokenizer, source="en", target="de")


def stillborn(given: Arguments) -> Translator:
    raise MemoryError


def given(path: Path, out: Path, **changes) -> Arguments:
    values = {
        "text": None,
        "path": path,
        "out": out,
        "constraints": (),
        "glossary": (),
        "case": "sentence",
        "sheet": None,
        "names": None,
        "forms": None,
        "lemmas": False,
        "every_time": False,
        "placeholders": (),
        "accelerators": "auto",
        "format": None,
        "to": None,
        "numbers": "localise",
        "on_unmet": "error",
        "retranslate": "nothing",
        "fail_on": "nothing",
        "review_below": None,
        "report": None,
        "resume": False,
        "restart": False,
        "model": str(tiny.marian(("de",))),
        "source": None,
        "target": None,
        "device": "cpu",
        "told": False,
        "search": SearchOptions(beam=2),
        "batch_size": 4,
    }
    return Arguments(**values | changes)


def job(path: Path, out: Path, *, load=perilous, **changes) -> TranslationJob:
    return TranslationJob(given(path, out, **changes), load)


def by_one(path: Path, out: Path, **changes) -> bytes:
    """What one process writes that knows nothing of shards."""
    how = job(path, out, **changes)
    translator = perilous(how.given)
    instructions = how.given.instructions(_glossary(how))
    translate_file(translator, path, out, instructions, to=how.given.to)
    return out.read_bytes()


def _glossary(how):
    from gridbeam.documents import Languages

    return how.instructions(Languages("en", "de")).glossary


class Here:
    """A pool whose workers are in this process, one after the other; it may be told to fail."""

    def __init__(self, factory):
        self._factory, self._hands, self._events = factory, {}, []

    def start(self):
        number = len(self._hands)

        def made():
            self._hands[number] = self._factory()
            return self._hands[number].greeting

        self._hands[number] = None
        self._events.append((number, report_of("ready", made)))
        return number

    def give(self, worker, task):
        self._events.append((worker, report_of("done", lambda: self._hands[worker](task))))

    def wait(self):
        return event_of(*self._events.pop(0))

    def close(self):
        self._hands.clear()


@contextmanager
def here(factory, engine):
    yield Here(factory), engine.workers


def sharded(how: TranslationJob, monkeypatch=None, engine=None, **options):
    """The summary of a sharded run: in this process with a monkeypatch, else in others."""
    if monkeypatch is not None:
        monkeypatch.setattr(run, "pool_of", here)
    return translate_sharded(how, engine or (PROCESSES if monkeypatch is None else HERE), **options)


def sentences(count: int, **others: str) -> str:
    """So many lines of text, of which those with these numbers, as in n5, are others."""
    nouns, things = tiny.NOUNS[:7], tiny.THINGS[:2]
    usual = [f"The {nouns[number % 7]} {things[number % 2]} {number}." for number in range(count)]
    return "".join(f"{others.get(f'n{number}', text)}\n" for number, text in enumerate(usual))


def at_work(out: Path) -> list[int]:
    """The processes that have begun a piece which is not done."""
    found = []
    for path in out.glob("attempts/part-*"):
        with suppress(OSError, ValueError):  # it may be done meanwhile
            notes = [json.loads(line) for line in path.read_text().splitlines()]
            found += [note["begun"] for note in notes if "begun" in note]
    return found
