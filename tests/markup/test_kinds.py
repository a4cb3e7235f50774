"""The table of kinds holds together."""

from __future__ import annotations

import re

import pytest
from timing import timed

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


@pytest.mark.parametrize(
    "part",
    [
        "a->",
        "a::",
        "a.",
        "{a}",
        "{",
        "/{",
        "a/{b}",
        "http:{",
        "http:%s",
        "%s/",
        "/%s",
        "{a}{b",
        "~/{a",
        "a{b}@",
        "image/x-",
    ],
)
def test_placeholders_are_found_in_time_in_proportion_to_the_text(part):
    with timed() as taken:
        placeholders(part * 10_000 + "1")
    assert taken.seconds < 1


def test_a_method_of_what_a_function_returns_is_a_name():
    found = placeholders("Call get()->first() or a->b::c() now")
    assert [each.raw for each in found] == ["get()", "first()", "a->b::c()"]


@pytest.mark.parametrize(
    "address",
    [
        "https://a.org/codes#{0}",
        "https://a.org/help?id={id}",
        "https://a.org/{lang}/help",
        "https://a.org/help?id={id}&lang=%s",
        "https://a.org/{{lang}}/${x}/%1$s",
        "www.a.org/{lang}",
        "a.org/{lang}/help",
        "{name}@example.org",
        "%s@example.org",
        "{first}.{last}@example.org",
        "~/Documents/{user}/notes.txt",
        "/home/%s/notes/${x}",
    ],
)
def test_an_address_with_a_placeholder_in_it_is_one(address):
    found = placeholders(f"See ({address}), {{n}}.")
    assert [each.raw for each in found] == [address, "{n}"]
    assert found[0].kind == "address"


def test_placeholders_with_strokes_between_them_are_no_path():
    found = placeholders("On {day}/{month}/{year} in {base}/etc/hosts, %d/%d/%d")
    assert [each.raw for each in found] == [
        *("{day}", "{month}", "{year}", "{base}", "/etc/hosts", "%d", "%d", "%d")
    ]


def test_the_address_in_a_branch_of_a_message_ends_with_the_branch():
    text = "{n, plural, one {https://a.org/{n}} other {x}}"
    assert [each.raw for each in placeholders(text)] == [text]
    assert [each.raw for each in placeholders("https://a.org/{n}} x")] == ["https://a.org/{n}"]


def test_types_of_media_are_names_and_words_with_a_stroke_are_not():
    text = "An image/png, image/x-icon or image/svg+xml, audio/video, text/image-based"
    assert [each.raw for each in placeholders(text)] == [
        "image/png",
        "image/x-icon",
        "image/svg+xml",
    ]


@pytest.mark.parametrize(
    ("text", "raw"),
    [
        ("Choose a | b or c", "a | b"),
        ("Set x = 5 now", "x = 5"),
        ("If a <= b <= c!", "a <= b <= c"),
        ("The sign = is here", "="),
        ("From a = 1.5 on", "="),
    ],
)
def test_an_operator_and_its_letters_are_one_expression(text, raw):
    assert [each.raw for each in placeholders(text)] == [raw]
