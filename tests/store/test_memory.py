"""The memory: confirmed segments of all projects, found by what their sources are like."""

import random

import pytest
from rapidfuzz.distance import Levenshtein
from small_projects import confirm, project, text, write
from timing import timed

from gridbeam.store import NewProject, NewSegment, Snapshot, Store
from gridbeam.store.matches import Recall


def rows_of(store, *sources, target="de"):
    return store.segments.of(project(store, *sources, target=target).id).rows


def found(store, words, **options):
    matches = store.memory.matches("en", "de", words, **options)
    return [(match.percent, match.target["text"]) for match in matches]


def test_a_confirmed_segment_is_offered_with_how_like_it_is(store):
    first, second, third = rows_of(store, "Open the file.", "Open the files.", "Open the {1} file.")
    confirm(store, first, "Öffnen Sie die Datei.")
    confirm(store, third, "Öffnen Sie {1}.")
    matches = store.memory.matches("EN", "de", "Open the file.")
    assert [match.percent for match in matches] == [100, 77]
    assert (matches[0].segment, matches[0].project) == (first.id, first.project)
    assert (matches[0].source, matches[0].target) == (first.source, text("Öffnen Sie die Datei."))
    assert found(store, second.source["text"]) == [
        (93, "Öffnen Sie die Datei."),
        (72, "Öffnen Sie {1}."),
    ]
    assert found(store, "open the file.") == [
        (92, "Öffnen Sie die Datei."),
        (72, "Öffnen Sie {1}."),
    ]
    assert found(store, "Something else") == []


def test_a_segment_is_no_match_of_itself(store):
    (row,) = rows_of(store, "Open the file.")
    confirm(store, row, "x")
    assert found(store, "Open the file.", beside=row.id) == []


def test_what_is_no_longer_confirmed_changed_or_deleted_is_not_offered(store):
    first, second = rows_of(store, "Open the file.", "Close the file.")
    first = confirm(store, first, "alt")
    assert found(store, "Open the file.") == [(100, "alt")]
    first = confirm(store, first, "neu")
    assert found(store, "Open the file.") == [(100, "neu")]
    first = write(store, first, "neu")
    assert found(store, "Open the file.") == []
    first = store.undo(first.id, first.version)
    assert found(store, "Open the file.") == [(100, "neu")]
    store.undo(first.id, first.version)
    confirm(store, second, "zu")
    assert found(store, "Close the file.")[0] == (100, "zu")
    store.projects.delete(second.project)
    assert found(store, "Close the file.") == []


def test_the_memory_of_one_pair_is_none_of_anothers(store):
    (row,) = rows_of(store, "Open the file.", target="fr")
    confirm(store, row, "Ouvrir")
    assert found(store, "Open the file.") == []
    assert len(store.memory.matches("en", "FR", "Open the file.")) == 1


def test_of_those_that_say_the_same_the_newest_is_offered(store):
    rows = rows_of(store, *["Open the file."] * 3)
    for row in rows:
        confirm(store, row, "gleich")
    matches = store.memory.matches("en", "de", "Open the file.")
    assert [match.segment for match in matches] == [rows[2].id]
    (fresh,) = rows_of(store, "Open the file.")
    confirm(store, fresh, "anders")
    assert found(store, "Open the file.") == [(100, "anders"), (100, "gleich")]
    assert found(store, "Open the file.", most=1) == [(100, "anders")]


def test_what_another_server_confirms_is_offered_here(store, database_url):
    here, there = rows_of(store, "Open the file.", "Close the file.")
    confirm(store, here, "auf")
    with Store.open(database_url) as other:
        assert found(other, "Open the file.") == [(100, "auf")]
        there = confirm(store, there, "zu")
        assert found(other, "Close the file.") == [(100, "zu")]
        write(other, there, "zu")
        assert found(store, "Close the file.") == []
        store.projects.delete(here.project)
        assert found(other, "Open the file.") == []


def test_a_project_that_comes_with_confirmed_segments_fills_the_memory(store):
    part = NewSegment("k", text("a\0b \ud800"), Snapshot(text("c"), status="confirmed"))
    store.projects.add(NewProject("done", "en", "de"), [part])
    assert found(store, "a\0b \ud800") == [(100, "c")]


@pytest.mark.parametrize("least", [30, 70, 95])
def test_matches_are_those_that_the_distance_of_each_text_gives(store, least):
    draw = random.Random(least)
    texts = ["".join(draw.choices("ab c", k=draw.randrange(1, 25))) for _ in range(300)]
    parts = [NewSegment("k", text(one), Snapshot(text(one), status="confirmed")) for one in texts]
    store.projects.add(NewProject("drawn", "en", "de"), parts)
    for asked in texts[:20]:
        like = {
            one: int(Levenshtein.normalized_similarity(asked, one) * 100 + 1e-9) for one in texts
        }
        expected = {one: percent for one, percent in like.items() if percent >= least}
        assert {
            one: percent for percent, one in found(store, asked, least=least, most=999)
        } == expected


def test_a_match_among_a_hundred_thousand_is_found_in_a_moment(tmp_path):
    draw = random.Random(1)
    words = [f"{one}{two}" for one in ("be", "con", "dis", "en") for two in ("act", "form", "tain")]
    recalled = [" ".join(draw.choices(words, k=draw.randrange(3, 20))) for _ in range(100_000)]
    recall = Recall(1)
    for number, one in enumerate(recalled):
        recall._put(number, one)
    with timed() as taken:
        assert (7, 100) in recall.like(recalled[7], 70)
    assert taken.seconds < 1  # 0.05 s
