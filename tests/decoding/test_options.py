"""One value says how to search: every way in takes it and hands it on unchanged."""

from __future__ import annotations

import inspect
from dataclasses import fields, replace
from typing import Any, Literal, Unpack, get_args, get_origin, get_type_hints

import echo
import pytest
from other_options import half, other_value, unusual

import gridbeam
from gridbeam import GridBeamSearch, Request, SearchOptions, Translator, UserError
from gridbeam.decoding import options as options_module
from gridbeam.decoding.options import FLAGS, NAMES, SEARCH, SearchKeywords
from gridbeam.decoding.quest import quest_of
from gridbeam.experiments.defaults import EXPERIMENTS
from gridbeam.files import Instructions
from gridbeam.files.pipeline import Pipeline
from gridbeam.models.toy import Words, bigram_of
from gridbeam.postedit import PostEditing
from gridbeam.translation import batching
from gridbeam.translation.defaults import TRANSLATION

SENTENCES = ["the cat sat on the mat", "the cat ate the fish", "a dog sat on the cat"]


def test_keywords_have_the_names_and_types_of_the_options():
    assert get_type_hints(SearchKeywords) == get_type_hints(SearchOptions)


def test_every_option_has_a_check_and_a_line_of_help():
    for each in fields(SearchOptions):
        about = each.metadata
        assert about["check"]("", each.default) == each.default
        assert about["help"][-1] == "." and "\n" not in about["help"]
        choices = get_type_hints(SearchOptions)[each.name]
        if get_origin(choices) is Literal:
            assert all(word in about["help"] for word in get_args(choices)), each.name


@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_value_of_an_option_is_refused_by_its_name(name):
    with pytest.raises(UserError, match=rf"^{name}=\[\]"):
        SearchOptions(**{name: []})


def test_an_unknown_option_is_told_with_those_that_there_are():
    expected = r"unknown option beem: there are beam, budget, .*trace\. Did you mean beam\?"
    with pytest.raises(TypeError, match=expected):
        SEARCH.but(beem=3)
    for door in doors_with_keywords():
        with pytest.raises(TypeError, match="unknown option beem"):
            door(beem=3)


def model_and_words():
    words = Words(SENTENCES)
    return bigram_of(SENTENCES, words), words


def search(**given: Any) -> Any:
    model, words = model_and_words()
    return gridbeam.search(model, [words.encode("cat")], [["fish"]], encode=words.encode, **given)


def doors_with_keywords():
    translator = echo.translator()
    return [
        search,
        lambda **given: translator.translate("The disk", **given),
        lambda **given: list(translator.translate_all(["The disk"], **given)),
        lambda **given: list(translator.translate_each(["The disk"], **given)),
        lambda **given: PostEditing(translator, "The disk", **given),
        lambda **given: GridBeamSearch(**given),
    ]


@pytest.mark.parametrize(
    "door",
    [
        gridbeam.search,
        Translator.translate,
        Translator.translate_all,
        Translator.translate_each,
        PostEditing.__init__,
        GridBeamSearch.__init__,
    ],
    ids=lambda door: door.__qualname__,
)
def test_every_function_that_searches_takes_the_options_as_one_value_and_as_keywords(door):
    parameters = inspect.signature(door, eval_str=True).parameters
    assert parameters["options"].annotation is SearchOptions
    assert isinstance(parameters["options"].default, SearchOptions)
    assert parameters["changes"].annotation == Unpack[SearchKeywords]
    assert not set(NAMES) & parameters.keys(), "no option has a second default"


def test_keywords_and_one_value_search_alike():
    given = {"beam": 3, "max_length": 9, "n_best": 2, "length_penalty": 0.0}
    assert search(**given) == search(options=SearchOptions(**given))
    assert search(**given) == search(options=SearchOptions(beam=7, n_best=2), **given)


@pytest.fixture
def searched(monkeypatch):
    """The options of each search that a translator makes."""
    found = []

    def noted(source, given, encode, options, model):
        found.append(options)
        return quest_of(source, given, encode, options, model)

    monkeypatch.setattr(batching, "quest_of", noted)
    return found


def every_way_to_translate(options):
    translator, requests = echo.translator(), ["The disk"]
    yield "translate", lambda: translator.translate(requests[0], options=options)
    yield "all", lambda: list(translator.translate_all(requests, options=options))
    yield "each", lambda: list(translator.translate_each(requests, options=options))
    yield "post-editing", lambda: PostEditing(translator, requests[0], options=options)
    yield "files", lambda: file_way(translator, options)


def file_way(translator, options):
    from gridbeam.documents import Segment
    from gridbeam.markup.inline import as_marked

    segment = Segment(0, "1", as_marked("The disk"), "-", 1)
    return list(Pipeline(translator, Instructions(search=options)).outcomes([segment]))


