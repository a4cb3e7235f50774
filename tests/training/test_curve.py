"""Learning curves: what is drawn of the logs of runs, and what is said of logs that are none."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("matplotlib")
from typer.testing import CliRunner

from gridbeam import UserError
from gridbeam.cli import app
from gridbeam.training.curve import draw_curves


def logged(run, *, tokens):
    """The folder of a run that reported after so many tokens."""
    run.mkdir(parents=True)
    entries = [
        {"kind": "progress", "update": update, "tokens": seen, "loss": 2.5}
        for update, seen in enumerate(tokens)
    ]
    (run / "log.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return run


def refusal(run, out):
    with pytest.raises(UserError) as error:
        draw_curves([run], out)
    return str(error.value)


@pytest.mark.parametrize(
    ("log", "said"),
    [
        (None, "cannot be read: name the folder of a training run"),
        ("", "is empty: the run has not reported yet"),
        ("no json\n", "is no training log"),
        ('{"kind": "progress"}\n', "is no training log"),
        ("[1]\n", "is no training log"),
    ],
)
def test_a_run_without_a_log_is_named(tmp_path, log, said):
    if log is not None:
        (tmp_path / "log.jsonl").write_text(log)
    assert said in refusal(tmp_path, tmp_path / "a.svg")


def test_a_picture_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "log.jsonl").write_text(
        '{"kind": "progress", "update": 10, "tokens": 100, "loss": 2.5}\n'
    )
    for out in (tmp_path / "nowhere" / "a.svg", tmp_path / "a.nothing"):
        assert f"{out} cannot be written: " in refusal(tmp_path, out)


def test_runs_of_the_same_name_are_told_apart(tmp_path):
    runs = [logged(tmp_path / place / "run", tokens=[100]) for place in ("one", "two")]
    draw_curves(runs, tmp_path / "a.svg")
    drawn = (tmp_path / "a.svg").read_text("utf8")
    assert all(f"<!-- {name}, training -->" in drawn for name in ("one/run", "two/run"))


@pytest.mark.parametrize(("options", "begins"), [((), 0), (("--joined",), 3)])
def test_runs_are_drawn_from_the_start_or_one_after_the_other(
    tmp_path, monkeypatch, options, begins
):
    figures = []
    monkeypatch.setattr("gridbeam.support.figures.save", lambda figure, out: figures.append(figure))
    runs = [
        logged(tmp_path / "one", tokens=[1_000_000, 3_000_000]),
        logged(tmp_path / "two", tokens=[500_000, 2_000_000]),
    ]
    found = CliRunner().invoke(app, ["curve", *map(str, runs), *options])
    assert found.exit_code == 0, found.output
    (losses, _) = figures[0].axes
    drawn = {line.get_label(): list(line.get_xdata()) for line in losses.lines}
    assert drawn["one, training"] == [1, 3]
    assert drawn["two, training"] == [begins + 0.5, begins + 2]
