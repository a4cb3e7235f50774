"""`check` tells which constraints any sequence meets, and where."""

from __future__ import annotations

from drawn import TOKENS, constraint_lists, patterns
from hypothesis import given
from hypothesis import strategies as st
from oracle import is_met

import gridbeam
from gridbeam import AnyOf, AtMost, Avoid, Gap, InOrder, Phrase, Prefix, Suffix


@given(constraint_lists(), st.lists(st.sampled_from([*TOKENS, 4]), max_size=8))
def test_check_agrees_with_the_oracle(terms, tokens):
    verdicts = gridbeam.check(terms, [*tokens, 1], ends=[1])
    assert all(verdict.is_met for verdict in verdicts) == is_met(terms, (*tokens, 1), "contains")
    assert [verdict.constraint for verdict in verdicts] == terms


def test_spans_name_every_phrase_of_a_discontinuous_constraint():
    [verdict] = gridbeam.check([InOrder([2], Gap(1, 2), [3])], [2, 2, 9, 9, 3])
    assert verdict.is_met and verdict.spans == ((1, 2), (4, 5))


def test_a_gap_may_be_too_wide_or_too_narrow():
    assert not gridbeam.check([InOrder([2], Gap(1, 2), [3])], [2, 3, 9])[0].is_met
    assert not gridbeam.check([InOrder([2], Gap(1, 2), [3])], [2, 9, 9, 9, 3])[0].is_met


def test_the_second_copy_of_a_phrase_must_occur_again():
    first, second = gridbeam.check([Phrase([2, 2]), Phrase([2, 2])], [2, 2, 2])
    assert first.is_met and not second.is_met
    first, second = gridbeam.check([Phrase([2, 2]), Phrase([2, 2])], [2, 2, 2, 2])
    assert (first.spans, second.spans) == (((0, 2),), ((2, 4),))


def test_a_broken_avoid_says_where():
    [verdict] = gridbeam.check([Avoid(AnyOf([7, 8], [8, 9]))], [1, 7, 8, 9])
    assert not verdict.is_met and verdict.spans == ((1, 3),)


def test_a_prefix_counts_only_at_the_beginning():
    assert gridbeam.check([Prefix([2, 3])], [2, 3, 4])[0].is_met
    assert not gridbeam.check([Prefix([2, 3])], [4, 2, 3])[0].is_met


def test_a_suffix_counts_only_right_before_the_end():
    [verdict] = gridbeam.check([Suffix([2, 3])], [2, 3, 2, 3, 1], ends=[1])
    assert verdict.is_met and verdict.spans == ((2, 4),)
    assert gridbeam.check([Suffix([2, 3])], [4, 2, 3])[0].is_met
    assert not gridbeam.check([Suffix([2, 3])], [2, 3, 4])[0].is_met
    assert not gridbeam.check([Suffix([2, 3])], [2, 3, 1])[0].is_met
    order = Suffix(InOrder([2], Gap(1, 2), AnyOf([3], [4, 3])))
    assert gridbeam.check([order], [2, 9, 2, 9, 4, 3])[0].spans == ((2, 3), (4, 6))


def test_at_most_counts_occurrences_one_after_another():
    def is_met(n, phrase, tokens):
        return gridbeam.check([AtMost(n, phrase)], tokens)[0].is_met

    assert is_met(1, [5, 5], [5, 5, 5]) and not is_met(1, [5, 5], [5, 5, 5, 5])
    assert is_met(2, AnyOf([5], [5, 5]), [5, 7, 5]) and not is_met(1, AnyOf([5], [5, 5]), [5, 5])
    assert is_met(1, InOrder([5], [6]), [5, 5, 6, 6]) and is_met(0, [5], [6])
    [verdict] = gridbeam.check([AtMost(1, [5])], [5, 6, 5, 5])
    assert not verdict.is_met and verdict.spans == ((0, 1), (2, 3))


@given(patterns, st.lists(st.sampled_from([*TOKENS, 4]), max_size=8))
def test_at_most_none_is_to_avoid(pattern, tokens):
    some, none = gridbeam.check([AtMost(0, pattern), Avoid(pattern)], tokens)
    assert (some.is_met, some.spans) == (none.is_met, none.spans)


def test_text_is_checked_through_encode():
    letters = {"encode": lambda text: [ord(letter) for letter in text]}
    [verdict] = gridbeam.check(["b c"], [ord(letter) for letter in "a b c"], **letters)
    assert verdict.is_met and verdict.constraint == Phrase("b c") and verdict.spans == ((2, 5),)