def test_every_way_to_translate_hands_the_options_to_the_search_as_they_are(searched):
    wanted = unusual()
    for name, translate in every_way_to_translate(wanted):
        searched.clear()
        translate()
        assert searched, name
        for found in searched:
            same = replace(
                found,
                max_length=wanted.max_length,
                max_ratio=wanted.max_ratio,  # which has become a length
                n_best=wanted.n_best,
            )
            assert same == wanted, f"{name}: {same.unlike(wanted)}"
            assert found.max_length == wanted.max_length, name


def test_n_best_asks_each_request_for_so_many():
    found = echo.translator().translate("The disk is full.", beam=4, n_best=2)
    assert len(found.alternatives) == 1
    assert len(echo.translator().translate("The disk is full.", beam=4).alternatives) == 0


def test_without_a_most_length_the_source_decides(searched):
    short, long = "The disk", "The disk is full and the file is empty and it was deleted there."
    list(echo.translator().translate_each([short, long], options=TRANSLATION))
    lengths = {found.max_length for found in searched}
    assert len(lengths) == 2 and None not in lengths
    assert SEARCH.longest == 100


def test_a_ratio_is_of_the_tokens_of_the_source_and_leaves_room_for_the_constraints(searched):
    text, term = "The disk", "the file is empty and it was deleted there"
    for wishes, ratio in (([], 1.5), ([], 100), ([term], 1.5)):
        translator = echo.translator()
        request = Request(text, wishes)
        list(translator.translate_each([request], options=TRANSLATION.but(max_ratio=ratio)))
    capped, uncapped, required = (found.max_length for found in searched)
    assert capped == 5, "three tokens, with the end"
    assert uncapped == 16
    assert required > 10


def test_a_text_that_need_not_end_is_cut_off():
    found = echo.translator().translate("The disk is full.", max_length=2, force_end=False)
    assert not found.sentences[0].hypothesis.finished


def test_a_translator_takes_a_score_of_ones_own():
    seen = []

    def score(new):
        seen.append(new.length)
        return new.score + new.log_prob

    echo.translator().translate("The disk", score=score, max_length=3)
    assert seen == [1, 2, 3]


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("beam", "num_beams"),
        ("max_length", "max_new_tokens"),
        ("n_best", "num_return_sequences"),
        ("length_penalty", "length_penalty"),
        ("stop", "early_stopping"),
        ("cut_off", "stopping_criteria"),
    ],
)
def test_what_generate_decides_is_given_to_generate(name, theirs):
    value = "exact" if name == "stop" else other_value(name)
    with pytest.raises(UserError, match=f"{name} is {theirs} of generate: give it there"):
        GridBeamSearch(budget=9, **{name: value})


def test_two_settings_are_told_apart_by_every_option():
    for name in NAMES:
        changed = SEARCH.but(**{name: other_value(name)})
        assert changed.as_values() != SEARCH.as_values()
        assert name in changed.unlike(SEARCH)


def test_functions_are_told_apart_by_what_holds_in_another_process():
    for function in (half, lambda new: new.score, gridbeam.never_rises(half)):
        assert "0x" not in SEARCH.but(score=function).as_values()["score"]
    first, second = (
        SEARCH.but(score=lambda new: new.score),
        SEARCH.but(score=lambda new: new.log_prob),
    )
    assert first.as_values() != second.as_values()


def test_the_options_that_are_no_flags_are_functions_and_the_record():
    assert set(NAMES) - set(FLAGS) == {"score", "cut_off", "trace"}


def test_the_defaults_of_the_experiments_are_those_of_a_translator_with_the_papers_beam():
    assert EXPERIMENTS.unlike(TRANSLATION) == {"beam": 10, "share": "rows"}


def test_the_options_need_no_torch():
    assert "torch" not in vars(options_module)


@pytest.mark.parametrize(("ratio", "words"), [(0.4, 2), (1, 4), (None, 7)])
def test_a_text_has_at_most_so_many_tokens_for_each_of_its_source(ratio, words):
    model, known = model_and_words()
    source = known.encode("the cat sat on")
    found = gridbeam.search(
        model,
        [source],
        [["dog"]],
        encode=known.encode,
        max_length=8,
        max_ratio=ratio,
        length_reward=9.0,
        length_penalty=0,
    )
    assert len(found[0][0].tokens) - 1 <= words


def test_what_constraints_take_is_allowed_whatever_the_ratio():
    model, known = model_and_words()
    [[best]] = gridbeam.search(
        model, [known.encode("cat")], [["a dog sat"]], encode=known.encode, max_ratio=0.1
    )
    assert known.decode(best.tokens) == "a dog sat"


def test_a_ratio_needs_a_source_of_tokens():
    model, _ = model_and_words()
    with pytest.raises(UserError, match=r"max_ratio=1.5: a str has no tokens to count; give max_l"):
        gridbeam.search(model, ["a picture"], [[]], max_ratio=1.5)
