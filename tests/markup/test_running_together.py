"""Placeholders that could be taken for each other, or that are one too many."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gridbeam.markup.protect import overlap, protect
from gridbeam.markup.restore import restore

marks = st.text(st.sampled_from("%$s"), min_size=1, max_size=4)


def fits_into_less(one: str, other: str) -> bool:
    """Whether one can be laid over the other so that they share letters, and agree on them."""
    for shift in range(1 - len(other), len(one)):
        shared = range(max(0, shift), min(len(one), shift + len(other)))
        if all(one[place] == other[place - shift] for place in shared):
            return True
    return False


@given(marks, marks)
def test_texts_overlap_where_one_can_be_laid_over_another(one, other):
    assert overlap(one, other) == overlap(other, one) == fits_into_less(one, other)


def test_placeholders_that_share_a_mark_are_shown_apart():
    """ "$from$upto$" holds both in a mark less: one `$` would count for two."""
    protected = protect("Copy $from$ to $upto$")
    assert protected.text == "Copy $from$ to {1}"
    assert (
        str(restore("Von $from$ nach {1} kopieren", protected)) == "Von $from$ nach $upto$ kopieren"
    )


@given(
    st.lists(st.sampled_from(["Bitte", "jetzt", "ist,", "voll", "{other}", "{0}"]), max_size=6),
    st.integers(0, 6),
)
def test_a_placeholder_too_many_leaves_no_space_behind(words, place):
    """The words that are left have one space between them, as if it had never been there."""
    given = [*words[:place], "{file}", *words[place:]]
    left = [word for word in given if word not in ("{other}", "{0}")]
    assert str(restore(" ".join(given), protect("Delete {file} now"))) == " ".join(left)


def test_a_placeholder_too_many_goes_with_its_space():
    protected = protect("Delete {file} now")
    assert str(restore("Jetzt {other} die {file} löschen", protected)) == "Jetzt die {file} löschen"
    assert str(restore("{other} Jetzt {file} löschen", protected)) == "Jetzt {file} löschen"


def test_a_placeholder_too_many_takes_no_layout_along():
    """The tab sets two texts apart, whoever wrote the placeholder beside it."""
    protected = protect("{file} is here\tand there")
    assert str(restore("{file} ist hier\t{file} und da", protected)) == "{file} ist hier\tund da"
