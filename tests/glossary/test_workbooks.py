"""Workbooks of Excel: whatever is in one is read or refused, in little time and room."""

from __future__ import annotations

import datetime
import subprocess
import sys
import zipfile
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from timing import timed

from gridbeam import UserError
from gridbeam.glossary import formats as glossaries
from gridbeam.glossary.entries import Entry, Glossary

RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PARTS = {
    "_rels/.rels": (
        f'<Relationships><Relationship Id="a" Type="{RELATIONS}/officeDocument"'
        ' Target="xl/workbook.xml"/></Relationships>'
    ),
    "xl/workbook.xml": (
        f'<workbook xmlns:r="{RELATIONS}"><sheets><sheet name="Terms" r:id="b"/></sheets>'
        "</workbook>"
    ),
    "xl/_rels/workbook.xml.rels": (
        f'<Relationships><Relationship Id="b" Type="{RELATIONS}/worksheet"'
        ' Target="worksheets/sheet1.xml"/><Relationship Id="c"'
        f' Type="{RELATIONS}/sharedStrings" Target="/xl/sharedStrings.xml"/></Relationships>'
    ),
    "xl/sharedStrings.xml": (
        "<sst><si><t>disk</t></si><si><r><t>Plat</t></r><r><t>te</t></r>"
        "<rPh><t>reading</t></rPh></si></sst>"
    ),
}
MANY_TEXTS = "<si/>" * 1_000_001
ROW = '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>'


def book(folder, rows=ROW, **parts):
    """A workbook of one sheet with these rows, or with other parts."""
    path = folder / "t.xlsx"
    sheet = {"xl/worksheets/sheet1.xml": f"<worksheet><sheetData>{rows}</sheetData></worksheet>"}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in (PARTS | sheet | parts).items():
            if content is not None:
                packed.writestr(name, content)
    return path


def text_cell(place, text):
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'


def refusal(path):
    with pytest.raises(UserError) as refused:
        glossaries.read(path)
    assert str(refused.value).startswith(str(path))
    return str(refused.value)


def test_texts_are_read_wherever_they_stand(tmp_path):
    rows = ROW + f"<row r='7'>{text_cell('A7', 'a')}{text_cell('B7', 'b')}</row>"
    first, last = glossaries.read(book(tmp_path, rows)).entries
    assert first == Entry("disk", ("Platte",)) and last == Entry("a", ("b",))
    assert (first.place.line, last.place.line) == (1, 7)
    assert str(last.place).endswith('t.xlsx sheet "Terms" row 7')


def test_a_row_that_does_not_say_where_it_is_follows_the_one_before(tmp_path):
    rows = "<row><c t='s'><v>0</v></c><c t='str'><v>b</v></c></row>" * 2
    assert [e.place.line for e in glossaries.read(book(tmp_path, rows)).entries] == [1, 2]


def test_numbers_dates_and_truths_are_read_as_they_would_be_typed(tmp_path):
    from openpyxl import Workbook

    made = Workbook()
    made.active.append(["source", "target", "note", "dnt"])
    made.active.append([5.0, 2.5, datetime.datetime(2026, 11, 18), False])
    made.active.append(["=1+1", "x", datetime.date(2026, 11, 18), None])
    made.active["A3"].data_type = "s"
    made.save(tmp_path / "t.xlsx")
    assert glossaries.read(tmp_path / "t.xlsx").entries == (
        Entry("5", ("2.5",), note="2026-11-18 00:00:00"),
        Entry("=1+1", ("x",), note="2026-11-18 00:00:00"),
    )


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (ROW + f'<row r="1048576">{text_cell("XFD1048576", "x")}</row>',
         'sheet "Terms": the cell XFD1048576 holds "x", far to the right: a glossary has no more'),
        ('<row r="1"><c r="A1" t="s"><v>7</v></c></row>',
         'the cell A1 refers to the text "7", which is not there. Save the workbook anew.'),
        ('<row r="1"><c r="A1" t="s"><v>-1</v></c></row>', 'refers to the text "-1"'),
        ('<row r="1"><c r="A1"><v>x</v></c></row>', 'is said to hold a number, and holds "x"'),
        ('<row r="1"><c r="1A"><v>1</v></c></row>', '"1A" is no cell. Save the workbook anew.'),
        (ROW + "<row>", "or a damaged one: xl/worksheets/sheet1.xml, mismatched tag"),
        (text_cell("A1", "&#0;"), "reference to invalid character number"),
        (text_cell("A1", "\x01"), "not well-formed (invalid token)"),
        (text_cell("A1", "x" * 300_000), "has a cell of more than 32,767 characters"),
        ("<c/>" * 1_000_001, "has more than 1,000,000 cells. This is no glossary"),
        ("<row/>" * 1_000_001, "has more than 1,000,000 cells. This is no glossary"),
        (" " * ((1 << 26) + 1), "sheet1.xml unpacks to 67,1"),
    ],
)  # fmt: skip
def test_what_is_damaged_or_no_glossary_is_refused_in_a_second(tmp_path, rows, said):
    path = book(tmp_path, rows)
    with timed() as taken:
        assert said in refusal(path)
    assert taken.seconds < 1.5


