"""What many hypotheses owe at once, in tensors, is what each owes on its own."""

from __future__ import annotations

from random import Random

import pytest
import torch
from drawn import EOS, TOKENS, VOCAB, constraints, model, patterns, phrases, spellings
from hypothesis import given
from hypothesis import strategies as st
from oracle import is_met

import gridbeam
from gridbeam import Phrase
from gridbeam.constraints.automaton import compile_constraints
from gridbeam.constraints.spelled import Arc, Spellings
from gridbeam.decoding.tables import LOST, tables_of

texts = st.integers(0, 9999).map(lambda seed: Random(seed).choices([*TOKENS, 4], k=12))
"""Twelve tokens by lot; lists of hypothesis' own are mostly short."""
several = st.lists(st.one_of(phrases, spellings(), patterns, constraints), min_size=2, max_size=4)


def word(*tokens: int, ends_before: frozenset[int] = frozenset({EOS, 4})) -> Spellings:
    """A word that is one only if it ends there: what follows is the end of the text, or a 4."""
    arcs = tuple((Arc(token, place + 1),) for place, token in enumerate(tokens))
    return Spellings("".join(map(str, tokens)), (), arcs, after=ends_before)


@given(st.lists(several, min_size=1, max_size=2), texts)
def test_debts_in_tensors_are_those_of_each_hypothesis_alone(wishes, tokens):
    """After each token: whether something is broken, what is owed, and what is needed at least."""
    automata = [compile_constraints(terms, "contains", {EOS}) for terms in wishes]
    tables = tables_of(automata, VOCAB, torch.device("cpu"))
    alive = {number: automaton.start for number, automaton in enumerate(automata)}
    together = tables.start
    for token in tokens:
        together = tables.read(together, torch.full_like(together, token))
        after = {
            number: automata[number].accept(progress, token) for number, progress in alive.items()
        }
        for number, progress in after.items():
            assert (progress is None) == bool((together[number] == LOST).any())
        alive = {number: progress for number, progress in after.items() if progress is not None}
        owed = tables.owed_after(together)
        needs = tables.needs_after(together, owed, torch.arange(len(wishes)))
        for number, progress in alive.items():
            assert int(owed[number]) == automata[number].owed(progress)
            assert int(needs[number]) == automata[number].needs(progress)


def test_words_that_end_with_one_token_are_confirmed_together():
    """After 3 2 both words wait for no more than their end: they owe nothing."""
    terms = [word(3, 2), word(2)]
    assert is_met(terms, (3, 2, EOS), "contains")
    [[best]] = gridbeam.search(model(0), [[2]], [terms], max_length=3, beam=1)
    assert best.tokens == (3, 2, EOS) and not best.fell_back


def test_what_one_match_has_covered_is_not_lent_to_another():
    """After 3 both phrases are under way; to go on with one breaks the other: 1 + 2 are left."""
    automaton = compile_constraints([Phrase([3, 2]), Phrase([3, 0])], "contains")
    tables = tables_of([automaton], VOCAB, torch.device("cpu"))
    after = tables.read(tables.start, torch.full_like(tables.start, 3))
    assert tables.owed_after(after).tolist() == [3]


@pytest.mark.parametrize("after", [[3, 2], [3, 2, 4]])
def test_a_word_that_its_end_confirms_stays_confirmed(after):
    [[best]] = gridbeam.search(
        model(0), [[2]], [[word(3, 2), word(2), gridbeam.Prefix(after)]], max_length=8, beam=2
    )
    assert best.tokens[: len(after)] == tuple(after)
    assert is_met([word(3, 2), word(2)], best.tokens, "contains")
