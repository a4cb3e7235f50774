"""Whatever a person does, in whatever order: what is locked stands, what is forbidden is not said.

The model copies its source, so that a search takes milliseconds.
"""

from __future__ import annotations

import json

import follower
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gridbeam import Avoid, SearchOptions, UserError
from gridbeam.editing import verbs
from gridbeam.editing.stretch import occurrences, whole_words
from gridbeam.postedit import (
    Clash,
    EditingState,
    PostEditing,
    Stretch,
    TextSpeaker,
)
from gridbeam.text.words import spans, words

SOURCE = "The disk is full, and the old disk is empty."
WORDS = ("Laufwerk", "disk", "is not", "ist", "voll", "the", "The house", "")
OLD, SECOND, EMPTY = (26, 29), (30, 34), (38, 43)
"""Where its words are: old, the second disk, empty."""
SHORT = {"beam": 2, "max_length": 40}

some_words = st.sampled_from(WORDS)
place = st.integers(0, 50)
act = st.one_of(
    st.tuples(st.just("replace"), place, place, some_words),
    st.tuples(st.sampled_from(["lock", "unlock"]), place, place),
    st.tuples(st.sampled_from(["forbid", "allow"]), some_words),
    st.tuples(st.just("complete"), place, some_words),
    st.tuples(st.just("write"), place, some_words),
    st.tuples(st.sampled_from(["undo", "redo"])),
)


def done(editing, name, *given):
    """The change that an act makes, at places that the text has."""
    text = editing.text
    match name, given:
        case "replace", (a, b, words):
            return editing.replace(within(text, a, b), words)
        case (("lock" | "unlock"), (a, b)):
            return getattr(editing, name)(within(text, a, b))
        case "complete", (a, words):
            return editing.complete(text[: min(a, len(text))].rstrip() + " " + words)
        case "write", (a, words):
            return editing.write(f"{text[:a].rstrip()} {words} {text[a:].lstrip()}".strip())
        case _:
            return getattr(editing, name)(*given)


def within(text, one, other):
    ends = sorted(min(each, len(text)) for each in (one, other))
    return Stretch(*ends)


def locked(state):
    return [lock.where.of(state.text) for lock in state.locks]


def holds(state):
    """The laws of every state."""
    ends = [0, *(end for lock in state.locks for end in lock.where.as_json())]
    assert ends == sorted(ends) and ends[-1] <= len(state.text)
    assert all(said and said == said.strip() for said in locked(state))
    for each in state.forbidden:
        assert not any(occurrences(state.text, each))
    assert [(w.start, w.end) for w in state.words] == spans(state.text, words(state.text))
    for word in state.words:
        is_locked = state.locked_at(Stretch(word.start, word.end))
        assert word.confidence is None or (0 <= word.confidence <= 1 and not is_locked)
    assert EditingState.from_json(json.loads(json.dumps(state.as_json()))) == state


def is_part(some, others):
    """Whether all of some are among others, in order."""
    rest = iter(others)
    return all(each in rest for each in some)


@settings(max_examples=20)
@given(st.lists(act, min_size=1, max_size=6))
def test_locks_hold_and_what_is_forbidden_is_absent_whatever_is_done(acts):
    editing = PostEditing(follower.translator(), SOURCE, **SHORT)
    for each in acts:
        before = editing.state
        try:
            change = done(editing, *each)
        except UserError:
            assert editing.state is before
            continue
        assert (change.before, change.after) == (before, editing.state)
        holds(editing.state)
        assert is_part(kept_by(each, before), locked_words(editing.state))
        undone_and_done_again(editing)


def kept_by(act, state):
    """The locked words that an act must leave where they are."""
    match act:
        case "replace", a, b, _:
            grown = whole_words(state.text, within(state.text, a, b))
            held = [lock for lock in state.locks if not touches(lock.where, grown)]
        case (("lock" | "forbid" | "allow"), *_):
            held = [*state.locks]
        case "complete", a, _:
            held = [lock for lock in state.locks if lock.where.end < a]
        case _:
            held = []
    return [word for lock in held for word in words(lock.where.of(state.text))]


