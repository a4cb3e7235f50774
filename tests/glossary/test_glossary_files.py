"""Glossary files of every format: what is read, written, and refused with place and remedy."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridbeam import UserError
from gridbeam.errors import UserNotice
from gridbeam.glossary import formats as glossaries
from gridbeam.glossary.entries import Entry, Glossary

ENTRIES = (
    Entry(
        "hard disk",
        ("Festplatte", "Laufwerk"),
        forbidden=("HDD", "Harddisk"),
        forms=("Festplatten",),
        note="for computers",
    ),
    Entry("US", ("USA",), case="exact"),
    Entry("gridbeam", do_not_translate=True, case="any", note="our name"),
    Entry("handy", forbidden=("Handy",), case="exact"),
    Entry('5" <disk> & "C|C++"', ("a|b\\c", "d, e; f"), note='say "so"'),
)
GLOSSARY = Glossary(ENTRIES, "en", "de", "terms")

MARTIF = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">
<martif type="TBX" xml:lang="en-US">
  <martifHeader>
    <fileDesc><sourceDesc><p>A sample</p></sourceDesc></fileDesc>
    <encodingDesc><p type="XCSURI">TBXXCSV02.xcs</p></encodingDesc>
  </martifHeader>
  <text><body>
    <termEntry id="c1">
      <descrip type="subjectField">computing</descrip>
      <note>The device</note>
      <langSet xml:lang="en-US">
        <tig><term>hard <hi>disk</hi></term><termNote type="partOfSpeech">noun</termNote></tig>
        <ntig><termGrp><term>hard drive</term></termGrp></ntig>
      </langSet>
      <langSet xml:lang="de-DE">
        <ntig><termGrp><term>Laufwerk</term>
          <termNote type="administrativeStatus">admittedTerm-admn-sts</termNote></termGrp></ntig>
        <tig><term>Festplatte</term><termNote type="administrativeStatus">preferredTerm-admn-sts</termNote></tig>
        <tig><term>HDD</term><termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote></tig>
        <tig><term>Harddisk</term><termNote type="normativeAuthorization">supersededTerm</termNote></tig>
      </langSet>
      <langSet xml:lang="fr"><tig><term>disque dur</term></tig></langSet>
    </termEntry>
  </body></text>
</martif>
"""  # noqa: E501
DCA = """<?xml version="1.0" encoding="UTF-8"?>
<tbx type="TBX-Basic" style="dca" xml:lang="en" xmlns="urn:iso:std:iso:30042:ed-2">
  <tbxHeader><fileDesc><sourceDesc><p>A sample</p></sourceDesc></fileDesc></tbxHeader>
  <text><body>
    <conceptEntry id="c1">
      <descrip type="subjectField">computing</descrip>
      <note>The device</note>
      <langSec xml:lang="en-US">
        <termSec><term>hard disk</term><termNote type="partOfSpeech">noun</termNote></termSec>
        <termSec><term>hard drive</term></termSec>
      </langSec>
      <langSec xml:lang="de-DE">
        <termSec><term>Laufwerk</term><termNote type="administrativeStatus">admittedTerm-admn-sts</termNote></termSec>
        <termSec><term>Festplatte</term>
          <termNoteGrp><termNote type="administrativeStatus">preferredTerm-admn-sts</termNote></termNoteGrp></termSec>
        <termSec><term>HDD</term><termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote></termSec>
        <termSec><term>Harddisk</term><termNote type="administrativeStatus">supersededTerm-admn-sts</termNote></termSec>
      </langSec>
      <langSec xml:lang="fr"><termSec><term>disque dur</term></termSec></langSec>
    </conceptEntry>
  </body></text>
</tbx>
"""  # noqa: E501
DCT = """<?xml version="1.0" encoding="UTF-8"?>
<tbx type="TBX-Basic" style="dct" xml:lang="en" xmlns="urn:iso:std:iso:30042:ed-2"
     xmlns:min="http://www.tbxinfo.net/ns/min" xmlns:basic="http://www.tbxinfo.net/ns/basic">
  <tbxHeader><fileDesc><sourceDesc><p>A sample</p></sourceDesc></fileDesc></tbxHeader>
  <text><body>
    <conceptEntry id="c1">
      <min:subjectField>computing</min:subjectField>
      <note>The device</note>
      <langSec xml:lang="en-US">
        <termSec><term>hard <!-- or not --> disk</term><min:partOfSpeech>noun</min:partOfSpeech></termSec>
        <termSec><term>hard drive</term></termSec>
      </langSec>
      <langSec xml:lang="de-DE">
        <termSec><term>Laufwerk</term><min:administrativeStatus>admittedTerm-admn-sts</min:administrativeStatus></termSec>
        <termSec><term>Festplatte</term><min:administrativeStatus>preferredTerm-admn-sts</min:administrativeStatus></termSec>
        <termSec><term>HDD</term><min:administrativeStatus>deprecatedTerm-admn-sts</min:administrativeStatus></termSec>
        <termSec><term>Harddisk</term><min:administrativeStatus>supersededTerm-admn-sts</min:administrativeStatus></termSec>
      </langSec>
      <langSec xml:lang="fr"><termSec><term>disque dur</term></termSec></langSec>
    </conceptEntry>
  </body></text>
</tbx>
"""  # noqa: E501
MIN = """<?xml version="1.0" encoding="UTF-8"?>
<TBX dialect="TBX-Min">
  <header><id>sample</id><languages source="en-US" target="de-DE"/></header>
  <body>
    <termEntry id="C1">
      <subjectField>computing</subjectField>
      <langSet xml:lang="en-US">
        <tig><term>hard disk</term><noteGrp><note><noteValue>The device</noteValue></note></noteGrp></tig>
        <tig><term>hard drive</term><noteGrp><note><noteValue>The device</noteValue></note></noteGrp></tig>
      </langSet>
      <langSet xml:lang="de-DE">
        <tig><term>Laufwerk</term><termStatus>admitted</termStatus></tig>
        <tig><term>Festplatte</term><termStatus>preferred</termStatus></tig>
        <tig><term>HDD</term><termStatus>notRecommended</termStatus></tig>
        <tig><term>Harddisk</term><termStatus>obsolete</termStatus></tig>
      </langSet>
      <langSet xml:lang="fr"><tig><term>disque dur</term></tig></langSet>
    </termEntry>
  </body>
</TBX>
"""  # noqa: E501
OLD_MIN = (
    MIN.replace("termEntry", "entry").replace("langSet", "langGroup").replace("tig>", "termGroup>")
)
SAMPLES = {"martif": MARTIF, "dca": DCA, "dct": DCT, "min": MIN, "old min": OLD_MIN}


