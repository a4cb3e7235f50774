"""Logs of experiments: what is damaged is named and made again, whatever was written before."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gridbeam.errors import UserError, UserNotice
from gridbeam.experiments.log import Log, read, save_summary

HEADER = {"experiment": "e", "options": {}}
RESULTS = Path(__file__).parent.parent.parent / "benchmarks" / "results" / "experiments"


def record(number, kind="sentence"):
    return {"key": f"k{number}", "kind": kind, "text": f"text {number}"}


def a_log(tmp_path):
    path = tmp_path / "log.jsonl"
    with Log(path, HEADER) as log:
        for number in range(3):
            log.add(record(number))
    return path


def damaged(path, before, after):
    data = path.read_bytes()
    assert data.count(before) == 1
    path.write_bytes(data.replace(before, after))


@pytest.mark.parametrize("after", [b"test 1", b"", b"\xff\xfe", b"text\n1"])
def test_a_damaged_record_is_named_and_made_again(tmp_path, after):
    path = a_log(tmp_path)
    damaged(path, b"text 1", after)
    with pytest.warns(UserNotice, match=r"damaged\. What stood there is done again"):
        assert list(read(path).all) == ["k0", "k2"]
    with pytest.warns(UserNotice):
        log = Log(path, HEADER)
    with log:
        assert "k1" not in log
        log.add(record(1))
    with pytest.warns(UserNotice):
        assert [each["text"] for each in read(path).records("sentence")] == [
            "text 0",
            "text 2",
            "text 1",
        ]


def test_a_log_whose_first_line_is_damaged_is_refused(tmp_path):
    path = a_log(tmp_path)
    damaged(path, b'"experiment": "e"', b'"experiment": "f"')
    with pytest.raises(UserError, match="line 1: this is no log of an experiment"):
        read(path)


def test_a_line_of_a_log_is_json_of_its_record(tmp_path):
    lines = [json.loads(line) for line in a_log(tmp_path).read_text().splitlines()]
    assert [line.pop("crc") != "" for line in lines] == [True] * 4
    assert lines[1] == record(0)


def test_a_log_without_checksums_is_read_and_gone_on_with(tmp_path):
    path = tmp_path / "log.jsonl"
    with Log(path, HEADER) as log:
        log.add(record(0, "summary"))
    old = tmp_path / "old.jsonl"
    save_summary(read(path), old)
    assert b"crc" not in old.read_bytes()
    with Log(old, HEADER) as log:
        log.add(record(1, "summary"))
    assert list(read(old).all) == ["k0", "k1"]
    damaged(old, b"text 1", b"test 1")
    with pytest.warns(UserNotice, match="line 3 is damaged"):
        assert list(read(old).all) == ["k0"]


@pytest.mark.filterwarnings("error")
def test_the_logs_that_are_there_are_read():
    paths = sorted(RESULTS.glob("*.jsonl"))
    assert len(paths) > 5
    for path in paths:
        assert read(path).records("summary"), path
