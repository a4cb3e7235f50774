"""`gridbeam check` on files of each kind: what is read, what is said, how it ends."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from gridbeam.cli import app

PO = r"""msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\n"
"Language: de\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\n"

msgid "Copied %d of 12 files."
msgstr "%d Dateien kopiert."

msgid "%d file"
msgid_plural "%d files"
msgstr[0] "Eine Datei"
msgstr[1] "Dateien"

#, fuzzy
msgid "Old?"
msgstr "Alt"

#~ msgid "Obsolete %s"
#~ msgstr "Veraltet"
"""
XLIFF = """<xliff version="1.2"><file original="app" source-language="en" target-language="fr">
<body>
<trans-unit id="1"><source>The <g id="1">disk</g>!</source><target>Le disque !</target></trans-unit>
<trans-unit id="2" approved="yes"><source>Old 7</source><target>Vieux</target></trans-unit>
<trans-unit id="3" translate="no"><source>gridbeam 7</source></trans-unit>
</body></file></xliff>
"""
XLIFF2 = """<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en"
 trgLang="fr"><file id="f"><unit id="u"><segment id="s"><source>Old 7</source>
<target>Vieux</target></segment></unit></file></xliff>
"""
TMX = """<tmx version="1.4"><header srclang="en"/><body><tu tuid="a">
<tuv xml:lang="en"><seg>Old 7</seg></tuv><tuv xml:lang="de"><seg>Alt</seg></tuv></tu></body></tmx>
"""


def ask(*arguments):
    runner = CliRunner(env={"COLUMNS": "200", "NO_COLOR": "1"})
    return runner.invoke(app, ["check", *map(str, arguments)])


@pytest.fixture
def written(tmp_path):
    def write(name, text):
        (tmp_path / name).write_text(text, encoding="utf8")
        return tmp_path / name

    return write


def found_in(*arguments):
    """For each segment with findings its name, and the rules."""
    lines = ask(*arguments, "--json").stdout.splitlines()
    return [
        (values["name"], [each["rule"] for each in values["findings"]])
        for values in map(json.loads, lines)
    ]


def test_a_catalogue_is_checked_with_drafts_and_without_what_is_obsolete(written):
    assert found_in(written("a.po", PO)) == [
        ("Copied %d of 12 files.", ["numbers"]),
        ("%d file[1]", ["placeholders"]),
        ("Old?", ["endpunc"]),
    ]


def test_xliff_names_its_languages_and_what_is_approved_is_checked(written):
    assert found_in(written("a.xliff", XLIFF)) == [
        ("app:1", ["xmltags", "xmltags"]),
        ("app:2", ["numbers"]),
    ]
    assert found_in(written("b.xliff", XLIFF2)) == [("f:u:s", ["numbers"])]


def test_a_memory_of_many_languages_is_checked_in_the_one_asked_for(written):
    assert found_in(written("a.tmx", TMX), "--languages", "en-de") == [("a", ["numbers"])]
    assert "Say the target language" in ask(written("a.tmx", TMX)).stderr


def test_lines_of_two_columns_json_and_two_aligned_files_are_bilingual(written):
    tsv = written("a.tsv", "Old 7\tAlt\tnote\nNew\tNeu\n")
    assert found_in(tsv, "--languages", "en-de") == [("1", ["numbers"])]
    jsonl = written("a.jsonl", '{"text": "Old 7", "translation": "Alt", "id": "k"}\n')
    assert found_in(jsonl) == [("k", ["numbers"])]
    one, other = written("a.txt", "Old 7\nNew\n"), written("b.txt", "Alt\nNeu\n")
    assert found_in(one, "--target", other) == [("1", ["numbers"])]
    assert "Name the file of these with --target" in ask(one).stderr


def test_a_text_not_yet_translated_is_a_warning_and_an_empty_translation_an_error(written):
    assert found_in(written("a.tsv", "Old\nNew\t\n")) == [
        ("1", ["untranslated"]),
        ("2", ["untranslated"]),
    ]
    assert found_in(written("a.txt", "Old\n\n"), "--target", written("b.txt", "\n\n")) == [
        ("1", ["blank"])
    ]


def test_it_ends_with_1_for_errors_with_0_for_less_and_with_2_for_bad_input(written):
    assert ask(written("a.tsv", "Old 7\tAlt\n")).exit_code == 1
    found = ask(written("b.tsv", "Old?\tAlt\n"))
    assert found.exit_code == 0 and "line 1, segment 1: warning: endpunc: ends" in found.stdout
    assert found.stderr == "1 segments checked: 1 warning (endpunc 1)\n"
    assert ask(written("c.tsv", "Old\tAlt\n")).stderr == "1 segments checked: nothing found\n"
    assert ask("missing.po").exit_code == 2
    assert ask(written("b.tsv", "x\ty\n"), "--rules", "nothing").exit_code == 2
    assert ask(written("b.tsv", "x\ty\n"), "--report", "a.txt").exit_code == 2


def test_hints_are_counted_and_shown_where_asked_for(written):
    path = written("a.tsv", "It is full.\tEr ist voll\n")
    assert ask(path).stdout == "" and "1 hint (end_stop 1)" in ask(path).stderr
    assert "hint: end_stop: ends with no mark" in ask(path, "--hints").stdout


def test_rules_can_be_chosen_and_left_out(written):
    path = written("a.tsv", "Old 7?\tAlt\n")
    assert found_in(path, "--rules", "numbers,brackets") == [("1", ["numbers"])]
    assert found_in(path, "--skip", "numbers", "--skip", "brackets") == [("1", ["endpunc"])]


def test_terms_of_a_glossary_are_asked_of_translations(written):
    path = written("a.tsv", "The disks are full\tDie Laufwerke sind voll\n")
    terms = written("terms.tsv", "source\ttarget\ndisk\tPlatte\n")
    assert found_in(path, "--glossary", terms, "--languages", "en-de") == []
    found = found_in(path, "--glossary", terms, "--languages", "en-de", "--lemmas")
    assert found == [("1", ["check_glossary"])]


def test_a_report_has_all_findings_as_json_or_as_a_page(written, tmp_path):
    path = written("a.tsv", "Old <7\tAlt <b>\nNew\tNeu\n")
    page, values = tmp_path / "a.html", tmp_path / "a.json"
    for report in (page, values):
        ask(path, "--report", report)
    made = json.loads(values.read_text("utf8"))
    assert made["segments"] == 2 and made["severities"]["error"] == 2
    assert made["rules"] == {"xmltags": 1, "numbers": 1}
    shown = page.read_text("utf8")
    assert "<mark>&lt;b&gt;</mark>" in shown and "Old &lt;<mark>7</mark>" in shown
    assert "A number is missing" in shown
