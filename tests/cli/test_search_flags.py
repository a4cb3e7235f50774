"""Every option of the search is a flag of every command that searches, made from the one list."""

from __future__ import annotations

import re

import pytest
import typer
from other_options import other_value
from typer.testing import CliRunner

from gridbeam.cli import app
from gridbeam.decoding.options import FLAGS, NAMES
from gridbeam.experiments.defaults import DICTIONARY, EXPERIMENTS
from gridbeam.translation.defaults import TRANSLATION

PLACES = {
    ("translate",): ("gridbeam.files.command.carry_out", TRANSLATION),
    ("explain",): ("gridbeam.translation.explain.explain", TRANSLATION),
    ("evaluate",): ("gridbeam.evaluation.evaluate.evaluate", TRANSLATION),
    ("experiment", "pick-revise"): ("gridbeam.experiments.pickrevise.run", EXPERIMENTS),
    ("experiment", "terminology"): ("gridbeam.experiments.terminology.terminology", EXPERIMENTS),
    ("experiment", "dictionary"): ("gridbeam.experiments.dictionary.dictionary", DICTIONARY),
    ("experiment", "ablations"): ("gridbeam.experiments.ablations.ablation", EXPERIMENTS),
}
"""The commands that search: the function that each calls, and what is usual there."""
ARGUMENTS = {
    ("translate",): "text",
    ("explain",): "text",
    ("evaluate",): "a.en a.de",
    ("experiment", "pick-revise"): "--src a.en --ref a.de -o a.jsonl",
    ("experiment", "terminology"): "--src a.en --ref a.de -o a.jsonl",
    ("experiment", "dictionary"): "--src a.en --ref a.de -o a.jsonl --terms a.terms",
    ("experiment", "ablations"): "--src a.en --ref a.de -o a.jsonl --what beam",
}
COMMANDS = pytest.mark.parametrize("words", PLACES, ids=" ".join)


def command(words):
    """What typer made of a function."""
    found = typer.main.get_command(app)
    for word in words:
        found = found.commands[word]
    return found


def flags_of(words):
    """The options of the search that a command has: all, but for the number of results.

    Only `translate` gives more than the best.
    """
    return {name for name in FLAGS if name != "n_best" or words == ("translate",)}


@COMMANDS
def test_a_command_has_a_flag_for_each_option_of_the_search(words):
    options = {each.name: each for each in command(words).params}
    assert options.keys() & set(NAMES) == flags_of(words)
    for name in flags_of(words):
        assert FLAGS[name] in options[name].opts
        assert options[name].rich_help_panel == "Search"


@COMMANDS
def test_the_defaults_of_a_command_are_those_of_what_it_calls(words):
    usual = PLACES[words][1]
    for each in command(words).params:
        if each.name in FLAGS:
            assert each.default == getattr(usual, each.name), each.name


def test_every_command_with_a_beam_is_among_them():
    root = typer.main.get_command(app)
    every = [(name,) for name in root.commands]
    for name, each in root.commands.items():
        every += [(name, inner) for inner in getattr(each, "commands", ())]
    having = {words for words in every if "beam" in {each.name for each in command(words).params}}
    assert having == set(PLACES)


class Called(Exception):
    """Raised in place of the work, with the options that would have been searched with."""


def searched(monkeypatch, words, *flags):
    """The options that a command calls its function with."""

    def called(*args, **kwargs):
        values = [*args, *kwargs.values()]
        values += [getattr(each, "search", None) for each in values]
        raise Called(next(each for each in values if hasattr(each, "beam")))

    monkeypatch.setattr(PLACES[words][0], called)
    run = CliRunner().invoke(app, [*words, *ARGUMENTS[words].split(), *flags])
    assert isinstance(run.exception, Called), run.output
    return run.exception.args[0]


def written(name, value):
    """A flag with its value."""
    if isinstance(value, bool):
        return [FLAGS[name] if value else FLAGS[name].replace("--", "--no-")]
    return [FLAGS[name], str(value)]


@COMMANDS
def test_a_flag_reaches_what_is_called_and_nothing_else_changes(words, monkeypatch):
    usual = PLACES[words][1]
    assert searched(monkeypatch, words) == usual
    for name in flags_of(words):
        value = other_value(name, usual)
        found = searched(monkeypatch, words, *written(name, value))
        assert found == usual.but(**{name: value})


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("--beam 0", "--beam 0: must be at least 1"),
        ("--max-length -3", "--max-length -3: must be at least 1, or left out"),
        ("--length-penalty 99", "--length-penalty 99.0: must be a number from -20 to 20"),
        ("--length-reward inf", "--length-reward inf: must be a number, such as 0.2"),
        (
            "--n-best 6",
            "--n-best 6: a beam of 5 holds no more. Raise --beam, or ask for fewer.",
        ),
        (
            "--n-best 6 --beam 9 --budget 3",
            "--n-best 6: a budget of 3 holds no more. Raise --budget, or ask for fewer.",
        ),
    ],
)
def test_what_is_wrong_with_a_flag_is_told_in_the_words_of_the_command_line(flags, message):
    run = CliRunner().invoke(app, ["translate", "text", *flags.split()])
    assert (run.exit_code, run.stderr) == (2, f"gridbeam: {message}\n")


def test_a_word_that_is_no_choice_is_told_with_those_that_are():
    run = CliRunner(env={"COLUMNS": "80"}).invoke(app, ["translate", "text", "--stop", "soon"])
    assert run.exit_code == 2
    assert all(word in run.stderr for word in ("--stop", "soon", "exact", "likely", "first"))


def help_of(words):
    run = CliRunner(env={"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"}).invoke(
        app, [*words, "--help"]
    )
    assert run.exit_code == 0
    return run.stdout


@COMMANDS
def test_help_is_readable_in_80_columns(words):
    shown = help_of(words)
    assert max(map(len, shown.splitlines())) <= 80
    assert "…" not in shown
    seen = set(shown.split())
    for each in command(words).params:
        assert not each.opts[0].startswith("-") or {*each.opts, *each.secondary_opts} <= seen
        cut = [word for word in (each.help or "").split() if word not in seen]
        assert not cut, f"{each.opts[0]}: {cut}"


def test_the_help_of_translate_is_in_groups():
    titles = re.findall(r"^[╭+]─ (.+?) ─+[╮+]$", help_of(("translate",)), re.M)
    assert titles == [
        "Arguments",
        "Options",
        "What to say",
        "Glossary",
        "Files",
        "Search",
        "Many workers",
        "Model",
    ]
