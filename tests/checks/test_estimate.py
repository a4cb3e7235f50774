"""The quality estimate: what raises it, what lowers it, and that its weights are whole."""

from __future__ import annotations

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridbeam.checks import CheckedPair, check
from gridbeam.checks.calibration import SIGNATURE, WEIGHTS
from gridbeam.checks.estimate import SearchEvidence, estimate, features

SOURCE, TARGET = "The disk of this computer is full.", "Die Platte des Rechners ist voll."


def estimated(target=TARGET, source=SOURCE, mean=-0.3, tokens=9):
    pair = CheckedPair.of(source, target, "en", "de")
    return estimate(pair, check(pair), SearchEvidence(mean, tokens))


def test_the_more_likely_a_translation_the_better_it_is_estimated():
    chances = [estimated(mean=mean) for mean in (-3.0, -1.0, -0.5, -0.3, -0.1)]
    assert chances == sorted(chances) and chances[0] < 0.1 and chances[-1] > 0.6


@pytest.mark.parametrize(
    "worse",
    [SOURCE, "Die Platte.", f"{TARGET} {TARGET} {TARGET}", "Die 7 Platten des Rechners sind voll."],
    ids=["not translated", "too short", "too long", "a number too many"],
)
def test_what_the_checks_and_the_length_tell_lowers_the_estimate(worse):
    assert estimated(worse) < estimated()


def test_every_figure_has_a_weight_and_the_weights_a_signature():
    pair = CheckedPair.of(SOURCE, TARGET, "en", "de")
    assert list(features(pair, (), SearchEvidence(-1.0, 9))) == list(WEIGHTS)
    assert "gridbeam" in SIGNATURE


@given(st.text(max_size=30), st.text(max_size=30), st.floats(-1e6, 0), st.integers(0, 10**6))
def test_an_estimate_is_a_chance_whatever_the_texts(source, target, mean, tokens):
    assert 0 <= estimated(target, source, mean, tokens) <= 1


def test_what_the_search_tells_is_plain_values():
    assert [each.name for each in fields(SearchEvidence)] == ["mean", "tokens"]
