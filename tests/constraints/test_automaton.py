"""Progress through constraints: borders, debts, and sizes that stay small."""

from __future__ import annotations

from drawn import TOKENS, patterns
from hypothesis import given
from hypothesis import strategies as st
from oracle import occurrences
from timing import timed

from gridbeam import AnyOf, Avoid, Gap, InOrder, Phrase, Prefix
from gridbeam.constraints.automaton import compile_constraints
from gridbeam.constraints.machine import MET, guarding, placing, watching
from gridbeam.constraints.spelled import Arc, Spellings
from gridbeam.constraints.terms import as_constraints


def run(machine, tokens):
    state = machine.start
    for position, token in enumerate(tokens):
        state = machine.read(machine.with_filters(state, tuple(tokens[:position])), token)
    return state


@given(patterns, st.lists(st.sampled_from([*TOKENS, 4]), max_size=9))
def test_a_watching_machine_is_met_exactly_where_the_pattern_occurs(pattern, tokens):
    occurs = any(True for _ in occurrences(pattern, tuple(tokens)))
    machine = watching(pattern)
    assert (machine.needs[run(machine, tokens)] == 0) == occurs


def test_a_broken_match_falls_back_to_its_longest_border():
    machine = watching(Phrase([5, 5, 6]))
    assert machine.needs[run(machine, [5, 5, 5])] == 1
    assert machine.needs[run(machine, [5, 6])] == 3


def test_a_phrase_of_n_tokens_has_n_and_one_states():
    assert len(watching(Phrase([3, 4, 3, 5])).arcs) == 5
    assert len(placing(Phrase([3, 4, 3, 5])).arcs) == 5


def test_alternatives_share_their_beginnings():
    machine = watching(AnyOf([3, 4, 5], [3, 4, 6], [3, 4]))
    assert len(machine.arcs) == 3
    assert machine.needs[machine.start] == 2


def test_alternatives_may_contain_each_other():
    machine = watching(AnyOf([3, 4, 5, 6], [4, 5]))
    assert run(machine, [3, 4, 5]) == MET


def test_a_long_list_of_copies_stays_linear():
    machine = watching(InOrder(*[Phrase([3, 4])] * 30))
    assert len(machine.arcs) <= 2 * 30 + 1


def test_a_wide_gap_without_least_stays_linear():
    assert len(watching(InOrder([3], Gap(0, 40), [4])).arcs) <= 45
    assert len(watching(InOrder([3], Gap(40), [4])).arcs) <= 45


def test_a_wide_gap_with_a_least_stays_small():
    assert len(watching(InOrder([3], Gap(10, 20), [4])).arcs) < 500
    assert len(watching(InOrder([3], Gap(15, 30), [4])).arcs) < 1500
    assert len(watching(InOrder([3], Gap(12, 14), [4])).arcs) < 3500


@given(
    st.integers(0, 6),
    st.integers(0, 7),
    st.sampled_from([[3], [3, 3], [3, 2]]),
    st.lists(st.sampled_from([2, 3, 3, 4]), max_size=20),
)
def test_a_gap_is_kept_to_the_token_however_often_its_beginning_is_said(least, width, end, tokens):
    pattern = InOrder([3], Gap(least, least + width), end, Gap(0, 1), [4])
    occurs = any(True for _ in occurrences(pattern, tuple(tokens)))
    machine = watching(pattern)
    assert (machine.needs[run(machine, tokens)] == 0) == occurs


def test_numc_is_what_is_owed_at_the_start():
    for coverage in ("placed", "contains"):
        automaton = compile_constraints(
            [Phrase([2, 3]), AnyOf([4], [5, 6]), InOrder([7], Gap(1), [8])], coverage
        )
        assert automaton.owed(automaton.start) == 2 + 1 + 3


def test_matches_under_way_count_once_because_only_one_can_be_continued():
    automaton = compile_constraints([Phrase([9, 2, 3, 4]), Phrase([2, 3, 5])], "contains")
    progress = automaton.start
    for token in (9, 2, 3):
        progress = automaton.accept(progress, token)
    assert automaton.owed(progress) == 1 + 3
    assert automaton.needs(progress) == 1


def detours(automaton, tokens):
    """How far from paying for itself what is under way is, after each token."""
    progress, found = automaton.start, []
    for token in tokens:
        progress = automaton.accept(progress, token)
        found.append((automaton.owed(progress), automaton.detour(progress)))
    return found


def test_a_longer_alternative_pays_only_when_less_of_it_is_left_than_of_the_shortest():
    automaton = compile_constraints([AnyOf([9, 8], [2, 3, 4, 5])], "contains")
    assert detours(automaton, [2, 3, 4, 5]) == [(2, 2), (2, 1), (1, 0), (0, 0)]
    assert detours(automaton, [2, 3, 7, 9, 8]) == [(2, 2), (2, 1), (2, 0), (1, 0), (0, 0)]
    assert automaton.longest_detour == 2


