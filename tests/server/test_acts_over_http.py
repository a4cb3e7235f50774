"""Acts over HTTP: stored before they are acknowledged, on a version, as JSON or as events."""

from __future__ import annotations

import json
import re
import threading
from itertools import pairwise

import pytest
from echo_server import act, client, events_of, pasted, segments
from small_workspace import wait

EVENTS = {"Accept": "text/event-stream"}


@pytest.fixture
def here(tmp_path):
    with client(tmp_path) as found:
        yield found


@pytest.fixture
def row(here):
    """A segment with a translation: its own source."""
    return act(here, segments(here, pasted(here))[0], "translate")["segment"]


def stream(here, row, kind, **values):
    body = {"act": kind, "version": row["version"], **values}
    path = f"/api/segments/{row['id']}/acts"
    with here.stream("POST", path, json=body, headers=EVENTS) as found:
        assert found.headers["content-type"].startswith("text/event-stream")
        return list(events_of(found.iter_lines()))


def test_a_translation_has_words_with_confidence(row):
    assert (row["status"], row["version"], row["undo"]) == ("machine", 1, True)
    text = row["target"]["text"]
    assert [text[each["start"] : each["end"]] for each in row["words"]] == [
        *("The", "disk", "is", "full", ".")
    ]
    assert all(0 <= each["confidence"] <= 1 for each in row["words"])


def test_words_that_are_typed_stand_there_and_are_locked(here, row):
    found = act(here, row, "replace", where=[0, 3], words="Die")
    new = found["segment"]
    assert new["target"]["text"] == "Die disk is full." and new["status"] == "edited"
    assert new["locks"] == [{"start": 0, "end": 3, "typed": True}]
    assert found["before"]["text"] == "The disk is full."
    kinds = [(each["kind"], each["text"]) for each in found["difference"]]
    assert kinds == [("gone", "The"), ("new", "Die"), ("kept", "disk is full.")]


def test_locks_come_and_go_without_a_search(here, row):
    row = act(here, row, "lock", where=[4, 8])["segment"]
    assert row["locks"] == [{"start": 4, "end": 8, "typed": False}]
    assert row["words"][1]["confidence"] is None
    row = act(here, row, "translate")["segment"]
    assert row["locks"] == [{"start": 4, "end": 8, "typed": False}]
    assert act(here, row, "unlock", where=[5, 6])["segment"]["locks"] == []


def test_forbidden_words_are_said_no_more_until_they_are_allowed(here, row):
    row = act(here, row, "forbid", words="full")["segment"]
    assert "full" not in re.findall(r"\w+", row["target"]["text"]) and row["forbidden"] == ["full"]
    assert act(here, row, "allow", words="full")["segment"]["forbidden"] == []


def test_a_text_is_completed_from_its_left(here, row):
    found = act(here, row, "complete", left="The folder")["segment"]
    assert found["target"]["text"].startswith("The folder")
    new = segments(here, pasted(here))[0]
    assert act(here, new, "complete", left="Die")["segment"]["target"]["text"].startswith("Die")


def test_undo_and_redo_go_through_all_acts(here, row):
    texts = [row["target"]["text"]]
    for words in ("Die", "Eine"):
        end = row["target"]["text"].index(" ")
        row = act(here, row, "replace", where=[0, end], words=words)["segment"]
        texts.append(row["target"]["text"])
    row = act(here, row, "confirm")["segment"]
    row = act(here, row, "undo")["segment"]
    assert row["status"] == "edited" and row["redo"]
    for text in (texts[1], texts[0]):
        found = act(here, row, "undo")
        row = found["segment"]
        assert row["target"]["text"] == text
    row = act(here, row, "undo")["segment"]
    assert (row["target"], row["status"], row["undo"]) == (None, "new", False)
    assert "nothing to undo" in act(here, row, "undo", status=422)["error"]
    for _ in range(4):
        row = act(here, row, "redo")["segment"]
    assert (row["target"]["text"], row["status"]) == (texts[2], "confirmed")


def test_status_goes_from_new_to_confirmed_and_back(here):
    row = segments(here, pasted(here))[0]
    assert "no translation yet" in act(here, row, "confirm", status=422)["error"]
    row = act(here, row, "copy")["segment"]
    assert (row["status"], row["target"]["text"], row["locks"]) == (
        "edited",
        "The disk is full.",
        [],
    )
    row = act(here, row, "review")["segment"]
    assert row["review"]
    row = act(here, row, "confirm")["segment"]
    assert (row["status"], row["review"]) == ("confirmed", False)
    row = act(here, row, "unconfirm")["segment"]
    row = act(here, row, "write", text="")["segment"]
    assert (row["status"], row["target"]) == ("new", None)


def test_two_tabs_on_one_segment_do_not_overwrite_each_other(here, row):
    first = act(here, row, "replace", where=[0, 3], words="Die")["segment"]
    refused = act(here, row, "write", text="Mine", status=409)
    assert refused["segment"]["target"]["text"] == "Die disk is full."
    assert refused["segment"]["version"] == first["version"] and refused["remedy"]
    ((_, said),) = stream(here, row, "write", text="Mine")
    assert (said["status"], said["segment"]["version"]) == (409, first["version"])
    act(here, refused["segment"], "write", text="Mine")


