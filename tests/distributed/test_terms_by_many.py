"""Terms that many workers find in chunks are those that one machine finds in memory."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_jobs import HERE, Here, here
from typer.testing import CliRunner

from gridbeam.cli import app
from gridbeam.distributed import terms
from gridbeam.distributed.engines import WorkerEngine
from gridbeam.distributed.terms import extract_by_many
from gridbeam.errors import UserError
from gridbeam.terminology import chunks
from gridbeam.terminology.chunks import merged
from gridbeam.terminology.extract import extract

WORDS = st.sampled_from(["a", "b", "c", "A", ",", ".", "b."])
TEXTS = st.lists(WORDS, max_size=7).map(" ".join)
CORPORA = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=12)
OPTIONS = st.fixed_dictionaries(
    {
        "min_words": st.integers(1, 2),
        "max_words": st.integers(2, 4),
        "threshold": st.sampled_from([-0.9, -0.3, 0.0, 0.1, 0.5, 0.9, 1.0]),
        "min_count": st.integers(1, 4),
        "punctuation": st.sampled_from(["inside", "anywhere", "nowhere"]),
        "fold_case": st.booleans(),
        "fold": st.booleans(),
        "whole": st.booleans(),
        "min_share": st.sampled_from([0.0, 0.6]),
    }
)
SOFTWARE = [
    (f"The {one} {number % 3} is full. Save the file.", f"Die {other} {number % 3} ist voll.")
    for number, (one, other) in enumerate(
        [("hard disk", "feste Platte"), ("file name", "Dateiname"), ("a b c", "c d e")] * 12
    )
]


def written(folder, pairs):
    paths = folder / "a.en", folder / "a.de"
    for path, side in zip(paths, zip(*pairs, strict=True), strict=True):
        path.write_text("".join(f"{text}\n" for text in side), encoding="utf8")
    return paths


@given(CORPORA, OPTIONS, st.integers(1, 5))
def test_terms_do_not_depend_on_how_the_text_is_cut(tmp_path_factory, pairs, options, at_once):
    folder = tmp_path_factory.mktemp("drawn")
    paths = written(folder, pairs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(terms, "pool_of", here)
        patch.setattr(chunks, "_MOST_OPEN", 2)
        found = extract_by_many(*paths, HERE, folder, segments_at_once=at_once, **options)
    assert found == extract(*paths, **options)
    assert sorted(each.name for each in folder.iterdir()) == ["a.de", "a.en"]


@given(st.lists(st.dictionaries(st.integers(0, 30), st.integers(1, 9)), max_size=5))
def test_runs_are_merged_a_little_at_a_time(tmp_path_factory, counted):
    folder = tmp_path_factory.mktemp("runs")
    expected: dict[int, int] = {}
    for number, each in enumerate(counted):
        rows = sorted(each.items())
        columns = np.array(rows, np.int64).reshape(-1, 2).T
        np.save(folder / f"{number}.npy", np.ascontiguousarray(columns))
        for key, count in rows:
            expected[key] = expected.get(key, 0) + count
    runs = sorted(folder.iterdir())
    found = [pair for part in merged(runs, at_once=4) for pair in zip(*part, strict=True)]
    assert found == sorted(expected.items())


def test_a_worker_that_dies_is_replaced_and_its_step_done_again(tmp_path, monkeypatch):
    paths = written(tmp_path, SOFTWARE)
    failing = [True, True]

    def give(self, worker, task, give=Here.give):
        if task.step == "pair" and failing:
            failing.pop()
            self._events.append((worker, ("failed", "no memory")))
        else:
            give(self, worker, task)

    monkeypatch.setattr(Here, "give", give)
    monkeypatch.setattr(terms, "pool_of", here)
    found = extract_by_many(*paths, HERE, tmp_path, segments_at_once=9)
    assert found == extract(*paths) != []
    failing += [True] * 9
    with pytest.raises(UserError, match="counts terms has failed 3 times: no memory"):
        extract_by_many(*paths, HERE, tmp_path, segments_at_once=9)


def test_processes_find_the_same(tmp_path):
    paths = written(tmp_path, SOFTWARE)
    found = extract_by_many(*paths, WorkerEngine("processes", 2), tmp_path, segments_at_once=9)
    assert found == extract(*paths)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--workers", "2"], "--workers is for many workers: add --engine"),
        (["--engine", "spark"], '--engine "spark" is unknown: write processes or ray'),
        (["--engine", "processes", "--address", "auto"], "--address is for --engine ray"),
        (["--engine", "processes", "--threshold", "2"], "npmi is above -1"),
    ],
)
def test_mistakes_are_told(flags, message, tmp_path):
    paths = written(tmp_path, SOFTWARE)
    words = ["terms", "extract", *map(str, paths), "-o", str(tmp_path / "terms.tsv"), *flags]
    ran = CliRunner(env={"COLUMNS": "200"}).invoke(app, words)
    assert ran.exit_code == 2 and message in ran.stderr


def test_what_a_killed_extraction_has_left_is_taken_away_and_no_other(tmp_path, monkeypatch):
    paths = written(tmp_path, SOFTWARE)
    monkeypatch.setattr(terms, "pool_of", here)
    with terms._work_folder(tmp_path) as at_work:
        abandoned = tmp_path / f"{terms._prefix()}killed"
        abandoned.mkdir()
        abandoned.with_name(abandoned.name + terms._LOCK).touch()
        extract_by_many(*paths, HERE, tmp_path, segments_at_once=9)
        assert at_work.exists() and not abandoned.exists()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.de", "a.en"]


@given(st.lists(st.integers(0, 5), max_size=4))
def test_a_run_written_in_parts_is_that_of_all_parts_together(tmp_path_factory, sizes):
    path, at = tmp_path_factory.mktemp("runs") / "a.run", 0
    parts = []
    for size in sizes:
        parts.append((np.arange(at, at + size), np.arange(size) + 7))
        at += size
    chunks._write_long_run(path, iter(parts))
    expected = [
        np.concatenate([np.zeros(0, np.int64), *column]) for column in zip(*parts, strict=True)
    ]
    assert np.load(path).tolist() == ([each.tolist() for each in expected] or [[], []])