def test_blanks_far_to_the_right_change_nothing(tmp_path):
    blanks = "".join(f'<c r="XFD{row}" s="1"/>' for row in range(2, 20_000))
    rows = f'{ROW}<row r="2">{blanks}<c r="XFC2" t="s"></c></row>'
    assert glossaries.read(book(tmp_path, rows)).entries == (Entry("disk", ("Platte",)),)


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ({"xl/sharedStrings.xml": None}, "or a damaged one: it has no xl/sharedStrings.xml."),
        ({"xl/workbook.xml": None}, "it has no xl/workbook.xml. Save it anew as .xlsx."),
        ({"_rels/.rels": None}, "it has no _rels/.rels."),
        ({"xl/sharedStrings.xml": f"<sst>{MANY_TEXTS}</sst>"}, "more than 1,000,000 texts"),
        ({"xl/worksheets/sheet1.xml": "<a>"}, "xl/worksheets/sheet1.xml, no element found"),
        ({"xl/workbook.xml": "<workbook/>"}, "has no sheets. Add one"),
        ({"xl/workbook.xml": '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'}, "a document type"),
    ],
)
def test_a_workbook_without_its_parts_is_refused(tmp_path, part, said):
    assert said in refusal(book(tmp_path, **part))


@pytest.mark.parametrize("part", ["xl/sharedStrings.xml", "xl/worksheets/sheet1.xml"])
@pytest.mark.parametrize("encoding", ["shift_jis", "foo"])
def test_a_part_in_an_encoding_that_is_not_known_is_refused(tmp_path, part, encoding):
    content = f'<?xml version="1.0" encoding="{encoding}"?><sst/>'
    said = refusal(book(tmp_path, **{part: content}))
    assert f"{part}, " in said and "encoding" in said and said.endswith("Save it anew as .xlsx.")


@given(st.integers(0, 1500), st.binary(min_size=1, max_size=4))
def test_whatever_is_damaged_is_read_or_refused(tmp_path_factory, place, damage):
    path = book(tmp_path_factory.getbasetemp())
    content = bytearray(path.read_bytes())
    place %= len(content)
    content[place : place + len(damage)] = damage
    path.write_bytes(content)
    with suppress(UserError):
        glossaries.read(path)


SMALL = """
import resource, sys, warnings
from gridbeam.glossary import formats
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    formats.read(sys.argv[1])
except ValueError as error:
    print(error)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.parametrize(
    "rows",
    [
        f'<row r="1048576">{text_cell("XFD1048576", "x")}</row>',
        "<c r='A1'/>" * 1_000_001,
        " " * (1 << 25),
    ],
)
def test_a_workbook_takes_little_memory_whatever_is_in_it(tmp_path, rows):
    path = book(tmp_path, ROW + rows)
    assert path.stat().st_size < 100_000
    run = subprocess.run(
        [sys.executable, "-c", SMALL, path], capture_output=True, text=True, check=True
    )
    assert int(run.stdout.split()[-1]) < 100


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


@given(TEXTS, TEXTS)
def test_what_is_written_is_read_again_or_refused(tmp_path_factory, source, target):
    source, target = f"a{source}a", f"b{target}b"
    path = tmp_path_factory.getbasetemp() / "drawn.xlsx"
    entry = Entry(source, (target,))
    if any((ord(c) < 32 and c not in "\t\n\r") or c in "\ufffe\uffff" for c in source + target):
        with pytest.raises(UserError, match="Remove it"):
            glossaries.write(Glossary((entry,)), path)
    else:
        glossaries.write(Glossary((entry,)), path)
        assert glossaries.read(path).entries == (entry,)


@pytest.mark.parametrize("text", ["_x0041_", "a\rb", "a\r\nb", "=1+1", "_x005F_", "😀"])
def test_what_looks_like_something_else_is_kept_as_it_is(tmp_path, text):
    entry = Entry(text, ("b",), note=text)
    glossaries.write(Glossary((entry,)), tmp_path / "t.xlsx")
    assert glossaries.read(tmp_path / "t.xlsx").entries == (entry,)


@pytest.mark.parametrize("bad", ["\x00", "\x0b", "\ufffe", "\uffff", "\ud800"])
@pytest.mark.parametrize("suffix", ["xlsx", "tbx"])
def test_what_xml_cannot_hold_is_refused(tmp_path, bad, suffix):
    path = tmp_path / f"t.{suffix}"
    with pytest.raises(UserError, match="Remove it"):
        glossaries.write(Glossary((Entry(f"a{bad}", ("b",)),), "en", "de"), path)
    assert not path.exists()


def test_a_text_that_no_cell_holds_is_refused_and_not_cut(tmp_path, monkeypatch):
    monkeypatch.setattr("gridbeam.glossary.formats.xlsx.LONGEST_TEXT", 99)
    with pytest.raises(UserError, match="a cell of XLSX holds no more than 99"):
        glossaries.write(Glossary((Entry("a", ("b" * 100,)),)), tmp_path / "t.xlsx")
