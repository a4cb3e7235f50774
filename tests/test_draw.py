"""A recorded grid, drawn."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from drawn import model

import gridbeam
from gridbeam import Phrase, UserError, draw


@pytest.fixture
def hypothesis():
    return gridbeam.search(model(3), [[2]], [[Phrase([2, 3])]], coverage="placed", beam=3, max_length=8, trace=True)[0][0]


def test_the_text_shows_the_winning_words_in_their_rows(hypothesis):
    lines = draw.as_text(hypothesis, lambda token: f"w{token}").splitlines()
    assert len(lines) == 1 + 3
    assert "+w2" in lines[2] and "&w3" in lines[1]
    shown = [word.lstrip("+&") for line in lines for word in line.split() if word.lstrip("+&").startswith("w")]
    assert sorted(shown) == sorted(f"w{token}" for token in hypothesis.tokens)


def test_the_picture_has_a_strip_for_every_hypothesis_and_a_word_for_every_token(hypothesis):
    root = ElementTree.fromstring(draw.as_svg(hypothesis, lambda token: f"<w{token}>"))
    strips = [element for element in root if element.get("height") == "3.5"]
    assert len(strips) == sum(map(len, hypothesis.trace.columns))
    words = [element.text for element in root if element.tag.endswith("text") and element.get("y") == "21"]
    assert words == [f"<w{token}>" for token in hypothesis.tokens]
    assert any(element.tag.endswith("circle") for element in root)


def test_without_a_recorded_grid_there_is_nothing_to_draw():
    [best] = gridbeam.search(model(3), [[2]], [[]], max_length=8)[0]
    with pytest.raises(UserError, match="search with trace=True"):
        draw.as_text(best, str)
