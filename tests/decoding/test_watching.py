"""The search as something that can be watched, shared out and dropped: its laws."""

from __future__ import annotations

import pytest
import torch
from drawn import constraint_lists, model
from hypothesis import given, settings
from hypothesis import strategies as st

import gridbeam
from gridbeam import SearchOptions, Unsatisfiable
from gridbeam.decoding.loop import decode, decoding, exhausted
from gridbeam.decoding.quest import quest_of
from gridbeam.decoding.searching import outcome, searching

OPTIONS = SearchOptions(beam=2, max_length=7, n_best=2, length_penalty=0.5)
ways = st.sampled_from(
    [
        OPTIONS,
        OPTIONS.but(stop="likely", length_reward=0.3),
        OPTIONS.but(share="bounded", stop="first"),
        OPTIONS.but(share="dynamic", budget=4),
        OPTIONS.but(force_end=False, coverage="placed", ended="in_beam"),
    ]
)
some = settings(max_examples=30)
batches = st.lists(constraint_lists(), min_size=2, max_size=4)
SOURCES = [[2], [3], [0], [2, 3]]


def quests(bigram, batch, options, lengths=None):
    """Those of a batch that can be met."""
    found = []
    for number, terms in enumerate(batch):
        own = options if lengths is None else options.but(max_length=lengths[number])
        try:
            found.append(quest_of(SOURCES[number], terms, None, own, bigram))
        except Unsatisfiable:
            continue
    return found


def known(result):
    """A result as something that equals another one that says the same."""
    return str(result) if isinstance(result, Unsatisfiable) else result


def works(result):
    """How much was searched for each hypothesis."""
    return [] if isinstance(result, Unsatisfiable) else [found.work for found in result]


def driven(steps, drop=None):
    """What a search yields, and what it returns; `drop` are the sentences to drop by column."""
    seen, sent = [], None
    try:
        while True:
            seen.append(steps.send(sent))
            sent = (drop or {}).get(len(seen))
    except StopIteration as end:
        return seen, end.value


@some
@given(st.integers(0, 999), batches, ways)
def test_a_search_that_is_run_out_finds_what_decode_finds_bit_for_bit(seed, batch, options):
    bigram = model(seed)
    found = quests(bigram, batch, options.but(trace=True))
    if not found:
        return
    given_ = [q.source for q in found], [q.automaton for q in found], options.but(trace=True)
    seen, last = driven(decoding(bigram, *given_))
    assert (last.paths(), last.traces(), last.works()) == decode(bigram, *given_)
    assert [reached.length for reached in seen] == [*range(1, len(seen) + 1)]


@some
@given(st.integers(0, 999), batches, ways, st.data())
def test_a_sentence_that_is_dropped_leaves_the_others_as_they_were(seed, batch, options, data):
    bigram = model(seed)
    found = quests(bigram, batch, options)
    if not found:
        return
    number = data.draw(st.integers(0, len(found) - 1))
    column = data.draw(st.integers(1, 4))
    before = exhausted(searching(bigram, found))
    seen, after = driven(searching(bigram, found), {column: {number}})
    others = set(range(len(found))) - {number}
    assert [known(after[n]) for n in others] == [known(before[n]) for n in others]
    if len(seen) >= column:
        assert after[number] == []


def test_what_is_dropped_is_searched_no_further():
    asked = []

    class Noted:
        def __init__(self, model):
            self.model, self.vocab_size, self.bos, self.eos = model, 5, model.bos, model.eos
            self.start, self.select = model.start, model.select

        def step(self, state, tokens):
            asked.append(len(tokens))
            return self.model.step(state, tokens)

    bigram = Noted(model(1))
    found = quests(bigram, [[], []], SearchOptions(beam=3, max_length=6, length_reward=9.0))
    driven(searching(bigram, found))
    alone, asked[:] = asked[:], []
    driven(searching(bigram, found), {2: {0}})
    assert asked[:2] == alone[:2] and asked[2] * 2 == alone[2]
    asked.clear()
    driven(searching(bigram, found), {2: {0, 1}})
    assert len(asked) == 2


