"""No mark of damage, U+FFFD, is written that the source has not; what it has comes back."""

from __future__ import annotations

import echo
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gridbeam import Request, Translator
from gridbeam.translation.unwritable import Readable
from gridbeam.translation.written import WrittenText


class Scripted:
    """A model that writes the same tokens, whatever the source."""

    def __init__(self, vocab_size, tokens):
        self.vocab_size, self.bos, self.eos = vocab_size, 2, 0
        self._tokens = [*tokens, self.eos]

    def start(self, sources):
        return len(sources), 0

    def step(self, state, tokens):
        _, time = state
        logits = torch.full((len(tokens), self.vocab_size), -12.0)
        logits[:, self._tokens[min(time, len(self._tokens) - 1)]] = 0.0
        return logits.log_softmax(-1), (len(tokens), time + 1)

    def select(self, state, rows):
        return len(rows), state[1]


def written(tokens, source="The disk is full.", constraints=()):
    tokenizer = echo.translator().tokenizer
    vocabulary = tokenizer.get_vocab()
    ids = [vocabulary[token] for token in tokens]
    translator = Translator(
        Scripted(len(vocabulary), ids), tokenizer, source="en", target="de", positions=None
    )
    return translator.translate(Request(source, constraints, n_best=3), beam=3).text


some_bytes = st.sampled_from(["<0xE2>", "<0x82>", "<0xAC>", "<0xC3>", "<0xFF>", "▁disk", "."])


@given(st.lists(some_bytes, max_size=6), st.sampled_from(["", "Festplatte"]))
def test_bytes_that_are_no_character_are_never_written(tokens, phrase):
    text = written(tokens, constraints=[phrase] if phrase else [])
    assert "\ufffd" not in text
    assert phrase in text


def test_bytes_that_are_a_character_are_written():
    assert written(["▁disk", "<0xE2>", "<0x82>", "<0xAC>", "<0xE2>"]) == "disk€"


@pytest.mark.parametrize(
    "text",
    ["\ufffd The disk", "The \ufffd disk", "The disk\ufffd\ufffd", "The d\ufffdsk", "\ufffd"],
)
def test_a_mark_of_damage_in_the_source_stays(text):
    assert echo.translator().translate(text).text == text


def test_what_stands_around_broken_bytes_keeps_its_space_and_its_place():
    found = WrittenText(Readable("a b"), "a \ufffd\ufffd bc\ufffd", [])
    assert found.text == "a bc" and found.moved((5, 7)) == (2, 4)
    assert WrittenText(Readable("a"), "a \ufffd", [(2, 3)]).text == "a \ufffd"


@pytest.mark.parametrize("sign", ["\x80", "\x85", "\x9f", "\x07", "\x1f", "\x7f"])
def test_control_characters_that_the_source_does_not_have_are_left_out(sign):
    found = WrittenText(Readable("a b"), f"a {sign}{sign} b{sign}c{sign}", [])
    assert found.text == "a bc" and found.moved((5, 6)) == (2, 3)
    assert WrittenText(Readable(f"a{sign}"), f"b{sign}", []).text == f"b{sign}"


def test_layout_is_no_control_character():
    assert WrittenText(Readable("a"), "a\tb\nc\rd", []).text == "a\tb\nc\rd"
