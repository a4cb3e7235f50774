"""Text in, text out: what every translation keeps to, whatever the model."""

from __future__ import annotations

import inspect
import itertools
import json
import math
import pickle
from functools import cache
from pathlib import Path

import pytest
import tiny
import tokenizers_at_hand as at_hand
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gridbeam import (
    AnyOf,
    AtMost,
    Avoid,
    Gap,
    InOrder,
    Origin,
    Phrase,
    Prefix,
    Suffix,
    Unsatisfiable,
    UserError,
    draw,
)
from gridbeam.models.ensemble import Ensemble
from gridbeam.models.huggingface.adapter import HuggingFace
from gridbeam.text.sentences import shortened, split, whole
from gridbeam.translation.assembly import best_sums
from gridbeam.translation.translator import Request, Translator

QUICK = {"beam": 2, "max_length": 24}
any_text = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=4)
odd_text = st.sampled_from(
    [
        "😀",
        "👨‍👩‍👧",
        "e\u0301",
        "日本",
        "x  y",
        "ﬁ",
        "\u202fa",
        "▁",
        "a\u00a0b",
        "ß",
        "<unk>",
        "<0x41>",
        "Ω¼",
        "<",
        ">>a",
    ]
)


@cache
def random():
    """A translator with random weights that comes to an end before long."""
    translator = Translator.load(f"hf:{tiny.marian()}", target="de")
    translator.model._model.final_logits_bias[:, translator.model.eos] += 4
    return translator


class Parrot:
    """Repeats its source, token by token.

    What it knows of a word there is a little likelier than anything else.
    """

    def __init__(self, tokenizer, knows):
        self.vocab_size, self.bos, self.eos = len(tokenizer.get_vocab()), 2, 0
        self._read = tokenizer.decode
        self._knows = {
            word: tokenizer(known, add_special_tokens=False)["input_ids"]
            for word, known in knows.items()
        }

    def start(self, sources):
        return list(sources), 0

    def step(self, state, tokens):
        sources, time = state
        logits = torch.zeros(len(sources), self.vocab_size)
        for row, source in zip(logits, sources, strict=True):
            row[source[min(time, len(source) - 1)]] = 12
            row[
                [
                    token
                    for word, known in self._knows.items()
                    if word in self._read(source)
                    for token in known
                ]
            ] += 6
        return logits.log_softmax(-1), (sources, time + 1)

    def select(self, state, rows):
        return [state[0][row] for row in rows.tolist()], state[1]


@cache
def parrot():
    tokenizer = random().tokenizer
    return Translator(
        Parrot(tokenizer, {"disk": "Festplatte", "smoke": "Rauch", "file": "Ordner"}), tokenizer
    )


def said(translation):
    """The texts that meet each constraint."""
    return [[translation.text[start:end] for start, end in spans] for spans in translation.spans]


def attempted(request, **options):
    """The translation, or why there is none."""
    try:
        return random().translate(request, **options)
    except UserError as error:
        return error


@pytest.mark.slow
@settings(max_examples=30)
@given(st.lists(st.one_of(any_text, odd_text), min_size=1, max_size=2))
def test_a_phrase_stands_in_the_text_character_by_character(phrases):
    translation = attempted(Request("The disk is full.", phrases), beam=2, max_length=44)
    if isinstance(translation, UserError):
        assert any(
            reason in str(translation)
            for reason in ("white space", "special token", 'reads "', "together")
        )
        return
    assert said(translation) == [[phrase] for phrase in phrases]
    assert all(at_hand.occurs(translation.text, phrase, whole_word=True) for phrase in phrases)


@settings(max_examples=10)
@given(
    st.lists(
        st.sampled_from(["The disk is full.", "It 😀 rains!", "Die Festplatte ist leer, 日本."]),
        max_size=3,
    ),
    st.integers(1, 3),
)
def test_tokens_tile_the_text(sentences, n_best):
    translation = random().translate(
        Request(" ".join(sentences), n_best=n_best), beam=3, max_length=24
    )
    for each in (translation, *translation.alternatives):
        covered = {place for piece in each.tokens for place in range(piece.start, piece.end)}
        assert {place for place, letter in enumerate(each.text) if not letter.isspace()} <= covered
        assert all(0 <= piece.start <= piece.end <= len(each.text) for piece in each.tokens)
        assert all(a.start <= b.start for a, b in itertools.pairwise(each.tokens))