def written(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def refusal(folder, name, content, **options):
    """What is said of a file, which must begin with its name."""
    path = written(folder, name, content)
    with pytest.raises(UserError) as refused:
        glossaries.read(path, **options)
    assert str(refused.value).startswith(str(path))
    return str(refused.value).replace(str(path), name)


@pytest.mark.parametrize("dialect", SAMPLES)
def test_every_dialect_of_tbx_is_read_alike(tmp_path, dialect):
    glossary = glossaries.read(
        written(tmp_path, "terms.tbx", SAMPLES[dialect]), source="en", target="de"
    )
    shared = {
        "targets": ("Festplatte", "Laufwerk"),
        "forbidden": ("HDD", "Harddisk"),
        "note": "The device",
    }
    assert glossary == Glossary(
        (Entry("hard disk", **shared), Entry("hard drive", **shared)), "en", "de", "terms"
    )
    assert (
        SAMPLES[dialect]
        .splitlines()[glossary.entries[0].place.line - 1]
        .strip()
        .lower()
        .endswith('id="c1">')
    )


@pytest.mark.parametrize(
    "name",
    ["new.tsv", "new.csv", "new.xlsx", "new.txt", "new.utf8", "new.tab", "martif.tbx", "dca.tbx"],
)
def test_what_is_written_is_read_again(tmp_path, name):
    path = tmp_path / name
    glossaries.write(GLOSSARY, path, dialect=path.stem if path.suffix == ".tbx" else "dca")
    assert glossaries.read(path, source="en", target="de") == Glossary(
        ENTRIES, "en", "de", path.stem
    )
    assert os.listdir(tmp_path) == [name]


@pytest.mark.parametrize("dialect", ["martif", "dca", "dct", "min"])
def test_a_tbx_converted_by_way_of_a_table_keeps_its_entries(tmp_path, dialect):
    old = written(tmp_path, "old.tbx", SAMPLES[dialect])
    first = glossaries.convert(old, tmp_path / "new.csv", source="en", target="de")
    glossaries.convert(
        tmp_path / "new.csv", tmp_path / "new.tbx", source="en", target="de", dialect=dialect
    )
    assert glossaries.read(tmp_path / "new.tbx").entries == first.entries


CELLS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\t\0"), max_size=8
).map(str.strip)
FULL = CELLS.filter(bool)


