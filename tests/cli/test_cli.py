"""The commands: results on stdout, everything else on stderr.

A mistake is told in a line and exits with 2.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import lessons
import pytest
import tiny
from asking import ask, complaint

import gridbeam
from gridbeam.cli import app, command
from gridbeam.errors import ModelError, UserError

COMMANDS = sorted(each.callback.__name__ for each in app.registered_commands)


def test_the_commands_are_those_that_the_help_names():
    assert COMMANDS == [
        "check",
        "curve",
        "evaluate",
        "explain",
        "export",
        "gather",
        "score",
        "serve",
        "train",
        "translate",
    ]
    found = ask("--help")
    assert found.exit_code == 0
    assert all(name in found.stdout for name in COMMANDS)


def test_the_version_is_told():
    found = ask("--version")
    assert (found.exit_code, found.stdout) == (0, f"gridbeam {gridbeam.__version__}\n")


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_every_command_has_help_for_each_of_its_options(name, option):
    found = ask(name, option)
    assert found.exit_code == 0
    assert "Usage: " in found.stdout and found.stderr == ""
    assert "--help" in found.stdout


@pytest.mark.parametrize("name", sorted({*COMMANDS} - {"translate", "serve"}))  # they begin
def test_a_command_without_arguments_shows_its_help(name):
    found = ask(name)
    assert "Usage: " in found.output and "Traceback" not in found.output


@pytest.mark.parametrize("kind", [UserError, ModelError])
def test_a_mistake_is_one_line_and_exits_with_2(kind):
    def fail(word: str) -> None:
        raise kind(f"{word} line 3: wrong [bold]brackets[/bold], " + "and a long story " * 20)

    count = len(app.registered_commands)
    try:
        command(fail)
        assert complaint("fail", "a.txt").startswith(
            "a.txt line 3: wrong [bold]brackets[/bold], and a long story"
        )
    finally:
        del app.registered_commands[count:]


def test_a_missing_configuration_is_named(tmp_path):
    assert complaint("train", tmp_path / "no.toml").startswith(
        f"{tmp_path / 'no.toml'} cannot be read: No such file"
    )


def test_an_unknown_key_is_named_with_its_line(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text(lessons.MARIAN.replace("warmup", "warm_up"))
    line = lessons.MARIAN[: lessons.MARIAN.index("warmup")].count("\n") + 1
    assert (
        complaint("train", path)
        == f"{path} line {line}: unknown key training.warm_up. Did you mean warmup?"
    )
    path.write_text(lessons.MARIAN)
    assert (
        complaint("train", path, "--set", "training.updates")
        == "--set training.updates: write KEY=VALUE, as in --set training.updates=100"
    )


def test_missing_text_is_named(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text(lessons.MARIAN)
    said = complaint("train", path, "--data", tmp_path / "nowhere", "--out", tmp_path / "run")
    assert (
        said
        == f"{tmp_path / 'nowhere' / 'toy.en'} is not there. Check the configuration, and --data."
    )


def test_test_sets_that_are_not_aligned_are_named(tmp_path):
    (tmp_path / "a.en").write_text("one\ntwo\n")
    (tmp_path / "a.de").write_text("eins\n")
    said = complaint("evaluate", tmp_path / "a.en", tmp_path / "a.de")
    assert said.startswith(
        f"{tmp_path / 'a.de'} ends before line 2, and {tmp_path / 'a.en'} goes on"
    )
    assert complaint("evaluate", tmp_path / "no.en", tmp_path / "a.de").startswith(
        f"{tmp_path / 'no.en'} cannot be read"
    )
    (tmp_path / "empty").write_text("")
    assert complaint("evaluate", tmp_path / "empty", tmp_path / "empty").startswith(
        f"{tmp_path / 'empty'} is empty"
    )


@pytest.mark.parametrize("arguments", [["translate", "Hello."], ["explain", "Hello."], ["export"]])
def test_an_unknown_model_is_named(tmp_path, arguments):
    given = ["nowhere", tmp_path / "out"] if arguments == ["export"] else ["--model", "nowhere"]
    assert '"nowhere"' in complaint(*arguments, *given)


@pytest.mark.slow
def test_a_real_process_prints_no_traceback(tmp_path):
    arguments = [sys.executable, "-m", "gridbeam", "train", str(tmp_path / "no.toml")]
    found = subprocess.run(
        arguments, capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "40"}
    )
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.startswith("gridbeam: ") and found.stderr.count("\n") == 1


def test_a_wrong_option_exits_with_2(tmp_path):
    found = ask("evaluate", tmp_path, tmp_path, "--beam", "0")
    assert found.exit_code == 2 and "Traceback" not in found.output


def test_a_translation_contains_what_it_must_and_not_what_it_must_not():
    given = [
        "The disk is full.",
        "-c",
        "Laufwerk",
        "-c",
        "ist leer",
        "--avoid",
        "disk",
        "-m",
        tiny.marian(("de",)),
    ]
    found = ask("translate", *given)
    assert found.exit_code == 0, found.output
    assert "Laufwerk" in found.stdout and "ist leer" in found.stdout and "disk" not in found.stdout
    assert found.stdout.count("\n") == 1


def test_a_translation_as_json_says_where_each_constraint_is():
    found = ask(
        "translate",
        "The disk is full.",
        "-c",
        "Laufwerk",
        "--n-best",
        "2",
        "--json",
        "-m",
        tiny.marian(("de",)),
    )
    record = json.loads(found.stdout)
    [[[start, end]]] = [met["spans"] for met in record["met"]]
    assert record["translation"][start:end] == "Laufwerk"
    assert len(record["alternatives"]) == 1


def test_an_explanation_shows_the_grid_and_writes_what_it_is_asked_for(tmp_path):
    files = {kind: tmp_path / f"found.{kind}" for kind in ("html", "svg", "graph")}
    written = [text for kind, path in files.items() for text in (f"--{kind}", path)]
    found = ask(
        "explain",
        "The disk is full.",
        "-c",
        "Laufwerk",
        *written,
        "-m",
        tiny.marian(("de",)),
        "--beam",
        "2",
    )
    assert found.exit_code == 0, found.output
    assert "[Laufwerk]" in found.stdout and "time step" in found.stdout
    assert "<svg" in files["svg"].read_text(encoding="utf8") and "<svg" in files["graph"].read_text(
        encoding="utf8"
    )
    page = files["html"].read_text(encoding="utf8")
    assert page.startswith("<!doctype html>") and "Laufwerk" in page


def test_a_file_that_cannot_be_written_is_named(tmp_path):
    where = tmp_path / "none" / "grid.html"
    assert str(where) in complaint(
        "explain", "The disk is full.", "--html", where, "-m", tiny.marian(("de",))
    )


def test_an_exported_model_is_an_ordinary_folder(tmp_path):
    assert ask("export", tiny.marian(("de",)), tmp_path / "plain").exit_code == 0
    assert (tmp_path / "plain" / "model.safetensors").exists()
    assert "not empty" in complaint("export", tiny.marian(("de",)), tmp_path / "plain")


def glossary(tmp_path, *rows):
    path = tmp_path / "terms.tsv"
    path.write_text("".join(f"{row}\n" for row in ("source\ttarget", *rows)), encoding="utf8")
    return path


def test_a_glossary_is_checked(tmp_path):
    assert ask("glossary", "check", glossary(tmp_path, "disk\tLaufwerk")).exit_code == 0
    found = ask("glossary", "check", glossary(tmp_path, "folder\tOrdner", "folder\tVerzeichnis"))
    assert found.exit_code == 3
    assert "terms.tsv line 3" in found.stdout
    assert "2 entries, 1 problems" in found.stderr


def test_a_glossary_is_checked_against_a_model(tmp_path):
    assert (
        ask(
            "glossary", "check", glossary(tmp_path, "disk\tLaufwerk"), "-m", tiny.marian(("de",))
        ).exit_code
        == 0
    )


def test_a_glossary_is_converted_there_and_back(tmp_path):
    old, middle, new = (
        glossary(tmp_path, "hard disk\tFestplatte|Laufwerk"),
        tmp_path / "terms.tbx",
        tmp_path / "new.tsv",
    )
    assert (
        ask("glossary", "convert", old, middle, "--source", "en", "--target", "de").exit_code == 0
    )
    assert ask("glossary", "convert", middle, new).exit_code == 0
    assert "hard disk\tFestplatte|Laufwerk" in new.read_text(encoding="utf8")


def test_sheet_and_case_rule_of_a_glossary_are_chosen_by_flags(tmp_path):
    workbook, table = tmp_path / "terms.xlsx", glossary(tmp_path, "disk\tPlatte", "Disk\tPlatte")
    assert ask("glossary", "convert", table, workbook).exit_code == 0
    assert ask("glossary", "check", workbook, "--sheet", "glossary").exit_code == 3
    assert 'has no sheet "Other". Choose one of: glossary' in complaint(
        "glossary", "check", workbook, "--sheet", "Other"
    )
    assert "being no .xlsx" in complaint("glossary", "check", table, "--sheet", "glossary")
    assert ask("glossary", "check", table, "--case", "exact").exit_code == 0
    assert 'case "upper" is unknown. Write exact' in complaint(
        "glossary", "check", table, "--case", "upper"
    )


def test_the_source_language_of_a_model_is_not_another(tmp_path):
    assert 'does not translate from "fr": say with --source (source=) en' in complaint(
        "translate", "Hello.", "--source", "fr", "-m", tiny.marian(("de",))
    )


def test_how_the_header_of_a_glossary_was_read_is_a_line_on_stderr(tmp_path):
    (tmp_path / "terms.csv").write_text("English,German,POS\ndisk,Platte,noun\n")
    found = ask("glossary", "check", tmp_path / "terms.csv")
    assert (found.exit_code, found.stdout) == (0, "")
    assert '"English" is the source' in found.stderr and found.stderr.endswith(
        "\n1 entries, 0 problems\n"
    )


def test_terms_are_extracted(tmp_path):
    for name, text in (("en", "press the green button\n"), ("de", "den grünen Knopf drücken\n")):
        (tmp_path / f"text.{name}").write_text(text * 6 + "nothing\n" * 9, encoding="utf8")
    found = ask(
        "terms", "extract", tmp_path / "text.en", tmp_path / "text.de", "-o", tmp_path / "terms.tsv"
    )
    assert found.exit_code == 0, found.output
    assert "press the green button\tden grünen Knopf drücken\t1.0" in (
        tmp_path / "terms.tsv"
    ).read_text(encoding="utf8")
    checked = ask("glossary", "check", tmp_path / "terms.tsv")
    assert checked.exit_code == 0, checked.output


def test_a_glossary_is_obeyed_where_its_terms_are_due(tmp_path):
    terms = glossary(tmp_path, "disk\tLaufwerk", "folder\tVerzeichnis")
    given = ["The disks are full.", "--glossary", terms, "-m", tiny.marian(("de",))]
    found = ask("translate", *given, "--lemmas", "--fail-on", "nothing")
    assert found.exit_code == 0, found.output
    assert "Laufwerk" in found.stdout and "Verzeichnis" not in found.stdout
    assert "terms.tsv" in complaint(
        "translate",
        "The disk.",
        "--glossary",
        tmp_path / "no" / "terms.tsv",
        "-m",
        tiny.marian(("de",)),
    )
