"""The promises of the search, judged by `algorithm1` and by the oracle."""

from __future__ import annotations

from itertools import permutations

import pytest
import torch
from drawn import EOS, VOCAB, Counting, constraint_lists, model, prefix_scores
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import best_strings, is_met

import gridbeam
from gridbeam import AnyOf, AtMost, Avoid, Gap, InOrder, Phrase, Prefix, Suffix, Unsatisfiable
from gridbeam.constraints.automaton import compile_constraints
from gridbeam.constraints.spelled import Arc, Spellings
from gridbeam.decoding.algorithm1 import constrained_search

coverages = st.sampled_from(["placed", "contains"])
ended_rules = st.sampled_from(["set_aside", "in_beam"])
penalties = st.sampled_from([0.0, 1.0, 0.6, -0.5])
rewards = st.sampled_from([0.0, 0.4, 2.0, -0.5])


def search_or_none(*args, **kwargs):
    try:
        return gridbeam.search(*args, **kwargs)[0]
    except Unsatisfiable:
        return None


@given(
    st.integers(0, 9999),
    constraint_lists(),
    coverages,
    ended_rules,
    penalties,
    rewards,
    st.integers(1, 5),
)
def test_a_wide_grid_finds_the_best_string(
    seed, terms, coverage, ended, penalty, reward, max_length
):
    bigram = model(seed)
    best = best_strings(
        prefix_scores(bigram, [2]),
        terms,
        vocab_size=VOCAB,
        eos=EOS,
        max_length=max_length,
        coverage=coverage,
        length_penalty=penalty,
        length_reward=reward,
    )
    found = search_or_none(
        bigram,
        [[2]],
        [terms],
        beam=VOCAB**max_length,
        n_best=3,
        max_length=max_length,
        coverage=coverage,
        ended=ended,
        length_penalty=penalty,
        length_reward=reward,
    )
    scores = {string: score for score, string in best}
    assert [h.score for h in found or []] == pytest.approx(
        [score for score, _ in best[:3]], abs=1e-5
    )
    assert [h.score for h in found or []] == pytest.approx(
        [scores[h.tokens] for h in found or []], abs=1e-5
    )


@given(
    st.integers(0, 9999),
    constraint_lists(),
    coverages,
    ended_rules,
    penalties,
    rewards,
    st.integers(1, 6),
    st.integers(1, 7),
)
def test_search_agrees_with_algorithm1_at_every_width(
    seed, terms, coverage, ended, penalty, reward, beam, max_length
):
    bigram = model(seed)
    lengths = {"length_penalty": penalty, "length_reward": reward}
    expected = constrained_search(
        prefix_scores(bigram, [3]),
        compile_constraints(terms, coverage, {EOS}),
        eos=EOS,
        max_len=max_length,
        k=beam,
        n_best=min(beam, 2),
        ended=ended,
        **lengths,
    )
    if not expected:
        return
    found = gridbeam.search(
        bigram,
        [[3]],
        [terms],
        beam=beam,
        n_best=min(beam, 2),
        max_length=max_length,
        coverage=coverage,
        ended=ended,
        **lengths,
    )[0]
    assert [h.tokens for h in found] == [h.tokens for h in expected]
    scores = [(h.score + reward * len(h.tokens)) / len(h.tokens) ** penalty for h in expected]
    assert [h.score for h in found] == pytest.approx(scores, abs=1e-9)


