"""Constraints in the words of people become constraints in the words of a model, and come back."""

from __future__ import annotations

import pytest

from gridbeam import Avoid, InOrder, Phrase, Prefix
from gridbeam.markup.inline import Code, Marked
from gridbeam.markup.protect import protect
from gridbeam.markup.restore import restored_text
from gridbeam.markup.shown import as_shown

URL = "https://example.org/a/long/address"
SOURCES = [
    "Open <b>{file}</b> at https://example.org/a/long/address now.",
    "Copy %dfiles to <i>the</i> disk.",
    "Line one<br/>line two &uuml;",
    Marked.of(["Press ", Code('<x id="1"/>'), " in ", Code("<g>", "opens", "1"), "it", "!"]),
]


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("Öffnen", "Öffnen"),
        ("<b>{file}</b> öffnen", "{file} öffnen"),
        (f"bei {URL}.", "bei {1}."),
        ("a <b>b", "a b"),
    ],
)
def test_a_phrase_is_what_a_model_would_write_for_it(said, shown):
    protected = protect(SOURCES[0])
    assert as_shown(Phrase(said, case="exact"), protected) == Phrase(shown, case="exact")


def test_phrases_are_found_in_constraints_of_any_shape():
    protected = protect(SOURCES[0])
    given = Prefix(InOrder("<b>Auf", Phrase("x", inflect=[f"y {URL}"])))
    wanted = Prefix(InOrder("Auf", Phrase("x", inflect=["y {1}"])))
    assert as_shown(given, protected) == wanted
    assert as_shown(Avoid(URL), protected) == Avoid("{1}")
    assert as_shown(Phrase([3, 4]), protected) == Phrase([3, 4])


def test_a_word_beside_a_placeholder_stands_apart_as_in_the_text_of_the_model():
    protected = protect(SOURCES[1])
    assert protected.text == "Copy %d files to the disk."
    assert as_shown(Phrase("%dDateien"), protected) == Phrase("%d Dateien")


def test_what_parts_words_parts_them_for_the_model_too():
    protected = protect(SOURCES[2])
    assert as_shown(Phrase("eins<br/>Zeile"), protected) == Phrase("eins Zeile")
    assert as_shown(Phrase("f&uuml;r"), protected) == Phrase("für")


def test_nothing_but_tags_stays_what_it_is():
    assert as_shown(Phrase("<b>"), protect(SOURCES[0])) == Phrase("<b>")


@pytest.mark.parametrize("source", SOURCES)
def test_each_word_is_where_the_written_text_says(source):
    protected = protect(source)
    translated = " Auf jetzt " + " so ".join(
        protected.text[each.start : each.end] for each in protected.placeholders
    )
    restored = restored_text(translated, protected)
    for word in ("Auf", "jetzt", "so"):
        if (at := translated.find(word)) >= 0:
            start, end = restored.place((at, at + len(word)))
            assert str(restored.text)[start:end] == word
    for each in protected.placeholders:
        at = translated.index(protected.text[each.start : each.end])
        start, end = restored.place((at, at + each.end - each.start))
        assert str(restored.text)[start:end] == str(each.piece)


def test_a_stretch_with_a_tag_in_it_has_the_tag_when_it_is_written():
    restored = restored_text("Die Datei löschen.", protect("Delete the <b>file</b>."))
    start, end = restored.place((4, 17))
    assert str(restored.text)[start:end] == "Datei <b>löschen"


def test_words_behind_a_copy_that_is_taken_out_are_still_found():
    translated = "Jetzt {file} und {file} löschen {file} bitte"
    restored = restored_text(translated, protect("Delete {file} now"))
    assert str(restored.text).count("{file}") == 1
    for word in ("Jetzt", "löschen", "bitte"):
        at = translated.index(word)
        start, end = restored.place((at, at + len(word)))
        assert str(restored.text)[start:end] == word


def test_the_places_of_an_unchanged_text_are_those_of_its_source():
    protected = protect(SOURCES[0])
    restored = restored_text(f" {protected.text}", protected)
    at = protected.text.index("{1}") + 1
    start, end = restored.place((at, at + 3))
    assert str(restored.text)[start:end] == URL
    assert restored.place((0, 0)) is None
