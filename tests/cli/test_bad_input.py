"""Bad input gets an error that says what, where and what to do: no hang, no wrong answer."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
import torch
from drawn import EOS, VOCAB, Counting, model

import gridbeam
from gridbeam import (
    AnyOf,
    Avoid,
    Gap,
    InOrder,
    ModelError,
    Phrase,
    Prefix,
    Unsatisfiable,
    UserError,
)


class Scores:
    """A model that returns what it is told to."""

    vocab_size, bos, eos = VOCAB, 4, EOS

    def __init__(self, *rows):
        self.rows = list(rows)

    def start(self, sources):
        return None

    def step(self, state, tokens):
        row = self.rows.pop(0) if len(self.rows) > 1 else self.rows[0]
        return (
            row if not isinstance(row, list) else torch.tensor([row]).expand(len(tokens), -1)
        ), state

    def select(self, state, rows):
        return state


FLAT = [math.log(1 / VOCAB)] * VOCAB


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"beam": 0}, "beam=0: must be at least 1"),
        ({"max_length": 0}, "max_length=0: must be at least 1"),
        ({"n_best": 0}, "n_best=0: must be at least 1"),
        ({"budget": 0}, "budget=0: must be at least 1, or left out"),
        ({"beam": 2.5}, "beam=2.5: must be a whole number"),
        ({"length_penalty": 200.0}, "length_penalty=200.0: must be a number from -20 to 20"),
        ({"length_reward": math.inf}, "length_reward=inf: must be a number, such as 0.2"),
        ({"length_penalty": math.nan}, "length_penalty=nan: must be a number from -20 to 20"),
        ({"coverage": "placd"}, 'coverage=\'placd\': must be "placed" or "contains"'),
        ({"stop": "soon"}, 'stop=\'soon\': must be "exact" or "likely" or "first"'),
        ({"cut_off": 3}, "cut_off=3 is not a function of sentences and tokens"),
        (
            {"cut_off": lambda sentence, tokens: [True]},
            "cut_off= must return a tensor of booleans, one for each text",
        ),
        (
            {"cut_off": lambda sentence, tokens: torch.tensor([1])},
            "cut_off= must return a tensor of booleans",
        ),
        (
            {"score": None},
            (
                "score=None is not a function of extensions: leave it out for the sum of"
                " log-probabilities"
            ),
        ),
        ({"n_best": 11}, "n_best=11: a beam of 10 holds no more. Raise beam, or ask for fewer"),
        (
            {"n_best": 3, "budget": 2},
            "n_best=3: a budget of 2 holds no more. Raise budget, or ask for fewer",
        ),
        ({"ended": "maybe"}, 'ended=\'maybe\': must be "set_aside" or "in_beam"'),
    ],
)
def test_an_option_out_of_range_is_named(options, message):
    with pytest.raises(UserError, match=message):
        gridbeam.search(model(0), [[2]], [[]], **options)


def test_numbers_of_numpy_are_numbers():
    plain = gridbeam.search(
        model(0),
        [[2]],
        [[InOrder([2], Gap(1, 2), [3])]],
        beam=2,
        length_penalty=0.5,
        length_reward=0.25,
    )
    gap = Gap(np.int64(1), np.int64(2))
    options = {
        "beam": np.int64(2),
        "length_penalty": np.float32(0.5),
        "length_reward": np.float32(0.25),
    }
    assert gridbeam.search(model(0), [[2]], [[InOrder([2], gap, [3])]], **options) == plain
    assert gap == Gap(1, 2) and repr(gap) == "Gap(min=1, max=2)"


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        (["a phrase"], r'constraints\[0\]: "a phrase" is text.*pass encode='),
        (
            [[[7]]],
            (
                r"constraints\[0\]: \[7\]: token id 7 is unknown to the model, whose ids go from 0"
                r" to 4"
            ),
        ),
        ([[[2, EOS]]], r"\[2 1\]: 1 is the end token, and nothing can follow it"),
        ([[Prefix([EOS])]], "end token"),
        (
            [[5]],
            r"constraints\[0\]: 5 inside a list of constraints is a bare token id: write \[5\]",
        ),
        ([[], []], "1 sources, but constraints for 2"),
        ("abc", "give a list with one list of constraints for each source"),
        ([3], r"constraints\[0\]: 3 is not a constraint"),
        ([[object()]], "neither text nor a list of token ids"),
        ([[[-1]]], "negative"),
        ([{"any_of": ["a"]}], "is not a constraint"),
        ([[{"any_of": ["a"]}]], "read JSON with gridbeam.notation.from_json"),
        ([[b"abc"]], "neither text nor a list of token ids"),
    ],
)
def test_constraints_that_make_no_sense_are_named(constraints, message):
    with pytest.raises(UserError, match=message):
        gridbeam.search(model(0), [[2]], constraints)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Phrase(""), "a phrase is empty"),
        (
            lambda: Phrase("x", inflect=5),
            "inflect=5: give other forms of the phrase, as a list of texts",
        ),
        (lambda: Phrase("x", inflect=["y", " "]), "inflect=.*: give other forms of the phrase"),
        (lambda: Phrase("x", case="upper"), 'case=\'upper\': must be "exact", "sentence" or "any"'),
        (lambda: Phrase("x", whole_word="yes"), "whole_word='yes': must be True or False"),
        (
            lambda: Phrase([5], whole_word=True),
            r"\[5\] is given as token ids: whole_word are for phrases of text",
        ),
        (lambda: Phrase([]), "a phrase is empty"),
        (lambda: AnyOf(), "no alternatives"),
        (lambda: AnyOf(["a", "b"]), r"give them one by one, as in AnyOf\('a', 'b'\)"),
        (lambda: AnyOf(Avoid("x")), "Avoid cannot stand inside AnyOf"),
        (lambda: InOrder(), "no parts"),
        (lambda: InOrder(Gap(1), "x"), "not first, last or beside another Gap"),
        (lambda: InOrder("x", Gap(1), Gap(2), "y"), "not first, last or beside another Gap"),
        (lambda: InOrder("x", Prefix("y")), "Prefix cannot stand inside InOrder"),
        (lambda: Avoid(Gap(1)), "Gap cannot stand inside Avoid"),
        (lambda: Gap(-1), "at least 0"),
        (lambda: Gap(3, 1), "swap them"),
        (lambda: Gap("1"), "in whole numbers"),
        (lambda: Gap(1.5), "in whole numbers"),
        (lambda: Phrase("x", when=3), "not a function"),
    ],
)
def test_a_term_that_makes_no_sense_is_refused_when_it_is_made(make, message):
    with pytest.raises(UserError, match=message):
        make()


@pytest.mark.parametrize("coverage", ["placed", "contains"])
@pytest.mark.parametrize(
    ("terms", "max_length", "message"),
    [
        (
            [Phrase([2, 3, 0])],
            3,
            r"\[2 3 0\] needs 3 tokens and the end token, but max_length is 3. Raise max_length",
        ),
        (
            [Phrase([2, 3, 0]), Avoid([3])],
            9,
            r"contradict each other, at any length. Drop one: \[2 3 0\]; avoid \[3\]",
        ),
        (
            [AnyOf([2], [3]), Avoid([3]), Avoid([2]), [0]],
            9,
            r"any of \(\[2\], \[3\]\); avoid \[3\]; avoid \[2\]$",
        ),
        ([Prefix([2, 3]), [0], Prefix([3])], 9, r"prefix \[2 3\]; prefix \[3\]$"),
        ([Prefix([2]), Avoid([2, 3]), InOrder([2], Gap(0, 0), [3])], 9, "contradict each other"),
        (
            [InOrder([2], Gap(4), [3])],
            6,
            r"gap of at least 4 tokens, \[3\]\) needs 6 tokens and the end token",
        ),
        ([InOrder([2], Gap(4), [3]), [0, 0, 0, 0, 0, 0]], 8, "Raise"),
    ],
)
def test_what_cannot_be_met_is_found_before_decoding_and_named(
    terms, max_length, message, coverage
):
    class Untouchable(Scores):
        def start(self, sources):
            raise AssertionError("decoding began")

    with pytest.raises(Unsatisfiable, match=message):
        gridbeam.search(Untouchable(FLAT), [[2]], [terms], max_length=max_length, coverage=coverage)


@pytest.mark.parametrize("value", [math.nan, math.inf, 0.5])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_scores_that_are_no_log_probabilities_are_refused(value, at):
    row = [*FLAT]
    row[at] = value
    with pytest.raises(ModelError, match=r"model.step returned .* log-probabilities are at most 0"):
        gridbeam.search(Scores(FLAT, row), [[2], [3]], [[[2, 3]], []], beam=2, max_length=9)


@pytest.mark.parametrize("tokens_left", [1, 3])
def test_a_nan_in_the_last_column_is_refused_too(tokens_left):
    row = [*FLAT]
    row[EOS] = math.nan
    with pytest.raises(ModelError):
        gridbeam.search(Scores(row), [[2]], [[]], max_length=tokens_left)


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (FLAT[:-1], r"shape \[\d+, 4\] for \d+ rows and a vocabulary of 5"),
        (torch.zeros(1, VOCAB), r"shape \[1, 5\] for \d+ rows"),
        (torch.zeros(3, VOCAB, dtype=torch.int64), "not a tensor of log-probabilities"),
        (None, "NoneType, not a tensor"),
    ],
)
def test_a_vocabulary_that_shrinks_or_rows_that_go_missing_are_refused(second, message):
    with pytest.raises(ModelError, match=message):
        gridbeam.search(Scores(FLAT, second), [[2]], [[]], beam=3, max_length=9)


def test_a_model_that_forbids_a_constraint_token_ends_in_an_error():
    row = [math.log(0.25)] * VOCAB
    row[3] = -math.inf
    with pytest.raises(Unsatisfiable, match="rules out tokens they need"):
        gridbeam.search(Scores(row), [[2]], [[[3]]], max_length=9)
    assert gridbeam.search(Scores(row), [[2]], [[AnyOf([3], [2])]], max_length=9)[0][0].tokens == (
        2,
        EOS,
    )


def test_filters_that_never_hold_end_in_an_error():
    with pytest.raises(Unsatisfiable, match="when= filters may never hold"):
        gridbeam.search(model(0), [[2]], [[Phrase([3], when=lambda prefix: False)]], max_length=9)


def test_an_empty_source_is_named():
    with pytest.raises(UserError, match=r"sources\[1\] is empty"):
        gridbeam.search(model(0), [[2], []], [[], []])


@pytest.mark.parametrize("sources", [None, "abc", iter([[2]])])
def test_sources_that_are_no_list_are_refused(sources):
    with pytest.raises(UserError, match="give a list with one source for each text"):
        gridbeam.search(model(0), sources, [[]])


@pytest.mark.parametrize(
    ("name", "value"),
    [("eos", None), ("eos", ()), ("eos", (1, 7)), ("eos", -1), ("bos", 5), ("bos", "<s>")],
)
def test_a_model_without_proper_marks_of_beginning_and_end_is_refused(name, value):
    scores = Scores(FLAT)
    setattr(scores, name, value)
    with pytest.raises(ModelError, match=f"model.{name} is .*: expected a token id from 0 to 4"):
        gridbeam.search(scores, [[2]], [[]])


def test_a_step_without_a_state_is_refused():
    class Forgetful(Scores):
        def step(self, state, tokens):
            return torch.tensor([FLAT])

    with pytest.raises(
        ModelError, match="returned Tensor: expected two things, log-probabilities and a state"
    ):
        gridbeam.search(Forgetful(FLAT), [[2]], [[]])


def test_a_model_without_a_verb_is_refused():
    with pytest.raises(ModelError, match="object has no vocab_size"):
        gridbeam.search(object(), [[2]], [[]])


def test_log_probabilities_on_another_device_are_refused():
    with pytest.raises(ModelError, match="on meta, but the search works on cpu"):
        gridbeam.search(Scores(torch.zeros(1, VOCAB, device="meta")), [[2]], [[]])


@pytest.mark.parametrize(("before", "after"), [([4], []), ([], [3]), ([4], [3])])
def test_tokens_that_are_put_around_every_text_are_not_forced(before, after):
    with pytest.raises(
        UserError,
        match=r'"ab" is encoded as .*, with tokens that encode puts around every text .*Subwords',
    ):
        gridbeam.search(
            model(0),
            [[2]],
            [["ab"]],
            encode=lambda text: [*before, *(ord(letter) - 96 for letter in text), *after],
        )


def shy(text):
    assert text == "ab", "no other text will do"
    return [2, 3]


def with_one_for_unknown_words(text):
    return [{"b": 3}.get(word, 2) for word in text.replace("ab", "a b").split(" ")]


@pytest.mark.parametrize("encode", [{"ab": [2, 3]}.__getitem__, shy, with_one_for_unknown_words])
def test_a_table_of_words_need_not_know_the_empty_one(encode):
    [[best]] = gridbeam.search(model(0), [[2]], [["ab"]], encode=encode, max_length=9)
    assert best.spans[0] and list(encode("ab")) == [2, 3]


def test_a_tokenizer_is_no_function_of_text():
    class Tokenizer(dict):
        def get_vocab(self):
            return {}

    with pytest.raises(
        UserError, match=r"encode is a Tokenizer: write encode=gridbeam.Subwords\(tokenizer\)"
    ):
        gridbeam.search(model(0), [[2]], [["ab"]], encode=Tokenizer())


def test_text_that_is_encoded_to_nothing_is_named():
    with pytest.raises(UserError, match='"™" is encoded to no tokens at all'):
        gridbeam.search(model(0), [[2]], [["™"]], encode=lambda text: [])


def test_text_is_not_taken_for_tokens():
    with pytest.raises(UserError, match="encode the text first"):
        gridbeam.check(["a"], "abc", encode=lambda text: [1])


def test_a_gap_of_any_size_is_taken_or_refused_at_once():
    before = time.perf_counter()
    wide = InOrder([2], Gap(0, 10**9), [3])
    assert gridbeam.search(model(0), [[2]], [[wide]], max_length=9)[0][0].finished
    with pytest.raises(Unsatisfiable, match=r"gap of at least 1000000000 tokens, \[3\]\) needs"):
        gridbeam.search(model(0), [[2]], [[InOrder([2], Gap(10**9), [3])]], max_length=9)
    assert time.perf_counter() - before < 5


def test_no_sources_give_no_hypotheses():
    assert gridbeam.search(model(0), [], []) == []


@pytest.mark.slow
def test_ten_thousand_constraints_are_refused_at_once():
    class Large(Scores):
        vocab_size = 20_000

    terms = [[token] for token in range(2, 10_002)]
    before = time.perf_counter()
    with pytest.raises(
        Unsatisfiable,
        match="the 10000 constraints need 10000 tokens and the end token, but max_length is 100",
    ):
        gridbeam.search(Large(FLAT), [[2]], [terms])
    with pytest.raises(
        UserError,
        match=(
            r"the grid is too large: 100010 hypotheses in a column, up to 10000 different"
            r" constraints"
        ),
    ):
        gridbeam.search(Large(FLAT), [[2]], [terms], max_length=20_000)
    assert time.perf_counter() - before < 20


def test_ten_thousand_avoided_phrases_are_obeyed():
    class Large(Scores):
        vocab_size = 20_000

    row = torch.linspace(1, 0, 20_000).log_softmax(0).tolist()
    terms = [Avoid([token]) for token in range(2, 9_002)] + [
        Avoid([token, token + 1]) for token in range(9_002, 10_002)
    ]
    [best] = gridbeam.search(
        Large(row), [[2]], [[*terms, Phrase([9_002, 9_005])]], beam=2, max_length=6
    )[0]
    assert all(
        verdict.is_met for verdict in gridbeam.check([*terms, Phrase([9_002, 9_005])], best.tokens)
    )


def test_a_gap_that_needs_too_many_states_is_refused():
    with pytest.raises(UserError, match=r"search with coverage=.placed., or narrow its gaps"):
        gridbeam.search(
            model(0), [[2]], [[InOrder([2], Gap(30, 31), [3])]], max_length=90, coverage="contains"
        )
    assert gridbeam.search(
        model(0), [[2]], [[InOrder([2], Gap(30, 31), [3])]], max_length=90, coverage="placed"
    )


def test_a_score_that_returns_nonsense_is_refused():
    with pytest.raises(UserError, match="score= must return a tensor"):
        gridbeam.search(model(0), [[2]], [[]], score=lambda new: 3.0, max_length=5)
    with pytest.raises(UserError, match="score= must return a tensor"):
        gridbeam.search(model(0), [[2]], [[]], score=lambda new: new.score * math.nan, max_length=5)
    with pytest.raises(UserError, match="marked never_rises, and rose"):
        gridbeam.search(
            model(0),
            [[2]],
            [[]],
            score=gridbeam.never_rises(lambda new: new.score + 1),
            max_length=5,
        )
    with pytest.raises(
        Unsatisfiable, match="gives every text of at most 5 tokens probability zero"
    ):
        gridbeam.search(model(0), [[2]], [[]], score=lambda new: new.score - math.inf, max_length=5)


def test_messages_show_the_text_that_was_given():
    with pytest.raises(Unsatisfiable, match=r'Drop one: "ab"; avoid "b"$'):
        gridbeam.search(
            model(0),
            [[2]],
            [["ab", Avoid("b")]],
            encode=lambda text: [ord(letter) - 95 for letter in text],
        )


def test_filters_that_never_hold_cost_no_more_than_a_wider_search():
    counting = Counting(model(0))
    with pytest.raises(Unsatisfiable):
        gridbeam.search(
            counting, [[2]], [[Phrase([3], when=lambda prefix: False)]], max_length=9, budget=5
        )
    assert max(counting.rows) <= 4 * 5


def test_a_mistake_that_shows_only_in_the_wider_search_is_still_reported():
    def fails_when_wide(new):
        return new.score + (new.log_prob if len(new.token) < 20 else math.nan)

    never = Phrase([3], when=lambda prefix: False)
    with pytest.raises(UserError, match="score= must return a tensor of finite numbers"):
        gridbeam.search(model(0), [[2]], [[never]], score=fails_when_wide, beam=3, max_length=9)
