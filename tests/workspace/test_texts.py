"""Texts as people see them, and the codes in them."""

from __future__ import annotations

import pytest

from gridbeam.markup.inline import Code, Marked, as_marked
from gridbeam.workspace.texts import codes_of, marked_text, shown

G = (Code('<g id="1">', "opens", "g"), Code("</g>", "closes", "g"))
X = Code('<x id="2"/>')


def codes_in(text):
    marked = text if isinstance(text, Marked) else as_marked(text)
    return [str(marked)[start:end] for start, end in codes_of(marked)]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Plain.", []),
        ("Open {file} at https://example.org/a", ["{file}", "https://example.org/a"]),
        ("<b>{n}</b> &uuml;", ["<b>", "{n}", "</b>"]),
        (Marked.of(["a ", G[0], "b", G[1], X]), ['<g id="1">', "</g>", '<x id="2"/>']),
        (
            "{n, plural, one {# file in {x}} other {files}} gone",
            ["{n, plural, one {", "{x}", "} other {", "}}"],
        ),
    ],
)
def test_placeholders_tags_and_the_syntax_of_messages_are_codes(text, codes):
    assert codes_in(text) == codes


def test_a_text_is_sent_with_its_codes_in_code_points():
    assert shown(as_marked("😀 {a}"))["codes"] == [{"start": 2, "end": 5, "raw": "{a}"}]


@pytest.mark.parametrize(
    "marked",
    [
        as_marked("no codes <b>"),
        Marked.of(["a ", G[0], "b", G[1], " c", X, X]),
        Marked.of([X]),
    ],
)
def test_a_text_that_was_sent_has_its_codes_again_when_it_comes_back(marked):
    assert marked_text(str(marked), marked.codes) == marked


def test_a_code_that_lacks_its_partner_is_text():
    assert marked_text("a </g>b<g id='1'>", G).codes == ()
    assert marked_text(f"{G[0]}a{X}", (*G, X)).codes == (X,)
    assert marked_text("a</g>" + str(G[0]), G).codes == ()


def test_a_text_may_look_like_a_code_that_its_file_does_not_have():
    assert marked_text("<i>a</i>", G) == as_marked("<i>a</i>")
