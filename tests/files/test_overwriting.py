"""No command overwrites what it reads or its other outputs: it says so before any work."""

from __future__ import annotations

import os
from pathlib import Path

import echo
import pytest
from typer.testing import CliRunner

from gridbeam import UserError
from gridbeam.cli import app
from gridbeam.files.run import check_places
from gridbeam.glossary import formats as glossaries
from gridbeam.glossary.entries import Entry, Glossary
from gridbeam.support.output_files import refuse_overwriting

FILES = (
    "a.en",
    "a.de",
    "b.de",
    "o.txt",
    "o.json",
    "terms.tsv",
    "names.txt",
    "log.jsonl",
    "other/log.jsonl",
)
EXPERIMENT = "--src a.en --ref a.de"
REFUSED = [
    (
        "translate o.txt -o terms.tsv --glossary terms.tsv",
        "--out terms.tsv",
        "--glossary terms.tsv",
    ),
    (
        "translate o.txt -o names.txt --do-not-translate names.txt",
        "--out names.txt",
        "--do-not-translate names.txt",
    ),
    ("translate o.txt -o a.de --glossary terms.tsv --forms a.de", "--out a.de", "--forms a.de"),
    ("translate o.txt -o same.json --report ./same.json", "--report same.json", "--out same.json"),
    ("translate o.json --format text -o x --report o.json", "--report o.json", "the input o.json"),
    (
        "translate o.txt -o x --do-not-translate o.json --report o.json",
        "--report o.json",
        "--do-not-translate o.json",
    ),
    (
        "translate x.journal -o x --restart",
        "the journal of the output x.journal",
        "the input x.journal",
    ),
    ("terms extract a.en a.de -o a.en", "--out a.en", "SOURCE a.en"),
    ("terms extract a.en a.de -o a.de", "--out a.de", "TARGET a.de"),
    ("evaluate a.en a.de -o a.en", "--out a.en", "SOURCE a.en"),
    ("evaluate a.en a.de -o a.de", "--out a.de", "REFERENCE a.de"),
    ("score b.de a.de -o b.de", "--out b.de", "HYP b.de"),
    ("score b.de a.de -o a.de", "--out a.de", "REF a.de"),
    ("score b.de a.de --baseline o.txt -o o.txt", "--out o.txt", "--baseline o.txt"),
    ("score b.de a.de --terms o.json -o o.json", "--out o.json", "--terms o.json"),
    ("score b.de a.de --source a.en --glossary terms.tsv -o a.en", "--out a.en", "--source a.en"),
    (
        "score b.de a.de --source a.en --glossary terms.tsv -o terms.tsv",
        "--out terms.tsv",
        "--glossary terms.tsv",
    ),
    ("glossary convert g.tbx g.tbx", "NEW g.tbx", "OLD g.tbx"),
    (f"experiment pick-revise {EXPERIMENT} -o a.en", "--out a.en", "--src a.en"),
    (f"experiment ablations --what beam {EXPERIMENT} -o a.de", "--out a.de", "--ref a.de"),
    (
        f"experiment dictionary {EXPERIMENT} --terms o.json -o o.json",
        "--out o.json",
        "--terms o.json",
    ),
    (
        f"experiment terminology {EXPERIMENT} --glossary terms.tsv -o terms.tsv",
        "--out terms.tsv",
        "--glossary terms.tsv",
    ),
    (
        f"experiment terminology {EXPERIMENT} --train-src o.txt --train-ref b.de -o o.txt",
        "--out o.txt",
        "--train-src o.txt",
    ),
    (
        f"experiment terminology {EXPERIMENT} --train-src o.txt --train-ref b.de -o b.de",
        "--out b.de",
        "--train-ref b.de",
    ),
    (
        "experiment report log.jsonl --summaries .",
        "--summaries, log 1: log.jsonl",
        "log 1: log.jsonl",
    ),
    (
        "experiment report log.jsonl other/log.jsonl --summaries kept",
        "--summaries, log 2: kept/log.jsonl",
        "--summaries, log 1: kept/log.jsonl",
    ),
    ("experiment report log.jsonl --into o.txt --figure o.txt", "--figure o.txt", "--into o.txt"),
    ("curve other -o other/log.jsonl", "--out other/log.jsonl", "log 1 other/log.jsonl"),
    ("explain text --html new.svg --svg new.svg", "--svg new.svg", "--html new.svg"),
]


