"""A translation that says a term already, as a part of a compound, is left as it is."""

from __future__ import annotations

from pathlib import Path

from test_divided import FAST, Shouting

from gridbeam import Phrase
from gridbeam.documents import Segment
from gridbeam.files.instructions import Instructions
from gridbeam.files.pipeline import Pipeline
from gridbeam.glossary.entries import Entry, Glossary
from gridbeam.markup.inline import as_marked


def translated(source, plain, *, lemmas=True, **about_entry):
    """What comes of a text whose plain translation is known, and the constraints of each search."""
    asked = []
    translator = Shouting(
        refuses=lambda request: asked.append(request.constraints), say=lambda _: plain
    )
    glossary = Glossary((Entry("hard disk", ("Festplatte",), **about_entry),), "en", "de")
    how = Instructions(glossary, lemmas=lemmas, search=FAST)
    segment = Segment(0, "1", as_marked(source), Path("a.txt"), 1)
    [(_, outcome)] = Pipeline(translator, how).outcomes([segment])
    return outcome, asked


def test_a_compound_of_the_plain_translation_will_do_for_its_term():
    outcome, [plain, constrained] = translated("Hard disk space!", "Festplattenspeicher!")
    assert plain == ()
    forms = ["Festplatten", "Festplattenspeicher"]
    assert constrained == (Phrase("Festplatte", case="sentence", inflect=forms),)
    assert str(outcome.text) == "Festplattenspeicher!" and outcome.uses[0].is_met


def test_another_word_that_begins_like_the_term_will_not():
    _, [_, constrained] = translated("Hard disk space!", "Festplattenx!")
    assert constrained == (Phrase("Festplatte", case="sentence", inflect=["Festplatten"]),)


def test_exact_terms_and_those_without_lemmas_are_searched_once():
    for options in ({"exact": True}, {"lemmas": False}):
        _, [constrained] = translated("Hard disk space!", "Festplattenspeicher!", **options)
        assert constrained == (Phrase("Festplatte", case="sentence"),)


def test_a_text_that_is_a_term_and_nothing_else_becomes_its_target_without_a_search():
    for source, target in (
        ("hard disk", "Festplatte"),
        ("Hard disk", "Festplatte"),
        ("HARD DISK", "FESTPLATTE"),
        (" hard disk ", " Festplatte "),
    ):
        outcome, asked = translated(source, "never said", lemmas=False)
        assert (str(outcome.text), asked) == (target, [])
        assert outcome.uses[0].is_met and outcome.uses[0].said == target.strip()
    for source in ("Hard disks", "hard disk!", "The hard disk"):
        assert translated(source, "was searched for", lemmas=True)[1]
