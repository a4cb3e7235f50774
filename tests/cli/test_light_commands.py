"""Commands that need no model load neither torch nor transformers, and help is there at once."""

from __future__ import annotations

import gc
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from gridbeam.cli import app, main

HEAVY = {"torch", "transformers"}
REPORT = """
import sys
from gridbeam.cli import app, main
try:
    app(sys.argv[1:])
except SystemExit as end:
    assert end.code in (0, 1, 3), end.code
print(*sys.modules, file=sys.stderr)
"""
"""Runs a command as the entry point does, and says what is loaded after it."""


def loaded_by(*arguments: object) -> set[str]:
    """The modules that a new process has loaded after a command, on the real package."""
    run = subprocess.run(
        [sys.executable, "-c", REPORT, *map(str, arguments)], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    return set(run.stderr.splitlines()[-1].split())


def every_command() -> list[tuple[str, ...]]:
    """The words that call each command, and each group of commands."""
    root = typer.main.get_command(app)
    found: list[tuple[str, ...]] = [()]
    for name, each in root.commands.items():
        found += [(name,), *((name, inner) for inner in getattr(each, "commands", ()))]
    return found


def test_every_command_is_asked_for_its_help():
    found = every_command()
    assert {("translate",), ("experiment", "ablations"), ("glossary", "check")} <= set(found)


@pytest.mark.parametrize("words", every_command(), ids=" ".join)
def test_help_loads_no_torch(words):
    assert not loaded_by(*words, "--help") & HEAVY


def test_the_version_loads_no_torch():
    assert not loaded_by("--version") & HEAVY


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A glossary, and a text with its translation."""
    (tmp_path / "terms.tsv").write_text("disk\tPlatte\ndisk\tScheibe\n")
    (tmp_path / "text.en").write_text("the disk\nthe full disk\n")
    (tmp_path / "text.de").write_text("die Platte\ndie volle Platte\n")
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        "glossary check terms.tsv --source en --target de",
        "glossary convert terms.tsv terms.tbx --source en --target de",
        "glossary convert terms.tsv terms.xlsx --source en --target de",
        "terms extract text.en text.de --out found.tsv --min-count 1",
        "check text.en --target text.de --glossary terms.tsv --languages en-de --report c.html",
        "score text.de text.de",
        "score text.de text.de --baseline text.de --source text.en --glossary terms.tsv --lemmas"
        " --languages en-de",
        "score text.de text.de --format json --out scores.json",
        "keys create someone --database work.db",
    ],
)
def test_glossaries_terms_scores_and_keys_load_no_torch(command, folder):
    names = {path.name for path in folder.iterdir()} | {
        "terms.tbx",
        "terms.xlsx",
        "found.tsv",
        "scores.json",
        "work.db",
        "c.html",
    }
    words = [folder / word if word in names else word for word in command.split()]
    assert not loaded_by(*words) & HEAVY


def test_a_server_starts_without_what_only_some_of_its_models_need():
    program = "import gridbeam.server.command, sys; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    loaded = set(run.stdout.split())
    assert "gridbeam.server.app" in loaded and "gridbeam.generate" not in loaded


@pytest.mark.slow
def test_a_glossary_is_checked_against_a_model_that_is_loaded_only_then(folder):
    words = ("glossary", "check", folder / "terms.tsv", "--source", "en", "--target", "de")
    assert loaded_by(*words, "-m", "general:en-de") >= HEAVY


def user_seconds(*arguments: str) -> float:
    """The processor's time that a process of its own takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(
        [sys.executable, "-m", "gridbeam", *arguments],
        check=True,
        capture_output=True,
        env={**os.environ, "COLUMNS": "80"},
    )
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("translate", "--help")])
def test_help_answers_within_four_tenths_of_a_second(arguments):
    # One of a few: other processes may slow one down, and nothing makes one faster.
    assert any(user_seconds(*arguments) < 0.4 for _ in range(20))


def test_threads_of_a_command_wait_for_a_moment_only_unless_the_environment_says(monkeypatch):
    seen = []
    monkeypatch.setattr("gridbeam.cli.app", lambda: seen.append(os.environ["GOMP_SPINCOUNT"]))
    monkeypatch.setenv("GOMP_SPINCOUNT", "7")
    main()
    monkeypatch.delenv("GOMP_SPINCOUNT")
    main()
    assert seen == ["7", "1000"]


def test_a_command_seldom_looks_for_garbage_while_libraries_load():
    # In a process of its own: this one keeps its threshold.
    code = "import gc, torch; print(gc.get_stats()[2]['collections'])"
    by_default, in_commands = (
        int(subprocess.check_output([sys.executable, "-c", setup + code]))
        for setup in ("", "import gc; from gridbeam.cli import _OBJECTS as n; gc.set_threshold(n);")
    )
    assert in_commands < by_default


def test_the_threshold_of_garbage_is_set_by_the_entry_point(monkeypatch):
    seen = []
    monkeypatch.setattr("gridbeam.cli.app", lambda: seen.append(gc.get_threshold()[0]))
    before = gc.get_threshold()
    try:
        main()
    finally:
        gc.set_threshold(*before)
    assert seen == [10_000]
