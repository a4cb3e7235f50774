"""Simulated users and what they pick, by hand.

A sentence that is translated together with its user.
"""

from __future__ import annotations

from functools import cache
from random import Random

import pytest
import tiny

from gridbeam import Phrase, Translator, UserError
from gridbeam.editing.effort import Effort
from gridbeam.experiments.picking import pick
from gridbeam.experiments.reference import ReferenceText
from gridbeam.experiments.users import METHODS, method, picking
from gridbeam.postedit import PostEditing

SMOKING = ReferenceText.of(
    "Ebenso setzte er sich gegen das Rauchen ein und nahm an mehreren Kampagnen teil."
)
LOVE = ReferenceText.of("Là je n'ai plus eu peur de lui et j'ai pu l'aimer.")


@cache
def translator():
    """A translator with random weights that comes to an end before long."""
    found = Translator.load(f"hf:{tiny.marian()}", target="de")
    found.model._model.final_logits_bias[:, found.model.eos] += 4
    return found


def picked(reference, hypothesis, given=(), **how):
    found = pick(reference, hypothesis, given, **how)
    return None if found is None else reference[found]


def test_the_picks_of_the_papers_french_example():
    hypothesis = "Je n'avais plus peur de lui et j'étais capable de l'aimer."
    assert picked(LOVE, hypothesis) == "Là je n'ai"
    hypothesis = "Là je n'ai plus peur de lui et je pouvais l'aimer."
    assert picked(LOVE, hypothesis, [(0, 3)]) == "j'ai pu"
    hypothesis = "Là je n'ai plus peur de lui et j'ai pu l'aimer."
    assert picked(LOVE, hypothesis, [(0, 3), (9, 11)]) == "eu"


def test_the_first_pick_of_the_papers_german_example():
    hypothesis = "Es war auch ein Anti-Rauch-Aktivist und nahmen an mehreren Kampagnen teil."
    assert picked(SMOKING, hypothesis) == "Ebenso setzte er"


def test_strict_wants_every_word_missing_relaxed_the_first_whole_the_phrase():
    reference, hypothesis = ReferenceText.of("a b c d e f"), "a b d f"
    assert picked(reference, hypothesis, mode="strict") == "c"
    assert picked(reference, hypothesis, mode="relaxed") == "c d e"
    assert picked(reference, hypothesis, mode="whole") == "a b c"


def test_three_words_come_before_two_and_two_before_one():
    reference = ReferenceText.of("a b c d e f g h")
    assert picked(reference, "b d e") == "f g h"
    assert picked(reference, "b d e g h") == "a"
    assert picked(reference, "a d e g h") == "b c"


def test_a_relaxed_phrase_ends_with_the_reference():
    assert picked(ReferenceText.of("a b c"), "a b", mode="relaxed") == "c"


def test_nothing_is_picked_where_nothing_is_missing():
    assert picked(ReferenceText.of("a b c"), "c b a") is None
    assert picked(ReferenceText.of("a b c"), "c b a", mode="relaxed") is None
    assert picked(ReferenceText.of("a b c"), "c b a", mode="whole") == "a b c"
    assert picked(ReferenceText.of("a b c"), "a b c", mode="whole") is None


def test_words_that_were_given_are_not_picked_again():
    reference = ReferenceText.of("a b c d e")
    assert picked(reference, "", [(1, 3)]) == "d e"
    assert picked(reference, "x", [(1, 3), (3, 5)], mode="relaxed") == "a"
    assert picked(reference, "", [(0, 5)], mode="whole") is None


def test_case_counts_and_marks_are_words():
    assert picked(ReferenceText.of("Ja, je weniger."), "Ja je Weniger") == "weniger."
    assert picked(ReferenceText.of("Ja, gut"), "Ja gut") == ","


def test_which_missing_phrase_is_a_choice():
    reference, hypothesis = ReferenceText.of("a b c x d e f g y"), "x y"
    assert picked(reference, hypothesis, choice="first") == "a b c"
    assert picked(reference, hypothesis, choice="longest") == "d e f"
    drawn = {
        picked(reference, hypothesis, choice="random", random=Random(seed)) for seed in range(20)
    }
    assert drawn == {"a b c", "d e f", "e f g"}


