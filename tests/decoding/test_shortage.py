"""A batch that does not fit in memory is halved, and comes to the same."""

from __future__ import annotations

import pytest
from crammed import SHORTAGES, Crammed, crammed
from echo import translator

from gridbeam import Request, UserError, search
from gridbeam.errors import UserNotice

WANTED = [
    Request(f"The {noun} {number} is full.", ["Ordner"] * (number % 2))
    for number, noun in enumerate(["disk", "drive", "screen", "folder", "file", "house", "smoke"])
]


@pytest.mark.parametrize("shortage", SHORTAGES, ids=["memory", "gpu", "cpu"])
def test_a_batch_that_does_not_fit_is_halved_with_a_notice_and_gives_the_same(shortage):
    small = crammed(room=60, shortage=shortage)
    with pytest.warns(UserNotice, match="does not fit in memory: tried again with") as told:
        found = list(small.translate_all(WANTED))
    assert str(told[0].message).startswith("a batch of 7 does not fit")
    assert found == list(translator().translate_all(WANTED))
    assert small.model.most <= 60


def test_a_text_that_does_not_fit_alone_is_an_error_that_says_what_to_lower():
    with pytest.raises(UserError, match=r"not enough memory.*lower beam or max_length, or shorten"):
        crammed(room=1).translate(WANTED[0], beam=4)


def test_a_text_that_does_not_fit_takes_no_other_with_it():
    small = crammed(room=5)
    with pytest.warns(UserNotice, match="does not fit"):
        found = dict(small.translate_each(WANTED[:4]))
    assert [isinstance(found[number], UserError) for number in range(4)] == [False, True] * 2


def test_other_faults_of_a_model_are_not_tried_again():
    with pytest.raises(RuntimeError, match="no such kernel"):
        list(crammed(room=1, shortage=RuntimeError("no such kernel")).translate_all(WANTED))


def test_a_search_for_many_sources_is_halved_too():
    sources = [[5, 6, 7, 0], [8, 9, 0], [10, 11, 12, 13, 0]]
    model = translator().model
    with pytest.warns(UserNotice, match="does not fit in memory"):
        found = search(Crammed(room=14), sources, [[]] * 3)
    alone = search(model, sources, [[]] * 3)
    assert [[each.tokens for each in own] for own in found] == [
        [each.tokens for each in own] for own in alone
    ]
