"""Drafts: the best translation so far, one text whatever is searched for it."""

from __future__ import annotations

import echo

from gridbeam.constraints.terms import Phrase
from gridbeam.decoding.options import SearchOptions
from gridbeam.decoding.reached import BestSoFar
from gridbeam.translation.batching import Job
from gridbeam.translation.drafts import DraftedText

TOKENIZER = echo.translator().tokenizer


def ids(text):
    return tuple(TOKENIZER(text)["input_ids"])


def job(text, *constraints):
    return Job(ids(text), constraints, SearchOptions())


def so_far(text, score=-1.0, *, is_finished=True):
    return BestSoFar(ids(text), score, is_finished)


def test_ways_to_search_for_one_sentence_make_one_text():
    ways = [job("The disk is full.", Phrase(word)) for word in ("disk", "screen")]
    drafted = DraftedText(TOKENIZER, ways)
    drafted.draft(ways[0], so_far("The disk is empty.", -2.0), 4)
    assert drafted.draft(ways[1], so_far("The screen is full."), 4).text == "The screen is full."
    found = drafted.draft(ways[1], so_far("The screen", -0.1, is_finished=False), 8)
    assert (found.text, found.score) == ("The disk is empty.", -2.0)


def test_a_draft_is_whole_once_each_sentence_has_ended():
    one, other = job("The disk is full."), job("The screen is full.")
    drafted = DraftedText(TOKENIZER, [one, other])
    assert not drafted.draft(other, so_far("The screen is full."), 4).is_whole
    assert not drafted.draft(one, so_far("The disk", is_finished=False), 4).is_whole
    found = drafted.draft(one, so_far("The disk is full."), 8)
    assert found.is_whole and found.text == "The disk is full. The screen is full."
