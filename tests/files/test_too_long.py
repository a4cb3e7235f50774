"""What a document has no room for is said shortly, or it is reported."""

from __future__ import annotations

import json
from pathlib import Path

import echo
import pytest
import torch

from gridbeam import Translator
from gridbeam.documents import Segment
from gridbeam.documents.limit import SizeLimit
from gridbeam.files import Instructions, translate_file
from gridbeam.files.segments import SegmentTranslator
from gridbeam.markup.inline import as_marked


class TwoWays:
    """A model that says one thing, and a shorter one a little less likely."""

    def __init__(self, vocab_size, ways, loss):
        self.vocab_size, self.bos, self.eos = vocab_size, 2, 0
        self._ways = [[*way, 0] for way in ways]
        self._loss = loss

    def start(self, sources):
        return [()] * len(sources)

    def step(self, state, tokens):
        state = [(*before, token) for before, token in zip(state, tokens.tolist(), strict=True)]
        logits = torch.full((len(tokens), self.vocab_size), -40.0)
        for row, said in enumerate(state):
            for number, way in enumerate(self._ways):
                place = len(said) - 1
                if list(said[1:]) == way[:place] and place < len(way):
                    chosen = way[place]
                    logits[row, chosen] = max(
                        logits[row, chosen], -self._loss if number and place == 0 else 0.0
                    )
        return logits.log_softmax(-1), state

    def select(self, state, rows):
        return [state[row] for row in rows.tolist()]


def outcome_of(most, *, on_unmet="error", loss=1.5, unit="characters", text="The screen"):
    tokenizer = echo.translator().tokenizer
    long, short = (
        tokenizer(text_target=each, add_special_tokens=False)["input_ids"]
        for each in ("Bildschirm wird", "Laufwerk")
    )
    model = TwoWays(len(tokenizer.get_vocab()), [long, short], loss)
    translator = Translator(model, tokenizer, source="en", target="de")
    segment = Segment(0, "1", as_marked(text), Path("a"), 1, limits=(SizeLimit(most, unit),))
    how = Instructions(on_unmet=on_unmet)
    ((_, outcome),) = SegmentTranslator(translator, how).outcomes([segment])
    return outcome


def test_what_there_is_room_for_is_said_as_it_would_be():
    assert str(outcome_of(15).text) == "Bildschirm wird"
    assert str(outcome_of(3, unit="pixel").text) == "Bildschirm wird"


@pytest.mark.parametrize("unit", ["characters", "bytes"])
def test_what_is_too_long_is_said_shortly(unit):
    found = outcome_of(14, unit=unit)
    assert str(found.text) == "Laufwerk" and not found.unmet


def test_nothing_is_said_that_is_much_less_likely():
    assert outcome_of(14, loss=9.0).text is None


def test_the_mark_of_a_key_takes_room_too():
    assert str(outcome_of(9, text="_Screen").text) == "_Laufwerk"
    assert outcome_of(8, text="_Screen").text is None


@pytest.mark.parametrize("on_unmet", ["error", "skip", "relax"])
def test_what_cannot_be_said_in_its_room_is_reported_with_its_numbers(on_unmet):
    found = outcome_of(5, on_unmet=on_unmet)
    why = '"Bildschirm wird" has 15 characters, and there is room for 5'
    assert found.unmet == why
    assert (found.text is None) is (on_unmet != "relax")
    assert found.dropped == (({"max": 5, "unit": "characters"},) if on_unmet == "relax" else ())


def test_a_file_tells_what_is_too_long_and_what_cannot_be_measured(file, tmp_path):
    units = "".join(
        f'<trans-unit id="{number}" maxwidth="4" size-unit="{unit}"><source>The disk</source>'
        "</trans-unit>"
        for number, unit in enumerate(("char", "pixel"))
    )
    source = file("a.xliff", f'<xliff version="1.2"><file><body>{units}</body></file></xliff>')
    out, report = tmp_path / "b.xliff", tmp_path / "r.json"
    done = translate_file(echo.translator(), source, out, Instructions(), report=report)
    assert (done.translated, done.unmet, done.is_failure) == (1, 1, True)
    assert "has 8 characters, and there is room for 4" in str(done)
    assert "not measured, as it depends on what shows the text: limits in pixel (1)" in str(done)
    (told,) = json.loads(report.read_text("utf8"))["unmet"]
    assert "room for 4" in told["why"]