def ask(line):
    return CliRunner(env={"COLUMNS": "200", "NO_COLOR": "1"}).invoke(app, line.split())


def contents(folder):
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of files to give to commands, which are run in it."""
    monkeypatch.chdir(tmp_path)
    Path("other").mkdir()
    for name in (*FILES, "x.journal", "g.tbx"):
        Path(name).write_text(f"This is {name}\n")
    return tmp_path


@pytest.mark.parametrize(("line", "output", "other"), REFUSED, ids=[line for line, *_ in REFUSED])
def test_a_command_refuses_to_write_over_its_own_files(folder, monkeypatch, line, output, other):
    monkeypatch.setattr(
        "gridbeam.translation.translator.Translator.load",
        lambda *_, **__: pytest.fail("work has begun"),
    )
    before = contents(folder)
    found = ask(line)
    assert found.exit_code == 2 and found.stdout == "", found.output
    said = f"{output} is the same file as {other}, which would be overwritten. Choose another file."
    assert found.stderr == f"gridbeam: {said}\n"
    assert contents(folder) == before


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_links_to_a_file_are_that_file(folder, link):
    link("a.de", "linked")
    assert ask("score b.de a.de -o linked").exit_code == 2
    assert ask("score b.de linked -o a.de").exit_code == 2
    assert Path("a.de").read_text() == Path("linked").read_text() == "This is a.de\n"


def test_a_file_that_is_not_there_yet_is_known_by_where_it_would_be(folder):
    os.symlink("other", "elsewhere")
    with pytest.raises(
        UserError, match=r"--report elsewhere/new is the same file as --out other/new"
    ):
        refuse_overwriting({"--out": Path("other/new"), "--report": Path("elsewhere/new")}, {})
    refuse_overwriting(
        {"--out": Path("other/new"), "--report": Path("new"), "--html": None}, {"--src": None}
    )


def test_pipes_and_terminals_may_be_both_read_and_written():
    refuse_overwriting(
        {"--html": Path("/dev/null"), "--svg": Path("/dev/null")}, {"--src": Path("/dev/null")}
    )


def test_a_file_may_be_read_twice_and_translated_in_place(folder):
    check_places(
        Path("o.txt"), Path("o.txt"), None, {"--glossary": Path("a.en"), "--forms": Path("a.en")}
    )


@pytest.mark.parametrize("name", ["terms.tsv", "terms.csv"])
def test_a_table_is_converted_in_place_as_all_of_it_is_kept(folder, name):
    glossary = Glossary((Entry("disk", ("Platte",), forbidden=("HDD",), note="b, c"),), "en", "de")
    glossaries.write(glossary, name)
    before = Path(name).read_bytes()
    assert ask(f"glossary convert {name} {name}").exit_code == 0
    assert Path(name).read_bytes() == before


def test_scores_go_to_a_file_of_their_own(folder):
    assert ask("score b.de a.de -o scores.txt").exit_code == 0
    assert "BLEU" in Path("scores.txt").read_text()


def test_scores_may_go_to_stdout_by_name(folder):
    found = ask("score b.de a.de -o -")
    assert found.exit_code == 0 and "BLEU" in found.stdout and not Path("-").exists()


def test_a_link_is_written_through(folder):
    os.symlink("scores.txt", "link.txt")
    assert ask("score b.de a.de -o link.txt").exit_code == 0
    assert Path("link.txt").is_symlink() and "BLEU" in Path("scores.txt").read_text()


def test_an_evaluation_is_written_whole_or_not_at_all(folder, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(
        "gridbeam.translation.translator.Translator.load", lambda *_, **__: echo.translator()
    )
    assert ask("evaluate a.en a.de -o found.de").exit_code == 0
    before = contents(folder)
    assert before[str(folder / "found.de")].count(b"\n") == 1
    monkeypatch.setattr(os, "fsync", full)
    found = ask("evaluate a.en a.de -o found.de")
    assert (
        found.exit_code == 2
        and "found.de cannot be written: No space left on device" in found.stderr
    )
    assert contents(folder) == before
