"""Errors are made of fields: where, what, and which options, so that none is rewritten as text."""

from __future__ import annotations

import copy
import pickle
import re
from pathlib import Path

import pytest
import torch
import typer
from typer.testing import CliRunner

import gridbeam
from gridbeam import Avoid, Unsatisfiable, UserError, search
from gridbeam.cli.commands import command
from gridbeam.errors import Limit, Option
from gridbeam.models.toy import Bigram
from gridbeam.support.flags import flag

PACKAGE = Path(gridbeam.__file__).parent


def too_long():
    return Unsatisfiable('"{max_length}" needs 6 tokens, but ', Limit("max_length", 5), " drop it.")


def test_places_are_told_from_the_outermost_in():
    error = too_long().within("constraints[0]").within("requests[3]")
    assert error.where == ("requests[3]", "constraints[0]")
    assert str(error) == f"requests[3]: constraints[0]: {error.what}"
    assert str(error.without_place()) == f"constraints[0]: {error.what}"
    assert str(error.without_place().without_place().without_place()) == error.what


def test_an_error_stays_of_its_kind_wherever_it_is_passed_on():
    for error in (
        too_long().within("here"),
        too_long().in_words_of(flag),
        too_long().without_place(),
        too_long().reworded(str),
    ):
        assert type(error) is Unsatisfiable


def test_only_options_are_named_in_other_words_and_never_what_a_user_wrote():
    error = too_long().in_words_of(flag)
    assert error.what == (
        '"{max_length}" needs 6 tokens, but --max-length is 5. Raise --max-length or drop it.'
    )
    assert error.options == ("--max-length",)


def test_a_limit_that_nobody_can_raise_is_the_models():
    error = UserError("but ", Limit("max_length", 64, is_fixed=True), " shorten it.")
    assert str(error) == "but the model writes no more than 64: shorten it."


def test_the_options_of_a_message_are_known_each_once():
    error = UserError("raise ", Option("beam"), " or ", Limit("max_length", 5), Option("beam"))
    assert error.options == ("beam", "max_length")
    assert UserError("plain").options == ()


@pytest.mark.parametrize("again", [copy.copy, lambda error: pickle.loads(pickle.dumps(error))])
def test_an_error_crosses_to_another_process_whole(again):
    error = too_long().within("constraints[0]")
    found = again(error)
    assert type(found) is Unsatisfiable
    assert (str(found), found.where, found.pieces) == (str(error), error.where, error.pieces)
    assert found.within("requests[1]").in_words_of(flag).options == ("--max-length",)


def test_the_search_says_where_and_which_option():
    model = Bigram(torch.zeros(6, 6))
    with pytest.raises(Unsatisfiable) as caught:
        search(model, [[2], [2]], [[], [[3] * 9]], max_length=4)
    assert caught.value.where == ("constraints[1]",)
    assert caught.value.options == ("max_length",)


def test_no_message_is_rewritten_as_text():
    """Whoever passes an error on adds a place or renames options; its text is nobody's to parse."""
    wrong = re.compile(
        r"type\(\w+\)\(f|str\((?:error|result|mistake)\)\.(?:replace|remove|split|partition)"
    )
    for path in PACKAGE.rglob("*.py"):
        assert not wrong.search(path.read_text(encoding="utf8")), path


def test_constraints_that_fit_only_in_a_longer_text_name_the_limit():
    apart = [[3], [4], Avoid([3, 4]), Avoid([4, 3])]
    with pytest.raises(Unsatisfiable) as caught:
        search(Bigram(torch.zeros(6, 6)), [[2]], [apart], max_length=3)
    error = caught.value.in_words_of(flag)
    assert error.what.startswith(
        "these do not fit together: --max-length is 3. Raise --max-length or drop one: [3]"
    )


def test_a_command_calls_options_by_their_flags():
    group = typer.Typer()

    def fail() -> None:
        raise too_long().within("constraints[0]")

    command(fail, group, needs_arguments=False)
    told = CliRunner().invoke(group, [])
    assert told.exit_code == 2
    assert "gridbeam: constraints[0]: " in told.stderr
    assert "but --max-length is 5. Raise --max-length or drop it." in told.stderr
