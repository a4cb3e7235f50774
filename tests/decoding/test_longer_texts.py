"""The promises of the search in texts of 8 to 20 tokens, which need no oracle."""

from __future__ import annotations

from drawn import EOS, constraint_lists
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from longer import (
    beams,
    budgets,
    coverages,
    ended_rules,
    lengths,
    log_probs_of,
    resolute,
    resolute_models,
    search_or_none,
    weights,
)

from gridbeam.constraints.automaton import compile_constraints
from gridbeam.decoding.algorithm1 import constrained_search

FEWER = settings(max_examples=settings().max_examples // 8)


@FEWER
@given(resolute_models, constraint_lists(), coverages, ended_rules, weights, beams, lengths)
def test_search_agrees_with_algorithm1(model, terms, coverage, ended, weight, spend, length):
    automaton = compile_constraints(terms, coverage, {EOS})
    options = {"k": spend["beam"], "n_best": spend["beam"], "ended": ended, **weight}
    expected = constrained_search(
        log_probs_of(model, [2]), automaton, eos=EOS, max_len=length, **options
    )
    assume(expected)
    options = {"coverage": coverage, "ended": ended, "max_length": length, **weight, **spend}
    [found] = search_or_none(model, [terms], n_best=spend["beam"], **options)
    assert [hypothesis.tokens for hypothesis in found] == [hyp.tokens for hyp in expected]


@FEWER
@given(
    st.integers(0, 9999),
    st.lists(constraint_lists(2), min_size=2, max_size=3),
    coverages,
    weights,
    st.one_of(beams, budgets),
    lengths,
)
def test_a_batch_gives_what_its_texts_give_alone(seed, wishes, coverage, weight, spend, length):
    """Texts with other constraints, which end sooner or later, change nothing."""
    options = {"coverage": coverage, "max_length": length, **weight, **spend}
    alone = [search_or_none(resolute(seed, 3.0), [terms], **options) for terms in wishes]
    possible = [terms for terms, found in zip(wishes, alone, strict=True) if found is not None]
    assume(possible)
    together = search_or_none(resolute(seed, 3.0), possible, **options)
    assert together == [found[0] for found in alone if found is not None]
