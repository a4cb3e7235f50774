"""How a column's places are shared out: each way keeps the promises, and does what it says."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import echo
import pytest
import torch
from allocation_judge import allocated_search
from allocation_judge import bank_sizes as plain_bank_sizes
from drawn import EOS, TOKENS, Counting, constraint_lists, model, prefix_scores
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import is_met

import gridbeam
from gridbeam import AnyOf, InOrder, Phrase, Unsatisfiable, UserError
from gridbeam.constraints.automaton import compile_constraints
from gridbeam.decoding import algorithm1
from gridbeam.decoding.options import Share
from gridbeam.decoding.share import FEW, STRATEGIES, bank_sizes
from gridbeam.models.toy import Bigram, Words, bigram_of

shares = st.sampled_from([*STRATEGIES])
coverages = st.sampled_from(["placed", "contains"])
ended_rules = st.sampled_from(["set_aside", "in_beam"])
lengths = st.fixed_dictionaries(
    {
        "length_penalty": st.sampled_from([0.0, 1.0, 0.6, -0.5]),
        "length_reward": st.sampled_from([0.0, 0.4, 2.0, -0.5]),
    }
)
few = settings(max_examples=settings().max_examples // 3)


def talkative(seed: int, reluctance: float = 3.0) -> Bigram:
    """A model of nine tokens that is reluctant to end, so that texts grow long."""
    logits = torch.randn(9, 9, generator=torch.Generator().manual_seed(seed)) * 2
    logits[:, EOS] -= reluctance
    return Bigram(logits, bos=4, eos=EOS)


long_phrases = st.lists(st.sampled_from([*TOKENS, 5, 6]), min_size=1, max_size=4).map(Phrase)
long_lists = st.lists(
    st.one_of(
        long_phrases,
        st.tuples(long_phrases, long_phrases).map(lambda pair: AnyOf(*pair)),
        st.tuples(long_phrases, long_phrases).map(lambda pair: InOrder(*pair)),
    ),
    min_size=1,
    max_size=3,
)


def search_or_none(*args, **kwargs):
    try:
        return gridbeam.search(*args, **kwargs)[0]
    except Unsatisfiable:
        return None


def never_stops(new):
    """The sum of log-probabilities, not known to be one: nothing can be dropped early."""
    return new.score + new.log_prob


def test_every_strategy_has_a_name_among_the_options():
    assert tuple(STRATEGIES) == get_args(Share)


def agrees_with_the_judge(bigram, terms, *, k, max_length, coverage, ended, stop, lengths):
    expected = allocated_search(
        prefix_scores(bigram, [3]),
        compile_constraints(terms, coverage, {EOS}),
        eos=EOS,
        max_len=max_length,
        k=k,
        ended=ended,
        stop="likely" if stop == "likely" else "never",
        **lengths,
    )
    if not expected.ended:
        return
    [found] = gridbeam.search(
        bigram,
        [[3]],
        [terms],
        share="dynamic",
        beam=k,
        n_best=min(k, 2),
        max_length=max_length,
        coverage=coverage,
        ended=ended,
        stop=stop,
        trace=True,
        **lengths,
    )
    for traced, kept in zip(found[0].trace.columns, expected.columns, strict=False):
        in_grid = sorted((hyp.token, round(hyp.score, 9)) for hyp in traced)
        assert in_grid == sorted((hyp.tokens[-1], round(hyp.score, 9)) for hyp in kept)
    assert [h.tokens for h in found] == [h.tokens for h in expected.ended[: min(k, 2)]]
    assert not found[0].fell_back
    if stop == "likely":
        assert found[0].work.expanded == expected.expanded
    else:
        assert found[0].work.expanded <= expected.expanded


stops = st.sampled_from(["exact", "likely"])


@given(
    st.integers(0, 9999),
    constraint_lists(),
    coverages,
    ended_rules,
    lengths,
    stops,
    st.integers(1, 8),
    st.integers(1, 7),
)
def test_dynamic_allocation_gives_what_it_gives_in_plain_python(
    seed, terms, coverage, ended, lengths, stop, k, max_length
):
    agrees_with_the_judge(
        model(seed),
        terms,
        k=k,
        max_length=max_length,
        coverage=coverage,
        ended=ended,
        stop=stop,
        lengths=lengths,
    )


@given(
    st.builds(talkative, st.integers(0, 9999), st.sampled_from([3.0, 0.0, -3.0])),
    long_lists,
    coverages,
    ended_rules,
    lengths,
    stops,
    st.integers(1, 12),
    st.integers(8, 20),
)
def test_dynamic_allocation_of_longer_texts_gives_what_it_gives_in_plain_python(
    bigram, terms, coverage, ended, lengths, stop, k, max_length
):
    agrees_with_the_judge(
        bigram,
        terms,
        k=k,
        max_length=max_length,
        coverage=coverage,
        ended=ended,
        stop=stop,
        lengths=lengths,
    )


@few
@given(st.integers(0, 9999), long_lists, shares, coverages, st.integers(1, 9), st.integers(8, 20))
def test_whatever_shares_out_the_places_all_constraints_are_met(
    seed, terms, share, coverage, beam, max_length
):
    found = search_or_none(
        talkative(seed),
        [[2]],
        [terms],
        share=share,
        beam=beam,
        n_best=beam,
        coverage=coverage,
        max_length=max_length,
    )
    for hypothesis in found or ():
        assert is_met(terms, hypothesis.tokens, coverage)
        assert hypothesis.finished and len(hypothesis.tokens) <= max_length


@few
@given(
    st.lists(
        st.tuples(st.lists(st.integers(0, 4), min_size=1, max_size=3), long_lists),
        min_size=2,
        max_size=3,
    ),
    shares,
    coverages,
    st.sampled_from(["exact", "likely", "first"]),
    st.integers(2, 9),
)
def test_whatever_shares_out_the_places_a_batch_gives_what_its_sentences_give(
    batch, share, coverage, stop, beam
):
    bigram = talkative(1)
    options = {
        "max_length": 14,
        "beam": beam,
        "n_best": 2,
        "share": share,
        "coverage": coverage,
        "stop": stop,
        "trace": True,
    }
    alone = [search_or_none(bigram, [source], [terms], **options) for source, terms in batch]
    possible = [pair for pair, found in zip(batch, alone, strict=True) if found is not None]
    sources, wishes = [source for source, _ in possible], [terms for _, terms in possible]
    together = gridbeam.search(bigram, sources, wishes, **options)
    expected = [found for found in alone if found is not None]
    assert together == expected
    assert [best.work for best, *_ in together] == [best.work for best, *_ in expected]
    assert [best.trace for best, *_ in together] == [best.trace for best, *_ in expected]
    assert gridbeam.search(bigram, sources, wishes, **options) == together


@few
@given(
    st.integers(0, 9999),
    long_lists,
    shares,
    coverages,
    ended_rules,
    lengths,
    st.integers(1, 8),
    st.integers(8, 20),
)
def test_whatever_shares_out_the_places_stopping_early_loses_nothing(
    seed, terms, share, coverage, ended, lengths, beam, max_length
):
    options = {
        "share": share,
        "beam": beam,
        "n_best": min(beam, 2),
        "coverage": coverage,
        "ended": ended,
        "max_length": max_length,
        **lengths,
    }
    bigram = talkative(seed)
    early = search_or_none(bigram, [[2]], [terms], **options)
    full = search_or_none(bigram, [[2]], [terms], score=never_stops, **options)
    assert [h.tokens for h in early or ()] == [h.tokens for h in full or ()]


@pytest.mark.parametrize(
    ("share", "seed", "spread", "size", "phrase", "options"),
    [
        ("budget", 7786, 3.0, 5, [3], {"beam": 6, "max_length": 12, "length_penalty": 1.0}),
        ("dynamic", 1360, 2.0, 9, [0, 2, 2], {"beam": 8, "max_length": 13, "length_penalty": 0.6}),
    ],
)
def test_a_hypothesis_that_cannot_win_keeps_its_place_while_others_can(
    share, seed, spread, size, phrase, options, monkeypatch
):
    """Its place would go to another row, and there to a text that a full search does not find."""
    logits = torch.randn(size, size, generator=torch.Generator().manual_seed(seed)) * spread
    logits[:, EOS] -= 1.0 if share == "budget" else 0.0
    bigram = Bigram(logits, bos=4, eos=EOS)

    def found(**more):
        [[best]] = gridbeam.search(
            bigram, [[2]], [[Phrase(phrase)]], share=share, **options, **more
        )
        return best.tokens

    early, full = found(), found(score=never_stops)
    assert early == full
    dropping = replace(STRATEGIES[share], has_separate_beams=True)
    monkeypatch.setitem(STRATEGIES, share, dropping)
    assert found() != full, "another case must be found, which tells the two rules apart"


def few_within_phrases(automaton):
    """What the paper keeps of a row, less what is in the midst of a phrase beyond the best few."""

    def is_inside(hyp):
        states = zip(automaton.machines, hyp.progress, strict=True)
        return any(machine.inside[state] for machine, state in states)

    k_argmax = algorithm1.k_argmax

    def kept(hyps, *how):
        row = k_argmax(hyps, *how)
        surplus = [hyp for hyp in row if is_inside(hyp)][FEW:]
        return [hyp for hyp in row if hyp not in surplus]

    return kept


@few
@given(
    st.builds(talkative, st.integers(0, 9999), st.sampled_from([3.0, 0.0])),
    long_lists,
    coverages,
    ended_rules,
    lengths,
    st.integers(3, 8),
    st.integers(6, 12),
)
def test_settled_places_give_what_they_give_in_plain_python(
    bigram, terms, coverage, ended, lengths, k, max_length
):
    automaton = compile_constraints(terms, coverage, {EOS})
    how = {"ended": ended, "n_best": k, **lengths}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(algorithm1, "k_argmax", few_within_phrases(automaton))
        scores = prefix_scores(bigram, [3])
        expected = algorithm1.constrained_search(
            scores, automaton, eos=EOS, max_len=max_length, k=k, **how
        )
    if not expected:
        return
    options = {"beam": k, "max_length": max_length, "coverage": coverage, **how}
    [found] = gridbeam.search(bigram, [[3]], [terms], share="settled", **options)
    assert found[0].fell_back or [h.tokens for h in found] == [h.tokens for h in expected]


@few
@given(st.integers(0, 999), long_lists, st.integers(1, FEW), st.sampled_from([0.0, 1.0]))
def test_settled_places_are_those_of_rows_where_a_beam_has_no_more(seed, terms, beam, penalty):
    options = {"beam": beam, "max_length": 14, "length_penalty": penalty, "trace": True}
    settled, rows = (
        search_or_none(talkative(seed), [[2]], [terms], share=share, **options)
        for share in ("settled", "rows")
    )
    assert settled == rows
    assert settled is None or settled[0].trace == rows[0].trace


def test_a_long_phrase_costs_few_places_where_they_are_settled():
    options = {"beam": 10, "max_length": 30, "score": never_stops}
    long = [Phrase([2, 3, 2, 5, 6, 3, 3, 2, 6, 5, 2, 5])]
    most = {}
    for share in ("rows", "settled"):
        counting = Counting(talkative(5))
        gridbeam.search(counting, [[2]], [long], share=share, **options)
        most[share] = max(counting.rows)
    assert most["rows"] > 100
    assert most["settled"] <= 2 * 10 + 11 * FEW


def test_early_stopping_saves_work_under_every_strategy():
    for share in STRATEGIES:
        options = {"share": share, "beam": 4, "max_length": 20, "length_penalty": 0.0}
        [[early]] = gridbeam.search(model(2), [[2]], [[Phrase([3, 0])]], **options)
        [[full]] = gridbeam.search(
            model(2), [[2]], [[Phrase([3, 0])]], score=never_stops, **options
        )
        assert early.tokens == full.tokens
        assert early.work.expanded < full.work.expanded, share


@few
@given(st.integers(0, 999), long_lists, st.sampled_from(["budget", "dynamic"]), st.integers(1, 9))
def test_no_more_hypotheses_go_on_in_a_column_than_there_are_places(seed, terms, share, budget):
    counting = Counting(talkative(seed))
    found = search_or_none(
        counting, [[2]], [terms], share=share, budget=budget, max_length=12, trace=True
    )
    if found is None or found[0].fell_back:
        return
    assert max(counting.rows) <= budget
    assert found[0].work.expanded == sum(counting.rows)


def test_the_work_of_a_batch_is_told_for_each_of_its_sentences():
    counting = Counting(talkative(3))
    wishes = [[], [Phrase([2, 3])], [Phrase([5]), Phrase([6, 0, 2])]]
    found = gridbeam.search(counting, [[2]] * 3, wishes, share="dynamic", beam=7, max_length=15)
    assert sum(hypothesis.work.expanded for [hypothesis] in found) == sum(counting.rows)


def called(**options):
    """What is found, and the grid that was searched."""
    wishes = [[Phrase([2, 3]), Phrase([5, 6, 2])], []]
    found = gridbeam.search(talkative(5), [[2], [3]], wishes, max_length=12, trace=True, **options)
    return [(best, best.trace) for [best] in found]


def test_a_budget_alone_means_that_it_is_shared_out_evenly():
    evenly = called(budget=6, share="budget")
    assert called(budget=6) == called(budget=6, share="rows") == evenly
    assert called(budget=6, share="bounded") == evenly


@pytest.mark.parametrize("share", ["budget", "dynamic"])
def test_without_a_budget_a_column_has_as_many_places_as_a_beam(share):
    assert called(beam=6, share=share) == called(beam=2, budget=6, share=share)


MANY = [Phrase([2, 3, 2, 5, 6]), Phrase([5, 3, 5, 6, 2]), Phrase([6, 6, 3, 2, 5])]
"""More tokens than a bound has beams."""


@pytest.mark.parametrize("beam", [1, 2, 3])
@pytest.mark.parametrize(("share", "rows"), [("bounded", 9), ("rows", 16)])
def test_bounded_shares_have_fewer_places_for_more_rows(beam, share, rows):
    """Sixteen rows have the places of nine beams: no more than twelve by twelve in all."""
    counting = Counting(talkative(5))
    options = {"beam": beam, "max_length": 24, "score": never_stops}
    [[best]] = gridbeam.search(counting, [[2]], [MANY], share=share, **options)
    assert is_met(MANY, best.tokens, "contains")
    assert max(counting.rows) == rows * beam


@few
@given(st.integers(0, 999), st.lists(long_phrases, min_size=1, max_size=2), st.integers(1, 4))
def test_bounded_shares_are_those_of_rows_where_there_are_no_more_than_twelve(seed, terms, beam):
    options = {"beam": beam, "max_length": 12, "score": never_stops}
    bounded, rows = (
        search_or_none(talkative(seed), [[2]], [terms], share=share, **options)
        for share in ("bounded", "rows")
    )
    assert (bounded is None) == (rows is None)
    assert bounded is None or bounded[0].tokens == rows[0].tokens


def test_each_strategy_shares_out_otherwise():
    grids = set()
    for share in STRATEGIES:
        options = {"beam": 7, "max_length": 24, "trace": True}
        [[best]] = gridbeam.search(talkative(5), [[2]], [MANY], share=share, **options)
        grids.add(best.trace)
    assert len(grids) == len(STRATEGIES)


def test_an_unknown_strategy_is_refused_with_the_names_of_those_there_are():
    with pytest.raises(UserError, match='must be "rows" or "settled" or "budget" or "bounded" or'):
        called(share="even")


SENTENCES = [
    "the cat sat on the mat",
    "the cat ate the fish",
    "a dog sat on the cat",
    "a fish ate a dog",
]
WORDS = Words(SENTENCES)


def allocated(wanted, **options):
    source, terms = WORDS.encode("cat"), [Phrase(WORDS.encode(text)) for text in wanted]
    [[best]] = gridbeam.search(
        bigram_of(SENTENCES, WORDS),
        [source],
        [terms],
        max_length=9,
        length_penalty=0.5,
        length_reward=0.1,
        **options,
    )
    return best


@pytest.mark.parametrize("wanted", [[], ["fish"], ["dog sat"], ["mat", "a fish"]])
def test_a_wide_allocated_beam_finds_what_a_wide_grid_finds(wanted):
    found = allocated(wanted, share="dynamic", beam=200)
    assert found.tokens == allocated(wanted, beam=50).tokens and not found.fell_back


def test_an_allocated_beam_costs_the_same_whatever_is_required():
    works = [allocated(wanted, share="dynamic", beam=5).work for wanted in ([], ["mat", "a fish"])]
    assert max(work.expanded for work in works) <= 1 + 8 * 5


@pytest.mark.parametrize(
    ("beam", "candidates", "sizes"),
    [
        (10, [10, 10, 10], [3, 3, 4]),  # what does not divide goes to the bank that has met all
        (10, [20, 5, 0], [5, 5, 0]),  # an empty bank hands its places down, and so on
        (10, [2, 20, 1], [2, 6, 1]),  # the first hands to the last, which does not hand on again
        (2, [9, 9, 9], [0, 0, 2]),
        (2, [9, 0, 0], [2, 0, 0]),
    ],
)
def test_the_beam_is_divided_over_the_banks_as_published(beam, candidates, sizes):
    plain = plain_bank_sizes(beam, candidates)
    assert [min(size, count) for size, count in zip(plain, candidates, strict=True)] == sizes
    [found] = bank_sizes(beam, torch.tensor([candidates[::-1]]), torch.tensor([3])).tolist()
    assert found[::-1] == plain and sum(found) == beam


@given(
    st.integers(1, 30),
    st.lists(st.lists(st.integers(0, 20), min_size=1, max_size=8), min_size=1, max_size=4),
)
def test_banks_of_many_sentences_are_divided_as_those_of_each(places, sentences):
    banks = torch.tensor([len(counts) for counts in sentences])
    padded = torch.tensor([counts[::-1] + [0] * (8 - len(counts)) for counts in sentences])
    found = bank_sizes(places, padded, banks)
    for counts, sizes in zip(sentences, found.tolist(), strict=True):
        usable = [min(size, count) for size, count in zip(sizes, counts[::-1], strict=False)]
        plain = plain_bank_sizes(places, counts)
        assert usable[::-1] == [min(pair) for pair in zip(plain, counts, strict=True)]


def test_every_way_into_a_translator_passes_the_strategy_on():
    wished = ["Festplatte", "Laufwerk"]
    request, translator = gridbeam.Request("The disk.", wished), echo.translator()
    works = {}
    for share in STRATEGIES:
        options = {"share": share, "beam": 4}
        one = translator.translate(request, **options)
        [every] = translator.translate_all([request], **options)
        [(_, each)] = translator.translate_each([request], **options)
        assert one == every == each and "Festplatte" in one.text
        works[share] = one.sentences[0].hypothesis.work.expanded
    assert works.pop("bounded") == works["rows"]  # as there are few rows
    assert len(set(works.values())) == len(works), works


def test_a_translator_does_not_get_slower_with_every_term():
    terms = ["Platte", "Laufwerk", "Rechner", "Ordner", "Datei", "Taste", "Fenster"]
    works = {}
    for count in (0, 1, 7):
        request = gridbeam.Request("The disk of the old computer.", terms[:count])
        [sentence] = echo.translator().translate(request, max_length=120).sentences
        work = sentence.hypothesis.work
        works[count] = work.expanded / max(len(sentence.hypothesis.tokens), 1)
    assert works[7] < 10 * works[0]
