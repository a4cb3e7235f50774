"""The list of mutants fits the code and the tests as they are; `make mutants` tries them."""

from __future__ import annotations

import ast

import pytest
from mutants import MUTANTS, ROOT


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_what_a_mutant_changes_stands_once_in_its_file(mutant):
    assert (ROOT / mutant.path).read_text(encoding="utf8").count(mutant.old) == 1
    assert mutant.new != mutant.old


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_the_tests_that_must_notice_a_mutant_exist(mutant):
    assert mutant.tests
    for test in mutant.tests:
        path, name = test.split("::")
        tree = ast.parse((ROOT / path).read_text(encoding="utf8"))
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_no_two_mutants_have_the_same_name_or_make_the_same_change():
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
    assert len({(mutant.path, mutant.old, mutant.new) for mutant in MUTANTS}) == len(MUTANTS)
