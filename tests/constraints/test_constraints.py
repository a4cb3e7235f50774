"""The terms: what they are made from, how they print, compare and travel as JSON."""

from __future__ import annotations

from typing import get_args

import pytest
import torch
from drawn import after_even, constraint_lists
from hypothesis import assume, given

from gridbeam import AnyOf, AtMost, Avoid, Gap, InOrder, Phrase, Prefix, Suffix, UserError
from gridbeam.constraints import Constraint, in_line
from gridbeam.constraints.encode import spell
from gridbeam.constraints.notation import from_json, to_json
from gridbeam.constraints.roles import Role
from gridbeam.constraints.terms import as_constraints
from gridbeam.constraints.walk import phrases


def test_a_string_is_a_phrase_and_a_list_of_strings_several():
    assert as_constraints("gegen das Rauchen") == (Phrase("gegen das Rauchen"),)
    assert as_constraints(["gegen", "Rauchen"]) == (Phrase("gegen"), Phrase("Rauchen"))
    assert as_constraints([[5, 7], Avoid("x")]) == (Phrase([5, 7]), Avoid(Phrase("x")))
    assert as_constraints(AnyOf("a", "b")) == (AnyOf("a", "b"),)
    assert as_constraints([]) == ()


def test_token_ids_come_from_anything_that_holds_whole_numbers():
    assert Phrase(torch.tensor([5, 7])) == Phrase((5, 7)) == Phrase(range(5, 8, 2))


def test_terms_are_values():
    assert InOrder("ask", Gap(1, 5), "out") == InOrder("ask", Gap(1, 5), "out")
    assert len({AnyOf("a", "b"), AnyOf("a", "b"), AnyOf("b", "a")}) == 2
    assert eval(repr(Prefix(InOrder("a", Gap(2), AnyOf([1], "b"))))) == Prefix(
        InOrder("a", Gap(2), AnyOf([1], "b"))
    )


def test_a_term_prints_as_a_tree():
    term = InOrder(AnyOf("Laufwerk", [5, 7]), Gap(1), Phrase("ab", when=after_even))
    assert str(Avoid(term)).splitlines() == [
        "avoid",
        "└─ in order",
        "   ├─ any of",
        '   │  ├─ "Laufwerk"',
        "   │  └─ [5 7]",
        "   ├─ gap of at least 1 tokens",
        '   └─ "ab" when after_even',
    ]


def test_each_kind_that_stands_at_the_top_is_drawn_and_travels():
    terms = [Avoid("a"), AtMost(2, AnyOf("a", "b")), Prefix("a"), Suffix(InOrder("a", "b"))]
    assert [str(term).splitlines()[0] for term in terms] == [
        "avoid",
        "at most 2 times",
        "prefix",
        "suffix",
    ]
    assert [in_line(term) for term in (AtMost(1, "a"), Suffix("a"))] == [
        'at most once "a"',
        'suffix "a"',
    ]
    assert eval(repr(terms)) == terms
    assert to_json(terms[1]) == '[{"at_most": {"any_of": ["a", "b"]}, "n": 2}]'
    assert list(from_json(to_json(terms))) == terms
    assert [phrases(term)[0] for term in terms] == [Phrase("a")] * 4


@pytest.mark.parametrize("kind", get_args(Constraint))
def test_every_kind_of_constraint_has_a_role(kind):
    assert isinstance(kind.role, Role)


def test_a_kind_that_stands_at_the_top_stands_nowhere_else():
    for term in (Avoid("a"), AtMost(1, "a"), Prefix("a"), Suffix("a")):
        for hold in (AnyOf, InOrder, Avoid, Suffix, lambda inner: AtMost(1, inner)):
            with pytest.raises(UserError, match=r"cannot stand inside \w+: put"):
                hold(term)


@pytest.mark.parametrize("n", [-1, 1001, 1.5, "two"])
def test_at_most_takes_a_number_of_times(n):
    with pytest.raises(UserError, match="may occur"):
        AtMost(n, "a")


def test_the_same_part_twice_prints_twice():
    part = Phrase("a")
    assert str(InOrder(part, part)).splitlines() == ["in order", '├─ "a"', '└─ "a"']


def test_text_is_spelled_in_ids_and_ids_stay():
    term = spell(
        InOrder(AnyOf("ab", [9]), Gap(1), "c"), lambda text: [ord(letter) for letter in text]
    )
    assert term == InOrder(AnyOf([97, 98], [9]), Gap(1), [99])
    assert [phrase.tokens for phrase in phrases(Prefix(term))] == [(97, 98), (9,), (99,)]


@pytest.mark.slow
@given(constraint_lists())
def test_json_gives_back_what_was_written(terms):
    assume("Spellings" not in repr(terms))  # they come from a tokenizer, and are not written
    if any(phrase.when for term in terms for phrase in phrases(term)):
        with pytest.raises(UserError, match="a Python function cannot be written to JSON"):
            to_json(terms)
    else:
        assert list(from_json(to_json(terms))) == terms


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", "constraints are not JSON"),
        ('"a phrase"', "constraints are a JSON str, not a list"),
        ("[[2, 3]]", r'constraints\[0\]: write token ids as {"phrase": \[2, 3\]}'),
        ("[3]", r"constraints\[0\]: expected a string or an object with one key, found 3"),
        ('["a", {"anyof": []}]', r'constraints\[1\]: unknown term "anyof": write phrase, any_of'),
        ('[{"any_of": ["a", {"phrase": []}]}]', r"constraints\[0\].any_of\[1\]: a phrase is empty"),
        ('[{"any_of": "a"}]', r"constraints\[0\]: expected a list"),
        (
            '[{"in_order": ["a", {"gap": ["x"]}, "b"]}]',
            r"constraints\[0\].in_order\[1\]: write a gap as",
        ),
        ('[{"in_order": ["a", {"gap": [1]}]}]', "not first, last"),
        ('[{"gap": [1]}]', r"constraints\[0\]: a gap stands between two parts of in_order"),
        (
            '[{"any_of": [{"avoid": "x"}]}]',
            r"constraints\[0\].any_of\[0\]: avoid stands at the top",
        ),
        (
            '[{"at_most": "a"}]',
            r'constraints\[0\]: write {"at_most": ..., "n": ...}, found the keys',
        ),
        ('[{"at_most": "a", "n": -1}]', r"constraints\[0\]: AtMost\(-1, Phrase\('a'\)\)"),
        ('[{"suffix": "a", "n": 1}]', r'constraints\[0\]: write {"suffix": ...}, found the keys'),
        (
            '[{"in_order": [{"at_most": "x", "n": 1}]}]',
            r"constraints\[0\].in_order\[0\]: at_most stands at the top",
        ),
        ('[{"phrase": "a", "when": 1}]', 'unknown option "when" of a phrase'),
        ('[{"phrase": [1.5]}]', "neither text nor a list of token ids"),
    ],
)
def test_json_that_makes_no_sense_is_located(text, message):
    with pytest.raises(UserError, match=message):
        from_json(text)