def test_there_is_no_detour_where_nothing_is_longer_or_every_token_is_placed():
    alike = (
        [[2, 3, 4]],
        [AnyOf([2, 3], [2, 4], [5, 6])],
        [Avoid(AnyOf([2], [3, 4, 5]))],
        [Prefix(AnyOf([2], [3, 4, 5]))],
    )
    assert [
        compile_constraints(as_constraints(terms), "contains").longest_detour for terms in alike
    ] == [0, 0, 0, 0]
    assert compile_constraints([AnyOf([2], [3, 4, 5])], "placed").longest_detour == 0


def test_a_closed_hypothesis_may_only_continue():
    automaton = compile_constraints([Phrase([2, 3]), Phrase([4])], "placed")
    first, *_ = automaton.wanted(automaton.start)
    assert not automaton.is_open(first.progress)
    assert automaton.accept(first.progress, 9) is None
    assert [step.token for step in automaton.wanted(first.progress)] == [3]


def test_a_freely_generated_token_is_credited_only_where_coverage_is_contains():
    for coverage, owed in (("placed", 2), ("contains", 1)):
        automaton = compile_constraints([Phrase([2, 3])], coverage)
        assert automaton.owed(automaton.accept(automaton.start, 2)) == owed


def test_two_phrases_that_begin_alike_are_wanted_in_the_order_of_the_constraints():
    automaton = compile_constraints([Phrase([2, 3]), Phrase([2, 4])], "placed")
    assert [(step.token, step.placed_for) for step in automaton.wanted(automaton.start)] == [
        (2, 0),
        (2, 1),
    ]


def test_a_prefix_is_closed_from_the_beginning():
    for coverage in ("placed", "contains"):
        automaton = compile_constraints([Prefix([2, 3]), Phrase([4])], coverage)
        assert not automaton.is_open(automaton.start)
        assert [step.token for step in automaton.wanted(automaton.start)] == [2]


def test_ordered_patterns_to_avoid_do_not_multiply():
    terms = [Avoid(InOrder([2 * n], Gap(1, 4), [2 * n + 1])) for n in range(30)]
    assert (
        sum(len(machine.arcs) for machine in compile_constraints(terms, "contains").machines)
        < 30 * 20
    )


def test_the_same_constraints_share_their_machines():
    terms = [Avoid([3]), Avoid([4, 5]), Phrase([6, 7])]
    first, second = (compile_constraints(terms, "contains") for _ in range(2))
    assert all(a is b for a, b in zip(first.machines, second.machines, strict=True))


def test_large_terms_are_compiled_in_no_time():
    either, other = (AnyOf(*([n, end] for n in range(80))) for end in (900, 901))
    with timed() as taken:
        watching(AnyOf(*([n, n + 1, n + 2] for n in range(500))))
        watching(InOrder(*[Phrase(range(20))] * 20))
        watching(InOrder(either, Gap(1, 20), other))
        watching(Phrase(range(300)))
    assert taken.seconds < 10


def test_a_guard_dies_where_the_avoided_phrase_ends():
    machine = guarding(AnyOf([2, 3], [4]))
    assert run(machine, [2, 2]) >= 0
    assert run(machine, [2, 2, 3]) < 0
    automaton = compile_constraints([Avoid([2, 3]), Phrase([2]), Phrase([3])], "placed")
    first, *_ = automaton.wanted(automaton.start)
    assert [step.token for step in automaton.wanted(first.progress)] == []


def test_a_guard_lets_pass_whatever_comes_once_the_phrase_can_no_longer_begin():
    silent = frozenset({9})
    at_the_beginning = Spellings("x", (), ((Arc(3, 1),),), before=silent, skipped=silent)
    machine = guarding(at_the_beginning)
    assert run(machine, [3]) < 0
    assert run(machine, [5, 3, 5]) >= 0


def test_phrases_that_wait_for_their_word_to_end_have_no_arcs_of_their_own_for_what_begins_anew():
    def word(first, second):
        return Spellings("x", (), ((Arc(first, 1),), (Arc(second, 2),)), after=frozenset({0, 999}))

    machine = guarding(AnyOf(*(word(n, n + 1) for n in range(100))))
    assert run(machine, [7, 8, 9, 8]) >= 0
    assert run(machine, [7, 8, 999]) < 0
    assert sum(len(arcs) for arcs in machine.arcs) < 100 * 4


def test_the_columns_of_a_machine_say_what_its_arcs_say():
    machine = watching(AnyOf([5, 3], [5, 2, 5]))
    columns = machine.columns
    arcs = zip(columns.state, columns.token, columns.to, strict=True)
    assert [*arcs] == sorted(
        (state, token, to) for state, arcs in enumerate(machine.arcs) for token, to in arcs.items()
    )
    assert [*columns.default] == [to for by_kind in machine.default for to in by_kind]
