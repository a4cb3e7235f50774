"""The ablations: what is required of each sentence, and the ways to search."""

from __future__ import annotations

from random import Random
from typing import get_args

import echo
import pytest
from typer.testing import CliRunner

from gridbeam.cli import app
from gridbeam.constraints.terms import InOrder, Phrase
from gridbeam.errors import UserError
from gridbeam.experiments.ablations import What, ablation, in_order, phrases, phrases_for, ways
from gridbeam.experiments.defaults import EXPERIMENTS
from gridbeam.experiments.reference import ReferenceText
from gridbeam.experiments.report import report
from gridbeam.translation.translator import Translator

REFERENCE = "Die alte Festplatte ist voll, und der neue Ordner ist leer."


@pytest.mark.parametrize("words", [0, 1, 3, 4, 6])
def test_so_many_words_of_the_reference_are_required_in_phrases_that_do_not_touch(words):
    found = phrases(ReferenceText.of(REFERENCE), words, 3, Random(words))
    assert sum(len(phrase.split()) for phrase in found) == words
    assert all(1 <= len(phrase.split()) <= 3 for phrase in found)
    places = [REFERENCE.index(phrase) for phrase in found]
    assert places == sorted(places), "in the order of the reference"
    assert all(REFERENCE[end : end + 2].strip(" ,.") not in found for end in places)


def test_phrases_hold_no_marks_and_are_shorter_where_there_is_no_room():
    assert phrases(ReferenceText.of("Ja, er."), 3, 3, Random(0)) in (["Ja", "er"], ["er", "Ja"])
    assert phrases(ReferenceText.of("..."), 3, 3, Random(0)) == []


def test_each_way_of_a_table_is_given_the_same_phrases():
    first, *others = ways("beam", EXPERIMENTS)
    assert {tuple(phrases_for(way, REFERENCE, 1, 7)) for way in others} == {
        tuple(phrases_for(first, REFERENCE, 1, 7))
    }
    given = [tuple(phrases_for(first, REFERENCE, 1, number)) for number in range(20)]
    assert len(set(given)) > 5, "other sentences draw other words"


def test_an_order_makes_one_constraint_of_all_phrases():
    assert in_order(["a", "b"], "any") == [Phrase("a"), Phrase("b")]
    assert in_order(["a", "b"], "random") == [InOrder("a", "b")]
    assert in_order(["a"], "reference") == [Phrase("a")]


def test_the_random_order_holds_the_phrases_of_the_others():
    _, of_reference, random = ways("order", 10)
    orders = [
        (phrases_for(of_reference, REFERENCE, 1, n), phrases_for(random, REFERENCE, 1, n))
        for n in range(10)
    ]
    assert all(sorted(one) == sorted(other) for one, other in orders)
    assert any(one != other for one, other in orders)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.setattr(Translator, "load", lambda *args, **kwargs: echo.translator())
    (tmp_path / "test.en").write_text(
        "The disk is full.\nThe house was deleted.\n", encoding="utf8"
    )
    (tmp_path / "test.de").write_text(
        "Die Festplatte ist voll.\nDas Laufwerk ist leer.\n", encoding="utf8"
    )
    return tmp_path


@pytest.mark.parametrize("width", [5, 10, 20, 40])
def test_dynamic_allocation_is_a_way_to_share_out_so_many_places(width):
    [way] = [
        way
        for way in ways("dba", EXPERIMENTS)
        if way.shown == {"search": "allocation", "width": width}
    ]
    assert (way.search.share, way.search.budget) == ("dynamic", width)


@pytest.mark.parametrize(
    "what",
    [
        what if what in ("coverage", "order") else pytest.param(what, marks=pytest.mark.slow)
        for what in get_args(What)
    ],
)
def test_every_table_says_all_that_is_required(files, what):
    rows = ablation(
        what,
        files / "test.en",
        files / "test.de",
        out=files / "run.jsonl",
        model="echo",
        search=EXPERIMENTS.but(beam=2),
        samples=40,
        batch_size=2,
    )
    assert sum("p" in row for row in rows) == len(rows) - 1, "all but one are compared with it"
    assert "| p to " in report([files / "run.jsonl"])
    assert len(rows) == len(ways(what, EXPERIMENTS.but(beam=2)))
    assert all(row["phrases"][0] == row["phrases"][1] for row in rows)
    assert all(
        row["work"]["expanded"] > 0 and set(row["scores"]) == {"BLEU", "chrF"} for row in rows
    )


def test_an_unknown_table_is_refused(files):
    with pytest.raises(UserError, match="--what width: must be beam, coverage"):
        ablation(
            "width", files / "test.en", files / "test.de", out=files / "run.jsonl", model="echo"
        )


def test_the_command_prints_the_table(files):
    given = [
        "--src",
        str(files / "test.en"),
        "--ref",
        str(files / "test.de"),
        "-o",
        str(files / "run.jsonl"),
        "-m",
        "echo",
    ]
    done = CliRunner().invoke(
        app, ["experiment", "ablations", "--what", "order", "--limit", "1", "--beam", "2", *given]
    )
    assert done.exit_code == 0, done.output
    assert "| order | BLEU | p to order=any | chrF |" in done.stdout and "| random |" in done.stdout