def test_bytes_of_one_character_share_it():
    translation = parrot().translate(Request("disk", ["😀"]))
    (start, end), *_ = translation.spans[0]
    assert translation.text[start:end] == "😀"
    pieces = [piece for piece in translation.tokens if piece.start < end and piece.end > start]
    assert [(piece.start, piece.end) for piece in pieces][-4:] == [(start, end)] * 4
    assert [piece.origin for piece in pieces][-4:].count(Origin.CONTINUED) >= 3


def test_constraints_are_reported_in_the_order_they_were_given():
    terms = [
        AnyOf("Haus", "Ordner"),
        Avoid("disk"),
        InOrder("voll", Gap(1), "leer"),
        Phrase("the", case="any"),
        Prefix("Die"),
    ]
    translation = random().translate(Request("The disk is full.", terms))
    either, avoided, (first, second), article, start = said(translation)
    assert either in (["Haus"], ["Ordner"])
    assert avoided == [] and "disk" not in translation.text.split()
    assert (first, second) == ("voll", "leer") and translation.spans[2][0][1] < translation.spans[
        2
    ][1][0]
    assert article[0].lower() == "the"
    assert start == ["Die"] and translation.text.startswith("Die")


def test_marks_go_around_what_meets_constraints():
    translation = parrot().translate(Request("The disk is full.", ["disk", "disk is", "full"]))
    assert translation.marked() == "The [disk is] [full]."
    assert translation.marked("<b>", "</b>") == "The <b>disk is</b> <b>full</b>."


@pytest.mark.parametrize(
    ("phrase", "text"), [("ﬁ", "fi"), ("eﬁ", "efi"), ("The ﬁ", "The fi"), ("straß", "strass")]
)
def test_a_phrase_in_any_case_ends_where_it_does_though_its_capitals_are_more_letters(phrase, text):
    translation = parrot().translate(
        Request(f"{text}le", [Phrase(phrase, case="any", whole_word=False)])
    )
    assert [each.casefold() for each in said(translation)[0]] == [text.casefold()]


def test_a_translation_is_json_and_back():
    request = Request("The disk is full.", ["voll"], n_best=2)
    translation = random().translate(request, beam=4, max_length=24)
    shown = json.loads(json.dumps(translation.as_json()))
    assert shown["text"] == translation.text and shown["source"] == "The disk is full."
    assert [shown["text"][start:end] for start, end in shown["spans"][0]] == ["voll"]
    assert {token["origin"] for token in shown["tokens"]} <= {"generated", "started", "continued"}
    assert len(shown["alternatives"]) == 1


def test_white_space_between_sentences_is_kept():
    text = "  The disk is full.  The file is empty.\n\n\tWhy is it?\n"
    assert parrot().translate(text).text == text
    assert [sentence.source for sentence in parrot().translate(text).sentences] == [
        "The disk is full.",
        "The file is empty.",
        "Why is it?",
    ]
    assert [
        sentence.source for sentence in parrot().translate("It is. It was.", split=False).sentences
    ] == ["It is. It was."]


@given(st.text(st.sampled_from("ab. ,;!?\n\t 日。»\u2028😀"), max_size=60), st.integers(1, 9))
def test_sentences_put_back_together_are_the_text(text, size):
    for sentences in (
        split(text, "en"),
        whole(text),
        split(text, "xx"),
        shortened(split(text), lambda part: len(part) <= size),
    ):
        assert sentences.joined(sentences.texts) == text
        assert all(sentence == sentence.strip() != "" for sentence in sentences.texts)
    assert all(
        len(sentence) <= size
        for sentence in shortened(whole(text), lambda part: len(part) <= size).texts
    )


@pytest.mark.parametrize(
    "text",
    ["Use the ASP.NET framework.", "We use .NET at home.", "See Setup.Exe!", "Is it List.Add?"],
)
def test_no_sentence_ends_within_a_word(text):
    assert split(text, "en").texts == (text,)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It weighs approx. 5 kg. It is good.", ("It weighs approx. 5 kg.", "It is good.")),
        ("I saw Jeopardy! about cars. Why?", ("I saw Jeopardy! about cars.", "Why?")),
        ("Open vol. 3, incl. tables.", ("Open vol. 3, incl. tables.",)),
        ("It works! iPhone users know.", ("It works!", "iPhone users know.")),
        ("It is full. 3 of us wait.", ("It is full.", "3 of us wait.")),
        ("Is it the max. The disk is.", ("Is it the max.", "The disk is.")),
    ],
)
def test_no_sentence_ends_after_an_abbreviation_or_a_name_with_a_mark(text, sentences):
    assert split(text, "en").texts == sentences


