"""Where a model that was shown pairs of tags has put them, and where that is in another text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridbeam.markup.guide import guide_of
from gridbeam.markup.protect import protect
from gridbeam.markup.restore import restore

WORDS = ["klicken", "Sie", "auf", "Speichern", ",", "um", "die", "Datei", "zu", "."]


def restored(source, told, final):
    """The translation with its tags, by a guide whose translation is `told`."""
    protected = protect(source)
    return str(restore(final, protected, guide_of(protected).anchors(told, final)))


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("Click <b>Save</b> now.", "Click {1}Save{2} now."),
        ("The <i>new</i> file was <b>deleted</b>.", "The {1}new{2} file was {3}deleted{4}."),
        ("See <a>the <b>whole</b> text</a> here.", "See {1}the {2}whole{3} text{4} here."),
        ("See <a><b>the</b> text</a> here.", "See {1}{2}the{3} text{4} here."),
        ("See <a><b>both</b></a> here.", "See {1}both{2} here."),
        ("<b>One</b><i>two</i> three", "{1}One{2} {3}two{4} three"),
        ("Press <b>Enter</b> for {1}.", "Press {2}Enter{3} for {1}."),
        ("<b>Warning:</b> it is full.", "{1}Warning:{2} it is full."),
    ],
)
def test_pairs_are_shown_as_catalogues_have_them(source, shown):
    guide = guide_of(protect(source))
    assert (guide and guide.text) == shown


@pytest.mark.parametrize(
    "source",
    [
        "No tags.",
        "<b>All of it.</b>",
        "<u>O</u>pen",
        "file<b>s</b> here",
        "a <b>7</b> b",
        "a <b/> b",
    ],
)
def test_what_needs_no_guide_has_none(source):
    assert guide_of(protect(source)) is None


@pytest.mark.parametrize(
    ("told", "final", "expected"),
    [
        ("Auf {1}Ja{2} klicken.", "Auf Ja klicken.", "Auf <b>Ja</b> klicken."),
        ("Klicke {1}Ja{2}.", "Ja anklicken.", "<b>Ja</b> anklicken."),
        ("Klicke auf {1}ja{2}.", "Auf Ja klicken.", "Auf <b>Ja</b> klicken."),
        ("Klicke auf {1}OK{2}.", "Klicke auf die Taste.", "Klicke auf <b>die Taste</b>."),
        ("Ja {1}ist ja{2} da.", "Ist ja da.", "<b>Ist ja</b> da."),
        ("Wähle {1}Ja{2} dort.", "Dort wähle man dann Ja.", "Dort wähle man dann <b>Ja</b>."),
    ],
)
def test_the_words_of_a_pair_are_found_again(told, final, expected):
    assert restored("Click <b>Yes</b> now.", told, final) == expected


def test_each_pair_is_told_for_itself():
    source = "The <i>new</i> file was <b>deleted</b>."
    told, final = "{3}Gelöscht{4} ist die {1}neue{2} Datei.", "Die neue Datei wurde gelöscht."
    assert restored(source, told, final) == "Die <i>neue</i> Datei wurde <b>gelöscht</b>."


@pytest.mark.parametrize(
    "told", ["Auf Ja klicken.", "{1}Ja klicken.", "{2}Ja{1}", "{1}Ja{2} {1}Ja{2}", "{1}{2}", ""]
)
def test_a_guide_that_tells_nothing_leaves_the_guess(told):
    protected, final = protect("Click <b>Yes</b> now."), "Auf Ja klicken."
    assert restored("Click <b>Yes</b> now.", told, final) == str(restore(final, protected))


def test_what_is_known_goes_before_what_is_told():
    """A term of a glossary within the tags is enclosed, wherever the guide has them."""
    from gridbeam.markup.projection import Anchor

    source, final = "Open <b>the drive</b> now.", "Jetzt das Laufwerk öffnen."
    protected = protect(source)
    known = Anchor((9, 14), (10, 18))
    told = guide_of(protected).anchors("{1}Jetzt{2} das Laufwerk öffnen.", final)
    found = str(restore(final, protected, [known, *told]))
    assert "Laufwerk" in re.search("<b>(.*)</b>", found)[1]


@given(
    st.lists(st.sampled_from(WORDS), min_size=2, max_size=9),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=9),
    st.tuples(st.integers(0, 9), st.integers(0, 9)),
    st.tuples(st.integers(0, 9), st.integers(0, 9)),
)
def test_whatever_is_told_all_tags_come_back_well_formed(source, final, pair, told_pair):
    (start, end), (first, last) = sorted(pair), sorted(told_pair)
    tagged = [*source[:start], "<b>", *source[start:end], "</b>", *source[end:]]
    told = [*final[:first], "{1}", *final[first:last], "{2}", *final[last:]]
    protected = protect(" ".join(tagged))
    guide = guide_of(protected)
    text = " ".join(final)
    anchors = list(guide.anchors(" ".join(told), text)) if guide else []
    found = str(restore(text, protected, anchors))
    assert re.findall("</?b>", found) == ["<b>", "</b>"]
    assert re.sub(r"</?b>|\s", "", found) == re.sub(r"\s", "", text)


def test_the_text_told_may_be_the_translation_itself():
    source = "Click <b>Save</b> to <i>keep</i> it."
    told = "Auf {1}Speichern{2} klicken, um es zu {3}behalten{4}."
    final = re.sub(r"\{\d\}", "", told)
    assert restored(source, told, final) == (
        "Auf <b>Speichern</b> klicken, um es zu <i>behalten</i>."
    )