@st.composite
def drawn_entries(draw):
    source, note = draw(FULL), draw(CELLS)
    texts = draw(st.lists(FULL, min_size=1, max_size=4, unique=True))
    rule = draw(st.sampled_from(["exact", "sentence", "any"]))
    try:
        return Entry(
            source,
            tuple(texts[:2]),
            forbidden=tuple(texts[3:]),
            forms=tuple(texts[2:3]),
            case=rule,
            note=note,
        )
    except UserError:
        return Entry(source, tuple(texts), case=rule, note=note)


@pytest.mark.parametrize("suffix", [".tsv", ".csv"])
@given(entries=st.lists(drawn_entries(), max_size=4))
def test_tables_keep_every_character_of_every_entry(tmp_path_factory, suffix, entries):
    path = tmp_path_factory.getbasetemp() / f"drawn{suffix}"
    glossaries.write(Glossary(tuple(entries)), path)
    assert glossaries.read(path).entries == tuple(entries)


def test_two_columns_need_no_names(tmp_path):
    glossary = glossaries.read(
        written(tmp_path, "terms.tsv", "\ufeffdisk\tPlatte | Laufwerk\r\n\r\nplate\tTeller\r\n")
    )
    assert glossary.entries == (Entry("disk", ("Platte", "Laufwerk")), Entry("plate", ("Teller",)))
    assert [entry.place.line for entry in glossary.entries] == [1, 3]


def test_named_columns_may_stand_in_any_order_and_empty_ones_be_left_out(tmp_path):
    text = "Target\tSource\tDNT\tCase\nPlatte\tdisk\n\tgridbeam\tYes\tANY\n"
    glossary = glossaries.read(written(tmp_path, "terms.tsv", text))
    assert glossary.entries == (
        Entry("disk", ("Platte",)),
        Entry("gridbeam", do_not_translate=True, case="any"),
    )


@pytest.mark.parametrize(
    "first",
    [
        "English,German", "English (US),German (Germany),", "en,de", "EN-us;de-DE",
        "Englisch;Deutsch", "Term,Translation", "Source term;Target term",
        "source_text,target_text", "Term,German", "sep=;\nEnglish;German", '"sep=;"\nTerm;de',
        "sep=\t\nen\tde",
    ],
)  # fmt: skip
def test_the_first_row_may_name_columns_as_other_tools_do(tmp_path, first):
    separator = next(each for each in ";\t," if each in first.splitlines()[-1])
    path = written(tmp_path, "terms.csv", f"{first}\ndisk{separator}Platte\n")
    for languages in ({}, {"source": "en-GB", "target": "de"}):
        with pytest.warns(
            UserNotice,
            match=(
                r'csv line [12] names the columns, and ".*" is the source and ".*" is the'
                r" target\. If"
            ),
        ):
            glossary = glossaries.read(path, **languages)
        assert glossary.entries == (Entry("disk", ("Platte",)),)
        assert glossary.entries[0].place.line == 2 + first.count("\n")


@pytest.mark.parametrize(
    "row",
    [
        "English,Englisch",
        "German,Deutsch",
        "term,Begriff",
        "translation,Übersetzung",
        "it,es",
        "source,Quelle",
    ],
)
def test_a_term_that_could_name_a_column_is_an_entry(tmp_path, row):
    glossary = glossaries.read(
        written(tmp_path, "terms.csv", f"{row}\ndisk,Platte\n"), source="en", target="de"
    )
    assert [entry.source for entry in glossary.entries] == [row.split(",")[0], "disk"]


