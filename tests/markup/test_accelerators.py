"""The mark of a key in a label is taken out, and put back on a fitting letter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from timing import timed

from gridbeam.errors import UserError
from gridbeam.markup.accelerators import accelerator_of, check_rule, inserted
from gridbeam.markup.inline import Code, Marked, as_marked

LABELS = {
    "_Open": "Open",
    "Save _As…": "Save As…",
    "&Save as...": "Save as...",
    "~File": "File",
    "E_xit": "Exit",
    "Cu&t": "Cut",
    "S~ave": "Save",
    "&1. Recent": "1. Recent",
    "Number _of copies:": "Number of copies:",
    "&Copy\tCtrl+C": "Copy\tCtrl+C",
    "_Open %s": "Open %s",
    '"_Open"': '"Open"',
    "&Find && Replace": "Find & Replace",
    "打开(_O)...": "打开...",
}
NO_LABELS = [
    "R&D",
    "AT&T",
    "Q&A",
    "&amp; so on",
    "Tom & Jerry",
    "Save && exit",
    "rock&roll",
    "2>&1",
    "https://a.org/?b&c=1",
    "Pass &value to the function.",
    "file_name",
    "File_name",
    "hello_world",
    "MAX_SIZE",
    "__init__",
    "_italic_ text",
    "_blank",
    "Use the _id field.",
    "%_d",
    "~/bin",
    "~5 min",
    "_Save &as",
    "_Save _as",
    "_",
    "&",
    "",
]


@pytest.mark.parametrize("label", LABELS)
def test_a_mark_before_the_letter_of_a_key_is_taken_out_and_can_be_put_back(label):
    found = accelerator_of(as_marked(label), "auto", "en")
    assert found is not None and str(found.bare) == LABELS[label]
    assert str(inserted(found.bare, found.own)) == label
    assert str(inserted(found.bare, found.marks_in(found.bare, "de"))) == label


@pytest.mark.parametrize("text", NO_LABELS)
def test_what_may_mean_something_else_is_no_accelerator(text):
    assert accelerator_of(as_marked(text), "auto", "en") is None


@pytest.mark.parametrize(
    ("label", "translation", "target", "due"),
    [
        ("_Open", "Öffnen", "de", "_Öffnen"),
        ("_File", "Neue Datei für", "de", "Neue Datei _für"),
        ("&Save as...", "Speichern unter...", "de", "&Speichern unter..."),
        ("E_xit", "Beenden", "de", "_Beenden"),
        ("_Edit {edit}", "{edit} bearbeiten", "de", "{edit} _bearbeiten"),
        ("&Copy\tCtrl+C", "Kopieren\tCtrl+C", "de", "&Kopieren\tCtrl+C"),
        ("&Find && Replace", "Suchen & Ersetzen", "de", "&Suchen && Ersetzen"),
        ("_Open...", "打开...", "zh-CN", "打开(_O)..."),
        ("_File:", "ファイル：", "ja", "ファイル(_F)："),
        ("打开(_O)", "Open", "en", "_Open"),
        ("_7", "Nr. 7", "de", "Nr. _7"),
        ("_A", "—", "de", "—(_A)"),
    ],
)
def test_the_mark_goes_to_a_fitting_letter(label, translation, target, due):
    found = accelerator_of(as_marked(label), "auto", "en")
    assert found is not None
    text = as_marked(translation)
    assert str(inserted(text, found.marks_in(text, target))) == due


def test_a_mark_is_neither_sought_nor_put_in_a_tag():
    label = Marked.of([Code("<g id='_1'>"), "_Open", Code("</g>")])
    found = accelerator_of(label, "auto", "en")
    assert found is not None and str(found.bare) == "<g id='_1'>Open</g>"
    text = Marked.of(["Jetzt ", Code("<g id='_1'>"), "offen", Code("</g>")])
    assert str(inserted(text, found.marks_in(text, "de"))) == "Jetzt <g id='_1'>_offen</g>"


def test_a_rule_looks_for_one_mark_or_none():
    assert accelerator_of(as_marked("&Save"), "none", "en") is None
    assert accelerator_of(as_marked("&Save"), "_", "en") is None
    found = accelerator_of(as_marked("_save &all"), "_", None)
    assert found is not None and str(found.bare) == "save &all"
    with pytest.raises(UserError, match='accelerators "%" is unknown: write auto, _, &, ~ or none'):
        check_rule("%")


def test_a_mark_that_the_file_names_is_the_only_one_and_needs_no_dictionary():
    assert accelerator_of(as_marked("&Save"), "auto", "en", own="_") is None
    found = accelerator_of(as_marked("Xy_zzy"), "auto", None, own="_")
    assert found is not None and str(found.bare) == "Xyzzy"


@pytest.mark.parametrize(
    "pieces",
    [
        ["打开", Code("<x/>"), "(_O)"],
        ["1 file ", Code("<x/>"), "(_O)", Code("<y/>"), " open"],
        ["(_O)", Code("<x/>"), "打开"],
    ],
)
def test_a_mark_that_is_all_there_is_between_codes_comes_back_there(pieces):
    label = Marked.of(pieces)
    found = accelerator_of(label, "auto", "zh")
    assert found is not None and "(_O)" not in str(found.bare)
    assert inserted(found.bare, found.marks_in(found.bare, "zh")) == label


@pytest.mark.parametrize("space", [" ", ".", "… ", ". "])
def test_the_end_of_a_label_is_found_in_time_in_proportion_to_its_length(space):
    found = accelerator_of(as_marked("打开(_O)"), "auto", "zh")
    assert found is not None
    text = as_marked("打" + space * 4_000 + "开")
    with timed() as taken:
        assert str(inserted(text, found.marks_in(text, "zh"))) == f"{text}(_O)"
    assert taken.seconds < 1


@given(st.text(st.sampled_from("aB_&~ .\t{}0(o)"), max_size=12))
def test_whatever_is_taken_out_can_be_put_back(text):
    found = accelerator_of(as_marked(text), "auto", "en")
    if found is not None:
        assert str(inserted(found.bare, found.own)) == text
        assert len(str(found.bare)) < len(text)
        assert str(inserted(found.bare, found.marks_in(found.bare, "ja"))) == text
