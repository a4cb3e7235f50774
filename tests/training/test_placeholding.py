"""Placeholders in training text: the same on both sides, in as many pairs as was asked for.

They stand in place of names and numbers.
"""

from __future__ import annotations

from random import Random

import pytest

from gridbeam.markup.kinds import EXAMPLES
from gridbeam.markup.placeholders import placeholders
from gridbeam.training.placeholding import replaced, with_placeholders

PAIRS = [(f"Anna has {number} cats.", f"Anna hat {number} Katzen.") for number in range(1000)]


def found_in(text):
    return sorted(each.raw for each in placeholders(text))


@pytest.mark.parametrize("placeholder", EXAMPLES)
def test_each_is_one_that_documents_have(placeholder):
    assert found_in(f"The file {placeholder} is full.") == [placeholder]


def test_both_sides_get_the_same_in_the_same_place():
    for source, target in with_placeholders(PAIRS, 1.0, 1):
        found = found_in(source)
        assert found == found_in(target) and len(found) in (1, 2) and len(set(found)) == len(found)
        before, after = (
            source.removesuffix(" cats.").split(" has "),
            target.removesuffix(" Katzen.").split(" hat "),
        )
        assert before == after


def test_a_share_of_the_pairs_is_changed_and_the_rest_left():
    changed = [new != old for new, old in zip(with_placeholders(PAIRS, 0.2, 1), PAIRS, strict=True)]
    assert 150 < sum(changed) < 250
    assert list(with_placeholders(PAIRS, 0.0, 1)) == PAIRS


def test_the_same_seed_makes_the_same_changes():
    assert list(with_placeholders(PAIRS, 0.5, 1)) == list(with_placeholders(PAIRS, 0.5, 1))
    assert list(with_placeholders(PAIRS, 0.5, 1)) != list(with_placeholders(PAIRS, 0.5, 2))


@pytest.mark.parametrize(
    "pair",
    [
        ("the cat sat", "the cat sat"),  # words of both languages are no names
        ("Anna left.", "Ana ging."),
        ("Anna and Anna left.", "Anna und Anna gingen."),  # which of them would it be?
        ("", ""),
    ],
)
def test_a_pair_without_a_name_that_both_sides_have_once_stays(pair):
    assert replaced(*pair, Random(1)) == pair


def test_numbers_and_compounds_are_words_as_a_whole():
    for seed in range(20):
        new = replaced("It costs 1,000.50 dollars.", "Es kostet 1,000.50 Dollar.", Random(seed))
        assert (
            "1" not in new[0].replace("{1}", "").replace("%1$s", "")
            and new[0] != "It costs 1,000.50 dollars."
        )