def test_of_many_languages_those_that_are_asked_for_are_read_in_whatever_order(tmp_path):
    path = written(
        tmp_path, "terms.csv", "French,German,English,Swahili\ndisque,Platte,disk,diski\n"
    )
    with pytest.warns(
        UserNotice,
        match=(
            '"English" is the source and "German" is the target; it .* left out: "French",'
            ' "Swahili"'
        ),
    ):
        assert glossaries.read(path, source="en", target="de").entries == (
            Entry("disk", ("Platte",)),
        )
    with pytest.warns(UserNotice, match='"French" is the source and "German" is the target'):
        glossary = glossaries.read(path, target="de")
    assert (glossary.source_language, glossary.target_language) == ("fr", "de")


def test_columns_of_other_tools_are_left_out_and_told(tmp_path):
    path = written(
        tmp_path,
        "terms.tsv",
        "source\tPOS\ttarget\tDomain\tNotes\ndisk\tnoun\tPlatte\tIT\tthe device\nplate\t\tTeller\n",
    )
    with pytest.warns(
        UserNotice, match=r'terms\.tsv line 1 has columns that are left out: "POS", "Domain"\.$'
    ):
        glossary = glossaries.read(path)
    assert glossary.entries == (
        Entry("disk", ("Platte",), note="the device"),
        Entry("plate", ("Teller",)),
    )
    with pytest.warns(UserNotice), pytest.raises(UserError, match="which would be overwritten"):
        glossaries.convert(path, path)


@pytest.mark.parametrize(
    "text",
    [
        'source,target\n"a, b","say ""so""\nagain"\nc,d\n',
        'source;target\n"a, b";"say ""so""\nagain"\nc;d\n',
    ],
)
def test_csv_is_quoted_and_may_have_semicolons(tmp_path, text):
    glossary = glossaries.read(written(tmp_path, "terms.csv", text))
    assert glossary.entries == (Entry("a, b", ('say "so"\nagain',)), Entry("c", ("d",)))
    assert [entry.place.line for entry in glossary.entries] == [2, 4]


def test_tsv_quotes_nothing(tmp_path):
    assert glossaries.read(written(tmp_path, "terms.tsv", '5" disk\t"Platte"\n')).entries == (
        Entry('5" disk', ('"Platte"',)),
    )


