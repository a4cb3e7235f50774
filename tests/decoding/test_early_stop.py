"""A search that stops early finds what one finds that never stops, in texts of 8 to 20 tokens."""

from __future__ import annotations

import pytest
from drawn import EOS
from hypothesis import given, settings
from hypothesis import strategies as st
from longer import (
    beams,
    budgets,
    coverages,
    ended_rules,
    lengths,
    resolute,
    resolute_models,
    table_model,
    weights,
    wishes,
    without_stopping,
)
from longer import search_or_none as search

from gridbeam import Phrase

FEWER = settings(max_examples=settings().max_examples // 5)


@FEWER
@given(resolute_models, wishes, coverages, ended_rules, weights, beams, lengths, st.integers(1, 2))
def test_a_search_that_stops_early_finds_what_one_finds_that_never_stops(
    model, wishes, coverage, ended, weight, spend, length, n_best
):
    options = {"coverage": coverage, "ended": ended, "max_length": length, **weight, **spend}
    options["n_best"] = min(n_best, options["beam"])
    assert search(model, wishes, **options) == without_stopping(model, wishes, **options)


@FEWER
@given(resolute_models, wishes, coverages, ended_rules, weights, budgets, lengths)
def test_so_does_one_with_a_budget(model, wishes, coverage, ended, weight, spend, length):
    options = {"coverage": coverage, "ended": ended, "max_length": length, **weight, **spend}
    assert search(model, wishes, **options) == without_stopping(model, wishes, **options)


SLOW_STARTER = {4: {EOS: 0.7, 2: 0.28}, 2: {2: 0.9, EOS: 0.09}}
"""It ends at once, or says 2 again and again: the more often, the better for each token."""


@pytest.mark.parametrize(
    "weight", [{"length_penalty": 1.0}, {"length_penalty": 0.0, "length_reward": 0.5}]
)
def test_a_text_that_pays_only_when_it_is_long_is_waited_for(weight):
    """Ended after one token it has -0.36 a token, after two -1.84, after twenty -0.28."""
    [[best]] = search(table_model(SLOW_STARTER), [[]], beam=1, max_length=20, **weight)
    assert best.tokens == (*[2] * 19, EOS)


def test_a_text_that_pays_only_when_it_ends_soon_is_waited_for():
    """Scores are multiplied by length: ended at once it has -2.3, after two tokens -0.66."""
    model = table_model({4: {EOS: 0.1, 2: 0.8}, 2: {EOS: 0.9}})
    [[best]] = search(model, [[]], beam=2, max_length=20, length_penalty=-1.0)
    assert best.tokens == (2, EOS)


@pytest.mark.parametrize(
    ("seed", "eagerness", "terms", "options"),
    [
        (6039, 0.0, [Phrase([0, 3])], {"budget": 2, "max_length": 9}),
        (2546, -3.0, [Phrase([2])], {"budget": 10, "max_length": 9, "length_penalty": 0.6}),
        (
            5859,
            0.0,
            [Phrase([0, 2]), Phrase([2, 2])],
            {"budget": 4, "max_length": 10, "length_penalty": 0, "coverage": "placed"},
        ),
    ],
)
def test_under_a_budget_what_cannot_win_keeps_its_place(seed, eagerness, terms, options):
    """Its place would go to another row, and with it the text that wins might change."""
    model = resolute(seed, eagerness)
    assert search(model, [terms], **options) == without_stopping(model, [terms], **options)


def test_who_stops_at_the_first_waits_for_a_whole_beam():
    """With a beam of two, one text that has ended has to wait for another; then all is over."""
    model = table_model({4: {EOS: 0.6, 2: 0.39}, 2: {EOS: 0.9}})
    [found] = search(model, [[]], beam=2, n_best=2, max_length=9, length_penalty=0.0, stop="first")
    assert [hypothesis.tokens for hypothesis in found] == [(EOS,), (2, EOS)]
    assert found[0].work.columns == 2
