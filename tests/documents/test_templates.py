"""Templates of PO files become files of a language, with its plural forms and its header."""

from __future__ import annotations

import gettext
import re
import shutil
import subprocess

import echo
import polib
import pytest

from gridbeam.documents import open_document
from gridbeam.documents.po_header import PluralForms
from gridbeam.errors import UserError, UserNotice
from gridbeam.files.run import Instructions, translate_file
from gridbeam.text.plurals import known_plurals, plural_rule

POT = r"""# SOME DESCRIPTIVE TITLE.
#
#, fuzzy
msgid ""
msgstr ""
"Project-Id-Version: app 1.0\n"
"POT-Creation-Date: 2024-01-01 10:00+0000\n"
"PO-Revision-Date: YEAR-MO-DA HO:MI+ZONE\n"
"Language: \n"
"MIME-Version: 1.0\n"
"Content-Type: text/plain; charset=CHARSET\n"
"Content-Transfer-Encoding: 8bit\n"
"Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\n"

#: a.c:1
msgid "Open"
msgstr ""

#: a.c:2
#, c-format
msgid "%d file"
msgid_plural "%d files"
msgstr[0] ""
msgstr[1] ""

msgid "Close"
msgstr ""
"""
USED = """
en zh hi es ar fr bn pt ru ur id de ja mr te tr ta vi ko it th gu fa pl uk ml kn ro nl hu el cs sv
bg da fi no sk hr sr he lt sl lv et ca sw ms fil pa eu gl is ga af
"""
FORMS = {"ja": 1, "de": 2, "fr": 2, "pt_BR": 2, "ru": 3, "pl": 3, "sl": 4, "ar": 6}
needs_gettext = pytest.mark.skipif(shutil.which("msgfmt") is None, reason="without gettext")


def shouted(text):
    return str(text).upper().replace("%D", "%d")


def filled(file, tmp_path, text, language, name="app.pot", translations=None):
    """The file that a template becomes, each translation its source in capitals."""
    document = open_document(file(name, text), target_language=language)
    texts = [shouted(each.source) if each.is_due else None for each in document.segments()]
    assert document.write(tmp_path / "out.po", translations or texts) is None
    return tmp_path / "out.po"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("language", FORMS)
def test_a_template_becomes_a_file_of_the_language(file, tmp_path, language, newline):
    path = filled(file, tmp_path, POT.replace("\n", newline), language)
    found = polib.pofile(str(path))
    assert found.metadata["Language"] == language
    assert found.metadata["Content-Type"] == "text/plain; charset=UTF-8"
    assert found.metadata["Plural-Forms"] == str(plural_rule(language))
    assert found.metadata["Project-Id-Version"] == "app 1.0"
    assert not found.metadata_is_fuzzy and found.header.strip() == "SOME DESCRIPTIVE TITLE."
    assert [each.msgstr for each in found if not each.msgid_plural] == ["OPEN", "CLOSE"]
    assert len(found[1].msgstr_plural) == FORMS[language]
    assert "c-format" in found[1].flags
    assert path.read_bytes().count(newline.encode()) == path.read_bytes().count(b"\n")