def test_sentences_need_no_white_space_where_their_script_has_none():
    assert split("はい。いいえ。", "ja").texts == ("はい。", "いいえ。")


@given(st.text(st.sampled_from("ab. ,;!?\n 日。"), max_size=40))
def test_every_character_is_in_the_sentence_that_is_said_to_be_at_it(text):
    sentences, begin = split(text, "en"), 0
    for number, (space, sentence) in enumerate(
        zip(sentences.between, sentences.texts, strict=False)
    ):
        begin += len(space)
        assert {sentences.at(place) for place in range(begin, begin + len(sentence))} == {number}
        begin += len(sentence)


def test_long_sentences_are_cut_where_clauses_end():
    text = "It was a dark night, and the wind blew; nobody heard the bell."
    assert shortened(whole(text), lambda part: len(part) < 40).texts == (
        "It was a dark night, and the wind blew;",
        "nobody heard the bell.",
    )


@pytest.mark.parametrize("text", ["word " * 100, "x" * 200, "a, " * 70])
def test_no_text_is_too_long_for_the_model(text):
    translation = random().translate(text, beam=1, max_length=3)
    assert len(translation.sentences) > 1
    assert "".join(sentence.source for sentence in translation.sentences).replace(
        " ", ""
    ) == text.replace(" ", "")


@pytest.mark.parametrize("blank", ["", " ", "\n\n"])
def test_a_blank_text_is_its_own_translation(blank):
    assert random().translate(Request(blank, [Avoid("disk")])).text == blank
    with pytest.raises(
        UserError, match='the source is empty, so no translation of it can say "disk"'
    ):
        random().translate(Request(blank, [Avoid("file"), "disk"]))


def test_a_constraint_goes_to_the_sentence_where_it_costs_least():
    source = "The smoke is gone. The disk is full. The file is empty."
    translation = parrot().translate(
        Request(source, ["Ordner", "Festplatte", "Rauch", Avoid("house")])
    )
    where = [
        next(n for n, s in reversed([*enumerate(translation.sentences)]) if s.start <= spans[0][0])
        for spans in translation.spans[:3]
    ]
    assert where == [2, 1, 0]
    assert said(translation) == [["Ordner"], ["Festplatte"], ["Rauch"], []]


@pytest.mark.parametrize("sentence", [0, 1, 2])
def test_a_constraint_with_a_place_goes_to_the_sentence_there(sentence):
    """Though the second one knows it, and the third says it anyhow."""
    source = "The smoke is gone. The disk is full. The Festplatte is empty."
    place = source.index(["smoke", "disk", "empty"][sentence])
    translation = parrot().translate(
        Request(source, ["Festplatte", Avoid("house")], places=[place, None])
    )
    assert [
        sentence
        for sentence, each in enumerate(translation.sentences)
        if each.start <= translation.spans[0][0][0]
    ][-1] == sentence
    assert translation.text.count("Festplatte") == (1 if sentence == 2 else 2)


def test_copies_of_a_constraint_with_places_and_without_are_all_there():
    source = "The disk is full. The disk is empty."
    request = Request(
        source, ["Festplatte"] * 3, places=[source.rindex("disk"), None, source.rindex("disk")]
    )
    translation = parrot().translate(request)
    assert translation.text.count("Festplatte") == 3 == len(set(translation.spans))
    assert all(translation.spans[n][0][0] >= translation.sentences[1].start for n in (0, 2))


def test_of_sentences_that_are_alike_the_first_has_the_constraint():
    translation = parrot().translate(Request("It is full. It is full.", ["Maus"]))
    assert translation.spans[0][0][0] < translation.sentences[1].start


