"""The search in slots finds what the loop finds: the loop is its judge, and the oracle of both."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
import torch
from drawn import EOS, VOCAB, constraint_lists, model, prefix_scores
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle import best_strings

import gridbeam
from gridbeam import Avoid, Phrase, Unsatisfiable
from gridbeam.decoding.loop import exhausted
from gridbeam.decoding.options import SearchOptions
from gridbeam.decoding.quest import quest_of
from gridbeam.decoding.searching import searching
from gridbeam.decoding.slots import grid
from gridbeam.decoding.slots.shape import SWITCH
from gridbeam.errors import UserError
from gridbeam.models.slots.anymodel import WithSlots

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
    steps = searching(
        WithSlots.of(bigram) if in_slots else bigram, asked, is_watched=not in_slots
    )
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
