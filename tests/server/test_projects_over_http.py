"""Projects over HTTP: made, listed, translated in the background, exported, removed."""

from __future__ import annotations

import pytest
from echo_server import act, client, pasted, segments
from small_workspace import XLIFF1, wait


@pytest.fixture
def here(tmp_path):
    with client(tmp_path) as found:
        yield found


def sent(here, file="a.xlf", content=XLIFF1, **fields):
    return here.post("/api/projects", data=fields, files={"file": (file, content.encode())})


def test_a_file_becomes_a_project_with_its_languages(here):
    found = sent(here, "../a.xlf", name="App")
    assert found.status_code == 201
    project = found.json()
    assert [project[name] for name in ("name", "file", "format", "source", "target")] == [
        *("App", "a.xlf", "xliff", "en", "de")
    ]
    assert project["counts"]["total"] == 5
    assert here.get("/api/projects").json() == [here.get("/api/projects/1").json()]


def test_what_a_file_says_of_its_languages_holds_where_they_are_served(here):
    found = sent(here, source="en", target="fr").json()
    assert (found["source"], found["target"]) == ("en", "de")


def test_a_text_becomes_a_project_of_its_lines(here):
    project = pasted(here, "The disk\n\nThe folder", name="Pasted", target="de")
    assert project["counts"]["new"] == 2 and project["format"] == "text"
    rows = segments(here, project)
    assert [row["number"] for row in rows] == [1, 2]
    assert rows[1]["source"]["text"] == "The folder"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.xlf", "<xliff", "a.xlf"),
        ("a.jsonl", "{}", "a.jsonl line 1"),
        ("a.docx", "PK", "neither its suffix nor its contents"),
        ("a.txt", "\n", "no text"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_what_to_do(here, name, content, said):
    found = sent(here, name, content)
    assert found.status_code == 422
    assert said in found.json()["error"] and found.json()["remedy"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"content": b"..."}, 400),
        ({"json": {}}, 422),
        ({"json": {"text": "a", "target": "../x"}}, 422),
        ({"json": {"text": "a", "glossary": "none"}}, 404),
        ({"json": {"text": "a", "other": 1}}, 422),
        ({"data": {"name": "a"}, "files": {"other": b"x"}}, 422),
        ({"content": b"--x\r\n", "headers": {"Content-Type": "multipart/form-data"}}, 400),
    ],
)
def test_a_request_that_is_no_project_is_refused(here, body, status):
    found = here.post("/api/projects", **body)
    assert found.status_code == status and found.json()["error"]
    assert here.get("/api/projects").json() == []


def test_a_file_over_the_limit_is_refused(tmp_path):
    from gridbeam.server.settings import RequestLimits

    with client(tmp_path, limits=RequestLimits(body=1000)) as here:
        assert sent(here, "a.txt", "x" * 2000).status_code == 413


def test_a_project_has_another_name_and_another_glossary(here):
    project = pasted(here)
    glossary = here.post("/api/glossaries", json={"source": "en", "target": "de"}).json()["id"]
    path = f"/api/projects/{project['id']}"
    assert here.patch(path, json={"name": "New"}).json()["name"] == "New"
    assert here.patch(path, json={"glossary": glossary}).json()["glossary"] == glossary
    assert here.patch(path, json={"name": "Newer"}).json()["glossary"] == glossary
    assert here.patch(path, json={"glossary": None}).json()["glossary"] is None
    assert here.patch(path, json={"glossary": "x"}).status_code == 404


def test_what_is_removed_is_not_there(here):
    project = pasted(here)
    path = f"/api/projects/{project['id']}"
    assert here.delete(path).status_code == 204
    for each in ("", "/segments", "/export", "/study", "/events"):
        assert here.get(path + each).status_code == 404
    assert here.post(f"{path}/translate").status_code == 404
    assert here.delete(path).status_code == 404


def test_segments_are_filtered_and_searched(here):
    project = pasted(here, "\n".join(f"Line {n} of the disk" for n in range(12)))
    path = f"/api/projects/{project['id']}/segments"
    page = here.get(path, params={"offset": 10, "limit": 5}).json()
    assert page["total"] == 12 and len(page["segments"]) == 2
    row = page["segments"][0]
    act(here, act(here, row, "write", text="Zeile 10  der Platte")["segment"], "confirm")
    act(here, segments(here, project)[0], "write", text="12  und")
    assert len(segments(here, project, status="confirmed")) == 1
    assert len(segments(here, project, search="PLATTE")) == 1
    assert len(segments(here, project, search="line 1")) == 3
    assert len(segments(here, project, finding="any")) == 2
    assert len(segments(here, project, finding="numbers")) == 1
    assert segments(here, project, status="review") == []
    for wrong in ({"limit": 0}, {"offset": -1}, {"status": "done"}):
        assert here.get(path, params=wrong).status_code == 422


def test_the_machine_translates_what_is_new_in_the_background(here):
    project = sent(here).json()
    path = f"/api/projects/{project['id']}"
    assert here.post(f"{path}/translate").json() == {"new": 3}
    wait(lambda: here.get(path).json()["counts"]["new"] == 0)
    assert here.post(f"{path}/translate").json() == {"new": 0}
    found = here.get(f"{path}/export")
    assert found.headers["content-disposition"].startswith('attachment; filename="a.xlf"')
    assert 'The <g id="1">disk</g> is full.</target>' in found.text