def test_what_a_translation_says_anyhow_stays_as_it_is():
    source = "The disk is full. The file is empty. The disk is empty."
    translation = parrot().translate(
        Request(source, ["empty", "empty", "disk", Prefix("The disk")])
    )
    assert translation.text == source
    assert [spans[0][0] for spans in translation.spans] == [
        source.index("empty"),
        source.rindex("empty"),
        source.index("disk"),
        0,
    ]


def test_a_constraint_listed_twice_occurs_twice():
    translation = parrot().translate(
        Request("The disk is full. The disk is empty.", ["Festplatte", "Festplatte"])
    )
    assert translation.text.count("Festplatte") == 2
    assert len(set(translation.spans)) == 2


def test_what_must_come_first_comes_first_of_all_and_what_is_avoided_is_nowhere():
    translation = parrot().translate(
        Request("The disk is full. The disk is empty.", [Prefix("Ordner"), Avoid("disk")])
    )
    assert translation.text.startswith("Ordner")
    assert "disk" not in translation.text


TWO = "The disk is full. The file is empty."


def test_what_must_come_last_comes_last_of_all():
    translation = parrot().translate(Request(TWO, [Suffix("Ordner"), Prefix("The disk")]))
    assert translation.text.startswith("The disk is full.") and translation.text.endswith("Ordner")
    assert said(translation) == [["Ordner"], ["The disk"]]
    source = f"It is. {TWO}"
    translation = parrot().translate(Request(source, [Suffix("full. The file is empty.")]))
    assert translation.text == source
    assert [sentence.source for sentence in translation.sentences] == ["It is.", TWO]


def test_what_is_limited_is_limited_over_all_sentences_of_a_line():
    source = f"It is. {TWO} It was. The disk."
    for n in (0, 1, 2):
        translation = parrot().translate(Request(source, [AtMost(n, Phrase("the", case="any"))]))
        assert translation.text.lower().split().count("the") <= n
    translation = parrot().translate(Request(source, [AtMost(3, Phrase("the", case="any"))]))
    assert translation.text == source and len(translation.sentences) == 5


def test_lines_that_say_together_what_is_limited_are_refused():
    lines = "The disk is full.\nThe file is empty."
    assert parrot().translate(Request(lines, [AtMost(2, "The")])).text == lines
    with pytest.raises(UserError, match='at most once "The": the lines of a text are translated'):
        parrot().translate(Request(lines, [AtMost(1, "The")]))


@pytest.mark.parametrize(
    "avoided", ["full. The", "full. The file", "disk is full. The file is", "FULL. the", "l. The f"]
)
def test_what_is_avoided_is_not_said_by_two_sentences_together_either(avoided):
    term = Avoid(Phrase(avoided, case="any", whole_word=avoided != "l. The f"))
    assert avoided.lower() in TWO.lower()
    translation = parrot().translate(Request(f"It is. {TWO} It was.", [term]))
    assert avoided.lower() not in translation.text.lower()
    assert [sentence.source for sentence in translation.sentences] == ["It is.", TWO, "It was."]


def test_an_order_that_is_avoided_is_found_in_no_line():
    translation = parrot().translate(
        Request(f"{TWO} It is.\nThe file", [Avoid(InOrder("disk", "empty"))])
    )
    first, second = translation.text.split("\n")
    assert "disk" not in first or "empty" not in first[first.index("disk") :]
    assert second == "The file" and len(translation.sentences) == 3


def test_no_alternative_says_what_is_avoided():
    translation = parrot().translate(Request(TWO, [Avoid("full. The")], n_best=5))
    assert not any("full. The" in each.text for each in (translation, *translation.alternatives))
    assert len(translation.alternatives) == 4


@pytest.mark.parametrize("avoided", ["full. The", "full", "is. The"])
def test_nothing_is_searched_as_one_where_nothing_is_said_across_an_end(avoided):
    text = "The disk.\nIt is full.\nThe file is empty. It is."
    assert [
        each.source for each in parrot().translate(Request(text, [Avoid(avoided)])).sentences
    ] == [
        "The disk.",
        "It is full.",
        "The file is empty.",
        "It is.",
    ]


def test_a_prefix_of_several_sentences_is_that_of_as_many():
    source = f"{TWO} It is. It was."
    for prefix in ("The disk is full. The", "The disk is full. The file is empty. It"):
        translation = parrot().translate(Request(source, [Prefix(prefix), Avoid("house")]))
        assert translation.text == source and said(translation)[0] == [prefix]
        assert len(translation.sentences) == 5 - len(split(prefix, "en").texts)


