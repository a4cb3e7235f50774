"""Tokens that hold a word and half a character: the rest may make it a longer word, or not."""

from __future__ import annotations

import pytest
import tokenizers_at_hand as at_hand
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

import gridbeam
from gridbeam import Avoid, Phrase, Subwords


@pytest.fixture(scope="module")
def subwords():
    """Tokens of bytes, among them "ab" with half a character after it, and with one before it."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    names = [*at_hand.SPECIAL, *alphabet, "ab", "abÃ", "Ã¤", "¤ab"]
    merges = [("a", "b"), ("ab", "Ã"), ("Ã", "¤"), ("¤", "ab")]
    tokenizer = Tokenizer(models.BPE({name: number for number, name in enumerate(names)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return Subwords(at_hand.wrapped(tokenizer))


TEXTS = [
    ["abÃ", "¤"],
    ["abÃ", "."],
    ["abÃ"],
    ["abÃ", "ab"],
    ["ab", "Ã¤"],
    ["ab", "."],
    ["ab"],
    ["Ã", "¤ab"],
    [".", "¤ab"],
]


@pytest.mark.parametrize("tokens", TEXTS, ids=" ".join)
@pytest.mark.parametrize("whole_word", [True, False])
def test_half_a_character_by_a_word_is_taken_for_the_worse(subwords, tokens, whole_word):
    """What is required is surely there, and what is avoided is surely not."""
    vocabulary = subwords.tokenizer.get_vocab()
    ids = [vocabulary[token] for token in tokens]
    says_it = at_hand.occurs(subwords.tokenizer.decode(ids), "ab", whole_word=whole_word)
    phrase = Phrase("ab", whole_word=whole_word)
    required, avoided = (
        gridbeam.check([term], ids, encode=subwords)[0].is_met for term in (phrase, Avoid(phrase))
    )
    assert not required or says_it
    assert not (avoided and says_it)


def test_a_word_with_half_a_letter_after_it_is_not_the_word(subwords):
    vocabulary = subwords.tokenizer.get_vocab()
    glued, rest, stop = vocabulary["abÃ"], vocabulary["¤"], vocabulary["."]
    assert subwords.tokenizer.decode([glued, rest]) == "abä"
    assert [
        gridbeam.check(["ab"], ids, encode=subwords)[0].is_met
        for ids in ([glued, rest], [glued, stop])
    ] == [False, False]
    assert subwords.tokenizer.decode([glued, stop]) == "ab�."
    assert not gridbeam.check([Avoid("ab")], [glued, stop], encode=subwords)[0].is_met