def touches(one, other):
    return max(one.start, other.start) <= min(one.end, other.end)


def locked_words(state):
    return [word for text in locked(state) for word in words(text)]


def undone_and_done_again(editing):
    """Going back and forth leads to the same text."""
    now = editing.state
    if editing.can_undo:
        change = editing.undo()
        assert change.before == now
        assert editing.redo().after == now == editing.state


def test_all_can_be_taken_back_and_done_again():
    editing = PostEditing(follower.translator(), SOURCE, **SHORT)
    states = [editing.state]
    editing.lock((4, 8))
    editing.replace(SECOND, "drive")
    editing.forbid("full")
    assert not editing.can_redo and editing.can_undo
    after = editing.state
    assert "drive" in after.text and "full" not in after.text and after.text[4:8] == "disk"
    for _ in range(3):
        editing.undo()
    assert editing.state == states[0] and not editing.can_undo
    for _ in range(3):
        editing.redo()
    assert editing.state == after
    with pytest.raises(UserError, match="taken back"):
        editing.redo()


def test_words_stand_where_they_were_put_and_nothing_else_changes():
    editing = PostEditing(follower.translator(), SOURCE, **SHORT)
    change = editing.replace(SECOND, "drive")
    assert change.text == "The disk is full, and the old drive is empty."
    assert [(each.kind, each.text) for each in change.difference if each.kind != "kept"] == [
        ("gone", "disk"),
        ("new", "drive"),
    ]
    assert locked(change.after) == ["drive"] and change.after.locks[0].typed


def test_words_taken_out_stay_out_and_lock_nothing():
    editing = PostEditing(follower.translator(), SOURCE, **SHORT)
    change = editing.replace(EMPTY, "")
    assert change.text == "The disk is full, and the old disk is."
    assert locked(change.after) == [] and change.after.avoided == ("empty",)
    assert editing.replace((4, 8), "drive").text == "The drive is full, and the old disk is."
    assert locked(editing.state) == ["drive"] and editing.state.taken_out == ("empty",)


def test_nothing_comes_in_the_place_of_what_was_taken_out():
    editing = PostEditing(follower.translator(), SOURCE, **SHORT)
    assert editing.replace(OLD, "").text == "The disk is full, and the disk is empty."
    assert editing.state.taken_out == ("the old", "old disk")


def test_words_that_stand_elsewhere_too_are_taken_out_of_their_place_only():
    editing = PostEditing(follower.translator(), SOURCE, **SHORT)
    change = editing.replace((4, 8), "")
    assert change.text == "The is full, and the old disk is empty."
    assert change.after.taken_out == ("The disk",)


def test_what_was_taken_out_may_be_said_again_once_it_is_typed_required_allowed_or_undone():
    editing = PostEditing(follower.translator(), SOURCE, **SHORT)
    without = editing.replace(EMPTY, "").after
    ways_back = (
        lambda: editing.replace((37, 37), "empty"),
        lambda: editing.write(SOURCE),
        lambda: editing.complete(SOURCE[:-1]),
        lambda: editing.revise("empty"),
        lambda: editing.allow("empty"),
    )
    for way_back in ways_back:
        way_back()
        assert "empty" not in editing.state.avoided
        assert editing.undo().after == without
    assert editing.undo().after.avoided == ()


def test_words_left_out_by_typing_over_or_freely_do_not_come_back():
    editing = PostEditing(follower.translator(), SOURCE, **SHORT)
    assert editing.replace((35, 43), "is").after.taken_out == ("empty",)
    assert editing.write("The disk is full.").after.taken_out[1:] == (", and the old disk is",)


