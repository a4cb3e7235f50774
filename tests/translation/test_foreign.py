"""What a model has no letters for comes out as it went in, and no promise is broken by it."""

from __future__ import annotations

import re

import echo
import pytest
import tokenizers_at_hand as at_hand
from hypothesis import given
from hypothesis import strategies as st

from gridbeam import Avoid, InOrder, Phrase, Prefix, Request, Subwords
from gridbeam.text.sentences import whole
from gridbeam.translation.unwritable import Alphabet, Readable, language
from gridbeam.translation.written import WrittenText

ALPHABET = Alphabet(echo.translator().subwords)


@pytest.mark.parametrize(
    ("text", "foreign"),
    [
        ("The disk is full.", []),
        ("It is 👍 → go", ["👍 →"]),
        ("the word добрый день, привет is", ["добрый день, привет"]),
        ("on 10 мая 2020 года it", ["мая 2020 года"]),
        ("a 👩‍💻 and ❤️ or 👍👍 is", ["👩‍💻", "❤️", "👍👍"]),
        ("He said 你好，世界 to me", ["你好，世界"]),
        ("It costs £4.50 or 25°C at Acme®", ["£4.50", "25°C", "Acme®"]),
        ("File→Save and •Point", ["→", "•"]),
        ("white\u00a0space, soft\u00adhyphens and zero\u200bwidth", []),
    ],
)
def test_words_and_signs_are_foreign_for_a_single_letter_that_is_lacking(text, foreign):
    assert [text[start:end] for start, end in ALPHABET.foreign(text)] == foreign


@pytest.mark.slow
@given(
    st.lists(
        st.sampled_from(
            ["disk", "Łódź", "👍", "добрый", "день", "2020", "£4", "→", "is", "%s", "{1}", "."]
        ),
        max_size=8,
    )
)
def test_a_translator_that_repeats_its_source_repeats_what_is_foreign(words):
    text = " ".join(words)
    assert echo.translator().translate(text, beam=2).text == text


@pytest.mark.parametrize("text", ["日本語" * 60, "Добрый день!", "👍", "12 ✓"])
def test_a_text_without_a_known_letter_is_its_own_translation(text):
    translation = echo.translator().translate(text)
    assert translation.text == text and not translation.sentences


def test_signs_around_a_sentence_are_no_part_of_it():
    translation = echo.translator().translate("• The disk is full. ✓\n→ Das ist leer 👍")
    assert translation.text == "• The disk is full. ✓\n→ Das ist leer 👍"
    assert [sentence.source for sentence in translation.sentences] == [
        "The disk is full.",
        "Das ist leer",
    ]


def test_spans_and_tokens_are_those_of_the_text_as_it_is_given_back():
    translation = echo.translator().translate(
        Request("The 你好 disk is добрый день here full.", ["disk", "voll"])
    )
    assert translation.marked().count("[disk]") == 1 and "[voll]" in translation.marked()
    covered = {place for piece in translation.tokens for place in range(piece.start, piece.end)}
    assert {
        place for place, letter in enumerate(translation.text) if not letter.isspace()
    } <= covered


@pytest.mark.parametrize(
    ("source", "constraints", "expected"),
    [
        ("Die Łódź ist voll.", ["Łódź"], "Die [Łódź] ist voll."),
        ("The 1 👍 file", ["1"], "The [1] 👍 file"),
        ("The 👍 file", [Avoid("{")], "The 👍 file"),
    ],
)
def test_what_a_constraint_speaks_of_is_left_to_the_model(source, constraints, expected):
    assert echo.translator().translate(Request(source, constraints)).marked() == expected


@pytest.mark.parametrize(
    ("source", "shown"), [("%s→%s files", "%s{1}%s files"), ("a %dµm file", "a %d{1} file")]
)
def test_a_placeholder_that_is_glued_to_what_is_foreign_stays_whole(source, shown):
    phrases = [Phrase(each, whole_word=False) for each in ("%s", "%d")]
    sentences, readable_of = ALPHABET.readable(whole(source), phrases)
    (readable,) = map(readable_of, sentences.texts)
    assert readable.text == shown and WrittenText(readable, shown).text == source


def test_a_number_that_is_required_is_not_met_by_what_stands_for_something_else():
    assert re.search(
        r"\b1\b", echo.translator().translate(Request("The 👍 file is full.", ["1"])).text
    )


