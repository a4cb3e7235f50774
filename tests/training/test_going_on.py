"""Runs that go on: after a kill or a stop, from another model, for longer.

And runs that something has happened to.
"""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest
from safetensors.torch import load_file
from small_runs import SHORT, command, log, same, trained, weights

from gridbeam import UserError
from gridbeam.models.eightbit import store
from gridbeam.training import train
from gridbeam.training.config import read
from gridbeam.training.events import Prepared, TrainingProgress, Validation

slow = pytest.mark.slow


# Going on


@slow
def test_a_killed_run_goes_on_to_the_same_weights(marian, tmp_path):
    """kill -9 in the middle, and the same command again: all weights and log entries are equal.

    Equal to those of an unbroken run.
    """
    again = command(
        "train", marian.data / "marian.toml", "--data", marian.data, "--out", tmp_path / "run"
    )
    with subprocess.Popen(again, stderr=subprocess.PIPE, text=True) as process:
        for line in process.stderr:
            if line.startswith("update 120:"):
                process.kill()
                break
        process.stderr.read()
    assert process.returncode == -signal.SIGKILL
    assert log(tmp_path / "run") == log(marian.folder)[: len(log(tmp_path / "run"))]
    state = json.loads((tmp_path / "run" / "last" / "state.json").read_text())
    assert 100 <= state["update"] < 300
    finished = subprocess.run(again, capture_output=True, text=True, check=True)
    assert (
        f"update {state['update'] + 10}:" in finished.stderr
        and "update 100:" not in finished.stderr
    )
    assert log(tmp_path / "run") == log(marian.folder)
    for name in ("last", "best"):
        assert same(weights(tmp_path / "run" / name), weights(marian.folder / name))
    optimizers = [
        load_file(folder / "last" / "optimizer.safetensors")
        for folder in (tmp_path / "run", marian.folder)
    ]
    assert same(*optimizers)


ADADELTA = [
    "training.optimizer=adadelta",
    "training.schedule=constant",
    "training.learning_rate=1.0",
    "training.l2=1e-5",
]


GRAPHS = [
    "training.graphs=true",
    "training.batch_sentences=8",
    "training.warmup=0",
    "network.dropout=0.3",
]


@slow
@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("marian", [*SHORT, "training.average=0.95"]),
        ("gru", SHORT + ADADELTA),
        ("gru", SHORT + ADADELTA + GRAPHS),
    ],
    ids=["marian", "gru", "graphs"],
)
def test_a_run_stopped_at_any_report_goes_on_to_the_same_weights(data, tmp_path, kind, changes):
    whole = trained(data, kind, tmp_path / "whole", changes)
    for stop in (
        Prepared,
        TrainingProgress,
        TrainingProgress,
        Validation,
        TrainingProgress,
        Validation,
    ):
        events = train(read(data / f"{kind}.toml", changes), tmp_path / "broken", data)
        next((event for event in events if isinstance(event, stop)), None)
        events.close()
    trained(data, kind, tmp_path / "broken", changes)
    assert log(tmp_path / "broken") == log(tmp_path / "whole")
    assert whole[-1].update == 40
    for name in ("last", "best"):
        assert same(weights(tmp_path / "broken" / name), weights(tmp_path / "whole" / name))


@slow
def test_a_run_that_is_done_has_nothing_more_to_do(marian):
    before = {path: path.stat().st_mtime_ns for path in (marian.folder / "last").iterdir()}
    assert trained(marian.data, "marian", marian.folder) == []
    assert {path: path.stat().st_mtime_ns for path in (marian.folder / "last").iterdir()} == before
    assert len(log(marian.folder)) == 33


@slow
def test_a_run_can_be_made_longer(data, tmp_path):
    constant = [*SHORT, "training.schedule=constant"]
    trained(data, "marian", tmp_path / "long", [*constant, "training.updates=20"])
    assert trained(data, "marian", tmp_path / "long", constant)[-1].update == 40
    trained(data, "marian", tmp_path / "whole", constant)
    assert same(weights(tmp_path / "long" / "last"), weights(tmp_path / "whole" / "last"))


@slow
@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("seed=2", "seed"),
        ("network.width=64", "network.width"),
        ("training.optimizer=adadelta", "training.optimizer"),
        ("vocabulary.size=330", "vocabulary.size"),
    ],
)
def test_another_configuration_in_the_same_folder_is_refused_by_name(marian, change, named):
    before = (marian.folder / "config.json").read_text()
    with pytest.raises(
        UserError, match=rf"config\.json: this run began with another {named}\. Go on as it began"
    ):
        trained(marian.data, "marian", marian.folder, [change])
    assert (marian.folder / "config.json").read_text() == before


def first_loss(data, kind, folder, *changes):
    events = trained(
        data,
        kind,
        folder,
        ["training.updates=1", "training.log_every=1", "training.bleu_sentences=2", *changes],
    )
    return next(event.loss for event in events if isinstance(event, TrainingProgress))