def test_of_many_tabs_at_once_one_wins_and_the_others_are_told(here, row):
    answers = []

    def write(number):
        body = {"act": "write", "version": row["version"], "text": f"Text {number}"}
        answers.append(here.post(f"/api/segments/{row['id']}/acts", json=body))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    statuses = sorted(each.status_code for each in answers)
    assert statuses == [200, 409, 409, 409, 409, 409]
    (won,) = [each.json()["segment"] for each in answers if each.status_code == 200]
    assert all(
        each.json()["segment"]["target"] == won["target"]
        for each in answers
        if each.status_code == 409
    )


def test_what_cannot_be_met_says_which_locks_clash_and_changes_nothing(here, row):
    row = act(here, row, "lock", where=[4, 8])["segment"]
    refused = act(here, row, "forbid", words="disk", status=422)
    assert refused["clash"] == [[4, 8]] and refused["forbidden"] == ["disk"]
    assert "disk" in refused["error"] and refused["remedy"]
    assert segments_row(here, row) == row


def segments_row(here, row):
    found = here.get(f"/api/segments/{row['id']}").json()
    del found["matches"]
    return found


@pytest.mark.parametrize(
    "body",
    [
        {"act": "replace", "words": "a"},
        {"act": "replace", "where": [0, 3]},
        {"act": "replace", "where": [0, 300], "words": "a"},
        {"act": "replace", "where": [3, 0], "words": "a"},
        {"act": "replace", "where": [-1, 2], "words": "a"},
        {"act": "lock", "where": [3, 3]},
        {"act": "unlock", "where": [0, 1]},
        {"act": "forbid", "words": " "},
        {"act": "write"},
        {"act": "write", "text": "x" * 30_000},
        {"act": "write", "text": "x", "seconds": -1},
        {"act": "delete"},
        {"act": "confirm", "version": "x"},
        {"act": "confirm", "other": 1},
    ],
)
def test_an_act_that_makes_no_sense_is_refused(here, row, body):
    found = here.post(f"/api/segments/{row['id']}/acts", json={"version": row["version"], **body})
    assert found.status_code == 422 and found.json()["error"]
    assert segments_row(here, row) == row


def test_a_stream_tells_the_typed_text_at_once_and_then_the_change(here, row):
    (name, typed), *between, (last, change) = stream(
        here, row, "replace", where=[4, 8], words="Platte"
    )
    assert (name, typed) == ("typed", {"text": "The Platte is full."})
    assert all(kind in ("draft", "grid") for kind, _ in between)
    assert last == "change" and change["segment"]["version"] == row["version"] + 1


def test_a_stream_tells_what_is_wrong(here, row):
    *_, (name, error) = stream(here, row, "lock", where=[500, 600])
    assert (name, error["status"]) == ("error", 422) and error["error"] and "remedy" in error


def test_a_confirmed_segment_is_offered_for_those_that_are_like_it(here, row):
    act(here, act(here, row, "write", text="Die Platte ist voll.")["segment"], "confirm")
    other = pasted(here, "The disk is not full.\nThe disk is full.\nA dog")
    near, same, far = segments(here, other)
    (match,) = here.get(f"/api/segments/{near['id']}").json()["matches"]
    assert match["target"] == "Die Platte ist voll." and 60 <= match["percent"] < 100
    assert ("new", "not") in [(each["kind"], each["text"]) for each in match["difference"]]
    assert here.get(f"/api/segments/{far['id']}").json()["matches"] == []
    found = here.get(f"/api/segments/{same['id']}").json()
    assert found["matches"][0]["percent"] == 100
    assert act(here, found, "translate")["segment"]["target"]["text"] == "Die Platte ist voll."
    here.post(f"/api/projects/{other['id']}/translate")
    wait(lambda: here.get(f"/api/projects/{other['id']}").json()["counts"]["new"] == 0)
    assert segments(here, other)[0]["target"]["text"] == "The disk is not full."


def test_placeholders_and_terms_are_kept_in_every_act(here):
    terms = {"source": "en", "target": "de"}
    glossary = here.post("/api/glossaries", json=terms).json()["id"]
    here.post(f"/api/glossaries/{glossary}/entries", json={"source": "disk", "target": "Laufwerk"})
    project = pasted(here, "The disk {1} is full.")
    here.patch(f"/api/projects/{project['id']}", json={"glossary": glossary})
    row = act(here, segments(here, project)[0], "translate")["segment"]
    assert "Laufwerk" in row["target"]["text"] and row["terms"][0]["state"] == "met"
    row = act(here, row, "replace", where=[0, 3], words="Das")["segment"]
    for kept in ("Das", "Laufwerk", "{1}"):
        assert row["target"]["text"].count(kept) == 1
    at = row["target"]["text"].index("{1}")
    assert [at, at + 3] in [[each["start"], each["end"]] for each in row["target"]["codes"]]
    act(here, row, "replace", where=[at, at + 2], words="x", status=422)
    at = row["target"]["text"].index("Laufwerk")
    row = act(here, row, "replace", where=[at, at + 8], words="Platte")["segment"]
    assert "Laufwerk" not in row["target"]["text"] and row["terms"][0]["state"] == "missing"
    assert any(each["rule"] == "check_glossary" for each in row["findings"])