def test_languages_that_no_model_has_are_refused_before_any_work(here):
    project = pasted(here, target="ja")
    found = here.post(f"/api/projects/{project['id']}/translate")
    assert found.status_code == 422 and "ja" in found.json()["error"]
    (row, _) = segments(here, project)
    act(here, row, "translate", status=422)
    assert act(here, row, "write", text="ディスク")["segment"]["status"] == "edited"


def test_confirmed_segments_are_a_tmx(here):
    project = pasted(here)
    row = segments(here, project)[0]
    act(here, act(here, row, "write", text="Voll")["segment"], "confirm")
    found = here.get(f"/api/projects/{project['id']}/export", params={"as": "tmx"})
    assert "<seg>Voll</seg>" in found.text and ".tmx" in found.headers["content-disposition"]


def test_glossaries_are_uploaded_edited_and_counted(here):
    terms = b"source\ttarget\nDisk\tPlatte\ndisk\tLaufwerk\nfolder\tOrdner\n"
    made = here.post(
        "/api/glossaries",
        data={"name": "Terms", "source": "en", "target": "de"},
        files={"file": ("terms.tsv", terms)},
    )
    assert made.status_code == 201 and made.json()["count"] == 3
    path = f"/api/glossaries/{made.json()['id']}"
    project = pasted(here, glossary=made.json()["id"])
    rows = segments(here, project)
    assert rows[1]["terms"][0]["state"] == "missing"
    row = act(here, rows[1], "write", text="Der Ordner")["segment"]
    assert row["terms"] == [
        {"start": 4, "end": 10, "source": "folder", "target": "Ordner", "state": "met"}
    ]
    found = here.get(f"{path}/entries", params={"project": project["id"]}).json()
    assert [each["met"] for each in found["entries"]] == [0, 0, 1]
    assert found["conflicts"][0]["kind"] == "case"
    number = found["entries"][0]["id"]
    changed = here.patch(f"{path}/entries/{number}", json={"target": "Scheibe | Platte"}).json()
    assert changed["targets"] == ["Scheibe", "Platte"] and changed["source"] == "Disk"
    assert here.patch(f"{path}/entries/{number}", json={"target": " "}).status_code == 422
    assert here.delete(f"{path}/entries/{number}").status_code == 204
    added = here.post(f"{path}/entries", json={"source": "full", "forbidden": ["voll"]}).json()
    assert added["forbidden"] == ["voll"] and added["target"] == ""
    assert here.get(f"{path}/entries").json()["conflicts"] == []
    other = here.post("/api/glossaries", json={"source": "en", "target": "de"}).json()["id"]
    assert here.patch(f"/api/glossaries/{other}/entries/{added['id']}", json={}).status_code == 404
    assert here.put(path, json={"name": "T2", "entries": []}).json()["count"] == 0
    assert [each["name"] for each in here.get("/api/glossaries").json()] == ["T2", "glossary"]
    assert here.delete(path).status_code == 204 and here.get(path).status_code == 404
    assert here.get(f"/api/projects/{project['id']}").json()["glossary"] is None


@pytest.mark.parametrize(
    ("name", "content"),
    [("t.csv", b"a,b,c,d\n"), ("t.xlsx", b"no"), ("t.tbx", b"<!DOCTYPE x><a/>"), ("t.exe", b"")],
)
def test_a_glossary_that_cannot_be_read_is_refused_under_its_own_name(here, name, content):
    found = here.post(
        "/api/glossaries", data={"source": "en", "target": "de"}, files={"file": (name, content)}
    )
    assert found.status_code == 422 and found.json()["error"].startswith(name)


def test_a_study_tells_what_each_segment_has_cost(here):
    project = pasted(here)
    row = segments(here, project)[0]
    row = act(here, row, "translate", seconds=1.5, keystrokes=1)["segment"]
    row = act(here, row, "replace", where=[0, 3], words="Die", seconds=2, keystrokes=5)["segment"]
    act(here, row, "confirm", seconds=0.5, keystrokes=1)
    found = here.get(f"/api/projects/{project['id']}/study").json()
    (line,) = found["segments"]
    assert (line["number"], line["seconds"], line["keystrokes"], line["cycles"]) == (1, 4.0, 7, 2)
    assert line["ksmr"] == round(100 * 7 / len("Die disk is full."), 4)
    assert [each["act"] for each in found["acts"]] == ["translate", "replace", "confirm"]
    assert found["acts"][1]["payload"] == {"words": "Die", "where": [0, 3]}
    assert found["total"]["acts"] == 3


@pytest.mark.parametrize("kind", ["text/plain", "application/JSON", None])
def test_half_a_character_is_refused_whatever_a_body_is_called(tmp_path, kind):
    headers = {} if kind is None else {"Content-Type": kind}
    with client(tmp_path) as here:
        body = b'{"text": "a \\ud800 b"}'
        answer = here.post("/api/projects", content=body, headers=headers)
    assert answer.status_code == 422 and "half of a character" in answer.json()["error"]
