"""What a word is, is one thing: every part of the package draws its edges where `letters` does."""

from __future__ import annotations

import re
import sys
import unicodedata
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridbeam.markup.placeholders import placeholders
from gridbeam.markup.protect import protect
from gridbeam.markup.restore import restore
from gridbeam.text import marks
from gridbeam.text.letters import is_of_a_word, is_whole, letter, marks_class, whole
from gridbeam.text.words import is_word, spans, words
from gridbeam.training.placeholding import replaced

TEXTS = st.text("aÄ7_-' .\u0301日本ไ\u0e31कि\u093fا\u200c%+", max_size=12)
DECOMPOSED = "cafe\u0301"


def test_the_pattern_of_a_letter_matches_what_is_of_a_word():
    pattern = re.compile(letter())
    for number in [*range(0xD800), *range(0xE000, 0x20100), *range(0xE0000, 0xE0200)]:
        character = chr(number)
        assert bool(pattern.fullmatch(character)) == is_of_a_word(character), hex(number)


def test_no_mark_is_forgotten():
    every = {c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c)[0] == "M"}
    assert every == set(marks_class())


@given(TEXTS)
def test_words_are_letters_in_a_row_or_a_single_character(text):
    found = spans(text, words(text))
    for start, end in found:
        assert end - start == 1 or all(map(is_of_a_word, text[start:end]))
        assert re.compile(whole(re.escape(text[start:end]))).match(text, start)
    assert "".join(text[start:end] for start, end in found) == "".join(text.split())


@given(TEXTS, st.text("aÄ日\u0301-", min_size=1, max_size=2))
def test_what_is_whole_has_no_letter_beside_a_letter_of_its_own(text, part):
    expected = [
        start
        for start in range(len(text) - len(part) + 1)
        if text[start : start + len(part)] == part
        and not both_of_a_word(text[start - 1 : start], part[0])
        and not both_of_a_word(part[-1], text[start + len(part) :][:1])
    ]
    pattern = re.compile(f"(?={whole(re.escape(part))})")
    assert [match.start() for match in pattern.finditer(text)] == expected


def both_of_a_word(one: str, other: str) -> bool:
    return bool(one and other) and is_of_a_word(one) and is_of_a_word(other)


@given(TEXTS)
def test_words_for_counting_are_cut_nowhere_within_a_word(text):
    """They may be longer than the others, such as a-b, but begin and end where those do."""
    ends = {end for _, end in spans(text, words(text))}
    tokens = [token for piece in marks.pieces(text) for token in marks.tokens(piece)]
    for token, (_, end) in zip(tokens, spans(text, tokens), strict=True):
        assert end in ends or not is_word(token) or text[end - 1] in "\u0e31\u0301\u093f", token


@pytest.mark.parametrize(
    ("text", "name", "count"),
    [
        ("我们用API写。", "API", 1),
        ("APIs and APIx", "API", 0),
        (f"{DECOMPOSED} cafe", "cafe", 1),
    ],
)
def test_a_name_is_found_where_it_is_a_word(text, name, count):
    assert sum(found.raw == name for found in placeholders(text, (name,))) == count


def test_no_tag_is_put_between_a_letter_and_its_accent():
    pupil = "e\u0301le\u0300ve"
    source = protect("<b>new</b> pupil")
    assert str(restore(f"{pupil} nouveau", source)) == f"<b>{pupil}</b> nouveau"


def test_a_word_whose_accent_is_a_character_of_its_own_is_replaced_as_a_whole():
    for seed in range(10):
        name = "Rene\u0301"
        source, target = replaced(f"{name} went", f"{name} ging", Random(seed))
        assert "\u0301" not in source + target


@given(st.text("aÄ_- 1語\u0301", max_size=6), st.text("aÄ_- 1語\u0301", min_size=1, max_size=3))
def test_what_is_whole_is_so_as_a_pattern_and_as_a_question(around, stretch):
    text, start = f"{around}{stretch}{around[::-1]}", len(around)
    found = re.compile(whole(re.escape(stretch))).match(text, start)
    assert is_whole(text, start, start + len(stretch)) == bool(found)