@slow
def test_a_run_can_start_from_a_model_and_its_vocabulary(run, tmp_path):
    kind = run.folder.name
    assert first_loss(run.data, kind, tmp_path / "on", f"training.start_from={run.best}") < 0.5
    assert first_loss(run.data, kind, tmp_path / "anew") > 4
    vocabularies = [folder / "vocabulary.model" for folder in (run.folder, tmp_path / "on")]
    assert vocabularies[0].read_bytes() == vocabularies[1].read_bytes()


@slow
def test_a_run_can_start_from_a_model_in_8_bits(marian, tmp_path):
    store(marian.best, tmp_path / "small")
    assert (
        first_loss(
            marian.data, "marian", tmp_path / "on", f"training.start_from={tmp_path / 'small'}"
        )
        < 0.5
    )


@slow
def test_a_model_that_a_run_cannot_start_from_is_named(marian, gru, tmp_path):
    def said(run, *changes):
        with pytest.raises(UserError) as raised:
            first_loss(marian.data, "marian", tmp_path / run, *changes)
        return str(raised.value)

    start = f"training.start_from={marian.best}"
    assert "other sizes" in said("wide", start, "network.feed_forward=96")
    assert "[network]" in said("deep", start, "network.decoder_layers=5")
    assert "other sizes" in said("gru", f"training.start_from={gru.best}")
    assert "cannot be read" in said("none", f"training.start_from={tmp_path / 'nowhere'}")
    first_loss(marian.data, "marian", tmp_path / "other", "vocabulary.kind=bpe")
    (tmp_path / "other" / "config.json").unlink()
    assert "another vocabulary" in said("other", start)


# Runs that something has happened to


@slow
def test_a_run_that_has_lost_patience_has_nothing_more_to_do(data, tmp_path):
    changes = [
        *SHORT,
        "training.learning_rate=1e-9",
        "training.validate_every=5",
        "training.patience=1",
    ]
    trained(data, "marian", tmp_path / "run", changes)
    before = log(tmp_path / "run")
    assert before[-1]["update"] == 10
    assert trained(data, "marian", tmp_path / "run", changes) == []
    assert log(tmp_path / "run") == before


@slow
def test_a_run_that_saves_between_reports_logs_the_same_after_a_stop(data, tmp_path):
    changes = [
        "training.updates=20",
        "training.save_every=7",
        "training.best_by=loss",
        "training.bleu_sentences=0",
    ]
    trained(data, "marian", tmp_path / "whole", changes)
    events = train(read(data / "marian.toml", changes), tmp_path / "broken", data)
    next(event for event in events if isinstance(event, TrainingProgress) and event.update == 10)
    events.close()
    trained(data, "marian", tmp_path / "broken", changes)
    assert [entry["update"] for entry in log(tmp_path / "broken")] == [7, 10, 14, 20, 20]
    assert log(tmp_path / "broken") == log(tmp_path / "whole")


@slow
def test_half_a_line_in_the_log_is_left_out(data, tmp_path):
    changes = [*SHORT, "training.updates=20"]
    trained(data, "marian", tmp_path / "run", changes)
    before = log(tmp_path / "run")
    with (tmp_path / "run" / "log.jsonl").open("a") as file:
        file.write('{"kind": "progr')
    trained(data, "marian", tmp_path / "run", changes)
    assert log(tmp_path / "run") == before


@slow
def test_a_damaged_configuration_of_a_run_is_named(marian, tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    for text in ("", "{", "[]", '{"name": 5}'):
        (folder / "config.json").write_text(text)
        with pytest.raises(
            UserError, match=r"run/config\.json is damaged, or of another version of gridbeam"
        ):
            trained(marian.data, "marian", folder)
        assert (folder / "config.json").read_text() == text


@slow
def test_a_folder_that_cannot_be_made_is_named(data, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(
        UserError, match=r"file/run/config\.json cannot be written: Not a directory"
    ):
        trained(data, "marian", tmp_path / "file" / "run")


@slow
def test_a_full_disk_at_the_log_is_told(data, tmp_path, monkeypatch):
    events = train(read(data / "marian.toml", SHORT), tmp_path / "run", data)
    next(event for event in events if isinstance(event, TrainingProgress))
    opened = Path.open

    def full(path, *arguments, **options):
        if path.name == "log.jsonl":
            raise OSError(28, "No space left on device")
        return opened(path, *arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", full)
        with pytest.raises(
            UserError, match=r"log\.jsonl cannot be written: No space left on device\. Make room"
        ):
            list(events)
    assert trained(data, "marian", tmp_path / "run", SHORT)[-1].update == 40


@slow
def test_a_loss_that_is_no_number_ends_training_with_advice(data, tmp_path):
    with pytest.raises(
        UserError,
        match=r"update \d+: the loss is no number any more\. .*lower training\.learning_rate",
    ):
        trained(
            data, "marian", tmp_path / "run", ["training.learning_rate=9e15", "training.warmup=0"]
        )
