"""What a person gets who corrects translations of the model that ships."""

from __future__ import annotations

from functools import cache

import pytest

from gridbeam import Translator, UserError
from gridbeam.editing.stretch import occurrences
from gridbeam.postedit import EditingState, PostEditing, TextSpeaker
from gridbeam.translation.defaults import TRANSLATION

pytestmark = pytest.mark.slow
COMMITTEE = "The committee rejected the proposal yesterday."
SAID = "Der Ausschuss hat den Vorschlag gestern abgelehnt."
LINES = "Name:\tThe disk\nThe size is large. It is full."
IN_LINES = "Name:\tDie Festplatte\nDie Größe ist groß. Es ist voll."
SENTENCES = "The disk is full. Delete some files before you start the program again."
IN_SENTENCES = (
    "Die Festplatte ist voll. Löschen Sie einige Dateien, bevor Sie das Programm erneut starten."
)


@cache
def translator():
    return Translator.load("builtin:en-de")


def editing(source, text):
    return PostEditing.of(TextSpeaker(translator(), source, TRANSLATION), EditingState(text))


def at(text, words):
    return next(occurrences(text, words))


def locked(state):
    return [lock.where.of(state.text) for lock in state.locks]


def test_an_article_agrees_with_the_noun_that_was_put_in():
    found = editing(COMMITTEE, SAID).replace(at(SAID, "Ausschuss"), "Kommission")
    assert found.text == "Die Kommission hat den Vorschlag gestern abgelehnt."
    assert locked(found.after) == ["Kommission"]


@pytest.mark.parametrize(("noun", "article"), [("Kommission", "Die"), ("Gremium", "Das")])
def test_another_form_of_a_word_costs_nothing_however_long_the_sentence(noun, article):
    source = "The committee rejected the proposal yesterday after a long discussion."
    after = "hat den Vorschlag gestern nach einer langen Diskussion abgelehnt."
    text = f"Der Ausschuss {after}"
    assert editing(source, text).replace(at(text, "Ausschuss"), noun).text == (
        f"{article} {noun} {after}"
    )


def test_alternatives_differ_are_ranked_and_leave_the_text_around_them():
    session = editing(COMMITTEE, SAID)
    for words in ("Ausschuss", "abgelehnt", "Der Ausschuss"):
        others = session.alternatives(at(SAID, words), 5)
        texts = [each.text for each in others]
        assert 3 <= len(texts) == len(set(texts)) <= 5 and words not in texts
        assert [each.score for each in others] == sorted((e.score for e in others), reverse=True)
    best = session.alternatives(at(SAID, "abgelehnt"), 1)[0].text
    assert session.replace(at(SAID, "abgelehnt"), best).text == SAID.replace("abgelehnt", best)


def test_what_is_forbidden_is_offered_nowhere():
    session = editing(COMMITTEE, SAID)
    [best] = session.alternatives(at(SAID, "Ausschuss"), 1)
    session.forbid(best.text)
    others = session.alternatives(at(SAID, "Ausschuss"), 5)
    assert best.text not in [each.text for each in others]


def test_a_text_goes_on_in_the_middle_of_a_word():
    session = editing("You cannot delete the folder because it is open.", "Sie können nicht.")
    found = session.complete("Der Ord")
    assert found.text.startswith("Der Ordner ") and locked(found.after) == ["Der Ordner"]


def test_locks_of_several_sentences_keep_their_sentences():
    session = editing(SENTENCES, IN_SENTENCES)
    session.replace(at(session.text, "voll"), "gefüllt")
    session.replace(at(session.text, "Dateien"), "Dokumente")
    found = session.forbid("Programm")
    first, second = found.text.split(". ", 1)
    assert first.endswith("gefüllt") and "Dokumente" in second and "Programm" not in second


def test_lines_and_columns_stay_whatever_is_put_in():
    session = editing(LINES, IN_LINES)
    session.replace((0, 4), "Titel")
    found = session.replace(at(session.text, "groß"), "riesig")
    assert found.text == "Titel:\tDie Festplatte\nDie Größe ist riesig. Es ist voll."
    assert [each.text for each in session.alternatives(at(found.text, "Größe"), 2)]


def test_words_that_no_model_has_room_for_are_refused_at_once_and_change_nothing():
    session = editing(COMMITTEE, SAID)
    with pytest.raises(UserError, match="the model writes no more than"):
        session.replace((0, 3), "x" * 5000)
    assert session.text == SAID and not session.can_undo


DISCUSSED = "The committee rejected the proposal yesterday after a long discussion."
IN_GERMAN = "Der Ausschuss hat den Vorschlag gestern nach einer langen Diskussion abgelehnt."


def test_a_later_correction_does_not_bring_back_what_was_taken_out():
    session = editing(DISCUSSED, IN_GERMAN)
    session.replace(at(session.text, "gestern"), "")
    session.replace(at(session.text, "Ausschuss"), "Kommission")
    assert "gestern" not in session.text.lower() and locked(session.state) == ["Kommission"]
    session.complete("Nach")
    assert "gestern" not in session.text.lower() and session.state.avoided == ("gestern",)


def test_of_several_words_taken_out_none_that_tells_something_comes_back():
    session = editing(DISCUSSED, IN_GERMAN)
    session.replace(at(session.text, "nach einer langen Diskussion"), "")
    session.replace(at(session.text, "Ausschuss"), "Kommission")
    assert "Diskussion" not in session.text and "langen" not in session.text
