"""Where each constraint was met: judged by the oracle, and told alike by `check`."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from drawn import EOS, constraint_lists, model
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from longer import coverages, search_or_none
from oracle import occurrences, repeated

import gridbeam
from gridbeam import InOrder, Phrase, Prefix
from gridbeam.constraints.roles import Role


def positions(spans):
    return tuple(position for start, end in spans for position in range(start, end))


@settings(max_examples=settings().max_examples // 4)
@given(st.integers(0, 9999), constraint_lists(3), coverages, st.integers(8, 12))
def test_spans_are_occurrences_and_those_of_copies_follow_each_other(seed, terms, coverage, length):
    found = search_or_none(model(seed), [terms], beam=2, max_length=length, coverage=coverage)
    assume(found is not None)
    [[best]] = found
    copies = {
        term: [spans for other, spans in zip(terms, best.spans, strict=True) if other == term]
        for term in terms
    }
    for term, several in copies.items():
        if not term.role.must_occur:
            assert set(several) == {()}
            continue
        pattern = term if term.role is Role.REQUIRED else term.pattern
        assert {positions(spans) for spans in several} <= set(occurrences(pattern, best.tokens))
        if term.role.counts_copies:
            assert all(before[-1][1] <= after[0][0] for before, after in pairwise(several))


@settings(max_examples=settings().max_examples // 4)
@given(st.integers(0, 9999), constraint_lists(3), coverages, st.integers(8, 20))
def test_check_approves_what_is_found_and_tells_the_same_place(seed, terms, coverage, length):
    found = search_or_none(model(seed), [terms], beam=2, max_length=length, coverage=coverage)
    assume(found is not None)
    [[best]] = found
    verdicts = gridbeam.check(terms, best.tokens, ends={EOS})
    assert all(verdict.is_met for verdict in verdicts)
    if coverage == "contains":
        assert [verdict.spans for verdict in verdicts] == list(best.spans)


@pytest.mark.parametrize("coverage", ["contains", "placed"])
def test_copies_of_a_phrase_share_no_token(coverage):
    """In 2 2 2 2 the phrase 2 2 occurs three times; the two that are due are the outer ones."""
    terms = [Phrase([2, 2]), Phrase([2, 2])]
    [[best]] = gridbeam.search(model(0), [[2]], [terms], max_length=5, coverage=coverage)
    assert Counter(best.tokens)[2] == 4
    assert best.spans == (((0, 2),), ((2, 4),))


@pytest.mark.parametrize("coverage", ["contains", "placed"])
def test_a_prefix_listed_twice_is_one_beginning(coverage):
    """Two tokens and the end token are enough: nothing can begin a text but its beginning."""
    terms = [Prefix([2, 2]), Prefix([2, 2])]
    [[best]] = gridbeam.search(model(0), [[2]], [terms], max_length=3, coverage=coverage)
    assert best.tokens == (2, 2, EOS)
    assert best.spans == (((0, 2),), ((0, 2),))


@pytest.mark.parametrize("tokens", [(2, 2, 3, 3), (2, 3, 2, 3), (2, 0, 3, 2), (2, 3, 3, 2, 3)])
def test_check_counts_a_copy_only_where_the_one_before_has_ended(tokens):
    """2 2 3 3 holds 2 and then 3 twice over, but not one after the other."""
    pair = InOrder([2], [3])
    verdicts = gridbeam.check([pair, pair], tokens)
    assert verdicts[0].is_met
    assert verdicts[1].is_met == any(True for _ in repeated(pair, 2, tokens))
