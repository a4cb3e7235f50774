"""White space: layout sets texts apart and stays; other spaces come back beside what is kept."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridbeam.text.layout import LAYOUT, is_layout, set_apart, with_spaces_of
from gridbeam.text.sentences import split

spaced = st.text(st.sampled_from("ab.,5 \t\n\r\v\x1f\u2028\xa0\u202f\u3000»"), max_size=40)


@pytest.mark.parametrize("space", ["\t", "\n", "\r", " \r\n ", "\xa0\t", "   ", "\u2028", "\x0b"])
def test_lines_tabs_and_columns_set_texts_apart(space):
    assert is_layout(space)
    assert split(f"Name{space}Size", "en").texts == ("Name", "Size")


@pytest.mark.parametrize("space", [" ", "  ", "\xa0", "\u202f", "\u3000"])
def test_a_space_or_two_set_nothing_apart(space):
    assert not is_layout(space)
    assert split(f"Name{space}Size", "en").texts == (f"Name{space}Size",)


@given(spaced)
def test_what_layout_sets_apart_is_the_text_together(text):
    apart = set_apart(text)
    assert "".join(apart) == text
    assert not any(LAYOUT.search(part.strip()) for part in apart)


@pytest.mark.parametrize(
    ("source", "text", "due"),
    [
        ("10\xa0km away", "10 km entfernt", "10\xa0km entfernt"),
        ("10\u202f000 files", "10 000 Dateien", "10\u202f000 Dateien"),
        ("up to 5\xa0% off", "bis zu 5 % weg", "bis zu 5\xa0% weg"),
        ("$\xa05 each", "je 5 $ das Stück", "je 5\xa0$ das Stück"),
        ("See page\xa05.", "Siehe Seite 5.", "Siehe Seite\xa05."),
        ("(10\xa0km), 7 km", "(7 km, 10 km)", "(7 km, 10\xa0km)"),
        ("for Mr.\xa0Smith", "für Herrn Smith", "für Herrn\xa0Smith"),
        ("Vraiment\xa0?", "Wirklich?", "Wirklich?"),
        ("dear\xa0reader", "lieber Leser", "lieber Leser"),
        ("10 km", "10 km", "10 km"),
    ],
)
def test_a_space_that_does_not_break_comes_back_beside_what_is_kept(source, text, due):
    assert with_spaces_of(source, text) == due


def test_nothing_changes_within_what_a_translation_had_to_say():
    assert with_spaces_of("10\xa0km", "10 km", [(0, 5)]) == "10 km"
    assert with_spaces_of("10\xa0km", "10 km", [(0, 2), (3, 5)]) == "10\xa0km"


@given(spaced, spaced)
def test_only_plain_spaces_change_and_only_into_those_of_the_source(source, text):
    new = with_spaces_of(source, text)
    changed = [(a, b) for a, b in zip(text, new, strict=True) if a != b]
    assert all(a == " " and b in "\xa0\u202f" for a, b in changed)
    assert len(changed) <= len(re.findall("[\xa0\u202f]", source))