@given(
    st.integers(0, 9999),
    constraint_lists(),
    coverages,
    ended_rules,
    st.integers(1, 6),
    st.one_of(
        st.fixed_dictionaries({"beam": st.integers(1, 2)}),
        st.fixed_dictionaries({"budget": st.integers(1, 4)}),
    ),
    penalties,
)
def test_a_text_that_exists_is_found_however_narrow_the_grid(
    seed, terms, coverage, ended, max_length, spend, penalty
):
    bigram = model(seed, spread=6.0)
    exists = bool(
        best_strings(
            prefix_scores(bigram, [2]),
            terms,
            vocab_size=VOCAB,
            eos=EOS,
            max_length=max_length,
            coverage=coverage,
            length_penalty=0,
        )
    )
    options = {
        "max_length": max_length,
        "coverage": coverage,
        "ended": ended,
        "length_penalty": penalty,
        **spend,
    }
    found = search_or_none(bigram, [[2]], [terms], **options)
    has_filters = "when" in repr(terms)
    if found is None:
        assert not exists or has_filters
    else:
        assert exists
        assert is_met(terms, found[0].tokens, coverage)
        assert found[0].finished and found[0].tokens[-1] == EOS and EOS not in found[0].tokens[:-1]


@given(st.integers(0, 9999), constraint_lists(), coverages, st.integers(1, 6))
def test_a_text_that_may_be_cut_off_meets_the_constraints_too(seed, terms, coverage, max_length):
    found = search_or_none(
        model(seed),
        [[2]],
        [terms],
        max_length=max_length,
        coverage=coverage,
        beam=1,
        force_end=False,
    )
    if found is not None:
        assert len(found[0].tokens) <= max_length
        assert is_met(terms, found[0].tokens, coverage)
        assert found[0].finished == (found[0].tokens[-1] == EOS)


@given(st.integers(0, 9999), constraint_lists(), coverages)
def test_spans_and_origins_say_where_each_constraint_is_met(seed, terms, coverage):
    found = search_or_none(model(seed), [[2]], [terms], max_length=8, beam=2, coverage=coverage)
    if found is None:
        return
    hypothesis = found[0]
    assert len(hypothesis.spans) == len(terms)
    covered = []
    for number, (term, spans) in enumerate(zip(terms, hypothesis.spans, strict=True)):
        assert bool(spans) != isinstance(term, Avoid | AtMost)
        if isinstance(term, Prefix | Suffix) and term in terms[:number]:
            continue
        covered += [position for start, end in spans for position in range(start, end)]
        if isinstance(term, Phrase):
            [(start, end)] = spans
            assert hypothesis.tokens[start:end] == term.tokens
        if isinstance(term, Prefix):
            assert spans[0][0] == 0
        if isinstance(term, Suffix):
            assert spans[-1][1] == len(hypothesis.tokens) - 1
    if coverage == "placed":
        assert len(covered) == len(set(covered))
    assert [o != 0 for o in hypothesis.origins] == [
        i in covered for i in range(len(hypothesis.tokens))
    ]


