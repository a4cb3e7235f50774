"""The model that ships, in 8 bits on a CPU, says what it says in float32 by transformers."""

from __future__ import annotations

import pytest

from gridbeam import Request, Translator
from gridbeam.models.lean.folder import SWITCH
from gridbeam.models.lean.matrices import has_eight_bits
from gridbeam.models.lean.model import Lean
from gridbeam.models.load import FOLDERS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not has_eight_bits(), reason="this processor has no 8-bit products"),
    pytest.mark.skipif(
        not (FOLDERS["builtin"] / "config.json").exists(), reason="the weights are not here"
    ),
]

REQUESTS = [
    "The file could not be opened.",
    "Select an object to edit its properties in the panel.",
    "The report was adopted by a large majority, and nobody said why.",
    "We need more time.",
    Request("Open the drawing in a new window.", ["Zeichnung", "Fenster"]),
    Request("The printer is out of paper.", ["Drucker"]),
]


def test_it_says_the_same_as_in_float32_with_constraints_and_without(monkeypatch):
    lean = Translator.load("builtin:en-de")
    monkeypatch.setenv(SWITCH, "off")
    plain = Translator.load("builtin:en-de")
    assert isinstance(lean.model, Lean)
    assert not isinstance(plain.model, Lean)
    found, expected = ([*each.translate_all(REQUESTS, beam=5)] for each in (lean, plain))
    assert [each.text for each in found] == [each.text for each in expected]
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.score == pytest.approx(theirs.score, abs=2e-3)