@pytest.mark.parametrize("place", [None, TWO.index("disk") + 7])
def test_a_phrase_with_the_end_of_a_sentence_in_it_takes_two(place):
    source = f"It is. {TWO} It was."
    translation = parrot().translate(Request(source, ["full. The file"], places=[place]))
    assert translation.text == source and said(translation) == [["full. The file"]]


def test_a_phrase_of_two_sentences_will_do_with_one_where_no_line_has_two():
    translation = parrot().translate(
        Request("The disk is full.\nThe file is empty.", ["full. The file"])
    )
    assert said(translation) == [["full. The file"]] and translation.text.count("\n") == 1


def test_sentences_that_are_too_long_as_one_are_refused():
    translator = Translator(parrot().model, parrot().tokenizer, positions=20)
    assert (
        translator.translate(Request(f"{TWO} {TWO}", [Avoid("full. The")])).text.count("full. The")
        == 0
    )
    with pytest.raises(
        UserError,
        match=(
            r"sentences that have \d+ tokens together, and the model reads no more than 20: shorten"
        ),
    ):
        translator.translate(Request(f"{TWO} {TWO} {TWO}", [Prefix(f"{TWO} {TWO} The")]))


@pytest.mark.slow
@settings(max_examples=10)
@given(
    st.lists(
        st.sampled_from(["The disk is full.", "It is!", "Die Ordner, 日本.", "Why?"]),
        min_size=2,
        max_size=4,
    ),
    st.data(),
)
def test_whatever_stands_across_an_end_can_be_avoided(sentences, data):
    text = " ".join(sentences)
    end = len(" ".join(sentences[: data.draw(st.integers(1, len(sentences) - 1))]))
    avoided = text[
        data.draw(st.integers(max(0, end - 6), end - 1)) : data.draw(st.integers(end + 2, end + 6))
    ]
    translation = parrot().translate(
        Request(text, [Avoid(Phrase(avoided.strip(), whole_word=False))]), beam=2
    )
    assert avoided.strip() not in translation.text


def test_a_sentence_with_no_room_for_a_constraint_is_passed_over():
    request = Request(
        "The smoke. The disk.", [Prefix("The disk is full, and the file"), "Festplatte Maus"]
    )
    translation = parrot().translate(request, max_length=14)
    assert translation.spans[1][0][0] > translation.sentences[1].start
    with pytest.raises(
        Unsatisfiable,
        match=r'"Festplatte Maus" needs \d tokens and the end token, but max_length is 4',
    ):
        parrot().translate(Request("The smoke. The disk.", ["Festplatte Maus"]), max_length=4)


def test_a_text_longer_than_a_model_can_read_is_cut_whether_or_not_the_limit_is_given():
    alone = random()
    translator = Translator(alone.model, alone.tokenizer, tag=alone.tag)
    long = "disk " * 150 + "is full."
    assert (
        translator.translate(long, split=False, **QUICK).text
        == alone.translate(long, split=False, **QUICK).text
    )


def test_the_limit_of_the_model_is_not_one_to_raise():
    with pytest.raises(
        Unsatisfiable,
        match="needs 99 tokens and the end token, but the model writes no more than 64: shorten",
    ):
        random().translate(Request("The disk.", ["x" * 99]))


@pytest.mark.slow
def test_a_batch_gives_what_its_requests_give_one_by_one():
    requests = [
        "The disk is full.",
        Request(
            "Why is it that the file was deleted? It is empty.", ["Ordner", "gelöscht"], n_best=2
        ),
        "",
        Request("The smoke", [Avoid("a"), "Rauch"]),
        "The disk is full. It was empty.",
    ]
    together = list(random().translate_all(requests, beam=2, batch_size=3))
    for request, translation in zip(requests, together, strict=True):
        alone = random().translate(request, beam=2)
        assert (alone.text, alone.spans) == (translation.text, translation.spans)
        assert alone.score == pytest.approx(translation.score, abs=1e-4)
        assert [each.text for each in alone.alternatives] == [
            each.text for each in translation.alternatives
        ]


def test_requests_are_read_as_translations_are_taken():
    read = itertools.count()
    translations = parrot().translate_all(
        (f"It is {next(read)}." for _ in range(10**9)), batch_size=1
    )
    assert [next(translations).text for _ in range(40)] == [f"It is {n}." for n in range(40)]
    assert next(read) <= 64


