"""A budget in all rows: its places are dealt out one by one, judged by a search in plain Python."""

from __future__ import annotations

from itertools import groupby

import pytest
from drawn import EOS, constraint_lists, model, prefix_scores
from hypothesis import given, settings
from hypothesis import strategies as st

import gridbeam
from gridbeam import Phrase, Unsatisfiable
from gridbeam.constraints.automaton import compile_constraints
from gridbeam.decoding.algorithm1 import Hyp, PaperModel
from gridbeam.decoding.scoring import sum_of_log_probs


def dealt(counts: list[int], budget: int) -> list[int]:
    """What each row gets of a budget that is dealt out in rounds while a row has use for it."""
    shares = [0] * len(counts)
    while budget and shares != counts:
        for row, count in enumerate(counts):
            if budget and shares[row] < count:
                shares[row] += 1
                budget -= 1
    return shares


def plain_search(
    log_probs, automaton, *, max_length: int, budget: int, is_set_aside: bool
) -> list[list[Hyp]]:
    """The columns of a grid with a budget, hypothesis by hypothesis."""
    paper = PaperModel(log_probs, automaton, EOS, budget, sum_of_log_probs)
    columns = [[Hyp((), automaton.start, 0.0)]]

    def place(hyp: Hyp) -> tuple[int, int]:
        return automaton.owed(hyp.progress), automaton.detour(hyp.progress)

    for _ in range(max_length):
        going_on = [hyp for hyp in columns[-1] if not paper.has_eos(hyp)]
        ended = [new for hyp in going_on for new in paper.end(hyp)]
        started = [new for hyp in going_on for new in paper.start(hyp)]
        generated = [new for hyp in going_on if paper.is_open(hyp) for new in paper.generate(hyp)]
        column = sorted(
            filter(lambda hyp: paper.can_finish(hyp, max_length), ended + started + generated),
            key=lambda h: -h.score,
        )
        different = {(hyp.tokens, hyp.progress): hyp for hyp in reversed(column)}
        ranked = sorted(different.values(), key=lambda hyp: (place(hyp), column.index(hyp)))
        rows = [list(row) for _, row in groupby(ranked, key=place)]
        kept: list[Hyp] = []
        for row, share in zip(rows, dealt(list(map(len, rows)), budget), strict=True):
            running = [hyp for hyp in row if not paper.has_eos(hyp)][:share] if is_set_aside else []
            best = [hyp for hyp in row[:share] if paper.has_eos(hyp) or not is_set_aside]
            kept += running + best
        columns.append(kept)
    return columns[1:]


@settings(max_examples=settings().max_examples // 2)
@given(
    st.integers(0, 9999),
    constraint_lists(2),
    st.sampled_from(["contains", "placed"]),
    st.sampled_from(["set_aside", "in_beam"]),
    st.integers(2, 9),
    st.integers(4, 9),
)
def test_a_budget_is_dealt_out_to_rows_that_have_use_for_it(
    seed, terms, coverage, ended, budget, max_length
):
    options = {"budget": budget, "max_length": max_length, "coverage": coverage, "ended": ended}
    try:  # a score of one's own, with which no search stops early
        [[best]] = gridbeam.search(
            model(seed),
            [[2]],
            [terms],
            **options,
            trace=True,
            score=lambda new: new.score + new.log_prob,
        )
    except Unsatisfiable:
        return
    automaton, is_set_aside = compile_constraints(terms, coverage, {EOS}), ended == "set_aside"
    columns = plain_search(
        prefix_scores(model(seed), [2]),
        automaton,
        max_length=max_length,
        budget=budget,
        is_set_aside=is_set_aside,
    )
    found = [[(hyp.token, round(hyp.score, 6)) for hyp in column] for column in best.trace.columns]
    expected = [
        [(hyp.tokens[-1], round(hyp.score, 6)) for hyp in column] for column in columns if column
    ]
    assert [sorted(column) for column in found] == [sorted(column) for column in expected]


@pytest.mark.parametrize("budget", range(2, 9))
def test_no_place_of_a_budget_is_left_empty_that_a_row_has_use_for(budget):
    """After two tokens some texts owe 0, 1 and 2; a row of few leaves its places to the others."""
    [[best]] = gridbeam.search(
        model(1),
        [[2]],
        [[Phrase([2, 3])]],
        budget=budget,
        max_length=8,
        trace=True,
        ended="in_beam",
    )
    first, second = best.trace.columns[:2]
    assert len(first) == min(budget, 4)
    assert len(second) == budget
