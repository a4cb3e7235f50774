"""What `make bench` is made of, without what it measures."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
import torch

import gridbeam
from gridbeam.models.toy import Words, bigram_of

bench = pytest.importorskip("bench", reason="needs ctranslate2")
tables = pytest.importorskip("tables")
SENTENCES = ["the cat eats the fish", "the dog eats", "the dog sees the cat"]


def test_its_sentences_have_three_different_words_of_their_reference():
    pairs = bench.read(None, 32)
    assert len(pairs) == 32
    for pair in pairs:
        assert len(set(pair.words)) == 3
        assert all(word in pair.reference for word in pair.words)


def test_parallel_files_may_take_their_place(tmp_path: Path):
    fitting = "one two three four five six seven eight nine ten eleven twelve"
    (tmp_path / "own.en").write_text(f"too short\n{fitting}\n", encoding="utf8")
    (tmp_path / "own.de").write_text("kurz\nlange Wörter stehen hier\n", encoding="utf8")
    (pair,) = bench.read(tmp_path / "own", 9)
    assert pair.source == fitting
    assert sorted(pair.words) == ["Wörter", "lange", "stehen"]


def test_the_calls_of_a_model_are_timed_and_made_again_as_they_were():
    words = Words(SENTENCES)
    model = bigram_of(SENTENCES, words)
    ticks = itertools.count()
    watched = bench.Watched(model, lambda: next(ticks))
    calls: list[tuple[str, list[int]]] = []
    step = model.step

    def noted(state, tokens):
        calls.append(("step", tokens.tolist()))
        return step(state, tokens)

    model.step = noted
    sources, required = [words.encode("dog"), words.encode("cat")], [["fish"], []]
    found = gridbeam.search(watched, sources, required, encode=words.encode, beam=2, max_length=8)
    assert found == gridbeam.search(
        model, sources, required, encode=words.encode, beam=2, max_length=8
    )
    first, calls[:] = calls[: len(calls) // 2], []
    watched.again()
    assert calls == first
    assert watched.seconds == len(watched._calls)


def test_the_least_time_of_ways_that_take_turns_counts():
    times = {"one": [5.0, 3.0], "transformers": [9.0]}
    turns, now = list[str](), [0.0]

    def work(name: str):
        def do() -> None:
            turns.append(name)
            now[0] += times[name].pop(0)

        return do

    class Clocked(bench.Bench):
        clock = property(lambda self: lambda: now[0])

    found = Clocked([], 1, 2, Path()).least({name: work(name) for name in [*times]})
    assert found == {"one": 3.0, "transformers": 9.0}
    assert turns == ["one", "transformers", "one"]


def test_the_figure_has_a_panel_for_each_thing_that_grows(tmp_path: Path):
    tables.draw_growth(tmp_path / "growth.svg")
    drawn = (tmp_path / "growth.svg").read_text(encoding="utf8")
    rows = json.loads(bench.RESULTS.read_text(encoding="utf8"))["growth"]
    assert {row["by"] for row in rows} == {"constraint tokens", "beam", "batch", "words"}
    assert drawn.count('<g id="axes_') == 4
    tables.draw_growth(tmp_path / "again.svg")
    assert (tmp_path / "again.svg").read_text(encoding="utf8") == drawn


def test_memory_and_results_are_of_one_run():
    results = json.loads(bench.RESULTS.read_text(encoding="utf8"))
    assert "dirty" not in results["signature"]
    assert all(row["peak MB"] > 100 for row in results["plain"])
    assert {row["way"] for row in results["plain"]} >= {"transformers", "CTranslate2, int8"}


def test_torch_is_one_thread_where_it_is_told_so():
    assert bench.Bench([], 1, 1, Path()).clock is bench.time.process_time
    assert bench.Bench([], torch.get_num_threads() + 1, 1, Path()).clock is bench.time.perf_counter
