"""The tokens of whole words, for every kind of tokenizer."""

from __future__ import annotations

import re

import pytest
import tokenizers_at_hand as at_hand

from gridbeam.tokens.offsets import read, tokens_of_words
from gridbeam.tokens.vocabulary import vocabulary_of

SPACED = [
    "The hard disk is full; please delete some files.",
    "Die Festplatte ist voll, der Raucher raucht.",
    "He was (also) an anti-smoking activist.",
]
OF_WORDS = [kind for kind in at_hand.KINDS if kind is not at_hand.byte_fallback_bpe]
"""Those that have no tokens across spaces."""


def ids_of(tokenizer, text):
    return tokenizer(text, add_special_tokens=False)["input_ids"]


@pytest.mark.parametrize("kind", OF_WORDS)
@pytest.mark.parametrize("text", SPACED)
def test_tokens_of_a_word_are_those_from_its_space_to_its_last_letter(kind, text):
    tokenizer = kind()
    tokens, vocabulary = ids_of(tokenizer, text), vocabulary_of(tokenizer)
    if read(tokenizer, tokens) != text:
        pytest.skip("this tokenizer does not write the text as it is")
    for match in re.finditer(r"\S+", text):
        bare = re.search(r".*\w", match[0])[0]
        word = re.search(r"\w.*\w|\w", match[0])[0]
        start = match.start() + match[0].index(word)
        found = tokens_of_words(tokenizer, vocabulary, tokens, text, (start, start + len(word)))
        said = read(tokenizer, tokens[slice(*found)])
        assert said.startswith(bare)
        assert match[0].startswith(said)
        assert read(tokenizer, tokens[: found[0]]) == text[: match.start()].rstrip()


def test_a_token_across_a_space_is_taken_whole():
    tokenizer = at_hand.byte_fallback_bpe()
    for text in SPACED:
        tokens = ids_of(tokenizer, text)
        for match in re.finditer(r"\w+", text):
            found = tokens_of_words(tokenizer, vocabulary_of(tokenizer), tokens, text, match.span())
            assert match[0] in read(tokenizer, tokens[slice(*found)])


def test_in_a_script_without_spaces_a_term_ends_where_it_ends():
    tokenizer = at_hand.byte_level_bpe()
    text = "日本語のテキスト。今日は良い天気です。"
    tokens = ids_of(tokenizer, text)
    found = tokens_of_words(tokenizer, vocabulary_of(tokenizer), tokens, text, (4, 8))
    said = read(tokenizer, tokens[slice(*found)])
    assert "テキスト" in said
    assert len(said) < len(text)


def test_tokens_that_do_not_write_the_text_have_no_words():
    tokenizer = at_hand.uncased()
    tokens = ids_of(tokenizer, "The hard disk")
    assert (
        tokens_of_words(tokenizer, vocabulary_of(tokenizer), tokens, "The hard disk", (4, 8))
        is None
    )
    assert tokens_of_words(tokenizer, vocabulary_of(tokenizer), [], "", (0, 0)) is None


def test_what_stands_before_the_text_is_passed_over():
    tokenizer = at_hand.byte_level_bpe()
    tokens = ids_of(tokenizer, "translate: The hard disk")
    found = tokens_of_words(tokenizer, vocabulary_of(tokenizer), tokens, "The hard disk", (4, 8))
    assert read(tokenizer, tokens[slice(*found)]) == "hard"
