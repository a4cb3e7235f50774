"""A score of the user's own, aware of constraints."""

from __future__ import annotations

import pytest
from drawn import EOS, Counting, constraint_lists, model, prefix_scores
from hypothesis import given
from hypothesis import strategies as st

import gridbeam
from gridbeam import Origin, never_rises
from gridbeam.constraints.automaton import compile_constraints
from gridbeam.decoding.algorithm1 import constrained_search
from gridbeam.decoding.search import search


def favours_constraints(new):
    """Starting a constraint is worth something, continuing one a little less."""
    return new.score + new.log_prob + 0.75 * (new.origin == 1) + 0.25 * (new.origin == 2)


@never_rises
def shuns_constraints(new):
    return new.score + new.log_prob - 0.75 * (new.origin == 1)


@given(
    st.integers(0, 9999),
    constraint_lists(2),
    st.sampled_from(["placed", "contains"]),
    st.sampled_from([favours_constraints, shuns_constraints]),
    st.integers(1, 4),
)
def test_search_agrees_with_algorithm1_under_a_score_of_ones_own(
    seed, terms, coverage, score, beam
):
    bigram = model(seed)
    options = {"n_best": min(beam, 2), "length_penalty": 1.0}
    expected = constrained_search(
        prefix_scores(bigram, [3]),
        compile_constraints(terms, coverage, {EOS}),
        eos=EOS,
        max_len=6,
        k=beam,
        score=score,
        **options,
    )
    if not expected:
        return
    found = gridbeam.search(
        bigram, [[3]], [terms], beam=beam, max_length=6, coverage=coverage, score=score, **options
    )[0]
    assert [h.tokens for h in found] == [h.tokens for h in expected]
    assert [h.score for h in found] == pytest.approx(
        [h.score / len(h.tokens) for h in expected], abs=1e-9
    )


def test_a_score_sees_where_each_token_came_from():
    seen = set()

    def watch(new):
        seen.update(zip(new.token.tolist(), new.origin.tolist(), strict=True))
        return new.score + new.log_prob

    search(model(0), [[2]], [[[2, 3]]], coverage="placed", score=watch, max_length=6)
    assert (2, Origin.STARTED) in seen and (3, Origin.CONTINUED) in seen
    assert (3, Origin.STARTED) not in seen and (2, Origin.GENERATED) in seen


def test_a_score_cannot_choose_how_a_token_came_about():
    """Where a phrase counts whoever wrote it, its tokens are started or continued.

    However likely the model finds them.
    """

    def charges(new):
        return new.score + new.log_prob - 1.0 * (new.origin != 0)

    for beam in (1, 5):
        [best] = search(
            model(4), [[2]], [[[2, 3]]], score=charges, beam=beam, max_length=8, length_penalty=0.0
        )[0]
        assert best.score <= sum(best.log_probs) - 2.0


def test_early_stopping_is_kept_where_a_score_never_rises_and_only_there():
    def steps(**options):
        counting = Counting(model(7))
        search(counting, [[2]], [[[2, 3]]], beam=2, max_length=60, length_penalty=0.0, **options)
        return len(counting.rows)

    assert steps() < 60
    assert steps(score=shuns_constraints) < 60
    assert steps(score=favours_constraints) == 60
