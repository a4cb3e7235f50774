"""Segments in parts: each is translated on its own; the whole comes out right or is reported."""

from __future__ import annotations

import io
import json
from pathlib import Path

import echo
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_files import ask
from timing import timed

from gridbeam import Avoid, Phrase
from gridbeam.documents import Segment
from gridbeam.errors import UserError
from gridbeam.files.instructions import Instructions
from gridbeam.files.outcome import Outcome
from gridbeam.files.pipeline import Pipeline
from gridbeam.files.single import translate_text
from gridbeam.glossary.entries import Entry, Glossary
from gridbeam.markup.inline import Code, as_marked
from gridbeam.translation.defaults import TRANSLATION
from gridbeam.translation.request import Translation

X = Code('<x id="1"/>')
FAST = TRANSLATION.but(beam=1)


class Shouting:
    """A translator for which a translation is the source in capitals, but for codes in braces.

    It refuses what `refuses` says, and takes down what it is asked.
    """

    source, target, subwords = "en", "de", echo.translator().subwords

    def __init__(self, refuses=lambda request: False, say=str.upper):
        self.asked, self._refuses, self._say = [], refuses, say

    def translate(self, request, **_):
        ((_, result),) = self.translate_each([request])
        if isinstance(result, UserError):
            raise result
        return result

    def translate_each(self, requests, **_):
        for number, request in enumerate(requests):
            self.asked.append(request.source)
            if self._refuses(request):
                yield number, UserError("refused")
                continue
            text = self._say(request.source)
            spans = tuple(
                (((at, at + len(term.content)),) if (at := text.find(term.content)) >= 0 else ())
                if isinstance(term, Phrase)
                else ()
                for term in request.constraints
            )
            yield number, Translation(text, -1.0, spans, (), request.source, ())


def outcome(text, translator=None, instructions=None, **values):
    segment = Segment(0, "n", as_marked(text), Path("a"), 1, **values)
    pipeline = Pipeline(translator or Shouting(), instructions or Instructions(search=FAST))
    ((_, found),) = pipeline.outcomes([segment])
    assert Outcome.from_line(found.as_line()) == found
    return found


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("File → Open > Recent", "FILE → OPEN > RECENT"),
        ("You have {n, plural, one {# file} other {# files}} in it",
         "YOU HAVE {n, plural, one {# FILE} other {# FILES}} IN IT"),
        ("{% if a %}welcome{% endif %}, friend", "{% if a %}WELCOME{% endif %}, FRIEND"),
        ("  a -> b \n", "  A -> B \n"),
    ],
)  # fmt: skip
def test_each_part_of_a_segment_is_translated_on_its_own(source, expected):
    assert str(outcome(source).text) == expected


def test_a_message_may_hold_inline_elements():
    from gridbeam.markup.inline import Marked

    source = Marked.of(["{n, plural, =1 {1 task} other {", X, " tasks}} left"])
    found = outcome(source).text
    assert X in found.codes
    assert str(found) == (
        f"{{n, plural, =1 {{1 TASK}} one {{{X} TASKS}} other {{{X} TASKS}}}} LEFT"
    )


def test_what_is_not_understood_stays_and_is_reported(file, tmp_path):
    source = "See {n, plural, one {x}} now"
    found = outcome(source)
    assert str(found.text) == "SEE {n, plural, one {x}} NOW" and not found.unmet
    assert found.notes == (
        "this message is not understood, and stays as it is: {n, plural, one {x}}",
    )
    report = tmp_path / "r.json"
    done = ask(file("a.txt", source), "-o", tmp_path / "b.txt", "--report", report)
    assert done.exit_code == 0 and "is not understood, and stays as it is" in done.stderr
    (note,) = json.loads(report.read_text())["notes"]
    assert (note["name"], note["line"]) == ("1", 1)


def test_a_text_is_cut_no_longer_than_it_is_asked():
    translator = Shouting()
    outcome("a → b → a → b", translator)
    assert sorted(translator.asked) == ["a", "b"]


def test_what_must_be_said_anywhere_keeps_the_text_whole():
    translator = Shouting()
    outcome("a → b", translator, constraints=(Phrase("A"),))
    assert translator.asked == ["a {1} b"]
    translator = Shouting()
    outcome("a → b", translator, constraints=(Avoid("x"),))
    assert sorted(translator.asked) == ["a", "b"]


def test_a_term_is_met_in_its_part_and_told_where_it_stands_in_the_whole():
    glossary = Glossary((Entry("open", ("OPEN",)),), "en", "de")
    found = outcome("File → open it", instructions=Instructions(glossary, search=FAST))
    ((start, end),) = found.met[0].spans
    assert str(found.text)[start:end] == "OPEN" and found.uses[0].is_met


