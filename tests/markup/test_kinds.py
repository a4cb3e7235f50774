"""The table of kinds holds together."""

from __future__ import annotations

import re
import time

import pytest

from gridbeam.markup.kinds import EXAMPLES, KIND, KINDS
from gridbeam.markup.placeholders import placeholders
from gridbeam.markup.protect import protect


def test_each_kind_has_its_own_name_and_a_pattern_that_matches_something():
    assert len(KIND) == len(KINDS)
    for kind in KINDS:
        assert not kind.pattern or not re.compile(kind.pattern, re.VERBOSE).fullmatch("")


def test_what_models_are_taught_is_shown_to_them_as_it_is():
    for example in EXAMPLES:
        (found,) = placeholders(f"The {example} here")
        assert found.raw == example
        assert protect(f"The {example} here").text == f"The {example} here"


@pytest.mark.parametrize("part", ["a->", "a::", "a.", "{a}", "{", "/{", "a/{b}", "http:{"])
def test_placeholders_are_found_in_time_in_proportion_to_the_text(part):
    begun = time.process_time()
    placeholders(part * 3_000 + "1")
    assert time.process_time() - begun < 1


def test_a_method_of_what_a_function_returns_is_a_name():
    found = placeholders("Call get()->first() or a->b::c() now")
    assert [each.raw for each in found] == ["get()", "first()", "a->b::c()"]
