"""Texts are cut where a sign stands between texts, and put together with nothing else changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from timing import timed

from gridbeam.markup.inline import Code, Marked
from gridbeam.markup.parts import assembled, divide
from gridbeam.markup.placeholders import placeholders


def parts(text, cuts="signs"):
    return [str(each.source).strip() for each in divide(Marked.of([text]), "de", cuts=cuts).texts]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("File → Open → Recent", ["File", "Open", "Recent"]),
        ("File→Save", ["File", "Save"]),
        ("File -> Save => Done", ["File", "Save", "Done"]),
        ("File > Open > Recent", ["File", "Open", "Recent"]),
        ("Settings » Network", ["Settings", "Network"]),
        ("Page one | Site", ["Page one", "Site"]),
        ("{% if a %}Hello{% else %}Bye{% endif %}", ["", "Hello", "Bye", ""]),
        ("{{#each x}}Hi{{/each}} you", ["", "Hi", "you"]),
        ("✓ Ready ★ steady ── go", ["", "Ready", "steady", "go"]),
        ("File &gt; Open &rarr; it", ["File", "Open", "it"]),
        ("a > b and a -> b", ["a > b and a", "b"]),
        ("He said « no » Today", ["He said « no » Today"]),
        ("choose a | b", ["choose a | b"]),
        ("a well-known x->y", ["a well-known x->y"]),
    ],
)
def test_a_path_is_cut_at_its_signs(text, expected):
    assert parts(text) == expected


def test_a_text_can_be_cut_at_all_that_is_not_language():
    source = Marked.of(["Hi {name}, ", Code("<x/>"), " run `ls` at a@b.org → Go"])
    found = [str(each.source).strip() for each in divide(source, "de", cuts="everything").texts]
    assert found == ["Hi", ",", "run", "at", "", "Go"] or found == ["Hi", ",", "run", "at", "Go"]
    assert not any(placeholders(each) for each in found)


pieces = st.lists(
    st.sampled_from(["a", " ", "→", "File", " > Open", "{x}", "'", "{n, plural, other {# x}}", "{",
                     "}", "{% if x %}", Code("<x/>"), Code("<g>", "opens", "1"), "%s"]),
    max_size=10,
)  # fmt: skip


@given(pieces, st.sampled_from(["signs", "nothing", "everything"]))
def test_parts_that_stay_as_they_are_make_the_same_text(pieces, cuts):
    source = Marked.of(pieces)
    division = divide(source, None, cuts=cuts)
    found = assembled(division, [text.source for text in division.texts])
    assert str(found.text) == str(source)


@given(pieces)
def test_a_stretch_of_a_part_is_found_in_the_whole(pieces):
    division = divide(Marked.of(pieces), "de")
    translations = [Marked.of(["<", *text.source.pieces, ">"]) for text in division.texts]
    found = assembled(division, translations)
    for text, translation in zip(division.texts, translations, strict=True):
        if text.doubles is None and text.number in found.moves:
            start, end = found.place(text.number, (0, 1))
            assert str(found.text)[start:end] == "<"
            size = len(str(translation))
            start, end = found.place(text.number, (size - 1, size))
            assert str(found.text)[start:end] == ">"


@pytest.mark.parametrize(
    "text",
    [
        "{a,plural," * 5000,
        "{a,select,other{" * 3000,
        "{a,select,other{" * 500 + "}}" * 500,
        "{a,choice,0#" * 2000 + "}" * 2000,
        "'{" * 20000,
        "→" * 5000,
        " > A" * 5000,
        "{% if " * 5000,
        "{a,plural, other {'" * 2000,
    ],
)
def test_a_hostile_text_is_divided_in_no_more_time_than_it_should(text):
    with timed() as taken:
        division = divide(Marked.of([text]), None)
        found = assembled(division, [each.source for each in division.texts])
    assert str(found.text).replace("''", "'") == text.replace("''", "'")
    assert taken.seconds < 10


def test_a_code_right_behind_an_address_is_cut_off_once():
    source = Marked.of(["See https://a.org/help", Code('<x id="1"/>'), " for more."])
    division = divide(source, "de", cuts="everything")
    assert assembled(division, [each.source for each in division.texts]).text == source


@pytest.mark.parametrize("language", ["ar", "de"])
def test_messages_within_messages_do_not_multiply_without_end(language):
    text = "deep"
    for number in range(18):
        text = f"{{n{number}, plural, other {{{text}}}}}"
    with timed() as taken:
        division = divide(Marked.of([text]), language)
        put_together = str(assembled(division, [each.source for each in division.texts]).text)
    assert len(put_together) < 10**6
    assert division.unread and taken.seconds < 5