@settings(max_examples=settings().max_examples // 3)
@given(
    st.lists(
        st.tuples(st.lists(st.integers(0, 4), min_size=1, max_size=3), constraint_lists(2)),
        max_size=4,
    ),
    coverages,
)
def test_a_batch_gives_what_its_sentences_give_one_by_one(batch, coverage):
    bigram = model(1)
    options = {"max_length": 9, "beam": 2, "n_best": 2, "coverage": coverage}
    alone = [search_or_none(bigram, [source], [terms], **options) for source, terms in batch]
    possible = [pair for pair, found in zip(batch, alone, strict=True) if found is not None]
    together = gridbeam.search(
        bigram, [s for s, _ in possible], [t for _, t in possible], **options
    )
    assert together == [found for found in alone if found is not None]


def test_the_same_call_twice_gives_the_same_answer():
    def call():
        return gridbeam.search(
            model(5), [[2], [3]], [[[2, 3], [0]], [AnyOf([3], [3, 2])]], n_best=5, max_length=12
        )

    assert call() == call()


@pytest.mark.parametrize("coverage", ["placed", "contains"])
@pytest.mark.parametrize("spend", [{"beam": 1}, {"budget": 1}, {"budget": 3}])
def test_a_model_that_hates_the_constraints_and_loves_the_end_still_meets_them(coverage, spend):
    class Hater:
        vocab_size, bos, eos = 50, 0, 1

        def start(self, sources):
            return torch.full((len(sources), 50), -50.0)

        def step(self, state, tokens):
            state[:, 1], state[:, 2] = torch.tensor([0.999, 0.001]).log()
            return state, state.clone()

        def select(self, state, rows):
            return state[rows]

    terms = [
        [10, 11, 12],
        AnyOf([20, 21], [30]),
        InOrder([40], Gap(1, 3), [41]),
        [12, 10],
        [10, 11, 12],
        Avoid([2, 40]),
    ]
    for max_length in (16, 20, 60):
        [hypothesis] = gridbeam.search(
            Hater(), ["x"], [terms], max_length=max_length, coverage=coverage, **spend
        )[0]
        assert hypothesis.finished
        assert all(verdict.is_met for verdict in gridbeam.check(terms, hypothesis.tokens))


def test_overlapping_phrases_share_tokens_only_where_coverage_is_contains():
    terms, options = [[2, 3], [3, 0]], {"max_length": 4, "beam": 1}
    assert gridbeam.search(model(0), [[2]], [terms], coverage="contains", **options)[0][
        0
    ].tokens == (2, 3, 0, EOS)
    with pytest.raises(
        Unsatisfiable, match="2 constraints need 4 tokens and the end token, but max_length is 4"
    ):
        gridbeam.search(model(0), [[2]], [terms], coverage="placed", **options)


def test_a_phrase_listed_twice_occurs_twice_disjointly():
    for coverage in ("placed", "contains"):
        tokens = gridbeam.search(
            model(0), [[2]], [[[2, 2], [2, 2]]], max_length=9, coverage=coverage
        )[0][0].tokens
        assert ",".join(map(str, tokens)).count("2,2") >= 2


@pytest.mark.parametrize("coverage", ["placed", "contains"])
@pytest.mark.parametrize("spend", [{"beam": 1}, {"budget": 3}])
@pytest.mark.parametrize("spread", [1.0, 6.0])
def test_a_suffix_waits_until_all_else_is_said(coverage, spend, spread):
    """None of these needs the fallback: what is last does not compete with what comes before."""
    logits = torch.randn(40, 40, generator=torch.Generator().manual_seed(2)) * spread
    logits[:, 30:32] += 4 * spread
    bigram = gridbeam.models.toy.Bigram(logits, bos=0, eos=1, attention=0.0)
    terms = [[10, 11, 12], Suffix([30, 31]), AnyOf([13], [14, 15]), [16], AtMost(1, [30, 31])]
    options = {"max_length": 12, "coverage": coverage, **spend}
    [found] = gridbeam.search(bigram, [[2]], [terms], **options)[0]
    assert found.tokens[-3:] == (30, 31, 1) and not found.fell_back
    assert all(verdict.is_met for verdict in gridbeam.check(terms, found.tokens, ends=[1]))


def test_what_is_limited_is_written_no_more_often_however_the_model_likes_it():
    logits = torch.zeros(8, 8)
    logits[:, 5] = 20.0
    bigram = gridbeam.models.toy.Bigram(logits, bos=0, eos=1, attention=0.0)
    for n in (0, 1, 3):
        [found] = gridbeam.search(bigram, [[2]], [[AtMost(n, [5])]], max_length=9)[0]
        assert found.tokens.count(5) == n


def test_a_broken_match_is_tried_again_as_a_start():
    """1 2 in 1 1 2 is what published trackers miss."""
    [verdict] = gridbeam.check([Phrase([3, 2])], [3, 3, 2])
    assert verdict.is_met and verdict.spans == ((1, 3),)
    automaton = compile_constraints([Phrase([3, 2])], "contains")
    progress = automaton.start
    for token in (3, 3, 2):
        progress = automaton.accept(progress, token)
    assert automaton.owed(progress) == 0


def test_no_constraint_keeps_the_grid_to_one_row():
    [hypothesis] = gridbeam.search(model(3), [[2]], [[]], beam=4, max_length=9, trace=True)[0]
    assert {hyp.row for column in hypothesis.trace.columns for hyp in column} == {0}
    assert (
        max(len([h for h in column if not h.is_ended]) for column in hypothesis.trace.columns) <= 4
    )


@given(st.integers(0, 999), constraint_lists(), st.integers(1, 9))
def test_a_budget_bounds_the_hypotheses_of_a_column(seed, terms, budget):
    found = search_or_none(model(seed), [[2]], [terms], budget=budget, max_length=8, trace=True)
    for column in found[0].trace.columns if found else ():
        assert len([hyp for hyp in column if not hyp.is_ended]) <= budget


def test_a_trace_leads_from_every_hypothesis_back_to_the_start():
    hypotheses = gridbeam.search(
        model(3), [[2], [3]], [[[2, 3]], []], beam=3, max_length=9, trace=True
    )
    for [hypothesis] in hypotheses:
        columns = hypothesis.trace.columns
        ends = [(t, h) for t, column in enumerate(columns) for h in column if h.is_ended]
        t, end = max(ends, key=lambda pair: pair[1].score / (pair[0] + 1))
        tokens = [end.token]
        while end.parent is not None:
            t, end = t - 1, columns[t - 1][end.parent]
            tokens.insert(0, end.token)
        assert tuple(tokens) == hypothesis.tokens


def test_a_cut_off_hypothesis_is_returned_only_on_request():
    never_ends = torch.zeros(VOCAB, VOCAB)
    never_ends[:, EOS] = -20.0
    bigram = gridbeam.models.toy.Bigram(
        never_ends + 0.1 * torch.randn(VOCAB, VOCAB), bos=4, eos=EOS
    )
    [forced] = gridbeam.search(bigram, [[2]], [[[3, 3]]], max_length=5)[0]
    [cut] = gridbeam.search(bigram, [[2]], [[[3, 3]]], max_length=5, force_end=False)[0]
    assert forced.finished and forced.tokens[-1] == EOS and len(forced.tokens) == 5
    assert (
        not cut.finished
        and EOS not in cut.tokens
        and len(cut.tokens) == 5
        and cut.score > forced.score
    )
    [tight] = gridbeam.search(bigram, [[2]], [[[3, 3, 3, 2, 2]]], max_length=5, force_end=False)[0]
    assert tight.tokens == (3, 3, 3, 2, 2)


def test_a_prefix_may_take_its_longer_alternative():
    logits = torch.zeros(8, 8)
    logits[:, 2] = -30.0
    bigram = gridbeam.models.toy.Bigram(logits, bos=0, eos=1, attention=0.0)
    for coverage in ("placed", "contains"):
        terms = [Prefix(AnyOf([2], [3, 4, 5, 6]))]
        [best] = gridbeam.search(
            bigram, [[3]], [terms], max_length=9, length_penalty=0.0, coverage=coverage
        )[0]
        assert best.tokens == (3, 4, 5, 6, 1)


@pytest.mark.parametrize("spend", [{"beam": 1}, {"beam": 2}, {"budget": 6}])
def test_a_longer_alternative_that_the_model_likes_better_outlives_a_narrow_beam(spend):
    """Its first token is unlikely and all that follow are certain.

    The short one is far less likely.
    """
    logits = torch.zeros(8, 8)
    logits[:, 5] = 8.0
    logits[:, 6] = -12.0
    for before, after in ((2, 3), (3, 4), (4, 1), (6, 1)):
        logits[before, after] = 30.0
    bigram = gridbeam.models.toy.Bigram(logits, bos=0, eos=1, attention=0.0)
    [best] = gridbeam.search(
        bigram, [[3]], [[AnyOf([6], [2, 3, 4])]], max_length=8, length_penalty=0.0, **spend
    )[0]
    assert best.tokens == (2, 3, 4, 1)


def test_a_row_holds_no_hypothesis_twice_however_many_constraints_there_are():
    """Placed differently, the same text with the same progress is the same hypothesis."""
    bigram = gridbeam.models.toy.Bigram(
        torch.randn(16, 16, generator=torch.Generator().manual_seed(3)) * 2
    )
    terms = [AnyOf([5], [6 + n]) for n in range(7)]
    automaton = compile_constraints(terms, "placed")
    for beam in (2, 5):
        expected = constrained_search(
            prefix_scores(bigram, [2]), automaton, eos=EOS, max_len=11, k=beam, n_best=2
        )
        found = gridbeam.search(
            bigram, [[2]], [terms], coverage="placed", beam=beam, max_length=11, n_best=2
        )[0]
        assert [h.tokens for h in found] == [h.tokens for h in expected]
        assert len({h.tokens for h in found}) == len(found) > 1


class Rounded:
    """A model in half precision, in which many tokens are equally likely."""

    vocab_size, bos, eos = 300, 0, 1

    def __init__(self, seed):
        self.table = (
            torch.randn(300, 300, generator=torch.Generator().manual_seed(seed))
            .log_softmax(1)
            .bfloat16()
        )

    def start(self, sources):
        return None

    def step(self, state, tokens):
        return self.table[tokens], state

    def select(self, state, rows):
        return state


@pytest.mark.parametrize("seed", range(5))
def test_ties_are_settled_the_same_way_in_a_batch_alone_and_by_algorithm1(seed):
    rounded = Rounded(seed)
    sources, options = [[2]] * 3, {"beam": 4, "max_length": 8, "n_best": 2}
    wishes = [[], [[5, 6]], [Avoid(AnyOf(*([n] for n in range(2, 90)))), [100]]]
    together = gridbeam.search(rounded, sources, wishes, **options)
    for wish, hypotheses in zip(wishes, together, strict=True):
        assert gridbeam.search(rounded, [[2]], [wish], **options)[0] == hypotheses
        automaton = compile_constraints(gridbeam.constraints.as_constraints(wish), "contains")
        scores = [row.double().tolist() for row in rounded.table]
        expected = constrained_search(
            lambda prefix, s=scores: s[(0, *prefix)[-1]], automaton, eos=1, max_len=8, k=4, n_best=2
        )
        assert [h.tokens for h in hypotheses] == [h.tokens for h in expected]


def test_sources_may_be_the_rows_of_a_tensor():
    rows, options = torch.tensor([[2, 3], [3, 3]]), {"max_length": 5, "beam": 2}
    wishes = [[[2, 3]], []]
    assert gridbeam.search(Rounded(0), rows, wishes, **options) == gridbeam.search(
        Rounded(0), rows.tolist(), wishes, **options
    )


def test_entangled_constraints_near_the_limit_are_met_by_a_narrow_beam():
    """All 24 orders of three of four tokens overlap in 26 tokens; a beam of one loses its way."""
    terms = [Phrase(order) for order in permutations([2, 3, 4, 5], 3)]
    bigram = gridbeam.models.toy.Bigram(
        torch.randn(7, 7, generator=torch.Generator().manual_seed(0))
    )
    for beam in (1, 10):
        [best] = gridbeam.search(bigram, [[2]], [terms], beam=beam, max_length=29)[0]
        assert all(verdict.is_met for verdict in gridbeam.check(terms, best.tokens))
        assert best.fell_back == (beam == 1)


def test_a_forbidden_filler_does_not_stand_in_the_way():
    """Of the texts that meet the constraints, one is possible: only 3 is allowed before 2."""
    table = torch.full((5, 5), -torch.inf)
    table[4, 3] = table[3, 2] = table[2, 1] = 0.0
    bigram = gridbeam.models.toy.Bigram(table, bos=4, eos=1, attention=0.0)
    [best] = gridbeam.search(bigram, [[2]], [[Phrase([2]), Avoid([0, 0])]], beam=1, max_length=3)[0]
    assert best.tokens == (3, 2, 1)


def test_dead_ends_after_a_finished_hypothesis_are_no_harm():
    for seed in range(60):
        bigram = model(seed, spread=4.0)
        for terms in ([Phrase([3]), Avoid([2, 3])], [Phrase([3]), Avoid([2, 2, 3])]):
            [best] = gridbeam.search(
                bigram, [[2]], [terms], beam=1, max_length=5, length_penalty=0.0
            )[0]
            assert is_met(terms, best.tokens, "contains")


def test_one_step_a_column_serves_all_sentences_and_finished_ones_leave():
    def rows(wishes):
        counting = Counting(model(7))
        gridbeam.search(
            counting, [[2]] * len(wishes), wishes, beam=2, max_length=40, length_penalty=0.0
        )
        return counting.rows

    short, long = [[2, 3]], [[2, 3, 0, 2, 3, 0, 2, 3, 0]]
    apart = [rows([short]), rows([long])]
    together = rows([short, long])
    assert len(together) == max(map(len, apart)) < 40
    longest = max(map(len, apart))
    assert together == [
        sum(column)
        for column in zip(*(each + [0] * (longest - len(each)) for each in apart), strict=True)
    ]


@given(st.integers(0, 9999), constraint_lists(2), coverages, st.integers(1, 3))
def test_texts_are_cut_off_where_the_user_says_and_meet_their_constraints(
    seed, terms, coverage, last
):
    """Cut off after a token of the user's choice: no text goes on beyond it.

    And none ends there that owes something.
    """

    def cut_off(sentence, tokens):
        return tokens[:, -1] == last

    try:
        [found] = gridbeam.search(
            model(seed), [[2]], [terms], max_length=6, n_best=3, coverage=coverage, cut_off=cut_off
        )
    except Unsatisfiable:
        return
    for hypothesis in found:
        assert last not in hypothesis.tokens[:-1]
        assert hypothesis.finished == (hypothesis.tokens[-1] == EOS)
        assert is_met(terms, hypothesis.tokens, coverage)


@pytest.mark.parametrize("seed", range(20))
def test_who_stops_early_finds_no_more_than_who_does_not(seed):
    best = {}
    for stop in ("exact", "likely", "first"):
        counted = Counting(model(seed))
        [[found]] = gridbeam.search(
            counted, [[2]], [[Phrase([3, 0])]], beam=2, max_length=12, stop=stop
        )
        best[stop] = found.score, sum(counted.rows)
    assert best["exact"][0] >= best["likely"][0] - 1e-9
    assert best["exact"][0] >= best["first"][0] - 1e-9
    assert best["first"][1] <= best["likely"][1]


def test_any_of_several_end_tokens_ends_a_text():
    several = model(0)
    several.eos = (EOS, 3)
    [found] = gridbeam.search(several, [[2]], [[Phrase([2])]], max_length=4, beam=20, n_best=20)
    assert {hypothesis.tokens[-1] for hypothesis in found} == {EOS, 3}
    assert all(
        not {EOS, 3} & set(hypothesis.tokens[:-1]) and hypothesis.finished for hypothesis in found
    )


@pytest.mark.parametrize("coverage", ["contains", "placed"])
def test_a_text_may_begin_after_the_token_that_opens_it(coverage):
    """After a language tag, which is 4, a word begins as at the start; it is nobody's token."""
    word = Spellings("x", (), ((Arc(0, 1),),), frozenset({EOS}), None, None, False, opening=4)
    [[best]] = gridbeam.search(model(0), [[2]], [[word]], max_length=3, coverage=coverage)
    assert best.tokens == (4, 0, EOS) and best.spans == (((1, 2),),)