def test_words_can_be_put_in_between():
    editing = PostEditing(follower.translator(), "The disk is full.", **SHORT)
    change = editing.replace((4, 4), "old")
    assert change.text == "The old disk is full." and locked(change.after) == ["old"]


def test_a_part_of_a_word_is_the_whole_word():
    editing = PostEditing(follower.translator(), "The disk is full.", **SHORT)
    change = editing.replace((5, 7), "oc")
    assert change.text == "The dock is full." and locked(change.after) == ["dock"]


def test_replacing_a_part_of_what_is_locked_lets_go_of_that_part():
    editing = PostEditing(follower.translator(), SOURCE, **SHORT)
    editing.lock((22, 43))
    change = editing.replace(SECOND, "drive")
    assert locked(change.after) == ["the old", "drive", "is empty"]


def test_what_is_locked_goes_one_by_one():
    editing = PostEditing(follower.translator(), SOURCE, **SHORT)
    editing.lock((0, 8))
    editing.lock(EMPTY)
    assert locked(editing.unlock((5, 5)).after) == ["empty"]
    with pytest.raises(UserError, match="nothing is locked"):
        editing.unlock((5, 8))


def test_what_is_forbidden_clashes_with_what_is_locked_and_changes_nothing():
    editing = PostEditing(follower.translator(), SOURCE, **SHORT)
    editing.lock((4, 8))
    before = editing.state
    with pytest.raises(Clash) as caught:
        editing.forbid("disk")
    assert caught.value.locks == (Stretch(4, 8),) and caught.value.forbidden == ("disk",)
    assert editing.state is before
    editing.forbid("drive")
    with pytest.raises(Clash, match="drive"):
        editing.replace(SECOND, "drive")
    assert editing.allow("drive").after.forbidden == ()


def test_of_many_locks_those_that_are_in_the_way_are_named():
    editing = PostEditing(follower.translator(), SOURCE, **SHORT)
    editing.write("The disk is full, and the old disk is empty and the house.")
    editing.lock((0, 8))
    with pytest.raises(Clash) as caught:
        editing.revise(Avoid("house"))
    assert [each.of(editing.text) for each in caught.value.locks] == ["and the house"]


def test_completing_takes_what_is_left_of_the_cursor_as_it_is():
    editing = PostEditing(follower.translator(), SOURCE, **SHORT)
    editing.lock(EMPTY)
    change = editing.complete("Why is the dis")
    assert change.text.startswith("Why is the dis") and change.text.endswith("empty.")
    assert locked(change.after)[0].startswith("Why is the dis")
    assert locked(change.after)[-1] == "empty"


def test_writing_keeps_the_locks_whose_words_are_still_there():
    editing = PostEditing(follower.translator(), SOURCE, **SHORT)
    editing.lock((4, 8))
    editing.lock((26, 34))
    change = editing.write("My disk is full, and the new disk is empty.")
    assert locked(change.after) == ["My", "disk", "new"]
    assert [lock.typed for lock in change.after.locks] == [True, False, True]
    assert change.said is None


def test_a_text_is_taken_up_where_it_was_left():
    speaker = TextSpeaker(follower.translator(), SOURCE, SearchOptions(**SHORT))
    editing = PostEditing.of(speaker)
    editing.lock((4, 8))
    left = EditingState.from_json(json.loads(json.dumps(editing.state.as_json())))
    again = PostEditing.of(speaker, left)
    assert again.state == editing.state and not again.can_undo
    assert again.replace(SECOND, "drive").after == editing.replace(SECOND, "drive").after


def test_no_part_of_a_placeholder_can_be_changed():
    state = EditingState("Delete {1} now.", fixed=(Stretch(7, 10),))
    with pytest.raises(UserError, match="placeholder"):
        verbs.replaced(None, state, (0, 8), "Remove")
    assert locked(verbs.locked(state, (0, 8)).after) == ["Delete {1}"]
    assert verbs.written(state, "Please delete {1}.").after.fixed == (Stretch(14, 17),)