@needs_gettext
@pytest.mark.parametrize(
    "language", [*FORMS, "cs", "lt", "lv", "ro", "ga", "gd", "mt", "cy", "zh_CN"]
)
def test_msgfmt_takes_what_was_written(file, tmp_path, language):
    path = filled(file, tmp_path, POT, language)
    subprocess.run(["msgattrib", "--clear-fuzzy", "-o", tmp_path / "clear.po", path], check=True)
    found = subprocess.run(
        ["msgfmt", "-c", "--statistics", "-o", tmp_path / "app.mo", tmp_path / "clear.po"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert found.stderr.splitlines()[-1] == "3 translated messages.", found.stderr
    with (tmp_path / "app.mo").open("rb") as file_:
        catalogue = gettext.GNUTranslations(file_)
    assert all(
        catalogue.ngettext("%d file", "%d files", n) in ("%d FILE", "%d FILES") for n in range(200)
    )


def test_the_form_of_one_thing_is_made_from_the_singular_and_others_from_the_plural(file):
    def sources(language):
        segments = open_document(file("a.pot", POT), target_language=language).segments()
        return [str(each.source) for each in segments if "%d" in each.name]

    assert sources("ru") == ["%d file", "%d files", "%d files"]
    assert sources("ar") == ["%d files", "%d file", *["%d files"] * 4]
    assert sources("ja") == ["%d files"]


@pytest.mark.parametrize("code", known_plurals())
def test_every_rule_is_one_of_gettext_and_uses_all_its_forms(code):
    rule = plural_rule(code)
    choose = gettext.c2py(rule.choice)
    assert {choose(n) for n in range(1000)} == set(range(rule.count))
    assert PluralForms.of(f"Plural-Forms: {rule}\n").count == rule.count


@needs_gettext
def test_rules_are_those_of_msginit(tmp_path):
    template = tmp_path / "a.pot"
    template.write_text(POT)
    compared = 0
    for code in known_plurals():
        made = subprocess.run(
            ["msginit", "-i", template, "-l", code, "--no-translator", "-o", "-"],
            capture_output=True,
            check=True,
        ).stdout.decode("latin1")
        header = polib.pofile(made).metadata["Plural-Forms"]
        if "INTEGER" in header:
            continue  # it does not know them
        rule, theirs = plural_rule(code), re.fullmatch(r"nplurals=(\d); plural=(.*);", header)
        ours, other = gettext.c2py(rule.choice), gettext.c2py(theirs[2])
        assert int(theirs[1]) == rule.count, code
        assert all(ours(n) == other(n) for n in range(1000)), code
        compared += 1
    assert compared > 35


def test_the_most_used_languages_are_known():
    assert set(USED.split()) <= set(known_plurals())
    assert plural_rule("zho_Hans") == plural_rule("zh") and plural_rule("pt") != plural_rule(
        "pt_BR"
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("#, fuzzy\nmsgid", "msgid"),
        ("#, fuzzy, no-wrap\nmsgid", "#, no-wrap\nmsgid"),
        ("#, no-wrap, fuzzy\nmsgid", "#, no-wrap\nmsgid"),
        ("# fuzzy words\nmsgid", "# fuzzy words\nmsgid"),
    ],
)
def test_the_header_loses_its_fuzzy_flag_and_no_other(file, tmp_path, before, after):
    text = POT.replace("#, fuzzy\nmsgid", before, 1)
    written = filled(file, tmp_path, text, "de").read_text()
    assert written.startswith(f'# SOME DESCRIPTIVE TITLE.\n#\n{after} ""\nmsgstr ""\n"Project')


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_template_without_a_header_gets_one(file, tmp_path, mark):
    text = '# a comment\nmsgid "Open"\nmsgstr ""\n'
    path = filled(file, tmp_path, mark + text, "ru")
    found = polib.pofile(str(path), encoding="utf-8-sig")
    assert found.metadata["Language"] == "ru" and "nplurals=3" in found.metadata["Plural-Forms"]
    assert [each.msgstr for each in found] == ["OPEN"]
    assert path.read_text("utf8").startswith(f'{mark}msgid ""\nmsgstr ""\n"Language: ru\\n"\n')
    assert path.read_text("utf8").endswith(
        "\n\n" + text.replace("msgid", "#, fuzzy\nmsgid").replace('msgstr ""', 'msgstr "OPEN"')
    )


def test_what_a_template_says_already_stays(file, tmp_path):
    rule = "nplurals=2; plural=(n > 1);"
    text = POT.replace("nplurals=INTEGER; plural=EXPRESSION;", rule)
    text = text.replace("charset=CHARSET", "charset=ISO-8859-1").replace(
        "Language: ", "Language: de_AT"
    )
    found = polib.pofile(str(filled(file, tmp_path, text, "de")))
    assert found.metadata["Plural-Forms"] == rule
    assert found.metadata["Language"] == "de_AT"
    assert found.metadata["Content-Type"] == "text/plain; charset=ISO-8859-1"


def test_a_template_in_another_charset_becomes_utf8_where_it_must(file, tmp_path):
    text = POT.replace("charset=CHARSET", "charset=ISO-8859-1").replace("SOME", "SÖME")
    document = open_document(file("a.pot", text.encode("latin1")), target_language="ru")
    said = document.write(tmp_path / "b.po", {0: "Открыть"})
    found = polib.pofile(str(tmp_path / "b.po"))
    assert "is in UTF-8" in said and found[0].msgstr == "Открыть"
    assert found.metadata["Content-Type"] == "text/plain; charset=UTF-8" and "SÖME" in found.header
    assert "nplurals=3" in found.metadata["Plural-Forms"] and not found.metadata_is_fuzzy


def test_a_language_whose_plural_forms_are_unknown_is_refused_with_what_to_write(file, tmp_path):
    with pytest.raises(
        UserError, match=r"a\.pot line 21: the plural forms of tlh .*Write them into"
    ):
        list(open_document(file("a.pot", POT), target_language="tlh").segments())
    known = POT.replace("nplurals=INTEGER; plural=EXPRESSION;", "nplurals=1; plural=0;")
    assert len(polib.pofile(str(filled(file, tmp_path, known, "tlh")))[1].msgstr_plural) == 1
    without = (
        POT.replace('msgid_plural "%d files"\n', "")
        .replace("[0]", "")
        .replace('msgstr[1] ""\n', "")
    )
    found = polib.pofile(str(filled(file, tmp_path, without, "tlh")))
    assert "Plural-Forms" not in found.metadata and found.metadata["Language"] == "tlh"


def test_a_template_for_no_known_language_says_what_is_left_to_do(file, tmp_path):
    with pytest.warns(UserNotice, match="header stays that of a template.*Fill in Language"):
        document = open_document(file("a.pot", POT))
    document.write(tmp_path / "b.po", {})
    assert (tmp_path / "b.po").read_text() == POT


def test_entries_get_as_many_forms_as_the_header_of_their_file_says(file, tmp_path):
    header = 'msgid ""\nmsgstr "Language: pl\\nPlural-Forms: nplurals=3; plural=n%3;\\n"\n\n'
    entry = 'msgid "a file"\nmsgid_plural "files"\n'
    short, whole = (
        'msgstr[0] "plik"\n',
        'msgstr[0] "plik"\nmsgstr[1] ""\nmsgstr[2] "x"\nmsgstr[3] ""\n',
    )
    path = filled(
        file,
        tmp_path,
        header + entry + short + "\n" + entry.replace("a f", "the f") + whole,
        "pl",
        name="a.po",
    )
    first, second = polib.pofile(str(path))
    assert first.msgstr_plural == {0: "plik", 1: "A FILE", 2: "FILES"}
    assert second.msgstr_plural == {0: "plik", 1: "THE FILE", 2: "x"}
    assert path.read_text().startswith(header)


def test_an_entry_whose_forms_are_not_all_translated_has_them_all(file, tmp_path):
    path = filled(file, tmp_path, POT, "ru", translations={1: "%d файл"})
    assert polib.pofile(str(path))[1].msgstr_plural == {0: "%d файл", 1: "", 2: ""}


def test_a_file_that_is_filled_in_is_not_changed_again(file, tmp_path):
    path = filled(file, tmp_path, POT, "ru")
    document = open_document(path, target_language="ru")
    assert not any(each.is_due for each in document.segments())
    document.write(tmp_path / "again.po", {})
    assert (tmp_path / "again.po").read_bytes() == path.read_bytes()


def test_the_command_fills_a_template_in(file, tmp_path):
    out = tmp_path / "de.po"
    assert (
        translate_file(echo.translator(), file("a.pot", POT), out, Instructions()).translated == 4
    )
    found = polib.pofile(str(out))
    assert found.metadata["Language"] == "de" and not found.metadata_is_fuzzy
    assert [each.flags for each in found] == [["fuzzy"], ["fuzzy", "c-format"], ["fuzzy"]]


def test_a_template_whose_header_has_plural_forms_is_refused(file):
    text = '# Title\nmsgid ""\nmsgstr[0] "Language: \\n"\n\nmsgid "a"\nmsgstr ""\n'
    with pytest.raises(UserError, match=r"a\.pot line 2: .*Write msgstr in place of msgstr\[0\]"):
        list(open_document(file("a.pot", text), target_language="de").segments())
