"""What /api/translate, /api/check and /api/explain answer, on a tiny model."""

from __future__ import annotations

import pytest

from gridbeam.glossary.entries import Entry
from gridbeam.server.settings import RequestLimits, Settings
from gridbeam.store import NewDictionary


def translated(client, **wish):
    answer = client.post("/api/translate", json=wish)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_translation_says_what_it_must_and_where(client):
    found = translated(client, source="The disk is full.", constraints=["Laufwerk"])
    (met,) = found["met"]
    (start, end) = met["spans"][0]
    assert met["constraint"] == met["said"][0] == found["text"][start:end] == "Laufwerk"


def test_terms_of_the_notation_avoid_and_prefix_hold(client):
    wish = {"any_of": ["Bildschirm", "Ordner"]}
    found = translated(
        client, source="The file.", constraints=[wish], avoid=["Ordner"], prefix="Das"
    )
    assert found["text"].startswith("Das")
    assert "Bildschirm" in found["text"] and "Ordner" not in found["text"]


def test_several_texts_each_have_their_own_constraints(client):
    texts = ["The disk is full.", {"text": "The file.", "constraints": ["Ordner"]}]
    one, other = translated(client, source=texts, constraints=["Laufwerk"])
    assert "Laufwerk" in one["text"] and "Laufwerk" in other["text"]
    assert "Ordner" in other["text"] and len(one["met"]) == 1


def test_the_terms_of_a_glossary_in_the_request_are_used(client):
    entries = [{"source": "disk", "targets": ["Festplatte"]}]
    found = translated(client, source="The disk is full.", glossary=entries)
    assert found["terms"] == [{"source": "disk", "met": True, "said": "Festplatte"}]


def test_an_entry_may_write_its_target_as_a_glossary_that_is_kept_does(client):
    entries = [{"source": "disk", "target": "Laufwerk | Festplatte"}]
    found = translated(client, source="The disk is full.", glossary=entries)
    assert found["terms"][0]["met"] and found["terms"][0]["said"] in ("Laufwerk", "Festplatte")


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"beam": 1000}, ("beam is 1,000", "beam")),
        ({"target_language": "it"}, ('nothing translates into "it" here', "")),
    ],
)
def test_what_is_wrong_is_said_so_that_a_person_understands_it(client, asked, told):
    answer = client.post("/api/translate", json={"source": "a", **asked})
    assert answer.status_code == 422
    found = answer.json()
    assert (found["error"].startswith(told[0]), found["where"]) == (True, told[1])
    assert found["remedy"]


def test_an_address_without_a_route_says_where_the_routes_are(client):
    for answer in (client.get("/api/nothing"), client.delete("/api/translate")):
        assert answer.status_code in (404, 405) and all(answer.json().values())
        assert "/docs" in answer.json()["remedy"]


def test_a_glossary_that_is_kept_is_named_or_called_by_its_id(client, store):
    entries = (Entry("disk", ("Festplatte",)),)
    row = store.glossaries.add("hardware", [NewDictionary("en", "de", entries)])
    for name in (row.name, row.id):
        found = translated(client, source="The disk is full.", glossary=name)
        assert "Festplatte" in found["text"]
    unknown = client.post("/api/translate", json={"source": "x", "glossary": "nothing"})
    assert unknown.status_code == 422 and "nothing" in unknown.json()["error"]


def test_placeholders_stay(client):
    assert "{name}" in translated(client, source="The disk {name} is full.")["text"]


def test_another_language_is_another_pair(client):
    body = {"source": "The disk is full.", "target_language": "fr"}
    assert client.post("/api/translate", json=body).status_code == 200
    unknown = client.post("/api/translate", json=body | {"target_language": "ja"})
    assert unknown.status_code == 422 and "en-pt" in str(unknown.json())


def test_alternatives_come_when_asked_for(client):
    found = translated(client, source="The disk is full.", n_best=3, beam=4)
    assert 1 <= len(found["alternatives"]) <= 2


