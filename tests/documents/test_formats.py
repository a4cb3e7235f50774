"""A format is one value in a list: everything that depends on formats asks that list."""

from __future__ import annotations

import io
import re

import echo
import pytest
from small_files import ask

from gridbeam.constraints.terms import Phrase
from gridbeam.documents import FORMATS, Format, open_document, registry
from gridbeam.documents.lines import on_one_line
from gridbeam.documents.segment import Segment
from gridbeam.documents.splice import Unit
from gridbeam.errors import UserError
from gridbeam.files import Instructions, translate_file, translate_stream
from gridbeam.files.arguments import kind_of
from gridbeam.markup.inline import as_marked
from gridbeam.translation.defaults import TRANSLATION

SETTINGS = b"[messages]\nfull=disk\n; a note\n\nopen = the folder\n"


def setting(line, number):
    """The value of a line such as `key=value`; all other lines are none."""
    key, sign, value = line.text.partition("=")
    if not sign:
        return None
    segment = Segment(number, key.strip(), as_marked(value.strip()), line.path, line.number)
    start = line.end - len(value.lstrip().encode())
    return Unit((segment,), lambda given: [(start, line.end, on_one_line(given[0]).encode())])


INI = Format(name="ini", suffixes=(".ini",), contents=re.compile(rb"^\[\w+\]\n"), unit=setting)


@pytest.fixture
def with_ini(monkeypatch):
    monkeypatch.setattr(registry, "FORMATS", (*FORMATS, INI))


def said(phrase):
    """Instructions by which each translation has a phrase."""
    return Instructions(everywhere=(Phrase(phrase),), search=TRANSLATION.but(beam=2))


@pytest.mark.usefixtures("with_ini")
@pytest.mark.parametrize("name", ["app.ini", "APP.INI", "app"])
def test_a_new_format_is_told_by_suffix_and_contents(file, name):
    document = open_document(file(name, SETTINGS))
    assert document.format == "ini"
    assert [(each.name, str(each.source)) for each in document.segments()] == [
        ("full", "disk"),
        ("open", "the folder"),
    ]


@pytest.mark.usefixtures("with_ini")
def test_a_file_of_a_new_format_is_translated_and_nothing_else_of_it_changes(file, tmp_path):
    out = tmp_path / "out.ini"
    done = translate_file(echo.translator(), file("app.ini", SETTINGS), out, said("Laufwerk"))
    assert done.translated == done.segments == 2
    assert re.fullmatch(rb"\[messages\]\nfull=(.+)\n; a note\n\nopen = (.+)\n", out.read_bytes())
    assert [b"Laufwerk" in line for line in out.read_bytes().splitlines()] == [
        False,
        True,
        False,
        False,
        True,
    ]


@pytest.mark.usefixtures("with_ini")
def test_a_new_format_of_lines_may_be_a_stream():
    out = io.BytesIO()
    done = translate_stream(
        echo.translator(), io.BytesIO(SETTINGS), out, said("Laufwerk"), format="ini"
    )
    assert done.translated == 2
    assert out.getvalue().startswith(b"[messages]\nfull=")
    assert out.getvalue().count(b"Laufwerk") == 2


@pytest.mark.usefixtures("with_ini")
def test_errors_list_a_new_format(file):
    with pytest.raises(UserError, match=r'unknown format "docx": write .*tmx or ini'):
        open_document(file("a.txt", ""), format="docx")
    with pytest.raises(UserError, match=r"which it is: .*tmx, ini"):
        open_document(file("a.bin", "what is this"))
    with pytest.raises(UserError, match='"po" has not: write text, tsv, jsonl, moses, ini, or'):
        translate_stream(echo.translator(), io.BytesIO(), io.BytesIO(), said("x"), format="po")


@pytest.mark.usefixtures("with_ini")
def test_what_ends_like_a_file_of_a_new_format_is_not_taken_for_a_text():
    with pytest.raises(UserError, match=r"missing.ini: there is no such file"):
        kind_of("missing.ini", is_text=False, has_output=False)


@pytest.mark.usefixtures("with_ini")
def test_a_new_format_that_keeps_no_source_does_not_replace_its_input(file):
    path = file("app.ini", SETTINGS)
    with pytest.raises(UserError, match="is the input, and its sources would be lost"):
        translate_file(echo.translator(), path, path, said("Laufwerk"))
    assert path.read_bytes() == SETTINGS


def test_without_it_in_the_list_the_format_is_unknown(file):
    with pytest.raises(UserError, match="neither its suffix nor its contents tell its format"):
        open_document(file("app.ini", SETTINGS))


def test_the_help_of_the_command_line_lists_all_formats():
    shown = " ".join(ask("translate", "--help").stdout.replace("│", " ").split())
    assert f"The format of the input: {registry.listed()}." in shown
    assert all(each.name in registry.listed() for each in FORMATS)


def test_no_two_formats_share_a_name_or_a_suffix():
    names = [each.name for each in FORMATS]
    suffixes = [suffix for each in FORMATS for suffix in each.suffixes]
    assert len(set(names)) == len(names)
    assert len(set(suffixes)) == len(suffixes)


@pytest.mark.parametrize("how", [{}, {"unit": setting, "document": open_document}])
def test_a_format_is_read_in_exactly_one_way(how):
    with pytest.raises(ValueError, match='the format "ini" needs either unit= or document='):
        Format(name="ini", **how)


@pytest.mark.parametrize(
    ("content", "format"),
    [
        ('{"text": "write <xliff version=...>"}\n', "jsonl"),
        ('# for <tmx > files\nmsgid "a"\nmsgstr ""\n', "po"),
    ],
)
def test_a_file_that_mentions_another_format_is_still_its_own(file, content, format):
    assert open_document(file("a", content)).format == format
