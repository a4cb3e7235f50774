"""Numbers keep their digits; their separators may be those of the target language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridbeam.markup.numbers import NumberStyle, lacking

LANGUAGES = ["en", "de", "fr", "pt", "ja", "ru", "sv"]


@pytest.mark.parametrize(
    ("style", "source", "translated", "lost"),
    [
        (NumberStyle("en", "de"), "1,000.5 km in 3 h", "3 h für 1.000,5 km", []),
        (NumberStyle("en", "fr"), "1,000.5 km", "1 000,5 km", []),
        (NumberStyle("en", "fr"), "1,000.5 km", "1\u202f000,5 km", []),
        (NumberStyle("en", "de"), "1,000.5 km", "1,000.5 km", []),
        (NumberStyle("en", "de", "keep"), "1,000.5 km", "1.000,5 km", ["1,000.5"]),
        (NumberStyle("en", "de"), "1,000 km", "1,5 km", ["1,000"]),
        (NumberStyle("en", "de"), "2 files", "zwei Dateien", ["2"]),
        (NumberStyle("en", "de"), "2 of 2 files", "2 Dateien", ["2"]),
        (NumberStyle("en", "de"), "1.2.3", "1,2,3", ["1.2.3"]),
        (NumberStyle("de", "en"), "1.000,5 km", "1,000.5 km", []),
        (NumberStyle("en", "de"), "2 files", "12 Dateien", ["2"]),
        (NumberStyle("en", "de"), "MP3, 2nd", "", []),
        (NumberStyle(), "1,000", "1.000", ["1,000"]),
        (NumberStyle("fr", "en"), "1 000,5 km", "1,000.5 km", []),
        (NumberStyle("fr", "en"), "12\u202f500 km", "12,500 km", []),
        (NumberStyle("fr", "en"), "12 500 km", "12 km", ["12 500"]),
        (NumberStyle("en", "de"), "at 14:30 in 3 h", "um 14.30 Uhr in 3 h", []),
        (NumberStyle("en", "fr"), "at 14:30", "à 14h30", []),
        (NumberStyle("en", "fr"), "at 14:30", "à 14 h 30", []),
        (NumberStyle("en", "de"), "at 14:30", "um 14.35 Uhr", ["14:30"]),
    ],
)
def test_a_number_may_change_its_separators_and_nothing_else(style, source, translated, lost):
    found = lacking(style.numbers(source), translated)
    assert [source[each.start : each.end] for each in found] == lost


@given(
    st.lists(st.integers(0, 10**9) | st.floats(0, 10**6).map(lambda x: round(x, 2)), max_size=5),
    st.sampled_from(LANGUAGES),
)
def test_every_form_of_a_number_is_taken_for_it(values, target):
    source = " and ".join(f"{value:,}" for value in values)
    numbers = NumberStyle("en", target).numbers(source)
    assert len(numbers) == len(values)
    for number in numbers:
        assert all(not lacking([number], f"so {form}.") for form in number.forms)
        assert len({"".join(filter(str.isdigit, form)) for form in number.forms}) == 1
    assert len(lacking(numbers, "")) == len(values)