def test_what_cannot_be_met_is_told_with_where_and_remedy(client):
    body = {"source": "The disk.", "constraints": ["Laufwerk"], "avoid": ["Laufwerk"]}
    answer = client.post("/api/translate", json=body)
    assert answer.status_code == 422
    told = answer.json()
    assert told["where"] == "source" and "contradict" in told["error"]
    assert "Laufwerk" in told["remedy"]
    skipped = translated(client, **body, on_unmet="skip")
    assert skipped["text"] is None and "Laufwerk" in skipped["unmet"]
    assert translated(client, **body, on_unmet="relax")["text"]


@pytest.mark.parametrize(
    ("wish", "limit"),
    [
        ({"source": "x" * 101}, "100"),
        ({"source": ["x"] * 4}, "3"),
        ({"source": "x", "constraints": ["y"] * 6}, "5"),
        ({"source": "x", "constraints": [{"any_of": ["y"] * 6}]}, "5"),
        ({"source": "x", "beam": 9}, "8"),
        ({"source": "x", "max_length": 65}, "64"),
        ({"source": "x", "glossary": [{"source": "a", "targets": ["b"]}] * 3}, "2"),
    ],
)
def test_what_is_over_a_limit_is_refused_and_the_limit_told(client_of, wish, limit):
    limits = RequestLimits(chars=100, texts=3, constraints=5, beam=8, length=64, entries=2)
    answer = client_of(Settings(limits=limits)).post("/api/translate", json=wish)
    assert answer.status_code == 422 and f"the limit is {limit}" in str(answer.json())


def test_a_body_over_the_limit_is_refused_while_it_is_read(client_of):
    client = client_of(Settings(limits=RequestLimits(body=1000)))
    assert client.post("/api/translate", json={"source": "x" * 1000}).status_code == 413
    chunks = iter([b"x" * 600, b"x" * 600])
    headers = {"Content-Type": "application/json"}
    answer = client.post("/api/translate", content=chunks, headers=headers)
    assert answer.status_code == 413 and "1,000" in answer.json()["error"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"[1]", 422),
        (b'{"source": 5}', 422),
        (b'{"source": "x", "sauce": 1}', 422),
        (b'{"source": "\\ud800"}', 422),
        (b'{"source": "x", "constraints": [{"nothing": 1}]}', 422),
        (b'{"source": "x", "constraints": ["\\ud800"]}', 422),
        (b"[" * 5000, 400),
        (b"\xff\xfe", 400),
    ],
)
def test_nonsense_is_refused_in_the_form_of_every_error(client, body, status):
    headers = {"Content-Type": "application/json"}
    answer = client.post("/api/translate", content=body, headers=headers)
    assert answer.status_code == status, answer.text
    assert set(answer.json()) == {"error", "where", "remedy"}


def test_a_pair_is_checked(client):
    body = {"source": "12 {n} disks", "target": "{n} Platten", "source_language": "en"}
    findings = client.post("/api/check", json=body).json()["findings"]
    assert findings[0]["rule"] == "numbers" and findings[0]["source_spans"] == [[0, 2]]


def test_the_terms_of_a_checked_pair_are_those_of_the_glossary(client):
    entries = [{"source": "disk", "targets": ["Platte"]}]
    body = {"source": "the disk", "target": "der Schirm", "glossary": entries}
    assert "Platte" in str(client.post("/api/check", json=body).json()["findings"])


def test_the_grid_of_a_sentence_is_json_or_a_picture(client):
    body = {"source": "The disk is full.", "constraints": ["Laufwerk"], "beam": 2}
    grid = client.post("/api/explain", json=body).json()
    ids = {each["id"] for column in grid["columns"] for each in column}
    assert grid["path"] and set(grid["path"]) <= ids and "Laufwerk" in grid["text"]
    picture = client.post("/api/explain?format=svg", json=body)
    assert picture.headers["content-type"] == "image/svg+xml" and "<svg" in picture.text
    assert "sandbox" in picture.headers["content-security-policy"]