def test_a_term_of_the_glossary_wins_over_what_looks_like_a_name():
    glossary = Glossary((Entry("Ctrl", ("Strg",)), Entry("GitHub", ("Hub",))), "en", "de")
    found = outcome("Ctrl+C in GitHub", instructions=Instructions(glossary, search=FAST))
    assert [use.source for use in found.uses] == ["Ctrl", "GitHub"]


def test_nothing_that_nobody_constrains_is_refused():
    """First something stands for all placeholders, then what is between them is translated."""
    translator = Shouting(refuses=lambda request: bool(request.constraints))
    found = outcome("Value {x} of maxLength is <b>wrong</b>", translator)
    assert str(found.text) == "VALUE {x} OF maxLength IS <b>WRONG</b>" and not found.unmet
    assert translator.asked[:4] == [
        "Value {x} of maxLength is {1}wrong{2}",  # a guide
        "Value {x} of maxLength is wrong",
        "Value {1} of {2} is {3}wrong{4}",  # a guide
        "Value {1} of {2} is wrong",
    ]


def test_a_text_translated_in_parts_may_lose_a_number_which_is_told():
    def say(text):
        return text.upper().replace("2", "ZWEI")

    translator = Shouting(refuses=lambda request: bool(request.constraints), say=say)
    found = outcome("Value {x} of 2 files", translator)
    assert str(found.text) == "VALUE {x} OF ZWEI FILES" and not found.unmet and found.notes


def test_what_a_user_asks_may_be_refused():
    translator = Shouting(refuses=lambda request: bool(request.constraints))
    found = outcome("Value {x}", translator, constraints=(Phrase("b"),))
    assert found.text is None and found.unmet == "refused"


def test_a_number_that_is_lost_is_asked_for():
    def say(text):
        return text.upper().replace("2", "ZWEI")

    translator = Shouting(refuses=lambda request: bool(request.constraints), say=say)
    found = outcome("2 files", translator)
    assert translator.asked == ["2 files"] * 2
    assert str(found.text) == "ZWEI FILES"
    assert found.notes == ("the translation has not the number 2",)
    assert not outcome("2 files").notes


def test_numbers_are_kept_as_they_are_if_asked():
    def say(text):
        return text.upper().replace("1,000", "1.000")

    assert not outcome("1,000 files", Shouting(say=say)).notes
    assert outcome("1,000 files", Shouting(say=say), Instructions(numbers="keep")).notes
    with pytest.raises(UserError, match='numbers "so" is unknown: write localise or keep'):
        Instructions(numbers="so")


def test_a_single_text_goes_the_way_of_a_segment():
    out = io.BytesIO()
    source = "File → {n, plural, one {# file} other {# files}}"
    translate_text(Shouting(), source, out, Instructions(search=FAST))
    assert out.getvalue().decode() == "FILE → {n, plural, one {# FILE} other {# FILES}}\n"


SOME = ["the", "file", "→", " > Open", "{x}", "%s", "`ls`", "maxLength", "<b>", "</b>", "C++",
        "1,000", "{n, plural, one {# x} other {y}}", "{% if a %}", "10.0.0.1", "&amp;", "<=", "{",
        "'", X, "é", "*", "→→", "{{7*7}}", "\\n", "=", "|", "--help"]  # fmt: skip


@given(st.lists(st.sampled_from(SOME), max_size=8))
@settings(deadline=None)
def test_a_translator_that_echoes_gives_every_segment_back(pieces):
    """Even one that meets no constraint of ours."""
    from gridbeam.markup.inline import Marked

    source = Marked.of(each for piece in pieces for each in (piece, " "))
    translators = [
        Shouting(say=str),
        Shouting(refuses=lambda request: bool(request.constraints), say=str),
    ]
    for translator in translators:
        translator.target = "en"
        found = outcome(source, translator)
        assert not found.unmet
        assert str(found.text) == str(source)


@pytest.mark.slow
@pytest.mark.parametrize("sign", [" → ", " > ", " » ", " -> "])
def test_twelve_signs_take_no_longer_than_twelve_words(sign):
    from gridbeam.translation.translator import Translator

    translator = Translator.load("general:en-de")
    words = ["File", "Edit", "View", "Tools", "Help", "Window", "Format", "Table", "Data"]
    words += ["Insert", "Page", "Layout", "Print"]

    def seconds(text):
        with timed() as taken:
            found = outcome(text, translator, Instructions())
        assert not found.unmet
        return taken.seconds, found

    seconds("Warm up.")
    plain, _ = seconds(" ".join(words))
    taken, found = seconds(sign.join(words))
    assert str(found.text).count(sign) == 12
    assert taken < 2 * plain + 1


def test_a_message_in_the_right_form_is_no_finding_of_the_checks():
    found = outcome("{n, plural, =1 {1 task} other {# tasks}} left.", Shouting())
    assert "{1 TASK}" in str(found.text) and found.findings == ()
