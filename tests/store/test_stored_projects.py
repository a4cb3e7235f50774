"""Projects, their segments, and what the page asks of them."""

import dataclasses
import time

import pytest
from small_projects import confirm, project, segment, text, write

from gridbeam.errors import UserError
from gridbeam.store import Absent, Counts, NewProject, NewSegment, Snapshot


def test_a_project_keeps_the_bytes_of_its_file(store):
    content = bytes(range(256)) * 40_000
    row = project(store, "one", content=content)
    assert store.projects.content(row.id) == content


def test_projects_are_listed_with_how_far_they_are_the_last_touched_first(store):
    first = project(store, "a", "b", "c", "d", name="first")
    second = project(store, "x", name="second")
    assert [each.name for each in store.projects.all()] == ["second", "first"]
    rows = store.segments.of(first.id).rows
    confirm(store, rows[0], "A")
    write(store, rows[1], "B", review=True)
    write(store, rows[2], "C", status="machine", review=True)
    listed = store.projects.all()
    assert [each.id for each in listed] == [first.id, second.id]
    assert listed[0].counts == Counts(new=1, machine=1, edited=1, confirmed=1, review=2)
    assert listed[0].counts.total == 4
    assert listed[0].touched > listed[0].created == first.created
    assert listed[0] == store.projects.get(first.id)


def test_a_project_without_segments_is_one(store):
    row = project(store)
    assert row.counts == Counts()
    assert store.segments.of(row.id).total == 0


def test_segments_keep_what_their_file_says_of_them(store):
    content = Snapshot(text("Ordner"), None, "confirmed", True, ({"rule": "length"},))
    part = NewSegment("key", text("Folder"), content, {"limits": [{"most": 5}]})
    row = store.projects.add(NewProject("p", "en", "de", "po", "app.po"), [part])
    (found,) = store.segments.of(row.id).rows
    assert (found.content, found.details, found.version) == (content, part.details, 0)
    assert (row.format, row.file) == ("po", "app.po")
    assert store.segments.confirmed(row.id) == (found,)


def test_a_project_can_have_another_name_and_glossary(store):
    glossary = store.glossaries.add("terms")
    row = project(store, "one")
    assert store.projects.rename(row.id, "neu").name == "neu"
    assert store.projects.set_glossary(row.id, glossary.id).glossary == glossary.id
    store.glossaries.delete(glossary.id)
    assert store.projects.get(row.id).glossary is None
    for unknown in (glossary.id, "a\0b", "\ud800", "x" * 1000):
        with pytest.raises(Absent):
            store.projects.set_glossary(row.id, unknown)
        with pytest.raises(Absent):
            store.projects.add(NewProject("p", "en", "de", glossary=unknown))
    assert len(store.projects.all()) == 1


def test_a_text_to_search_can_be_as_long_as_a_segment_and_no_longer(store):
    row = project(store, "😀%" * 2_500)
    assert store.segments.of(row.id, search="😀%" * 2_500).total == 1
    with pytest.raises(UserError, match="more than 5000 characters"):
        store.segments.of(row.id, search="x" * 5_001)


def test_a_deleted_project_takes_everything_with_it_and_its_number_is_not_given_again(store):
    row = segment(store)
    confirm(store, row, "Öffnen")
    store.projects.delete(row.project)
    for ask in (store.projects.get, store.projects.content, store.segments.of):
        with pytest.raises(Absent):
            ask(row.project)
    other = segment(store)
    assert other.id > row.id and other.project > row.project
    assert store.memory.matches("en", "de", row.source["text"]) == ()


def test_segments_are_found_by_range_status_review_text_and_finding(store):
    made = project(store, "The Öffentliche file", "ÉCOLE 100%", "straße_1", "plain")
    rows = store.segments.of(made.id).rows
    write(store, rows[0], "DIE ΣΟΦΌΣ", review=True)
    write(store, rows[3], "x", findings=({"rule": "numbers"}, {"rule": "numbers"}))
    confirm(store, rows[2], "y")

    def numbers(**conditions):
        page = store.segments.of(made.id, **conditions)
        assert page.total >= len(page.rows)
        return [row.number for row in page.rows]

    assert numbers() == [0, 1, 2, 3]
    assert numbers(offset=1, limit=2) == [1, 2]
    assert store.segments.of(made.id, offset=1, limit=2).total == 4
    assert numbers(offset=10**30, limit=10**30) == []
    assert numbers(offset=-5, limit=-5) == []
    assert numbers(offset=-5, limit=1) == [0]
    assert numbers(status="confirmed") == [2]
    assert numbers(status="edited", review=False) == [3]
    assert numbers(review=True) == [0]
    assert numbers(search="öFFENTLICHE") == numbers(search="σοφός") == [0]
    assert numbers(search="école") == numbers(search="e\u0301cole") == [1]
    assert numbers(search="STRASSE") == [2]
    assert numbers(search="%") == [1] and numbers(search="_") == [2]
    assert numbers(rule="numbers") == [3] and numbers(rule="number") == []


def test_findings_can_be_renewed_without_an_act_unless_the_segment_has_changed(store):
    row = segment(store)
    found = store.segments.set_findings(row.id, row.version, [{"rule": "length"}])
    assert found == dataclasses.replace(row, findings=({"rule": "length"},))
    newer = write(store, row, "neu")
    assert store.segments.set_findings(row.id, row.version, [{"rule": "length"}]) == newer


def test_a_name_that_no_database_keeps_is_refused(store):
    with pytest.raises(UserError, match=r"has the character U\+0000. Leave it out"):
        project(store, name="a\0b")
    assert store.projects.all() == ()


def test_ten_thousand_segments_are_added_paged_and_searched_at_once(store):
    parts = [NewSegment(str(n), text(f"Öffnen Sie den Ordner {n}")) for n in range(10_000)]
    began = time.perf_counter()
    made = store.projects.add(NewProject("big", "de", "en"), parts)
    added = time.perf_counter()
    page = store.segments.of(made.id, offset=9_000, limit=100)
    found = store.segments.of(made.id, search="ÖFFNEN SIE DEN ORDNER 99", limit=50)
    store.projects.all()
    asked = time.perf_counter()
    assert [row.number for row in page.rows] == list(range(9_000, 9_100))
    assert (found.total, len(found.rows)) == (111, 50)
    assert added - began < 10 and asked - added < 1  # 1.1 and 0.02 s on two cores
