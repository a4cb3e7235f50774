"""A database that is locked, or can only be read: said to whoever acts, and nothing is lost."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import contextmanager

import pytest
from disks import Telling
from runs import named

from gridbeam.store import NewAct, Snapshot, Store, StoreFailure

HELD = """
import sqlite3, sys
held = sqlite3.connect(sys.argv[1], isolation_level=None)
held.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def held(path):
    """Within it another process has the database to itself."""
    other = subprocess.Popen(
        [sys.executable, "-c", HELD, path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert other.stdout.readline() == "held\n"
    try:
        yield
    finally:
        other.communicate("")


@contextmanager
def as_somebody_else():
    """Within it this process is not root, whom nothing forbids to write."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@contextmanager
def read_only(folder):
    """Within it nobody but root may write to the folder and its files."""
    paths = [folder, *folder.iterdir()]
    modes = [path.stat().st_mode for path in paths]
    for path in reversed(paths):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        yield
    finally:
        for path, mode in zip(paths, modes, strict=True):
            path.chmod(mode)


@pytest.fixture
def project(tmp_path):
    """The folder of a database with a segment, in a place where others may look."""
    for path in (tmp_path, *tmp_path.parents[:3]):
        path.chmod(path.stat().st_mode | 0o755)
    folder = tmp_path / "kept"
    folder.mkdir()
    run = named("workspace")
    said = []
    run.go(folder, said.append)
    return folder, run, said


def write(store, text):
    """The first segment with another translation."""
    row = store.segments.get(1)
    return store.act(1, row.version, NewAct("write"), Snapshot({"text": text}, status="edited"))


def test_an_act_on_a_locked_database_is_refused_and_succeeds_once_it_is_free(project):
    folder, run, said = project
    path = folder / "gridbeam.sqlite"
    with Store.open(path, patience=0.2) as store:
        version = store.segments.get(1).version
        with held(path), pytest.raises(StoreFailure, match="is locked by another program"):
            write(store, "one")
        assert store.segments.get(1).version == version
        assert write(store, "two").version == version + 1
    run.check(folder, said)


def test_a_start_on_a_locked_database_is_refused_and_succeeds_once_it_is_free(project):
    folder, run, said = project
    path = folder / "gridbeam.sqlite"
    with held(path), pytest.raises(StoreFailure, match="is locked by another program"):
        Store.open(path, patience=0.2)
    Store.open(path).close()
    run.check(folder, said)


def test_a_database_that_can_only_be_read_is_refused_and_works_once_it_can_be_written(project):
    folder, run, said = project
    path = folder / "gridbeam.sqlite"
    with read_only(folder), as_somebody_else(), pytest.raises(StoreFailure, match="cannot be ope"):
        Store.open(path)
    with Store.open(path) as store:
        assert write(store, "again").version == 9
    run.check(folder, said)


def test_a_database_that_becomes_read_only_at_work_loses_no_act(project):
    folder, run, said = project
    with Store.open(folder / "gridbeam.sqlite", patience=0.2) as store:
        before = store.segments.get(1)
        store.database.engine.dispose()
        with (
            read_only(folder),
            as_somebody_else(),
            pytest.raises(StoreFailure, match=r"can only be read|cannot be opened"),
        ):
            write(store, "lost")
        store.database.engine.dispose()
        assert store.segments.get(1) == before
        assert write(store, "kept").version == before.version + 1
    run.check(folder, said)


def test_a_run_on_a_locked_database_ends_with_a_message(project, capsys, monkeypatch):
    folder, run, _ = project
    monkeypatch.setattr("gridbeam.store.store._PATIENCE", 0.2)
    opened = Store.open
    monkeypatch.setattr(Store, "open", lambda url: opened(url, patience=0.2))
    with held(folder / "gridbeam.sqlite"), pytest.raises(SystemExit) as end:
        Telling(run)(folder, lambda _: None)
    assert end.value.code == 2
    assert "is locked by another program. Close what else has it open" in capsys.readouterr().err


def test_a_database_of_another_program_stays_as_it_is(tmp_path):
    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE notes (text)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(StoreFailure):
        Store.open(path)
    assert path.read_bytes() == before
