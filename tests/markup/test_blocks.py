"""Marked-up text is cut into blocks, and all of it comes back."""

from __future__ import annotations

import re

import pytest
import tiny
from hypothesis import given
from hypothesis import strategies as st
from timing import timed

from gridbeam import Translator
from gridbeam.files.instructions import Instructions
from gridbeam.markup.blocks import MarkupRules, marked_up
from gridbeam.markup.elements import parts_of
from gridbeam.server.faces.translating import DemandedText, translations
from gridbeam.translation.defaults import TRANSLATION

XML, HTML = MarkupRules(), MarkupRules(is_html=True)
TEXTS = st.sampled_from(["a", "The disk is full.", " ", "\n", "&amp;", "&lt;b&gt;", "&unknown;"])
TAGS = st.sampled_from(["<b>", "</b>", "<p>", "</p>", "<x/>", '<x id="1"></x>', "<br>", "</i>"])
PIECES = TEXTS | TAGS | st.sampled_from(["<!-- <b> -->", "<i class='a>b'>"])


@given(st.lists(PIECES, max_size=12).map("".join), st.sampled_from([XML, HTML]))
def test_what_is_not_translated_comes_back_to_the_letter(text, rules):
    found = marked_up(text, rules)
    assert found.joined(found.texts) == text
    assert "".join(part.raw for part in parts_of(text, is_html=rules.is_html)) == text


@given(st.text("<>/&;!-ab \"'=", max_size=30))
def test_signs_that_are_no_markup_are_text_and_nothing_is_lost(text):
    for is_html in (True, False):
        assert "".join(part.raw for part in parts_of(text, is_html=is_html)) == text


@pytest.mark.parametrize(
    "part", ["<!--", "<a ", "<a b=", "<a" + " " * 50, "<b>", "<![CDATA[", "<a 'b"]
)
def test_no_text_takes_long(part):
    text = part * (20_000 // len(part))
    with timed() as taken:
        marked_up(text, XML)
    assert taken.seconds < 20


def texts(text, rules):
    return [str(block) for block in marked_up(text, rules).texts]


def test_elements_beside_text_are_within_a_sentence_and_others_are_not():
    assert texts("<a><b>One</b> <b>Two</b></a>", XML) == ["One", "Two"]
    assert texts("<a>And <b>One</b> <b>Two</b></a>", XML) == ["And <b>One</b> <b>Two</b>"]
    assert texts("<p>One <b>two</b></p><p>Three</p>", HTML) == ["One <b>two</b>", "Three"]


def test_what_parts_sentences_can_be_said_by_name():
    text = "<par><span>One</span> <span>two</span></par><title>Three</title>"
    rules = MarkupRules(
        outline=False,
        splitting=frozenset(["par", "title"]),
        non_splitting=frozenset(["span"]),
    )
    assert texts(text, rules) == ["<span>One</span> <span>two</span>", "Three"]


def test_what_is_not_to_be_translated_is_one_code():
    text = '<p>A <x>b <i>c</i></x> <b translate="no">d</b> <script>if (a<b) {}</script> e</p>'
    (block,) = marked_up(text, MarkupRules(is_html=True, kept=frozenset(["x"]))).texts
    kept = ["<x>b <i>c</i></x>", '<b translate="no">d</b>', "<script>if (a<b) {}</script>"]
    assert [code.raw for code in block.codes] == kept


@pytest.fixture(scope="module")
def translator():
    return Translator.load(str(tiny.marian()), target="de")


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        '<x id="1"></x> the disk <x id="2"></x> is full',
        "The <b>disk <i>is</i></b> full, <u>and</u> it is <b>good</b>.",
        "<p>The <b>disk</b></p> is <i>full</i>",
        "<a>The disk <br/>is <x/>full</a>. Why?<b></b>",
        "The <b>disk is</b> empty. <i>The file</i> was <b>deleted</b>.",
    ],
)
def test_a_translation_has_the_tags_of_its_source_and_is_as_well_formed(translator, text):
    for rules in (XML, HTML):
        how = Instructions(search=TRANSLATION.but(beam=2))
        (found,) = translations(translator, [DemandedText(text)], how, rules)
        assert sorted(tags(found.text)) == sorted(tags(text))
        assert is_well_formed(found.text)


def tags(text):
    return re.findall(r"<[^>]*>", text)


def is_well_formed(text):
    waiting = []
    for part in parts_of(text, is_html=True):
        if part.role == "opens":
            waiting.append(part.name)
        elif part.role == "closes" and (not waiting or waiting.pop() != part.name):
            return False
    return not waiting