def test_a_foreign_sentence_with_a_placeholder_is_not_set_aside_without_it():
    for source in ("你好 {0}. The disk is full.", "The disk is full. 你好 {0}."):
        assert (
            echo.translator().translate(Request(source, ["{0}"], places=[source.index("{")])).text
            == source
        )


def test_what_is_avoided_does_not_come_back():
    assert (
        "привет"
        not in echo.translator().translate(Request("The привет file", [Avoid("привет")])).text
    )


def test_a_constraint_takes_the_place_of_what_it_stems_from():
    source = "The Łódź file is full."
    (sentence,) = (
        echo.translator().translate(Request(source, ["voll"], places=[source.index("ź")])).sentences
    )
    assert "{1}" not in echo.translator().tokenizer.decode(sentence.hypothesis.tokens)


def test_no_word_grows_together_with_what_is_put_back():
    found = WrittenText(Readable("in {1}", (("{1}", "Łódź"),)), "Haus{1}er ist")
    assert found.text == "Haus Łódź er ist"
    assert found.moved((0, 4)) == (0, 4) and found.moved((10, 13)) == (13, 16)


def test_a_text_ends_where_its_signs_begin():
    assert language("12 ✓", [(3, 4)]) == (0, 0)
    assert language("✓ 12", []) == (0, 0)
    assert language("✓ a 12 ", []) == (0, 6)


@pytest.mark.parametrize("kind", at_hand.KINDS)
def test_what_is_foreign_depends_on_the_tokens_there_are(kind):
    text = "The disk is 日本語 and 👍, ﬁ"
    found = [text[start:end] for start, end in Alphabet(Subwords(kind())).foreign(text)]
    expected = {at_hand.byte_level_bpe: [], at_hand.byte_fallback_bpe: ["日本語", "👍"]}
    assert found == expected.get(kind, ["👍"])


@pytest.mark.parametrize(
    ("source", "pattern"),
    [
        ("The disk 👍 file.", "disk 👍"),
        ("✓ The disk.", "✓ The"),
        ("Привет, мир! The disk.", "мир! The"),
        ("The £4 disk.", InOrder("The", "£4")),
        ("The 東京 disk.", Phrase("東", whole_word=False)),
        ("The Привет disk.", Phrase("привет", case="any")),
    ],
)
def test_what_is_avoided_is_so_beside_what_is_foreign(source, pattern):
    translated = echo.translator().translate(Request(source, [Avoid(pattern)])).text
    parts = [pattern] if isinstance(pattern, str) else getattr(pattern, "parts", [pattern])
    texts = [re.escape(part if isinstance(part, str) else part.content) for part in parts]
    end = r"(?!\w)" if isinstance(pattern, str) else ""
    assert not re.search(".*".join(texts) + end, translated, re.IGNORECASE)


@pytest.mark.parametrize(
    ("source", "prefix"),
    [
        ("✓ The disk.", "Voll"),
        ("✓ The disk.", "✓ The"),
        ("The word 東京 is full.", "The word 東京"),
    ],
)
def test_a_prefix_begins_the_text_and_says_nothing_twice(source, prefix):
    translated = echo.translator().translate(Request(source, [Prefix(prefix)])).text
    assert translated.startswith(prefix)
    assert all(translated.count(sign) == 1 for sign in ("✓", "東京") if sign in source)


def test_what_is_required_with_what_is_foreign_is_said_once():
    wishes = [Phrase("voll → leer"), Phrase("東京"), Phrase("東京", case="sentence")]
    for source, wanted in zip(
        ["The disk → file.", *["The 東京 and the 東京."] * 2], wishes, strict=True
    ):
        found = echo.translator().translate(Request(source, [wanted]))
        ((start, end),) = found.spans[0]
        assert found.text[start:end] == wanted.content and all(
            found.text.count(sign) == source.count(sign) for sign in "→東"
        )


def test_a_sentence_that_something_has_its_place_in_is_translated():
    source = "24 ✓\nThe disk."
    assert (
        "voll"
        in echo.translator().translate(Request(source, ["voll"], places=[0])).text.split("\n")[0]
    )


def test_hyphens_and_ligatures_are_read_as_usual_ones_and_markup_is_kept():
    translator = echo.translator()
    assert translator.translate("The hard‑disk ﬁle").text == "The hard-disk file"
    assert [ALPHABET.foreign(sign) for sign in "#<`|"] == [[(0, 1)]] * 4 and not ALPHABET.foreign(
        "$ & naïve Škoda"
    )
