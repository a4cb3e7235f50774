"""Any file that is translated becomes a project, and comes back with nothing else changed."""

from __future__ import annotations

import json

import pytest
from small_workspace import FILES, PO, XLIFF1, act, opened, project, segments, translate

from gridbeam.errors import UserError
from gridbeam.workspace.upload import Upload, on_disk


@pytest.fixture
def here(tmp_path):
    with opened(tmp_path) as found:
        yield found


def exported(here, made):
    with here.exported(made["id"]) as path:
        return path.read_bytes().decode()


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_nobody_has_worked_on_comes_back_byte_by_byte(here, name):
    made = project(here, name, FILES[name].replace("\n", "\r\n"))
    assert exported(here, made) == FILES[name].replace("\n", "\r\n")
    assert made["file"] == made["name"] == name


@pytest.mark.parametrize("name", FILES)
def test_a_translated_file_has_its_translations_and_all_else_as_it_was(here, name):
    made = project(here, name, FILES[name])
    for number, row in enumerate(segments(here, made)):
        if not row["locked"]:
            row = act(here, row, "write", text=f"{row['source']['text']} neu{number}")["segment"]
            act(here, row, "confirm")
    found = exported(here, made)
    assert found.count(" neu") == sum(not row["locked"] for row in segments(here, made))
    again = project(here, name, found)
    assert len(segments(here, again)) == len(segments(here, made))
    for word in ("keep", "Language: de", '"key": 7', '"constraints"', "Plural-Forms", "xliff"):
        assert (word in found) == (word in FILES[name])


def test_a_translation_of_the_file_is_there_and_only_what_is_new_is_translated(here):
    made = project(here, "a.xlf", XLIFF1)
    first, locked, limited, old, draft = segments(here, made)
    assert [each["status"] for each in (first, locked, limited, old)] == [
        *("new", "confirmed", "new", "confirmed")
    ]
    assert (old["target"]["text"], locked["target"], locked["locked"]) == ("Alt <b>", None, True)
    assert limited["limits"] == [{"most": 9, "unit": "characters", "length": None}]
    assert [code["raw"] for code in first["source"]["codes"]] == ['<g id="1">', "</g>"]
    translate(here, made)
    assert [each["status"] for each in segments(here, made)[:4]] == [
        *("machine", "confirmed", "machine", "confirmed")
    ]
    assert draft["status"] == "new" and draft["target"] is None
    changed = exported(here, made)
    assert "Alt &lt;b></target>" in changed and "keep &amp; me" in changed
    assert "<source>The disk</source></trans-unit>" in changed


def test_what_is_confirmed_is_marked_as_good(here):
    made = project(here, "a.xlf", XLIFF1)
    row = segments(here, made)[0]
    row = act(here, row, "write", text='Die <g id="1">Platte</g>')["segment"]
    assert 'state="needs-review-translation"' in exported(here, made)
    act(here, row, "confirm")
    found = exported(here, made)
    assert 'state="translated"' in found and 'Die <g id="1">Platte</g></target>' in found


def test_a_tag_without_its_partner_leaves_the_file_whole(here):
    made = project(here, "a.xlf", XLIFF1)
    row = segments(here, made)[0]
    found = act(here, row, "write", text='Die <g id="1">Platte')["segment"]
    assert any(each["severity"] == "error" for each in found["findings"])
    assert "Die &lt;g id=" in exported(here, made)
    project(here, "a.xlf", exported(here, made))


def test_what_is_wrong_with_a_file_is_told_under_its_own_name(here):
    with pytest.raises(UserError, match=r"^app\.jsonl line 2: no \"text\"") as raised:
        project(here, "C:\\work\\app.jsonl", '{"text": "a"}\n{}\n')
    assert "gridbeam-" not in str(raised.value)
    with pytest.raises(UserError, match=r"^none: neither its suffix nor its contents"):
        project(here, "none", "...")
    with pytest.raises(UserError, match="no text in it"):
        project(here, "empty.txt", "\n \n")
    with pytest.raises(UserError, match=r"a\.xlf"):
        project(here, "a.xlf", XLIFF1.replace("</body>", "<!DOCTYPE x>"))


@pytest.mark.parametrize("name", ["../../etc/passwd.po", "/etc/x.po", "..\\x.po", "a/b\0c.po"])
def test_of_the_name_of_a_file_only_its_ending_reaches_the_disk(here, name):
    with on_disk(Upload(name, b"x")) as path:
        assert path.name == "file.po" and path.parent.name.startswith("gridbeam-")
    assert not path.exists()
    made = project(here, name, PO)
    assert made["file"].endswith(".po") and not set(made["file"]) & set("/\\\0")


def test_the_languages_are_asked_for_or_the_file_s_or_the_server_s(here):
    assert project(here, "a.xlf", XLIFF1.replace('"de"', '"fr"'))["target"] == "fr"
    assert project(here, "a.txt", "x", target="pt")["target"] == "pt"
    assert project(here, "a.txt", "x")["source"] == "en"


def test_confirmed_segments_are_a_memory(here):
    made = project(here, "a.xlf", XLIFF1)
    row = segments(here, made)[0]
    act(here, act(here, row, "write", text="Voll & gut")["segment"], "confirm")
    tmx = "".join(here.memory(made["id"]))
    assert "<seg>Voll &amp; gut</seg>" in tmx and tmx.count("<tu ") == 2
    again = project(here, "m.tmx", tmx)
    assert [each["target"]["text"] for each in segments(here, again)] == ["Voll & gut", "Alt <b>"]


def test_constraints_of_a_file_hold_in_every_act(here):
    made = project(here, "a.jsonl", json.dumps({"text": "The disk", "constraints": ["folder"]}))
    (row,) = segments(here, made)
    row = act(here, row, "translate")["segment"]
    assert "folder" in row["target"]["text"]
    row = act(here, row, "replace", where=(0, 3), words="Die")["segment"]
    assert "folder" in row["target"]["text"] and row["target"]["text"].startswith("Die")
