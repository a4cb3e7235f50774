"""The flags of many workers on the command line: what is asked, and what is refused."""

from __future__ import annotations

import pytest
from small_files import ask, complaint
from small_jobs import here, sentences
from typer.testing import CliRunner

from gridbeam.cli import app
from gridbeam.distributed import run
from gridbeam.distributed.processes import how_it_ended
from gridbeam.distributed.spread import share_of
from gridbeam.errors import UserError


@pytest.fixture
def text(file):
    return file("a.txt", sentences(4))


def test_shares_by_hand_are_gathered_to_what_one_command_writes(text, tmp_path, monkeypatch):
    monkeypatch.setattr(run, "pool_of", here)
    out = tmp_path / "out"
    one = ask(text, "-o", tmp_path / "one.txt")
    for share in ("1/2", "2/2"):
        ran = ask(text, "-o", out, "--shard", share, "--shards", "2")
        assert ran.exit_code == 0, ran.output
    assert "1 shards of share 2 of 2 are done; 2 of all 2: gridbeam gather" in ran.stderr
    report = tmp_path / "report.json"
    words = ["gather", str(out), "--report", str(report)]
    gathered = CliRunner(env={"COLUMNS": "200", "NO_COLOR": "1"}).invoke(app, words)
    assert gathered.exit_code == 0 and report.exists()
    assert gathered.stderr == one.stderr
    assert (out / "a.txt").read_bytes() == (tmp_path / "one.txt").read_bytes()


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--workers", "2"], "--workers is for many workers: add --engine"),
        (["--shards", "2"], "--shards is for many workers: add --engine"),
        (["--engine", "spark"], '--engine "spark" is unknown: write processes or ray.'),
        (["--engine", "processes", "--address", "auto"], "--address is for --engine ray: add it"),
        (["--engine", "processes", "--resume"], "--resume is not needed with --engine"),
        (["--shard", "3/2"], '--shard "3/2": write which of how many it is, from 1 on'),
        (["--engine", "processes", "--sheet", "a"], "--sheet is for the terms of a glossary"),
    ],
)
def test_mistakes_are_told_before_anything_is_made(flags, message, text, tmp_path):
    assert message in complaint(text, "-o", tmp_path / "out", *flags)
    assert not (tmp_path / "out").exists()


def test_workers_are_for_files(text, tmp_path):
    assert "--engine and --shard are for files: name one." in complaint(
        "Hello there", "--engine", "processes"
    )
    assert "-o names a folder" in complaint(text, "--engine", "processes")
    assert "-o names a folder" in complaint(text, "-o", text, "--engine", "processes")


def test_an_output_never_takes_the_place_of_its_input(file, tmp_path):
    path = file("a.jsonl", '{"text": "The disk"}\n')
    assert "is the input, which would be overwritten" in complaint(
        path, "-o", tmp_path, "--engine", "processes"
    )


@pytest.mark.parametrize("written", ["", "1", "0/3", "4/3", "a/b", "1/2/3", "-1/3"])
def test_a_share_is_one_of_so_many(written):
    with pytest.raises(UserError, match="write which of how many it is"):
        share_of(written)


def test_how_a_worker_ended_is_told_in_words():
    assert how_it_ended(-9).endswith("SIGKILL, as by a system that is out of memory")
    assert how_it_ended(-99) == "its worker was ended by signal 99"


def test_workers_with_gpus_have_one_each(monkeypatch):
    from gridbeam.distributed.processes import _share

    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert [_share(place, 4, 2)["CUDA_VISIBLE_DEVICES"] for place in range(4)] == [*"0101"]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3,5")
    assert [_share(place, 2, 2)["CUDA_VISIBLE_DEVICES"] for place in range(2)] == ["3", "5"]
    assert int(_share(0, 1, 0)["OMP_NUM_THREADS"]) >= 1
