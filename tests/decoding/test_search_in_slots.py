"""The search in slots finds what the loop finds: the loop is its judge, and the oracle of both."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from drawn import EOS, VOCAB, constraint_lists, model, prefix_scores
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle import best_strings

import gridbeam
from gridbeam import AnyOf, Avoid, Phrase, Unsatisfiable
from gridbeam.decoding.loop import exhausted
from gridbeam.decoding.options import SearchOptions
from gridbeam.decoding.quest import quest_of
from gridbeam.decoding.searching import searching
from gridbeam.decoding.slots import grid
from gridbeam.decoding.slots.shape import SWITCH
from gridbeam.errors import UserError
from gridbeam.models.slots.anymodel import WithSlots
from gridbeam.models.toy import Bigram

options = st.builds(
    SearchOptions,
    beam=st.integers(2, 5),
    share=st.sampled_from(["rows", "rows", "bounded"]),
    budget=st.sampled_from([None, None, 4]),
    n_best=st.integers(1, 2),
    coverage=st.sampled_from(["contains", "placed"]),
    ended=st.sampled_from(["set_aside", "in_beam"]),
    length_penalty=st.sampled_from([0.0, 1.0, 0.6, -0.5]),
    length_reward=st.sampled_from([0.0, 0.4, 2.0, -0.5]),
    force_end=st.booleans(),
    stop=st.sampled_from(["exact", "likely", "first"]),
)


@pytest.fixture(autouse=True)
def _everywhere(monkeypatch):
    monkeypatch.setenv(SWITCH, "everywhere")


@pytest.fixture
def made(monkeypatch):
    """What searches in slots came to: `None` where they could not be made."""
    found = []
    real = grid.search_in_slots

    def noted(*given):
        found.append(real(*given))
        return found[-1]

    monkeypatch.setattr("gridbeam.decoding.searching.search_in_slots", noted)
    return found


def quests(bigram, wishes, how, lengths):
    """A quest for each list of terms that can be met."""
    found = []
    for number, (terms, longest) in enumerate(zip(wishes, lengths, strict=False)):
        own = how.but(max_length=longest)
        try:
            found.append(quest_of([number % VOCAB], terms, None, own, bigram))
        except UserError:
            continue
    return found


def outcomes(bigram, asked, *, in_slots):
    steps = searching(WithSlots.of(bigram) if in_slots else bigram, asked, is_watched=not in_slots)
    return exhausted(steps)


def same(found, expected):
    if isinstance(expected, Unsatisfiable) or isinstance(found, Unsatisfiable):
        return str(found) == str(expected)
    assert [each.score for each in found] == pytest.approx(
        [each.score for each in expected], abs=1e-5
    )
    assert [each.work for each in found] == [each.work for each in expected]
    return [_without_numbers(each) for each in found] == [
        _without_numbers(each) for each in expected
    ]


def _without_numbers(each):
    return replace(each, score=0.0, log_probs=())


@settings(deadline=None)
@given(
    st.integers(0, 9999),
    st.lists(constraint_lists(), min_size=1, max_size=4),
    options,
    st.lists(st.integers(2, 8), min_size=4, max_size=4),
)
def test_a_search_in_slots_finds_what_the_loop_finds(seed, wishes, how, lengths):
    bigram = model(seed)
    asked = quests(bigram, wishes, how, lengths)
    assume(asked)
    expected = outcomes(bigram, asked, in_slots=False)
    found = outcomes(bigram, asked, in_slots=True)
    assert all(map(same, found, expected))


@given(
    st.integers(0, 9999),
    constraint_lists(),
    st.sampled_from(["placed", "contains"]),
    st.integers(2, 4),
)
@settings(max_examples=30)
def test_a_wide_grid_in_slots_finds_the_best_string(seed, terms, coverage, max_length):
    bigram = model(seed)
    judged = {"coverage": coverage, "max_length": max_length, "length_penalty": 1.0}
    best = best_strings(prefix_scores(bigram, [2]), terms, vocab_size=VOCAB, eos=EOS, **judged)
    assume(best)
    found = gridbeam.search(
        WithSlots.of(bigram), [[2]], [terms], beam=VOCAB**max_length, n_best=3, **judged
    )[0]
    expected = [score for score, _ in best[:3]]
    assert [h.score for h in found] == pytest.approx(expected, abs=1e-5)


def test_most_searches_are_made_in_slots(made):
    bigram = WithSlots.of(model(1))
    for terms in ([], [Phrase([2, 3])], [Phrase([2]), Avoid(Phrase([0]))]):
        gridbeam.search(bigram, [[3], [2]], [terms, []], beam=2, max_length=6)
    assert [sorted(each.given_up) for each in made] == [[], [], []]


@pytest.mark.parametrize(
    "other",
    [
        {"score": lambda new: new.score + new.log_prob},
        {"share": "dynamic", "budget": 4},
        {"cut_off": lambda sentence, tokens: torch.zeros_like(sentence, dtype=torch.bool)},
        {"trace": True},
    ],
    ids=lambda other: next(iter(other)),
)
def test_what_slots_do_not_know_takes_the_way_of_the_loop(made, other):
    bigram = model(2)
    how = {"beam": 2, "max_length": 5, **other}
    found = gridbeam.search(WithSlots.of(bigram), [[2]], [[Phrase([3])]], **how)
    assert made == [None]
    assert found == gridbeam.search(bigram, [[2]], [[Phrase([3])]], **how)


def test_filters_take_the_way_of_the_loop(made):
    often = Phrase([3], when=lambda prefix: True)
    gridbeam.search(WithSlots.of(model(2)), [[2]], [[often]], beam=2, max_length=5)
    assert made == [None]


def test_a_search_that_is_watched_rests_after_each_column(made):
    lengths = []
    gridbeam.search(
        WithSlots.of(model(2)), [[2]], [[]], beam=2, max_length=5,
        watch=lambda reached: lengths.append(reached.length),
    )  # fmt: skip
    assert made == [] and lengths[0] == 1


def test_the_switch_turns_it_off(made, monkeypatch):
    monkeypatch.setenv(SWITCH, "off")
    gridbeam.search(WithSlots.of(model(2)), [[2]], [[]], beam=2, max_length=5)
    monkeypatch.delenv(SWITCH)  # on a CPU only who asks for it has it
    gridbeam.search(WithSlots.of(model(2)), [[2]], [[]], beam=2, max_length=5)
    assert made == [None, None]


def test_a_sentence_with_too_many_forbidden_tokens_is_searched_by_the_loop(made):
    """Twenty of the best tokens must be avoided, and only so many are looked at."""
    large = Bigram(torch.linspace(3, 0, 60).repeat(60, 1), bos=59, eos=58)
    terms = [Avoid(AnyOf(*(Phrase([token]) for token in range(40))))]
    found = gridbeam.search(WithSlots.of(large), [[2], [2]], [terms, []], beam=2, max_length=4)
    assert [sorted(each.given_up) for each in made] == [[0]]
    expected = gridbeam.search(large, [[2], [2]], [terms, []], beam=2, max_length=4)
    assert [h.tokens for row in found for h in row] == [h.tokens for row in expected for h in row]


def test_a_shape_of_batch_is_kept_for_the_next(made):
    bigram = WithSlots.of(model(2))
    for source in (2, 3):
        gridbeam.search(bigram, [[source]], [[Phrase([2])]], beam=2, max_length=5)
    [kept] = bigram.network.workspace.values()
    assert len(kept) == 1