def test_the_case_rule_of_entries_without_one_can_be_chosen(tmp_path):
    path = written(tmp_path, "terms.tsv", "source\ttarget\tcase\na\tb\nc\td\texact\n")
    assert [entry.case for entry in glossaries.read(path, case="any").entries] == ["any", "exact"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("t.tsv", "a\tb\nc\td\te\n",
         "t.tsv line 2: expected 2 columns (source, target), found 3. Separate columns with"),
        ("t.tsv", "a\tb\nc\n", "t.tsv line 2: expected 2 columns (source, target), found 1."),
        ("t.csv", "source,target,note\na,b,c,d\n",
         "t.csv line 2: expected 2 to 3 columns (source, target, note), found 4."),
        ("t.tsv", "a\tb\n\td\n", "t.tsv line 2: the source is empty. Write the term"),
        ("t.tsv", b"a\tb\nc\t\xfcber\n",
         "t.tsv line 2: byte 3 is not UTF-8. Save the file as UTF-8."),
        ("t.tsv", "a\tb\n".encode("utf-16-le"), "t.tsv line 1 holds bytes of zero: it may be"),
        ("t.tsv", "a\tb\n".encode("utf-32"), "t.tsv line 1: the file is UTF-32. Save it as UTF-8."),
        ("t.tsv", "a\tb\n".encode("utf-16")[:-1],
         "t.tsv line 1 or near it is not UTF-16, as which the file begins. Save the file"),
        ("t.tsv", "source\ttarget\tforbiden\n",
         't.tsv line 1: there is no column "forbiden". Name it forbidden if'),
        ("t.tsv", "English\tFrench\n",
         't.tsv line 1: the columns are "english", "french", and en to de is asked for.'),
        ("t.tsv", "en\tfr\tnote\n",
         't.tsv line 1: the columns are "en", "fr", and en to de is asked for.'),
        ("t.tsv", "source\ttarget\ttarget\n", 't.tsv line 1: two columns are named "target"'),
        ("t.csv", "term,translation,case,case\n", 't.csv line 1: two columns are named "case"'),
        ("t.csv", "Term,Translation,Note,note\n", 't.csv line 1: two columns are named "note"'),
        ("t.csv", "English,German,German\n", 't.csv line 1: two columns are named "german"'),
        ("t.tsv", "source\ttarget\tcase\na\tb\tupper\n",
         't.tsv line 2: case "upper" is unknown. Write exact'),
        ("t.tsv", "source\ttarget\tdnt\na\tb\tmaybe\n",
         't.tsv line 2: dnt is "maybe". Write yes or no.'),
        ("t.tsv", "source\ttarget\tforbidden\na\tb\tb\n",
         't.tsv line 2: "b" is both required and forbidden. Remove'),
        ("t.tsv", "x" * 3_000_000,
         "t.tsv line 1 has more than 1,048,576 bytes. This is no glossary."),
        ("t.csv", 'a,b\n"c,d\ne,f\n',
         "t.csv line 2: unexpected end of data. Close the quotation marks"),
        ("t.csv", 'a,b\n"c"d,e\n',
         "t.csv line 2: ',' expected after '\"'. Close the quotation marks"),
        ("t.doc", "a\tb\n", 't.doc: no glossary format has the ending ".doc". Use .tsv, .csv,'),
        ("t.utf8", b"a\tb\nc\t\xfcber\n",
         "t.utf8 line 2: byte 3 is not UTF-8. Save the file as UTF-8."),
        ("t.xlsx", "a,b", "t.xlsx is no XLSX workbook, or a damaged one"),
        ("t.tbx", MARTIF.replace("</tig>", "", 1),
         "t.tbx line 15: Opening and ending tag mismatch: tig line 13"),
        ("t.tbx", "", "t.tbx line 1: no element found. The XML is broken here; mend it."),
        ("t.tbx", "<html/>",
         "t.tbx line 1: <html> is no TBX. Give a file of martif, tbx or TBX-Min."),
        ("t.tbx", MARTIF.replace(' xml:lang="fr"', ""),
         "t.tbx line 23: <langSet> has no xml:lang. Say its language."),
        ("t.tbx", MARTIF.replace("disque dur", " "),
         "t.tbx line 23: <tig> has no term. Write one, or remove it."),
        ("t.tbx", MARTIF.replace("HDD", "Festplatte"),
         't.tbx line 9: "Festplatte" is both required and forbidden.'),
        ("t.tbx", MARTIF.replace("HDD", "&eacute;"),
         "t.tbx line 9: &eacute; is no known character. Write the"),
        ("t.tbx", MARTIF.encode().replace(b"HDD", b"\xff"),
         "t.tbx line 20: Invalid bytes in character encoding. The XML"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_told_with_line_and_remedy(tmp_path, name, content, said):
    assert refusal(tmp_path, name, content, source="en", target="de").startswith(said)


def test_all_mistakes_of_a_file_are_told_at_once(tmp_path):
    said = refusal(tmp_path, "t.tsv", "a\tb\n\tc\n" + "d\n" * 30).splitlines()
    assert (
        len(said) == 21
        and said[0].startswith("t.tsv line 2: ")
        and said[-1] == "and 11 more mistakes"
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {},
            (
                "t.tbx has terms of en-US, de-DE, fr. Say with --source and --target (source=,"
                " target=) which to take."
            ),
        ),
        (
            {"source": "en", "target": "it"},
            't.tbx has no terms of "it". It has those of en-US, de-DE, fr: choose among these.',
        ),
    ],
)
def test_languages_of_a_tbx_are_chosen_among_those_it_has(tmp_path, options, said):
    assert refusal(tmp_path, "t.tbx", MARTIF, **options) == said


@pytest.mark.parametrize("source", ["en", "EN_us", "en-US"])
@pytest.mark.parametrize(
    ("target", "first"), [("de", "Festplatte"), ("de_DE", "Festplatte"), ("fr-CA", "disque dur")]
)
def test_a_language_is_found_with_and_without_its_region(tmp_path, source, target, first):
    glossary = glossaries.read(written(tmp_path, "t.tbx", DCA), source=source, target=target)
    assert glossary.entries[0].targets[0] == first
    assert (glossary.source_language, glossary.target_language) == (source, target)


