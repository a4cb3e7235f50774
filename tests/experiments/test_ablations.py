"""The ablations: what each sentence must say, the ways to search, dynamic beam allocation."""

from __future__ import annotations

from random import Random
from typing import get_args

import echo
import pytest
from typer.testing import CliRunner

import gridbeam
from gridbeam.cli import app
from gridbeam.constraints.automaton import compile_constraints
from gridbeam.constraints.terms import InOrder, Phrase
from gridbeam.decoding.options import SearchOptions
from gridbeam.errors import UserError
from gridbeam.experiments import allocation
from gridbeam.experiments.ablations import What, ablation, in_order, phrases, phrases_for, ways
from gridbeam.experiments.allocation import bank_sizes
from gridbeam.experiments.defaults import EXPERIMENTS
from gridbeam.experiments.reference import Words
from gridbeam.models.toy import Words as Vocabulary
from gridbeam.models.toy import bigram_of
from gridbeam.translation.translator import Request, Translator

REFERENCE = "Die alte Festplatte ist voll, und der neue Ordner ist leer."
SENTENCES = [
    "the cat sat on the mat",
    "the cat ate the fish",
    "a dog sat on the cat",
    "a fish ate a dog",
]


@pytest.mark.parametrize("words", [0, 1, 3, 4, 6])
def test_so_many_words_of_the_reference_are_required_in_phrases_that_do_not_touch(words):
    found = phrases(Words.of(REFERENCE), words, 3, Random(words))
    assert sum(len(phrase.split()) for phrase in found) == words
    assert all(1 <= len(phrase.split()) <= 3 for phrase in found)
    places = [REFERENCE.index(phrase) for phrase in found]
    assert places == sorted(places), "in the order of the reference"
    assert all(REFERENCE[end : end + 2].strip(" ,.") not in found for end in places)


def test_phrases_hold_no_marks_and_are_shorter_where_there_is_no_room():
    assert phrases(Words.of("Ja, er."), 3, 3, Random(0)) in (["Ja", "er"], ["er", "Ja"])
    assert phrases(Words.of("..."), 3, 3, Random(0)) == []


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


@pytest.mark.parametrize(
    ("beam", "candidates", "sizes"),
    [
        (10, [10, 10, 10], [3, 3, 4]),  # what does not divide goes to the bank that has met all
        # An empty bank hands its places down: 4 to the second, which hands on what it cannot fill,
        (10, [20, 5, 0], [5, 5, 0]),
        # and the first to the last, which takes no more than it has places.
        (10, [2, 20, 1], [2, 6, 1]),
        (2, [9, 9, 9], [0, 0, 2]),
        (2, [9, 0, 0], [2, 0, 0]),
    ],
)
def test_the_beam_is_divided_over_the_banks_as_published(beam, candidates, sizes):
    found = bank_sizes(beam, candidates)
    assert [min(size, count) for size, count in zip(found, candidates, strict=True)] == sizes
    assert sum(found) == beam


@pytest.fixture(scope="module")
def toy():
    words = Vocabulary(SENTENCES)
    return bigram_of(SENTENCES, words), words


def allocated(toy, wanted, beam):
    model, words = toy
    terms = [Phrase(words.encode(text)) for text in wanted]
    source = words.encode("cat")
    options = SearchOptions(beam=beam, max_length=9, length_penalty=0.5, length_reward=0.1)
    automaton = compile_constraints(terms, "contains")
    (found,) = allocation.search(model, [source], [automaton], options)
    ((best, *_),) = gridbeam.search(model, [source], [terms], options=options, beam=50)
    return found, best


@pytest.mark.parametrize("wanted", [[], ["fish"], ["dog sat"], ["mat", "a fish"]])
def test_a_wide_allocated_beam_finds_what_a_wide_grid_finds(toy, wanted):
    found, best = allocated(toy, wanted, 200)
    assert (found.tokens, found.is_met) == (best.tokens, True)


def test_an_allocated_beam_costs_the_same_whatever_is_required(toy):
    few, _ = allocated(toy, [], 5)
    many, _ = allocated(toy, ["mat", "a fish"], 5)
    assert max(few.expanded, many.expanded) <= 1 + 8 * 5


def test_what_the_length_leaves_no_room_for_is_told(toy):
    model, words = toy
    terms = [Phrase(words.encode("cat sat on the mat"))]
    (found,) = allocation.search(
        model,
        [words.encode("cat")],
        [compile_constraints(terms, "contains")],
        SearchOptions(beam=3, max_length=4),
    )
    assert not found.is_met


def test_an_allocated_beam_translates_texts():
    (found,) = allocation.by_allocation(echo.translator(), EXPERIMENTS.but(beam=4))(
        [Request("The disk.", ["Festplatte"])]
    )
    assert "Festplatte" in found["text"] and found["expanded"] > 1


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
        batch_size=2,
    )
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
    assert "| order | BLEU | chrF |" in done.stdout and "| random |" in done.stdout
