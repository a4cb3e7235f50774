"""The laws of a model, for each model there is."""

from __future__ import annotations

import laws
import pytest
import torch

from gridbeam import UserError
from gridbeam.models import Model
from gridbeam.models.toy import Bigram, Words, bigram_of


def bigram():
    return (
        Bigram(torch.randn(9, 9, generator=torch.Generator().manual_seed(0))),
        [[2, 3], [4], [5, 5, 6]],
        [3, 4, 8],
    )


def counted_bigram():
    sentences = ["das Haus ist rot", "das Boot ist blau", "ein Haus"]
    words = Words(sentences)
    return (
        bigram_of(sentences, words),
        [words.encode("rot"), words.encode("Boot Haus")],
        words.encode("das Boot"),
    )


def katakana():
    pytest.importorskip("e2k")
    from any_model import Katakana

    model = Katakana()
    return model, ["vector", "a", "gridbeam"], model.encode("ベク")


@pytest.fixture(params=[bigram, counted_bigram, katakana], scope="module")
def case(request):
    return request.param()


def test_it_has_the_three_verbs(case):
    assert isinstance(case[0], Model)


@pytest.mark.parametrize("law", laws.ALL, ids=lambda law: law.__name__)
def test_it_keeps_the_laws(case, law):
    law(*case)


def test_an_unknown_word_is_named():
    with pytest.raises(UserError, match='"Katze" in "die Katze" is not one of the 4 words'):
        Words(["die Maus"]).encode("die Katze")
