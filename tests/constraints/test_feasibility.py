"""What no text can meet is refused at once, by name, and nothing else is."""

from __future__ import annotations

import pytest
import torch
from drawn import EOS, VOCAB, constraint_lists, model
from hypothesis import given
from hypothesis import strategies as st
from oracle import every_string, is_met
from timing import timed

import gridbeam
from gridbeam import (
    AnyOf,
    AtMost,
    Avoid,
    Gap,
    InOrder,
    Phrase,
    Prefix,
    Suffix,
    Unsatisfiable,
    UserError,
)
from gridbeam.constraints import as_constraints, in_line, phrases
from gridbeam.constraints.automaton import compile_constraints
from gridbeam.constraints.feasibility import Room, require_satisfiable, within
from gridbeam.notation import from_json, to_json

MANY = 200
"""So many tokens that unrelated phrases can have tokens of their own."""


def why_not(constraints, coverage="contains", vocab_size=MANY, max_length=100):
    """Why no text meets the constraints, and how long it took to say so."""
    with timed() as taken:
        room = Room(max_length)
        terms = within(as_constraints(constraints), room)
        automaton = compile_constraints(terms, coverage, {EOS})
        with pytest.raises(Unsatisfiable) as refused:
            require_satisfiable(automaton, terms, vocab_size=vocab_size, ends={EOS}, room=room)
    return str(refused.value), taken.seconds


def unrelated(count):
    """Phrases that share no token with each other or with what is asked for beside them."""
    return [[20 + 3 * n, 21 + 3 * n, 22 + 3 * n] for n in range(count)]


CLASHES = {
    "a phrase that holds what is avoided": ([3, 4, 5], Avoid([4])),
    "a phrase of which each alternative does": (AnyOf([3, 4], [5, 4]), Avoid([4])),
    "an order whose parts are avoided in it": (
        InOrder([3], Gap(0, 2), [4]),
        Avoid(InOrder([3], [4])),
    ),
    "a prefix that does": (Prefix([3, 4]), Avoid([3, 4])),
    "a suffix that does": (Suffix([3, 4]), Avoid([4])),
    "two prefixes": (Prefix([3, 4]), Prefix([4, 3])),
    "two suffixes": (Suffix([3, 4]), Suffix([4, 3])),
    "a phrase that holds too much": (Phrase([3, 4, 3]), AtMost(1, [3])),
}


@pytest.mark.parametrize("count", [0, 10, 12, 20])
@pytest.mark.parametrize("coverage", ["contains", "placed"])
@pytest.mark.parametrize("clash", CLASHES.values(), ids=CLASHES)
def test_what_contradicts_is_named_at_once_whatever_else_is_asked_for(clash, coverage, count):
    first, *others = unrelated(count) or [[9]]
    message, seconds = why_not([first, *clash, *others, Avoid([10, 11])], coverage)
    named = "; ".join(in_line(term) for term in as_constraints(list(clash)))
    assert message == f"these contradict each other, at any length. Drop one: {named}"
    assert seconds < 0.5


def test_one_of_a_thousand_avoided_phrases_is_named():
    avoided = [Avoid([20 + n, 20 + n]) for n in range(1000)]
    message, seconds = why_not([*avoided, [5, 700, 700], [6, 7]], vocab_size=2000)
    assert message.endswith("Drop one: avoid [700 700]; [5 700 700]")
    assert seconds < 5


def test_copies_that_are_more_than_may_be_are_all_named():
    message, _ = why_not([[3, 4], [9], [3, 4], AtMost(1, [4])])
    assert message.endswith("Drop one: [3 4]; [3 4]; at most once [4]")


def test_what_only_lacks_room_is_said_to_lack_room():
    message, _ = why_not([Prefix([3, 4]), Suffix([5, 4]), Avoid([4, 5])], max_length=5)
    assert message.startswith("these do not fit together: max_length is 5. Raise max_length or")
    message, _ = why_not([Suffix([3, 4, 5])], max_length=3)
    assert message.startswith("suffix [3 4 5] needs 3 tokens and the end token")