MIXED = """<tbx type="TBX-Basic" style="dca" xml:lang="en" xmlns="urn:iso:std:iso:30042:ed-2"><text>
<body>
<conceptEntry id="1"><langSec xml:lang="en-US"><termSec><term>color</term></termSec></langSec>
<langSec xml:lang="en"><termSec><term>color</term></termSec></langSec>
<langSec xml:lang="en-GB"><termSec><term>colour</term></termSec></langSec>
<langSec xml:lang="de"><termSec><term>Farbe</term></termSec></langSec>
<langSec xml:lang="de-AT"><termSec><term>Farb</term></termSec></langSec></conceptEntry>
<conceptEntry id="2"><langSec xml:lang="en"><termSec><term>disk</term></termSec></langSec>
<langSec xml:lang="de-DE"><termSec><term>Platte</term></termSec></langSec></conceptEntry>
<conceptEntry id="3"><langSec xml:lang="en-US"><termSec><term>plate</term></termSec></langSec>
<langSec xml:lang="de"><termSec><term>Teller</term></termSec></langSec></conceptEntry>
</body></text></tbx>
"""


@pytest.mark.parametrize("source", ["en", "eng", "en-US", "en-GB", None])
@pytest.mark.parametrize("target", ["de", "deu", None])
def test_a_tbx_of_mixed_tags_is_read_whole(tmp_path, source, target):
    glossary = glossaries.read(written(tmp_path, "t.tbx", MIXED), source=source, target=target)
    said = {entry.source: entry.targets for entry in glossary.entries}
    assert len(glossary.entries) == len(said) == 4
    farbe = ("Farbe",)
    assert said == {"color": farbe, "colour": farbe, "disk": ("Platte",), "plate": ("Teller",)}


def test_of_mixed_tags_the_asked_region_comes_first_and_no_other_is_taken(tmp_path):
    glossary = glossaries.read(written(tmp_path, "t.tbx", MIXED), source="en", target="de-AT")
    assert {entry.source: entry.targets for entry in glossary.entries} == {
        "color": ("Farb",),
        "colour": ("Farb",),
        "plate": ("Teller",),
    }


@pytest.mark.parametrize(
    ("tbx", "line"),
    [
        (DCT.replace(' xmlns:min="http://www.tbxinfo.net/ns/min"', ""), 7),
        (MARTIF.replace("langSet", "x:langSet"), 12),
        (MARTIF.replace("termEntry", "x:termEntry"), 9),
        (MARTIF.replace("martif", "x:martif"), 3),
    ],
)
def test_a_prefix_that_is_not_declared_is_told_with_its_line(tmp_path, tbx, line):
    said = refusal(tmp_path, "t.tbx", tbx, source="en", target="de")
    assert said.startswith(f"t.tbx line {line}: Namespace prefix ")
    assert "is not defined. Declare the prefix in the first tag" in said


def test_two_languages_need_no_choice(tmp_path):
    without_french = "\n".join(line for line in MARTIF.splitlines() if '"fr"' not in line)
    glossary = glossaries.read(written(tmp_path, "t.tbx", without_french))
    assert (glossary.source_language, glossary.target_language) == ("en-US", "de-DE")


def test_tbx_min_says_its_languages(tmp_path):
    glossary = glossaries.read(written(tmp_path, "t.tbx", MIN))
    assert (glossary.source_language, glossary.target_language) == ("en-US", "de-DE")


def test_a_concept_without_terms_of_both_languages_is_passed_over(tmp_path):
    lone = (
        '<termEntry id="C2"><langSet'
        ' xml:lang="it"><tig><term>disco</term></tig></langSet></termEntry>'
    )
    more = MIN.replace("</body>", f"{lone}</body>")
    assert (
        len(glossaries.read(written(tmp_path, "t.tbx", more), source="en", target="de").entries)
        == 2
    )
    said = refusal(tmp_path, "t.tbx", more, source="en", target="it")
    assert said == 't.tbx: no concept has terms of both "en-US" and "it". Choose other languages.'


def test_marks_of_other_tools_are_understood(tmp_path):
    kept = MARTIF.replace(
        '<termNote type="partOfSpeech">noun</termNote>',
        '<termNote type="translationNote">no</termNote>',
    )
    entries = glossaries.read(written(tmp_path, "t.tbx", kept), source="en", target="de").entries
    assert [entry.do_not_translate for entry in entries] == [True, False]
    exact = MARTIF.replace(
        '<termNote type="partOfSpeech">noun</termNote>',
        '<termNote type="caseSensitive">true</termNote>',
    )
    entries = glossaries.read(written(tmp_path, "t.tbx", exact), source="en", target="de").entries
    assert [entry.case for entry in entries] == ["exact", "sentence"]


