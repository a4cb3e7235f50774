"""`gridbeam serve` and `gridbeam keys`, as a person runs them."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest
import tiny
from typer.testing import CliRunner

from gridbeam.cli import app
from gridbeam.server import extras


def ran(*words: object):
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def database(tmp_path):
    return tmp_path / "work.db"


def started(database, *more: object) -> tuple[subprocess.Popen[str], str]:
    """A server in a process of its own, and its address."""
    words = ("serve", "--port", 0, "--model", tiny.marian(), "--database", database, *more)
    process = subprocess.Popen(
        [sys.executable, "-m", "gridbeam", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    return process, process.stdout.readline().strip()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_server_says_where_it_is_and_a_signal_ends_it_as_any_command(database, name):
    process, address = started(database)
    with process:
        with urllib.request.urlopen(f"{address}health") as answer:
            assert json.load(answer) == {"status": "ok"}
        number = getattr(signal, name)
        os.kill(process.pid, number)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 128 + number, said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("words", "environment", "expected"),
    [((), None, "processors but one"), ((), "5", "5"), (("--threads", 3), "5", "3")],
)
def test_a_server_leaves_a_processor_to_others_unless_it_is_told(
    words, environment, expected, database, monkeypatch
):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if environment:
        monkeypatch.setenv("OMP_NUM_THREADS", environment)
    if expected == "processors but one":
        expected = str(max(1, len(os.sched_getaffinity(0)) - 1))
    with socket.create_server(("127.0.0.1", 0)) as taken:  # it goes no further than that
        ran("serve", "--port", taken.getsockname()[1], "--database", database, *words)
    assert os.environ["OMP_NUM_THREADS"] == expected


def test_a_port_in_use_is_told_and_ends_with_2(database):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = ran("serve", "--port", taken.getsockname()[1], "--database", database)
    assert done.exit_code == 2 and "--port" in done.stderr


def test_a_database_that_cannot_be_used_is_told_and_ends_with_2(tmp_path):
    for bad in ("mysql://localhost/x", tmp_path):
        done = ran("serve", "--port", 0, "--database", bad)
        assert done.exit_code == 2 and "database" in done.stderr


def test_a_model_that_is_not_there_is_told_and_ends_with_2(database):
    for name in ("builtin:en-xx", "nothing"):
        done = ran("serve", "--port", 0, "--database", database, "--model", name)
        assert done.exit_code == 2 and name.partition(":")[2] in done.stderr


def test_a_server_that_others_can_reach_needs_a_key(database):
    done = ran("serve", "--host", "0.0.0.0", "--port", 0, "--database", database)
    assert done.exit_code == 2 and "keys create" in done.stderr


def test_without_the_extra_it_is_said_how_to_get_it(database, monkeypatch):
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "fastapi" else 1)
    for words in (["serve"], ["keys", "list"]):
        done = ran(*words, "--database", database)
        assert done.exit_code == 2 and "pip install 'gridbeam[serve]'" in done.stderr


def test_a_key_is_made_listed_and_revoked(database):
    made = ran("keys", "create", "the build", "--database", database)
    key, identity = made.stdout.strip(), made.stdout.split("_")[1]
    listed = ran("keys", "list", "--database", database).stdout
    assert identity in listed and "usable" in listed and key not in listed
    assert ran("keys", "revoke", identity, "--database", database).exit_code == 0
    assert "revoked" in ran("keys", "list", "--database", database).stdout
    assert ran("keys", "revoke", "nobody", "--database", database).exit_code == 2
