"""Words where a text ends: one to avoid is not its last, and those required have room to end."""

from __future__ import annotations

import pytest
from drawn import EOS, VOCAB, Counting, model, prefix_scores, spellings
from hypothesis import example, given, settings
from hypothesis import strategies as st
from longer import table_model
from oracle import best_strings, is_met

import gridbeam
from gridbeam import Avoid, SearchOptions, Unsatisfiable
from gridbeam.constraints.spelled import Arc, Spellings
from gridbeam.decoding.loop import exhausted
from gridbeam.decoding.quest import quest_of
from gridbeam.decoding.searching import searching

ENDS = frozenset({EOS, 4})


def word(*tokens: int) -> Spellings:
    """A word that counts only between spaces, which are 4, or the ends of the text."""
    arcs = tuple((Arc(token, place + 1),) for place, token in enumerate(tokens))
    return Spellings("".join(map(str, tokens)), (), arcs, before=ENDS, after=ENDS)


GERMAN = {4: {3: 0.9}, 3: {2: 0.9}, 2: {0: 0.9}, 0: {4: 0.9}}
"""It says 3 2 0, and a space."""


@pytest.mark.parametrize(("length", "avoided"), [(2, (3, 2)), (3, (3, 2, 0)), (1, (3,))])
def test_the_limit_cuts_no_text_off_after_a_word_to_avoid(length, avoided):
    """As long as more may follow, it may become a longer word; at the limit it is what it is."""
    [[free]] = gridbeam.search(table_model(GERMAN), [[2]], [[]], max_length=length, force_end=False)
    [[best]] = gridbeam.search(
        table_model(GERMAN), [[2]], [[Avoid(word(*avoided))]], max_length=length, force_end=False
    )
    assert free.tokens == avoided
    assert is_met([Avoid(word(*avoided))], best.tokens, "contains") and len(best.tokens) == length


@pytest.mark.parametrize("avoided", [(3,), (3, 2), (3, 2, 0)])
def test_only_a_text_at_its_own_limit_is_cut_off_there(avoided):
    """Beside a sentence that ends here, what may become a longer word still may."""
    german, options = table_model(GERMAN), SearchOptions(force_end=False, beam=1)
    short, long = (
        quest_of([2], [Avoid(word(*avoided))], None, options.but(max_length=most), german)
        for most in (len(avoided), 5)
    )
    together = exhausted(searching(german, [short, long]))
    alone = [exhausted(searching(german, [quest]))[0] for quest in (short, long)]
    assert together == alone
    assert together[1][0].tokens[: len(avoided)] == avoided


def test_a_user_cuts_no_text_off_after_a_word_to_avoid():
    def after_a_two(sentence, tokens):
        return tokens[:, -1] == 2

    terms = [Avoid(word(3, 2))]
    [[best]] = gridbeam.search(
        table_model(GERMAN), [[2]], [terms], max_length=6, cut_off=after_a_two
    )
    assert is_met(terms, best.tokens, "contains")


@settings(max_examples=settings().max_examples // 2)
@given(st.integers(0, 9999), spellings(), st.integers(1, 4))
def test_what_is_avoided_is_not_in_a_text_that_is_cut_off(seed, spelling, length):
    try:
        [[best]] = gridbeam.search(
            model(seed), [[2]], [[Avoid(spelling)]], max_length=length, force_end=False, beam=2
        )
    except Unsatisfiable:
        return
    assert is_met([Avoid(spelling)], best.tokens, "contains")


@pytest.mark.parametrize("coverage", ["contains", "placed"])
def test_words_with_a_space_between_them_need_room_for_it(coverage):
    terms, model = [word(3), word(2)], Counting(table_model(GERMAN))
    with pytest.raises(Unsatisfiable, match=r'do not fit together: max_length is 3\. .* "3"; "2"'):
        gridbeam.search(model, [[2]], [terms], max_length=3, coverage=coverage)
    assert model.rows == []
    [[best]] = gridbeam.search(model, [[2]], [terms], max_length=4, coverage=coverage)
    assert best.tokens in {(3, 4, 2, EOS), (2, 4, 3, EOS)}


words = st.lists(st.sampled_from([0, 2, 3]), min_size=1, max_size=2).map(
    lambda tokens: word(*tokens)
)


@settings(max_examples=settings().max_examples // 2)
@given(
    st.lists(words, min_size=1, max_size=3),
    st.sampled_from(["contains", "placed"]),
    st.integers(1, 6),
)
@example([word(3), word(2)], "contains", 3)
def test_what_cannot_be_met_is_refused_before_decoding(terms, coverage, length):
    counting = Counting(model(0))
    judged = {
        "vocab_size": VOCAB,
        "eos": EOS,
        "max_length": length,
        "coverage": coverage,
        "length_penalty": 0.0,
    }
    exists = bool(best_strings(prefix_scores(model(0), [2]), terms, **judged))
    try:
        gridbeam.search(counting, [[2]], [terms], max_length=length, coverage=coverage, beam=1)
        assert exists
    except Unsatisfiable:
        assert not exists and counting.rows == []
