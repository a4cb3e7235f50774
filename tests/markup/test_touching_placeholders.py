"""Placeholders that touch in the source touch in its translation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridbeam.markup.inline import Code, Marked
from gridbeam.markup.protect import constraints_of, protect
from gridbeam.markup.restore import restore


def alone(name: str) -> Code:
    return Code(f'<x id="{name}"/>', "alone")


@pytest.mark.parametrize(
    "run", ["{name}{ext}", "%s%s", "%d:%d", "{a}-{b}", "{a}/{b}", "{n}.{m}.%s"]
)
def test_placeholders_that_touch_are_one_thing_for_the_model(run):
    protected = protect(f"The file {run} was deleted.")
    assert protected.text == "The file {1} was deleted."
    assert len(constraints_of(protected)) == 1
    restored = restore("Die Akte {1} wurde gestrichen.", protected)
    assert str(restored) == f"Die Akte {run} wurde gestrichen."


@pytest.mark.parametrize("source", ["{a}, {b}", "%s %s", "{a} - {b}", "{a}: {b}", "{a} (%d)"])
def test_placeholders_with_a_space_between_stay_apart(source):
    assert protect(source).text == source


def test_codes_of_the_file_that_touch_come_back_as_codes_in_a_row():
    row = (alone("START_BOLD"), alone("INTERPOLATION"), alone("CLOSE_BOLD"))
    protected = protect(Marked.of(["Open ", *row, " now"]))
    assert protected.text == "Open {1} now"
    assert restore("Jetzt {1} öffnen", protected) == Marked.of(["Jetzt ", *row, " öffnen"])


def test_a_full_stop_before_a_code_still_ends_its_sentence():
    protected = protect(Marked.of(["Saved to {file}.", alone("br"), "Restart."]))
    assert protected.text.startswith("Saved to {file}.")


def test_a_colon_between_codes_gets_no_space():
    source = Marked.of(["At ", alone("h"), ":", alone("m"), " sharp"])
    assert protect(source).text == "At {1}:{2} sharp"
    for written in ("Um {1}: {2} genau", "Um {1} : {2} genau", "Um {1} :{2} genau"):
        restored = restore(written, protect(source))
        assert restored == Marked.of(["Um ", alone("h"), ":", alone("m"), " genau"])


def test_tags_between_placeholders_that_touch_get_no_space():
    protected = protect("<b>{n}</b><i>{m}</i>")
    assert str(restore("{n} {m}", protected)) == "<b>{n}</b><i>{m}</i>"


def test_placeholders_that_touch_keep_their_order_among_others():
    protected = protect("%s of %s:%s and %s")
    assert protected.text == "%s of {1} and %s"
    assert len(constraints_of(protected)) <= 3
    assert str(restore("%s von {1} und %s", protected)) == "%s von %s:%s und %s"


def test_the_characters_shown_for_placeholders_that_touch_are_those_of_all():
    protected = protect("Delete {name}{ext} now")
    first, last = protected.shown((7, 18)) or (0, 0)
    assert protected.text[first:last] == "{1}"


pieces = st.sampled_from(
    ["{name}", "{ext}", "%s", "%d", ":", "-", "/", ".", " ", "word", alone("1"), alone("2"), "\n"]
)


@given(st.lists(pieces, max_size=8))
def test_what_is_shown_comes_back_as_the_source(drawn):
    """The first letter of the translation differs, so that it is put together anew."""
    source = Marked.of(["Delete ", *drawn, "."])
    protected = protect(source)
    translated = protected.text.replace("Delete", "Remove", 1)
    expected = Marked.of(["Remove ", *drawn, "."])
    assert restore(translated, protected) == expected
    assert restore(protected.text, protected) == source