BOMB = (
    '<!DOCTYPE martif [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;"><!ENTITY c SYSTEM'
    ' "file:///etc/hostname">]>'
)


@pytest.mark.parametrize("use", ["", "&b;", "&c;"])
def test_entities_are_refused_whether_they_are_used_or_not(tmp_path, use):
    bomb = MARTIF.replace('<!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">', BOMB).replace(
        "HDD", f"HDD{use}"
    )
    said = refusal(tmp_path, "t.tbx", bomb, source="en", target="de")
    assert said == 't.tbx declares the entity "a", which may hide anything. Write its text instead.'


def test_an_entity_bomb_in_an_attribute_goes_off_nowhere(tmp_path):
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 20}">' for n in range(1, 9))
    bomb = f'<!DOCTYPE TBX [<!ENTITY e0 "ha">{levels}]><TBX dialect="&e8;"><body/></TBX>'
    assert "entit" in refusal(tmp_path, "t.tbx", bomb)


def test_a_workbook_is_read_by_sheet_and_told_by_row(tmp_path):
    from openpyxl import Workbook

    book = Workbook()
    book.active.append(["source", "target", None])
    book.active.append(["disk", 5.0, None])
    other = book.create_sheet("other")
    other.append(["disk", "Platte"])
    other.append([None, "Teller"])
    book.save(tmp_path / "t.xlsx")
    assert glossaries.read(tmp_path / "t.xlsx").entries == (Entry("disk", ("5",)),)
    with pytest.raises(UserError, match=r't\.xlsx sheet "other" row 2: the source is empty'):
        glossaries.read(tmp_path / "t.xlsx", sheet="other")
    with pytest.raises(
        UserError, match=r't\.xlsx has no sheet "none"\. Choose one of: Sheet, other'
    ):
        glossaries.read(tmp_path / "t.xlsx", sheet="none")


def test_a_formula_is_written_to_a_workbook_as_text(tmp_path):
    entry = Entry("=1+1", ("@x",))
    glossaries.write(Glossary((entry,)), tmp_path / "t.xlsx")
    assert glossaries.read(tmp_path / "t.xlsx").entries == (entry,)


@pytest.mark.parametrize("suffix", ["tbx", "xlsx"])
def test_what_a_format_cannot_write_leaves_the_old_file(tmp_path, suffix):
    path = written(tmp_path, f"t.{suffix}", "old")
    with pytest.raises(UserError, match="Remove it"):
        glossaries.write(Glossary((Entry("a\x01", ("b",)),), "en", "de"), path)
    assert path.read_text() == "old" and os.listdir(tmp_path) == [path.name]


def test_tbx_needs_languages(tmp_path):
    with pytest.raises(UserError, match=r"Give --source and --target \(source=, target=\)"):
        glossaries.write(Glossary(ENTRIES), tmp_path / "t.tbx")


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(
        UserError,
        match=r"cannot be written: No such file or directory\. Choose another file or folder",
    ):
        glossaries.write(GLOSSARY, tmp_path / "none" / "t.tsv")
    with pytest.raises(
        UserError, match=r"cannot be read: No such file or directory\. Check the path"
    ):
        glossaries.read(tmp_path / "none.tsv")


def test_an_unknown_dialect_is_refused(tmp_path):
    with pytest.raises(UserError, match="Choose martif, dca, dct or min"):
        glossaries.write(GLOSSARY, tmp_path / "t.tbx", dialect="v4")


@pytest.mark.parametrize("dialect", ["martif", "dca", "dct", "min"])
def test_a_name_that_xml_cannot_write_is_refused(tmp_path, dialect):
    named = Glossary(ENTRIES, "en", "de", "a\x01b")
    with pytest.raises(UserError, match=r"The name of the glossary, 'a\\x01b', .*Rename its file"):
        glossaries.write(named, tmp_path / "t.tbx", dialect=dialect)
    assert not list(tmp_path.iterdir())