@given(constraint_lists(), st.sampled_from(["placed", "contains"]), st.integers(1, 5))
def test_no_refusal_is_wrong_and_nothing_that_no_text_meets_passes(terms, coverage, max_length):
    room = Room(max_length)
    bounded = within(terms, room)
    automaton = compile_constraints(bounded, coverage, {EOS})
    texts = every_string(VOCAB, EOS, max_length)
    exists = any(is_met(terms, text, coverage) for text in texts)
    try:
        require_satisfiable(automaton, bounded, vocab_size=VOCAB, ends={EOS}, room=room)
    except Unsatisfiable:
        assert not exists
    else:
        # A filter may never hold, or always, which nobody can know before.
        has_filters = any(phrase.when for term in terms for phrase in phrases(term))
        assert exists or has_filters


def nested(levels, kind):
    term = "a"
    for _ in range(levels):
        term = kind(term)
    return term


@pytest.mark.parametrize("kind", [AnyOf, InOrder])
def test_terms_that_are_nested_deep_are_refused_when_they_are_made(kind):
    deep = nested(100, kind)
    assert deep == nested(100, kind) and hash(deep) and str(deep) and eval(repr(deep)) == deep
    assert from_json(to_json([deep])) == (deep,)
    for levels in (101, 1000):
        with pytest.raises(UserError, match="nested more than 100 levels deep: write what"):
            nested(levels, kind)


@pytest.mark.parametrize("levels", [101, 400, 1000, 100_000])
def test_json_that_is_nested_deep_is_refused(levels):
    for opened, closed in (('{"any_of": [', "]}"), ('{"in_order": [', "]}"), ("[", "]")):
        with pytest.raises(UserError, match=r"nested more than 100 levels|write token ids as"):
            from_json("[" + opened * levels + '"a"' + closed * levels + "]")


def test_a_list_that_is_nested_deep_is_no_phrase():
    deep = [1]
    for _ in range(3000):
        deep = [deep]
    for make in (Phrase, as_constraints, AnyOf):
        with pytest.raises(UserError, match="neither text nor a list of token ids"):
            make(deep)


FOUR = AnyOf(*(InOrder([2 * n + 2], Gap(1, 10), [2 * n + 3]) for n in range(4)))
"""Orders that are all under way at once make states for every combination of their places."""


@pytest.mark.parametrize(
    "pattern",
    [FOUR, AnyOf(*(InOrder([n], [n + 50]) for n in range(2, 40)))],
    ids=["gaps", "orders"],
)
def test_patterns_that_multiply_are_refused_at_once_with_a_remedy_that_works(pattern):
    tokens = torch.randn(MANY, MANY, generator=torch.Generator().manual_seed(0))
    bigram = gridbeam.models.toy.Bigram(tokens, bos=0, eos=EOS)
    options = {"beam": 2, "max_length": 20}
    said = r'states, since .*: search with coverage="placed", or nar'
    with timed() as refusing, pytest.raises(UserError, match=said):
        gridbeam.search(bigram, [[2]], [[pattern]], **options)
    assert refusing.seconds < 2
    with timed() as searching:
        [found] = gridbeam.search(bigram, [[2]], [[pattern]], coverage="placed", **options)[0]
    assert gridbeam.check([pattern], found.tokens)[0].is_met
    assert searching.seconds < 5


def test_patterns_that_multiply_may_be_avoided_since_each_is_so_by_itself():
    with timed() as taken:
        automaton = compile_constraints([Avoid(FOUR)], "contains")
    assert len(automaton.guards) == 4
    assert taken.seconds < 1


def test_copies_of_an_order_do_not_multiply():
    order = InOrder([2], Gap(1, 10), [3])
    machine = compile_constraints([order] * 200, "contains").required[0]
    assert len(machine.arcs) < 200 * 30


def test_a_model_is_not_asked_for_what_contradicts():
    with pytest.raises(Unsatisfiable, match=r"Drop one: \[2 3\]; avoid \[3\]"):
        gridbeam.search(model(0), [[2]], [[[2, 3], Avoid([3])]])
