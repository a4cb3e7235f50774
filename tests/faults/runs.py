"""The runs that are broken: each is one value, which says how it goes on and what must hold.

A new kind of run is one more entry of `RUNS`.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from unittest import mock

import echo_server
import small_runs
import small_workspace
import spread
from breaking import Say
from one_run import Run, command, translators

from gridbeam.errors import UserError
from gridbeam.experiments.log import Log
from gridbeam.experiments.log import read as read_log
from gridbeam.files.journal import Journal
from gridbeam.files.outcome import Outcome
from gridbeam.glossary.entries import Entry, Glossary
from gridbeam.glossary.formats import write as write_glossary
from gridbeam.store import Store
from gridbeam.support.line_files import unsealed, whole_lines
from gridbeam.training import train
from gridbeam.training.config import read as read_config

NOUNS = ("disk", "folder", "screen", "house", "file")


# Translating a file.


def po(count: int) -> str:
    """A catalogue with so many messages."""
    header = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n'
    entries = (
        f'\nmsgid "The {NOUNS[number % 5]} {number} is full."\nmsgstr ""\n'
        for number in range(count)
    )
    return header + "".join(entries)


def jsonl(count: int) -> str:
    """So many texts with constraints."""
    lines = ({"text": f"The {NOUNS[n % 5]} {n}", "constraints": ["voll"]} for n in range(count))
    return "".join(f"{json.dumps(line)}\n" for line in lines)


def translating(suffix: str, content: str) -> Run:
    """A file translated with a journal."""

    def words(folder: Path) -> Sequence[str]:
        given = (folder / f"in{suffix}", "-o", folder / f"out{suffix}", "--batch-size", 1)
        how = ("--beam", 1, "--max-length", 12, "--resume", "--fail-on", "nothing")
        return ("translate", *map(str, given), *map(str, how))

    def go(folder: Path, say: Say) -> None:
        with translators(), heard(say):
            command(*words(folder))

    return Run(
        f"translate {suffix}",
        lambda folder: (folder / f"in{suffix}").write_text(content, "utf8"),
        go,
        lambda folder, said: check_journal(folder / f"out{suffix}.journal", folder, said),
        lambda folder: translated(folder / f"out{suffix}"),
        words,
        kills=35,
    )


@contextmanager
def heard(say: Say) -> Iterator[None]:
    """Within it, each segment is said that a journal has taken down."""
    add = Journal.add

    def adding(journal: Journal, outcome: Outcome) -> None:
        add(journal, outcome)
        say(str(outcome.number))

    with mock.patch.object(Journal, "add", adding):
        yield


def check_journal(path: Path, folder: Path, said: Sequence[str]) -> None:
    """Asserts that what was finished is there, or in the output, and nothing twice."""
    assert len(set(said)) == len(said), f"finished twice: {sorted(said)}"
    if not path.exists():
        return
    lines = [unsealed(line) for line in whole_lines(path)]
    assert all(lines), "a line that was written is damaged"
    numbers = [str(Outcome.from_line(line).number) for line in lines[1:] if line]
    assert len(set(numbers)) == len(numbers), f"twice in the journal: {numbers}"
    lost = set(said) - set(numbers)
    assert not lost, f"finished, and not in the journal: {sorted(lost)}"


def translated(out: Path) -> bytes | None:
    """The output of a run that is done."""
    is_done = out.exists() and not out.with_name(f"{out.name}.journal").exists()
    return out.read_bytes() if is_done else None


# The log of an experiment.

RECORDS = 40


def experimenting(folder: Path, say: Say) -> None:
    """Makes the records of an experiment that are not yet there."""
    with Log(folder / "log.jsonl", {"experiment": "x", "options": {}}) as log:
        for number in range(RECORDS):
            if f"gbs/{number}" not in log:
                log.add({"key": f"gbs/{number}", "kind": "sentence", "text": "ä" * number * 7})
                say(f"gbs/{number}")


def check_log(folder: Path, said: Sequence[str]) -> None:
    """Asserts that each record that was written is there, and none twice."""
    path = folder / "log.jsonl"
    assert len(set(said)) == len(said), f"made twice: {sorted(said)}"
    if path.exists() and list(whole_lines(path)):
        assert set(said) <= set(read_log(path).all)


def records(folder: Path) -> object:
    """What the log has at the end."""
    path = folder / "log.jsonl"
    found = dict(read_log(path).all) if path.exists() and list(whole_lines(path)) else {}
    return found if len(found) == RECORDS else None


# A file written over in place.


def converting(folder: Path, say: Say) -> None:
    """Writes a glossary over itself."""
    path = str(folder / "terms.tsv")
    command("glossary", "convert", path, path)
    say("converted")


def small_glossary(folder: Path) -> None:
    """Makes the glossary, as a person may write it."""
    terms = "".join(f"disk {number}\tFestplatte {number}\n" for number in range(300))
    (folder / "terms.tsv").write_text(terms, "utf8")
    (folder / "before.tsv").write_text(terms, "utf8")
    entries = tuple(Entry(f"disk {n}", (f"Festplatte {n}",)) for n in range(300))
    write_glossary(Glossary(entries), folder / "after.tsv")


def check_convert(folder: Path, said: Sequence[str]) -> None:
    """Asserts that the file is as before or as afterwards, and never by half."""
    there, before, after = (
        (folder / f"{n}.tsv").read_bytes() for n in ("terms", "before", "after")
    )
    assert there == after or (there == before and not said)


def converted(folder: Path) -> bytes | None:
    """The glossary once it is written anew."""
    there, after = ((folder / f"{name}.tsv").read_bytes() for name in ("terms", "after"))
    return there if there == after else None


# People who correct a project.

ACTS = 24


def acting(folder: Path, say: Say) -> None:
    """Acts on the segments of a project, each until it has so many versions."""
    with small_workspace.opened(folder) as here:
        found = here.store.projects.all()
        made = found[0].id if found else small_workspace.project(here, content="a\nb\nc")["id"]
        for row in here.page(made)["segments"]:
            say(f"version {row['id']} {row['version']} {row['version'] and target_of(row)}")
            while row["version"] < ACTS // 3:
                text = f"Text {row['version'] + 1}"
                row = small_workspace.act(here, row, "write", text=text)["segment"]
                say(f"version {row['id']} {row['version']} {target_of(row)}")


def target_of(row: Any) -> str:
    """The translation of a segment."""
    return str(row["target"] and row["target"]["text"])


def check_acts(folder: Path, said: Sequence[str]) -> None:
    """Asserts that each act that was acknowledged is in the log, and no version twice."""
    path = folder / "gridbeam.sqlite"
    if not path.exists():
        return
    with Store.open(path) as store:
        log = [act for project in store.projects.all() for act in store.log(project.id)]
    found = [(act.segment, act.version) for act in log]
    assert len(set(found)) == len(found), "an act is there twice"
    texts = {f"{act.segment} {act.version}": str(act.after.target["text"]) for act in log}
    for each in said:
        _, segment, version, text = each.split(" ", 3)
        if version != "0":
            assert texts[f"{segment} {version}"] == text, each


def acted(folder: Path) -> object:
    """The log of all acts, once all are made."""
    path = folder / "gridbeam.sqlite"
    if not path.exists():
        return None
    with Store.open(path) as store:
        log = [act for project in store.projects.all()[:1] for act in store.log(project.id)]
    found = [(act.segment, act.version, str(act.after.target)) for act in log]
    return sorted(found) if len(found) == ACTS else None


def serving(folder: Path, say: Say) -> None:
    """The same over HTTP."""
    with echo_server.client(folder) as client:
        found = answered(client.get("/api/projects"))
        pasted = {"text": "a\nb\nc", "target": "de"}
        project = found[0] if found else answered(client.post("/api/projects", json=pasted))
        for row in answered(client.get(f"/api/projects/{project['id']}/segments"))["segments"]:
            while (version := row["version"]) < ACTS // 3:
                body = {"act": "write", "version": version, "text": f"Text {version + 1}"}
                row = answered(client.post(f"/api/segments/{row['id']}/acts", json=body))["segment"]
                say(f"version {row['id']} {row['version']} {target_of(row)}")


def answered(answer: Any) -> Any:
    """What a server answers; a `UserError` where it says what is to be done first."""
    if answer.status_code == 503:
        raise UserError(answer.text)
    assert answer.status_code < 300, answer.text
    return answer.json()


def check_served(folder: Path, said: Sequence[str]) -> None:
    """Asserts of the database of a server what holds of any."""
    if (folder / "db.sqlite").exists():
        check_acts(as_workspace(folder), said)


def served(folder: Path) -> object:
    """The log of all acts, once all are made."""
    return acted(as_workspace(folder)) if (folder / "db.sqlite").exists() else None


def as_workspace(folder: Path) -> Path:
    """A folder in which the database of a server is called as that of a workspace."""
    link = folder / "as_workspace"
    link.mkdir(exist_ok=True)
    for name in ("", "-wal", "-shm"):
        path = link / f"gridbeam.sqlite{name}"
        if not path.is_symlink():
            path.symlink_to(folder / f"db.sqlite{name}")
    return link


# Training.

SHORT = (
    "training.updates=6",
    "training.validate_every=3",
    "training.save_every=2",
    "training.log_every=1",
    "training.bleu_sentences=0",
    'training.best_by="loss"',
)


def lesson(folder: Path) -> None:
    """Makes the text that a model learns, and its vocabulary."""
    shutil.copytree(_prepared(), folder, dirs_exist_ok=True)


@cache
def _prepared() -> Path:
    """A folder with the text and the configuration of a small training."""
    return small_runs.write_data(Path(mkdtemp(prefix="faults-")))


def training(folder: Path, say: Say) -> None:
    """Trains a tiny model, or goes on."""
    for event in train(read_config(folder / "marian.toml", SHORT), folder / "run", folder):
        if hasattr(event, "update"):
            say(f"{event.kind} {event.update}")


def check_training(folder: Path, said: Sequence[str]) -> None:
    """Asserts that what is there of models is whole."""
    for name in ("last", "best"):
        for path in (folder / "run" / name).glob("*.safetensors"):
            small_runs.load_file(path)
    if said and int(said[-1].split()[1]) > 2:
        there = [folder / "run" / name for name in ("last", "last.old", "last.new")]
        assert any((path / "state.json").exists() for path in there), "no checkpoint is left"


def trained(folder: Path) -> object:
    """The weights and the log of a run that is done."""
    state = folder / "run" / "last" / "state.json"
    if not state.exists() or json.loads(state.read_text())["update"] < 6:
        return None
    log = small_runs.log(folder / "run")
    weights = small_runs.weights(folder / "run" / "best") if (folder / "run/best").exists() else {}
    is_done = bool(weights) and log[-1]["kind"] == "validation" and log[-1]["update"] == 6
    return (log, {name: each.tolist() for name, each in weights.items()}) if is_done else None


RUNS: tuple[Run, ...] = (
    translating(".po", po(24)),
    translating(".jsonl", jsonl(24)),
    Run("log of an experiment", lambda _: None, experimenting, check_log, records),
    Run("glossary convert", small_glossary, converting, check_convert, converted, kills=30),
    Run("workspace", lambda _: None, acting, check_acts, acted),
    Run("serve", lambda _: None, serving, check_served, served, kills=12),
    *spread.RUNS,
    Run("train", lesson, training, check_training, trained, kills=15),
)
"""Everything that may be killed."""


def named(name: str) -> Run:
    """The run of this name."""
    return next(run for run in RUNS if run.name == name)
