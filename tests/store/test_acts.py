"""Acts on a segment: compare-and-set, the log, undo and redo."""

import random

import pytest
from small_projects import confirm, project, said, segment, text, write, written

from gridbeam.errors import UserError
from gridbeam.store import Absent, NewAct, Outdated, Snapshot, Store


def test_an_act_is_there_when_the_store_is_opened_again(store, database_url):
    row = write(store, segment(store), "Öffnen Sie 📁 {1}", state={"locks": [[0, 6]]})
    store.close()
    again = Store.open(database_url)
    assert again.segments.get(row.id) == row
    assert (said(row), row.version, row.status) == ("Öffnen Sie 📁 {1}", 1, "edited")
    again.close()


def test_an_act_on_an_older_version_is_answered_with_the_newer_one(store):
    first = segment(store)
    newer = write(store, first, "eins")
    with pytest.raises(Outdated, match="segment 1 was changed meanwhile and has version 1") as told:
        write(store, first, "zwei")
    assert told.value.row == newer == store.segments.get(first.id)
    assert len(store.history(first.id)) == 1


@pytest.mark.parametrize("act", [Store.undo, Store.redo])
def test_undo_and_redo_of_an_older_version_are_refused_too(store, act):
    row = segment(store)
    write(store, row, "eins")
    with pytest.raises(Outdated):
        act(store, row.id, row.version)


def test_undo_and_redo_go_through_every_content(store):
    row = segment(store)
    contents = [row.content]
    for words in ("eins", "zwei", "drei"):
        row = write(store, row, words, review=words == "zwei", findings=({"rule": words},))
        contents.append(row.content)
    for content in reversed(contents[:-1]):
        assert row.can_undo
        row = store.undo(row.id, row.version)
        assert row.content == content
    assert (row.can_undo, row.can_redo, row.version) == (False, True, 6)
    for content in contents[1:]:
        row = store.redo(row.id, row.version)
        assert row.content == content
    assert (row.can_undo, row.can_redo) == (True, False)


def test_nothing_to_undo_or_redo_leaves_the_segment_as_it_is(store):
    row = segment(store)
    assert store.undo(row.id, row.version) == row == store.redo(row.id, row.version)
    assert store.history(row.id) == ()


def test_what_was_undone_before_an_act_stays_in_the_log_only(store):
    row = segment(store)
    for words in ("eins", "zwei"):
        row = write(store, row, words)
    row = store.undo(row.id, row.version)
    row = write(store, row, "drei")
    assert not row.can_redo
    row = store.undo(row.id, row.version)
    assert said(row) == "eins"
    row = store.redo(row.id, row.version)
    assert (said(row), row.can_redo) == ("drei", False)
    kinds = [each.kind for each in store.history(row.id)]
    assert kinds == ["write", "write", "undo", "write", "undo", "redo"]
    assert [each.after.target for each in store.history(row.id)][1] == text("zwei")


def test_undo_and_redo_agree_with_a_plain_list(store):
    """A list of contents and a place in it, as every editor has them."""
    draw = random.Random(7)
    row = segment(store)
    contents, place = [None], 0
    for number in range(60):
        kind = draw.choice(["write", "undo", "undo", "redo"])
        if kind == "write":
            contents[place + 1 :] = [str(number)]
            place += 1
            row = write(store, row, str(number))
        elif kind == "undo":
            place = max(0, place - 1)
            row = store.undo(row.id, row.version)
        else:
            place = min(len(contents) - 1, place + 1)
            row = store.redo(row.id, row.version)
        assert said(row) == contents[place]
        assert (row.can_undo, row.can_redo) == (place > 0, place < len(contents) - 1)


def test_the_log_of_a_project_has_every_act_in_its_order_with_what_it_took(store):
    other = segment(store)
    rows = store.segments.of(project(store, "one", "two").id).rows
    write(store, other, "anderes")
    act = NewAct("replace", {"where": [0, 3], "words": "eins"}, 2.5, 7, "tab 1")
    one = store.act(rows[0].id, 0, act, written("eins"))
    write(store, rows[1], "zwei")
    store.undo(one.id, one.version, NewAct("undo", seconds=0.5, keystrokes=1))
    first, second, third = store.log(rows[0].project)
    assert (first.kind, first.payload, first.seconds) == ("replace", act.payload, 2.5)
    assert (first.keystrokes, first.client, first.segment) == (7, "tab 1", one.id)
    assert first.after == written("eins")
    assert second.segment == rows[1].id
    assert (third.kind, third.seconds, third.after, third.head) == ("undo", 0.5, Snapshot(), 0)
    assert first.when <= second.when <= third.when
    assert first.when.utcoffset().total_seconds() == 0


@pytest.mark.parametrize(
    "words", ["", "a\0b", "\ud800", "<script>", "שלום", "🏳️‍🌈", "x" * 5000, '"\\|%_']
)
def test_any_text_is_kept_as_it_is(store, words):
    row = write(store, segment(store, words), words, findings=({"rule": words},))
    again = store.segments.get(row.id)
    assert (again.source, again.target) == (text(words), text(words))
    assert store.segments.of(row.project, search=words[:50]).total == 1
    confirm(store, row, words)
    assert store.history(row.id)[0].after.target == text(words)


@pytest.mark.parametrize(
    "act",
    [
        NewAct("write", seconds=float("nan")),
        NewAct("write", seconds=float("inf")),
        NewAct("write", {"where": [0, float("nan")]}),
        NewAct("write", keystrokes=2**40),
        NewAct("write", client="a\0b"),
        NewAct("wr\ud800ite"),
    ],
)
def test_an_act_that_no_database_keeps_is_refused(store, act):
    row = segment(store)
    with pytest.raises(UserError, match=r"infinite|too big|Leave it out"):
        store.act(row.id, 0, act, written("x"))
    assert store.segments.get(row.id) == row


@pytest.mark.parametrize("number", [0, -1, 2**31, 2**63, 10**30])
def test_nothing_has_a_number_that_no_row_can_have(store, number):
    asks = (store.segments.get, store.history, store.log, store.projects.get, store.entries.get)
    for ask in (*asks, store.projects.content, store.projects.delete, store.segments.of):
        with pytest.raises(Absent):
            ask(number)
    with pytest.raises(Absent):
        store.undo(number, number)
    with pytest.raises(Outdated):
        store.redo(segment(store).id, 2**63)


def test_what_is_not_there_is_said(store):
    for ask in (store.segments.get, store.history, store.log, store.projects.get):
        with pytest.raises(Absent, match=r'there is no (segment|project) "12345"'):
            ask(12345)
    with pytest.raises(Absent):
        store.act(12345, 0, NewAct("write"), Snapshot())