def test_a_request_that_cannot_be_met_is_named_once_those_before_it_are_done():
    translations = parrot().translate_all(
        ["It is.", Request("It was.", [Phrase("a"), Avoid("a")]), "It will be."]
    )
    assert next(translations).text == "It is."
    with pytest.raises(
        Unsatisfiable,
        match=(
            r'requests\[1\]: these contradict each other, at any length. Drop one: "a"; avoid "a"'
        ),
    ):
        next(translations)


def test_alternatives_are_different_texts_best_first():
    translation = random().translate(
        Request("The disk is full. It is empty.", ["voll"], n_best=5), **{**QUICK, "beam": 5}
    )
    everyone = [translation, *translation.alternatives]
    assert len({each.text for each in everyone}) == len(everyone) == 5
    assert [each.score for each in everyone] == sorted(
        (each.score for each in everyone), reverse=True
    )
    assert all(said(each) == [["voll"]] for each in everyone)
    assert translation.score == pytest.approx(
        sum(sentence.hypothesis.score for sentence in translation.sentences)
    )


@given(
    st.lists(st.lists(st.integers(-9, 0), min_size=1, max_size=4), min_size=1, max_size=4),
    st.integers(1, 300),
)
def test_the_best_sums_are_those_of_every_choice(rows, most):
    rows = [sorted(row, reverse=True) for row in rows]
    found = list(itertools.islice(best_sums(rows), most))
    every = sorted((sum(choice) for choice in itertools.product(*rows)), reverse=True)
    assert [sum(row[n] for row, n in zip(rows, choice, strict=True)) for choice in found] == every[
        :most
    ]
    assert len(set(found)) == len(found)


def test_more_translations_than_the_beam_holds_are_refused():
    request = Request("The disk is full.", n_best=6)
    for options in ({"beam": 5}, {"beam": 8, "budget": 5}):
        with pytest.raises(
            UserError,
            match=(
                r"n_best=6: a (beam|budget) of 5 holds no more. Raise (beam|budget), or ask for"
                r" fewer"
            ),
        ):
            parrot().translate(request, **options)
    assert len(parrot().translate(request, beam=6).alternatives) == 5
    assert (
        len(
            parrot()
            .translate(Request("The disk is full.", n_best=2), beam=8, budget=5)
            .alternatives
        )
        == 1
    )


def test_the_grid_of_a_sentence_can_be_drawn():
    translation = parrot().translate(
        Request("The disk is full. It is.", ["Festplatte"]), trace=True
    )
    assert "Festplatte" in draw.as_text(translation.sentences[0].hypothesis, parrot().word).replace(
        " ", ""
    ).replace("&", "")


def test_the_default_length_leaves_room_for_constraints():
    assert len(parrot().translate(Request("It.", [" ".join(tiny.NOUNS)])).text) > 80


@pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")
def test_a_translator_can_be_sent_to_another_process():
    there = pickle.loads(pickle.dumps(random()))
    request = Request("The disk is full.", ["Festplatte"])
    assert there.translate(request, **QUICK).text == random().translate(request, **QUICK).text


def test_models_that_answer_as_one_translate():
    alone = random()
    together = Translator(Ensemble([alone.model] * 2), alone.tokenizer, tag=alone.tag)
    assert together.positions == alone.positions == 64
    assert together.translate("The disk", **QUICK).text == alone.translate("The disk", **QUICK).text


def test_names_of_special_tokens_are_text_in_a_source():
    ids = random().translate("</s>", **QUICK) and random()._planner.encoded("a </s> <pad> b")
    assert ids.count(0) == 1 and 2 not in ids


