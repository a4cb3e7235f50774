"""Labels of menus and buttons in files: the mark of the key goes along."""

from __future__ import annotations

import io
import json

import echo
import pytest
from small_files import complaint

from gridbeam.documents import open_document
from gridbeam.files import Instructions, translate_file
from gridbeam.files.single import translate_text
from gridbeam.glossary.entries import Entry, Glossary

PO = """msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"
"X-Accelerator-Marker: &\\n"

msgid "The &disk"
msgstr ""

msgid "_The disk"
msgstr ""
"""
TERMS = Glossary((Entry("disk", ("Laufwerk",)),), "en", "de")


def test_the_key_of_a_label_is_no_obstacle_to_its_terms(file, tmp_path):
    out = tmp_path / "b.jsonl"
    lines = [{"text": "The _disk"}, {"text": "The disk R&D"}]
    source = file("a.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    translate_file(echo.translator(), source, out, Instructions(TERMS), to="jsonl")
    first, second = map(json.loads, out.read_text("utf8").splitlines())
    assert first["source"] == "The _disk" and first["translation"].count("_") == 1
    (met,) = first["met"]
    ((start, end),) = met["spans"]
    assert first["translation"][start:end] == "Laufwerk"
    assert "_" not in second["translation"] and "R&D" in second["translation"]


def test_the_header_of_a_catalogue_says_which_mark_it_has(file, tmp_path):
    source, out = file("a.po", PO), tmp_path / "b.po"
    translate_file(echo.translator(), source, out, Instructions())
    first, second = open_document(out).segments()
    assert [str(first.target), first.accelerator] == ["The &disk", "&"]
    assert str(second.target) == "_The disk"


@pytest.mark.parametrize(("rule", "said"), [("auto", True), ("&", True), ("_", False)])
def test_a_single_text_obeys_the_rule(rule, said):
    out = io.BytesIO()
    terms = Glossary((Entry("folder", ("Ordner",)),), "en", "de")
    translate_text(echo.translator(), "The fol&der", out, Instructions(terms, accelerators=rule))
    assert ("Ordner" in out.getvalue().decode()) is said
    assert out.getvalue().count(b"&") == 1


def test_the_command_line_names_the_rules():
    assert 'accelerators "%" is unknown' in complaint("--text", "a", "--accelerators", "%")