def test_the_phrase_is_text_as_it_stands_in_the_reference():
    assert picked(ReferenceText.of("(das  „alte“ Haus)"), "( ) Haus das alte") == "„"
    assert ReferenceText.of("Im Jahr 2.000, z.B. 3,5 km/h.")[1, 4] == "Jahr 2.000,"


def said(name, reference, hypothesis, given=()):
    way = method(name, "strict", "first")
    found = way.user(ReferenceText.of(reference), hypothesis, given, Random(0))
    return found and (
        [ReferenceText.of(reference)[stretch] for stretch in found.given],
        found.effort,
    )


def test_the_user_of_prefixes_corrects_the_first_wrong_word():
    assert said("prefix", "a b c d", "a x c d") == (["a b"], Effort(1, 1, 1))
    assert said("prefix", "a b c d", "a b x d", [(0, 2)]) == (["a b c"], Effort(1, 1, 1))
    assert said("prefix", "a b c d", "a b") == (["a b c"], Effort(1, 1, 1))
    assert said("prefix", "a b", "a b") is None
    assert said("prefix", "a b", "a b c") is None


def test_the_user_of_segments_marks_what_is_right_and_corrects_one_word():
    # b c and e are marked, by 2 clicks and 1; a is typed before b, by a click and a key.
    assert said("segments", "a b c d e", "b c x e") == (["a b c", "e"], Effort(1, 1, 4))
    assert said("segments", "a b c d e", "a b c y e", [(0, 3), (4, 5)]) == (
        ["a b c d e"],
        Effort(1, 1, 1),
    )
    assert said("segments", "a b", "a b") is None
    assert said("segments", "a b", "b a") == (["a b"], Effort(1, 1, 2))


@pytest.mark.parametrize(
    ("name", "texts", "hypothesis", "met"),
    [
        ("pick", ["b", "a"], "a b", 2),
        ("pick", ["b c", "a"], "a b", 1),
        ("prefix", ["a b"], "a b c", 1),
        ("prefix", ["a b"], "c a b", 0),
        ("segments", ["a", "b"], "a x b", 2),
        ("segments", ["b", "a"], "a x b", 1),
    ],
)
def test_each_method_checks_its_own_promise(name, texts, hypothesis, met):
    assert method(name, "strict", "first").met(texts, hypothesis) == met


@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
def test_what_a_user_has_given_becomes_constraints_that_are_met(name):
    way, reference, source = (
        method(name, "relaxed", "first"),
        ReferenceText.of("Die Festplatte ist voll."),
        "The disk is full.",
    )
    text, given = translator().translate(source, beam=2).text, ()
    for _ in range(3):
        correction = way.user(reference, text, given, Random(0))
        if correction is None:
            break
        given = correction.given
        texts = [reference[stretch] for stretch in given]
        editing = PostEditing(translator(), source, beam=2)
        for constraint in way.constraints(reference, given):
            text = editing.revise(constraint).text
        assert way.met(texts, text) == len(texts) > 0
    assert given


def test_corrections_stay_until_they_are_taken_back():
    editing = PostEditing(translator(), "The disk is full.", beam=2)
    first = editing.translation
    second = editing.revise("Festplatte")
    third = editing.revise("voll")
    assert "Festplatte" in second.text and "Festplatte" in third.text and "voll" in third.text
    assert editing.constraints == (Phrase("Festplatte"), Phrase("voll"))
    assert editing.undo().text == second.text and editing.translation == second
    assert editing.undo().text == first.text and editing.translation == first
    assert editing.constraints == ()
    with pytest.raises(UserError, match="no correction"):
        editing.undo()


def test_what_cannot_be_said_changes_nothing():
    editing = PostEditing(translator(), "The disk is full.", beam=2)
    before = editing.translation
    with pytest.raises(UserError):
        editing.revise("Festplatte " * 80)
    assert editing.translation == before and editing.constraints == ()


def test_a_user_of_phrases_counts_words_keys_and_a_click():
    found = picking("strict", "first").user(SMOKING, "Es war auch so.", (), Random(0))
    assert found.effort == Effort(3, len("Ebenso setzte er"), 1)