def test_other_wordings_of_a_stretch_are_offered(here, row):
    path = f"/api/segments/{row['id']}/alternatives"
    found = here.get(path, params={"start": 4, "end": 8, "n": 3})
    assert found.status_code == 200
    assert found.json()["where"] == [4, 8] and len(found.json()["alternatives"]) <= 3
    late = here.get(path, params={"start": 4, "end": 8, "version": 0})
    assert late.status_code == 409 and late.json()["segment"]["version"] == row["version"]
    assert here.get(path, params={"start": 4, "end": 99}).status_code == 422
    assert here.get(path, params={"start": 4}).status_code == 422


def test_the_grid_of_the_last_search_can_be_looked_at(here, row):
    row = act(here, row, "replace", where=[4, 8], words="Platte")["segment"]
    found = here.get(f"/api/segments/{row['id']}/grid").json()
    assert found["columns"] and found["text"]
    way = [
        column["hypotheses"][number]
        for column, number in zip(found["columns"], found["path"], strict=False)
    ]
    assert len(way) > 3 and found["text"] == row["target"]["text"]
    assert all(later["parent"] == before["id"] for before, later in pairwise(way))
    new = segments(here, pasted(here))[1]
    assert here.get(f"/api/segments/{new['id']}/grid").json()["columns"]


def test_listeners_hear_of_every_change(here, row):
    heard = []
    ready = threading.Event()

    def listen():
        path = f"/api/projects/{row['project']}/events"
        with here.stream("GET", path) as found:
            for each in events_of(found.iter_lines()):
                heard.append(each)
                ready.set()
                if len(heard) == 5:
                    return

    thread = threading.Thread(target=listen)
    thread.start()
    assert ready.wait(20)
    row = act(here, row, "confirm")["segment"]
    wait(lambda: len(heard) == 3)
    act(here, row, "unconfirm")
    thread.join(20)
    names = [name for name, _ in heard]
    assert names == ["counts", "segment", "counts", "segment", "counts"]
    assert heard[1][1] == row and heard[2][1]["confirmed"] == 1


def test_a_message_is_corrected_by_typing(here):
    project = pasted(here, "{n, plural, one {# file} other {# files}} deleted")
    row = act(here, segments(here, project)[0], "copy")["segment"]
    at = row["target"]["text"].index("deleted")
    row = act(here, row, "replace", where=[at, at + 7], words="gone")["segment"]
    assert row["target"]["text"] == "{n, plural, one {# file} other {# files}} gone"
    assert row["locks"] == [{"start": at, "end": at + 4, "typed": True}]
    assert "Type" in act(here, row, "complete", left="{n", status=422)["remedy"]


def test_a_hostile_text_is_only_a_text(here):
    hostile = "<script>alert(1)</script> \u202eabc 😀 \u0000 &lt;b " + "x" * 5000
    project = pasted(here, hostile.replace("\u0000", ""))
    row = segments(here, project)[0]
    row = act(here, row, "write", text=hostile)["segment"]
    assert json.dumps(row) and row["target"]["text"].startswith("<script>")
    row = act(here, row, "lock", where=[0, 30])["segment"]
    assert here.get(f"/api/projects/{project['id']}/export").status_code == 200


def test_a_fault_of_ours_in_a_stream_is_in_the_log_and_its_inside_is_not_told(
    here, row, monkeypatch, caplog
):
    def broken(*_):
        raise RuntimeError("/home/secret")

    monkeypatch.setattr(here.app.state.services.workspace, "preview", broken)
    ((name, told),) = stream(here, row, "lock", where=[0, 3])
    assert (name, told["status"]) == ("error", 500) and "secret" not in str(told)
    assert "secret" in caplog.text


@pytest.mark.parametrize("is_streamed", [False, True])
def test_an_act_that_is_sent_again_is_done_once(here, row, is_streamed):
    wish = {"where": [0, 3], "words": "Die", "id": "a-1"}
    first = act(here, row, "replace", **wish)["segment"]
    if is_streamed:
        [(kind, again)] = stream(here, row, "replace", **wish)
        assert kind == "change"
    else:
        again = act(here, row, "replace", **wish)
    assert again["segment"] == first and again["difference"][0]["kind"] == "kept"
    other = here.post(
        f"/api/segments/{row['id']}/acts",
        json={"act": "replace", "version": row["version"], **wish, "id": "a-2"},
    )
    assert other.status_code == 409, "another act is no repeat"


def test_what_was_undone_to_its_beginning_is_not_translated_anew(here, row):
    undone = act(here, row, "undo")["segment"]
    assert (undone["status"], undone["redo"]) == ("new", True)
    project = {"id": undone["project"]}
    here.post(f"/api/projects/{project['id']}/translate")
    wait(lambda: segments(here, project)[1]["status"] == "machine")
    assert segments(here, project)[0] == undone