@some
@given(st.integers(0, 999), batches, ways)
def test_a_sentence_that_is_over_has_all_it_will_ever_have(seed, batch, options):
    bigram = model(seed)
    found = quests(bigram, batch, options)
    if not found:
        return
    early, steps = {}, searching(bigram, found)
    _, results = driven(noting(steps, early, found, bigram))
    for number, hypotheses in early.items():
        if hypotheses:
            assert hypotheses == results[number]
            assert works(hypotheses) == works(results[number])
    assert set(early) == set(range(len(found)))


def noting(steps, early, found, bigram):
    """The same search, which notes what sentences have found as soon as they are over."""
    while True:
        try:
            reached = next(steps)
        except StopIteration as end:
            return end.value
        for number, quest in enumerate(found):
            if number not in early and number not in reached.running():
                early[number] = outcome(reached, number, quest, bigram)
        yield reached


@some
@given(st.integers(0, 999), batches, ways)
def test_the_columns_that_are_seen_are_those_of_the_recorded_grid(seed, batch, options):
    bigram = model(seed)
    found = quests(bigram, batch, options.but(trace=True))
    if not found:
        return
    grids = {number: [] for number in range(len(found))}
    steps = decoding(
        bigram, [q.source for q in found], [q.automaton for q in found], options.but(trace=True)
    )
    seen, last = driven(steps)
    for reached in seen:
        for number, traced in reached.traced().items():
            grids[number].append(traced)
    assert [trace.columns for trace in last.traces()] == [tuple(grid) for grid in grids.values()]


@some
@given(st.integers(0, 999), batches, ways)
def test_the_best_so_far_grows_into_the_best(seed, batch, options):
    bigram = model(seed)
    found = quests(bigram, batch, options)
    if not found:
        return
    seen, results = driven(searching(bigram, found))
    for reached in seen:
        for number, best in reached.best().items():
            assert len(best.tokens) == reached.length or best.is_finished
            assert best.is_finished == bool(reached.paths()[number])
    for number, hypotheses in enumerate(results):
        if isinstance(hypotheses, list) and not hypotheses[0].fell_back:
            best = seen[-1].best()[number]
            assert (best.tokens, best.score) == (hypotheses[0].tokens, hypotheses[0].score)


def test_the_best_that_runs_is_the_likeliest_of_all_rows():
    bigram = model(3)
    (quest,) = quests(bigram, [[[2, 3]]], SearchOptions(beam=5, max_length=9, trace=True))
    first = next(searching(bigram, [quest]))
    running = [hyp for hyp in first.traced()[0] if not hyp.is_ended]
    assert len({hyp.row for hyp in running}) > 1
    assert first.best()[0].tokens == (max(running, key=lambda hyp: hyp.score).token,)


@some
@given(st.integers(0, 999), batches, ways, st.lists(st.integers(1, 8), min_size=4, max_size=4))
def test_sentences_of_different_limits_find_together_what_they_find_alone(
    seed, batch, options, lengths
):
    bigram = model(seed)
    found = quests(bigram, batch, options, lengths)
    if not found:
        return
    together = exhausted(searching(bigram, found))
    for quest, here in zip(found, together, strict=True):
        (alone,) = exhausted(searching(bigram, [quest]))
        assert known(alone) == known(here)
        assert works(alone) == works(here)


def test_searches_of_different_options_are_not_made_together():
    bigram = model(0)
    one, other = (quests(bigram, [[]], OPTIONS.but(beam=beam, n_best=1))[0] for beam in (2, 3))
    with pytest.raises(ValueError, match="different options"):
        next(searching(bigram, [one, other]))


def test_a_driver_may_differentiate_between_the_columns():
    steps = searching(model(0), quests(model(0), [[]], OPTIONS))
    next(steps)
    assert not torch.is_inference_mode_enabled()
    steps.close()
    assert not torch.is_inference_mode_enabled()


def test_whoever_watches_a_search_sees_each_column_of_it():
    seen = []
    options = {"beam": 3, "max_length": 6}
    plain = gridbeam.search(model(5), [[2], [3]], [[], []], **options)
    watched = gridbeam.search(model(5), [[2], [3]], [[], []], watch=seen.append, **options)
    assert watched == plain
    assert [reached.length for reached in seen] == [*range(1, len(seen) + 1)]
    assert seen[-1].best()[1].tokens == plain[1][0].tokens