def test_wrong_requests_are_refused():
    with pytest.raises(UserError, match="source is a list: give a text"):
        Request(["a"])
    with pytest.raises(UserError, match="n_best=0"):
        Request("a", n_best=0)
    with pytest.raises(UserError, match="n_best='3': must be a whole number"):
        Request("a", n_best="3")
    with pytest.raises(UserError, match="holds half of a character"):
        Request("a \ud83d")
    with pytest.raises(UserError, match=r"places=\['0'\]: must be a list of whole numbers or None"):
        Request("a", ["b"], places=["0"])
    with pytest.raises(
        UserError, match="places has 2 entries for 1 constraints: give one for each"
    ):
        Request("a", ["b"], places=[0, 0])
    with pytest.raises(
        UserError, match="places has 1, but the source has 1 characters: count from 0"
    ):
        Request("a", ["b"], places=[1])
    with pytest.raises(
        UserError, match="requests is a str: give a list, or call translate for a single one"
    ):
        list(parrot().translate_all("The disk"))
    with pytest.raises(UserError, match="requests is a Request: give a list"):
        parrot().translate_each(Request("The disk"))
    with pytest.raises(UserError, match="requests is a NoneType: give a list"):
        list(parrot().translate_all(None))
    with pytest.raises(UserError, match="batch_size=0"):
        parrot().translate("a", batch_size=0)
    with pytest.raises(UserError, match="batch_size='4': must be a whole number"):
        parrot().translate("a", batch_size="4")
    with pytest.raises(UserError, match=r"^beam='5': must be a whole number"):
        parrot().translate_each(["a"], beam="5")
    with pytest.raises(UserError, match="beam=0"):
        parrot().translate("a", beam=0)


def test_scores_are_sums_of_log_probabilities_with_a_reward_for_each_token_or_divided_by_length():
    translation = random().translate("The disk is full.", **QUICK)
    assert translation.score == pytest.approx(
        math.fsum(piece.log_prob + 0.2 for piece in translation.tokens)
    )
    translation = random().translate(
        "The disk is full.", length_penalty=1, length_reward=0, **QUICK
    )
    mean = math.fsum(piece.log_prob for piece in translation.tokens) / len(translation.tokens)
    assert translation.score == pytest.approx(mean)


@pytest.mark.slow
def test_a_trained_model_says_each_thing_where_it_belongs(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "examples"))
    import translation as example

    model, tokenizer = example.toy()
    translator = Translator(HuggingFace(model), tokenizer)
    source = (
        "The old hard disk is full. Please delete the old folder.\nWhy is the other computer"
        " broken?"
    )
    found = translator.translate(Request(source, ["Rechner", "Verzeichnis", Avoid("kaputt")]))
    first, second, third = (sentence.text for sentence in found.sentences)
    assert first == translator.translate("The old hard disk is full.").text
    assert "Verzeichnis" in second and "Rechner" in third
    assert said(found) == [["Rechner"], ["Verzeichnis"], []]


def test_each_result_comes_with_its_number_and_an_error_takes_no_other_with_it():
    requests = ["It is. It was.", Request("It was.", [Phrase("a"), Avoid("a")]), "", "It will be."]
    found = dict(parrot().translate_each(requests, batch_size=1))
    assert sorted(found) == [0, 1, 2, 3] and isinstance(found[1], Unsatisfiable)
    assert [found[number].text for number in (0, 2, 3)] == ["It is. It was.", "", "It will be."]
    assert next(parrot().translate_each(requests, batch_size=1))[0] in (
        1,
        2,
    )  # what needs no search is there at once


def test_what_is_no_request_takes_no_other_with_it():
    found = dict(
        parrot().translate_each(["It is.", None, "half \ud83d", Request("It was.", ["It"]), 7])
    )
    assert [found[number].text for number in (0, 3)] == ["It is.", "It was."]
    assert [str(found[number])[:24] for number in (1, 2, 4)] == [
        "source is a NoneType: gi",
        "'half \\ud83d' holds half",
        "source is a int: give a ",
    ]
    translations = parrot().translate_all(["It is.", "half \ud83d"])
    assert next(translations).text == "It is."
    with pytest.raises(
        UserError, match=r"requests\[1\]: .* holds half of a character \(a lone surrogate\)"
    ):
        next(translations)


def test_each_and_all_take_the_options_of_one():
    signatures = [
        inspect.signature(method).parameters
        for method in (Translator.translate, Translator.translate_all, Translator.translate_each)
    ]
    options = [
        tuple(str(each) for each in [*names.values()][2:] if each.name != "watch")
        for names in signatures
    ]
    assert len(set(options)) == 1
    [(_, found)] = parrot().translate_each(
        ["The disk is full."], max_length=3, trace=True, stop="exact"
    )
    assert len(found.tokens) == 3 and found.sentences[0].hypothesis.trace is not None
