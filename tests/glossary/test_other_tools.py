"""Glossaries as other tools write them are read as they come."""

from __future__ import annotations

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridbeam import UserError
from gridbeam.errors import UserNotice
from gridbeam.glossary import formats as glossaries
from gridbeam.glossary.entries import Entry, Glossary
from gridbeam.glossary.formats.status import is_forbidding, is_known


def read(folder, name, content, **options):
    """The entries of a file and what was told of it."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        glossary = glossaries.read(path, **{"source": "en", "target": "de"} | options)
    assert all(issubclass(each.category, UserNotice) for each in told)
    said = [str(each.message).replace(f"{folder}/", "") for each in told]
    return glossary.entries, said


def test_the_four_columns_of_deepl_are_read_and_other_pairs_left_out(tmp_path):
    text = 'disk,Platte,en,de\nPlatte,disk,DE,EN\n"a, b","c",EN,DE\n'
    entries, told = read(tmp_path, "t.csv", text)
    assert entries == (Entry("disk", ("Platte",)), Entry("a, b", ("c",)))
    assert told == ["t.csv: 1 row with other languages (line 2) is left out."]
    with_relevance = "disk,Platte,en-US,de,0.9\nplate,Teller,en-US,de,0.5\n"
    assert len(read(tmp_path, "t.csv", with_relevance)[0]) == 2
    assert len(read(tmp_path, "t.csv", text, source=None, target=None)[0]) == 2
    by_name, _ = read(tmp_path, "t.csv", "id,topic,en,de\n7,IT,disk,Platte\n")
    assert by_name == (Entry("disk", ("Platte",)),)


def test_columns_with_the_languages_of_each_row_are_read_by_name(tmp_path):
    text = "source,target,source_lang,target_lang\ndisk,Platte,en,de\ndisk,disque,en,fr\n"
    entries, told = read(tmp_path, "t.csv", text)
    assert entries == (Entry("disk", ("Platte",)),) and "(line 3) is left out" in told[-1]


def test_the_glossary_of_wordpress_is_read(tmp_path):
    text = (
        'en,de,pos,description\n"archive","Archiv","noun","the page"\narchive,archivieren,verb,\n'
    )
    entries, told = read(tmp_path, "t.csv", text)
    assert entries == (
        Entry("archive", ("Archiv",), note="the page"),
        Entry("archive", ("archivieren",)),
    )
    assert '"en" is the source and "de" is the target; it has columns that are left out' in told[0]


MEMOQ = (
    "Entry_ID;Entry_Subject;Entry_Note;English_United_States_Def;English_United_States;Term_Info;"
    "Term_Example;German_Germany_Def;German_Germany;Term_Info;Term_Example;German_Germany;"
    "Term_Info;Term_Example\n"
    "0;IT;the device;;hard disk;CasePermissive;;;Festplatte;HalfPrefix;;HDD;Forbidden;\n"
    "1;IT;;;US;CaseSense;;;USA;;;;;\n"
    "2;IT;;;;;;;Teller;;;;;\n"
    "3;IT;;;plate;;;;;;;;;\n"
)


@pytest.mark.parametrize("separator", [";", ",", "\t"])
@pytest.mark.parametrize("encoding", ["utf8", "utf-8-sig", "utf-16"])
def test_an_export_of_memoq_is_read_with_all_its_terms(tmp_path, separator, encoding):
    content = MEMOQ.replace(";", separator).encode(encoding)
    entries, told = read(tmp_path, "t.csv", content)
    assert entries == (
        Entry("hard disk", ("Festplatte",), forbidden=("HDD",), note="the device"),
        Entry("US", ("USA",), case="exact"),
    )
    assert told[1:] == [
        "t.csv: 1 row with no target (line 5) is left out.",
        "t.csv: 1 row with no term of the source language (line 4) is left out.",
    ]


def test_two_source_terms_of_a_row_of_memoq_are_two_entries(tmp_path):
    text = "English;Term_Info;English;Term_Info;German;Term_Info\ndisk;;drive;;Laufwerk;\n"
    assert read(tmp_path, "t.csv", text)[0] == (
        Entry("disk", ("Laufwerk",)),
        Entry("drive", ("Laufwerk",)),
    )


@pytest.mark.parametrize("french", ["", "Term [fr],Description [fr],Status [fr],"])
def test_an_export_of_crowdin_is_read_with_the_status_of_its_target(tmp_path, french):
    empty = "disque,,obsolete," if french else ""
    text = (
        f"Term [en],Description [en],Part of Speech [en],Status [en],{french}Term [de],"
        "Description [de],Status [de]\n"
        f"disk,the device,noun,obsolete,{empty}Platte,,preferred\n"
        f"disk,,noun,preferred,{empty}HDD,,not recommended\n"
    )
    assert read(tmp_path, "t.csv", text)[0] == (
        Entry("disk", ("Platte",)),
        Entry("disk", forbidden=("HDD",)),
    )


def test_an_older_export_of_crowdin_is_read(tmp_path):
    text = "Term:English,Description:English,Part:English,Term:German,Description:German\n"
    entries, _ = read(tmp_path, "t.csv", text + "disk,the device,noun,Platte,\n")
    assert entries == (Entry("disk", ("Platte",)),)


@pytest.mark.parametrize("name", ["t.txt", "t.utf8", "t.tab", "t.tsv"])
def test_a_file_of_omegat_has_a_third_column_for_comments(tmp_path, name):
    hint = "" if name == "t.tsv" else "# Glossary in tab-separated format -*- coding: utf-8 -*-\n"
    entries, told = read(tmp_path, name, f"{hint}disk\tPlatte\tthe device\nplate\tTeller\n")
    assert entries == (Entry("disk", ("Platte",), note="the device"), Entry("plate", ("Teller",)))
    assert not told and entries[0].place.line == 1 + bool(hint)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
@pytest.mark.parametrize("name", ["t.txt", "t.tsv", "t.csv"])
def test_utf_16_that_says_so_is_read(tmp_path, name, encoding):
    between = "," if name == "t.csv" else "\t"
    text = f"source{between}target\r\nd\u010ask{between}Pl\u0d0atte\r\n"  # \n within, in bytes
    [entry], _ = read(tmp_path, name, text.encode(encoding))
    assert entry == Entry("d\u010ask", ("Pl\u0d0atte",)) and entry.place.line == 2


def test_big_endian_utf_16_is_read(tmp_path):
    content = b"\xfe\xff" + "disk\tPlatte\n".encode("utf-16-be")
    assert read(tmp_path, "t.txt", content)[0] == (Entry("disk", ("Platte",)),)


def test_a_glossary_for_keys_and_flags_is_read(tmp_path):
    text = (
        "term;description;casesensitive;translatable;forbidden;tags;en;en_description;de\n"
        "disk;;no;yes;no;;disk;;Platte\nUS;;yes;yes;no;;US;;USA\n"
        "gridbeam;;no;no;no;;gridbeam;;gridbeam\nHD;;no;yes;yes;;HD;;HDD\n"
    )
    assert read(tmp_path, "t.csv", text)[0] == (
        Entry("disk", ("Platte",)),
        Entry("US", ("USA",), case="exact"),
        Entry("gridbeam", do_not_translate=True),
        Entry("HD", forbidden=("HDD",)),
    )


@pytest.mark.parametrize("name", ["Status", "Usage status", "term_status", "Usage"])
def test_a_status_says_whether_a_target_is_required_or_forbidden(tmp_path, name):
    text = (
        f"source\ttarget\t{name}\ndisk\tPlatte\tapproved\ndisk\tHDD\tDeprecated\n"
        "disk\tScheibe\tforbidden\ndisk\tLaufwerk\tsome time\n"
    )
    entries, told = read(tmp_path, "t.tsv", text)
    assert [(entry.targets, entry.forbidden) for entry in entries] == [
        (("Platte",), ()),
        ((), ("HDD",)),
        ((), ("Scheibe",)),
        (("Laufwerk",), ()),
    ]
    assert told == [
        't.tsv: 1 row with the status "some time" (line 5) is read as allowed: it is not known.'
    ]


@pytest.mark.parametrize(
    ("status", "is_bad"),
    [
        ("deprecated", True), ("Deprecated term", True), ("deprecatedTerm-admn-sts", True),
        ("supersededTerm", True), ("notRecommended", True), ("not-recommended", True),
        ("Do not use", True), ("Not approved", True), ("obsolete", True), ("Forbidden", True),
        ("approved", False), ("preferredTerm-admn-sts", False), ("Admitted", False), ("", False),
    ],
)  # fmt: skip
def test_statuses_are_known_however_they_are_written(status, is_bad):
    assert is_known(status) and is_forbidding(status) == is_bad


def test_rows_without_a_target_are_left_out_with_one_notice(tmp_path):
    text = "disk\tPlatte\n" + "".join(f"word{n}\t\n" for n in range(8)) + "plate\tTeller\n"
    entries, told = read(tmp_path, "t.tsv", text)
    assert [entry.source for entry in entries] == ["disk", "plate"]
    assert told == ["t.tsv: 8 rows with no target (lines 2, 3, 4, 5, 6, …) are left out."]


def test_a_table_of_which_nothing_is_left_is_refused(tmp_path):
    with pytest.raises(UserError, match=r"Nothing is left: choose other languages"):
        read(tmp_path, "t.csv", "English,German,French\ndisk,,disque\n")
    with pytest.raises(UserError, match=r"other languages .* left out\. Nothing is left"):
        read(tmp_path, "t.csv", "disk,disque,en,fr\n")


LANGUAGES = {"en": "English", "de": "German", "fr": "French", "pt": "Portuguese"}


@given(
    st.permutations(sorted(LANGUAGES)),
    st.sampled_from(["{code}", "{name}", "Term [{code}]", "Term:{name}", "{name}_Somewhere"]),
    st.sampled_from(",;\t"),
)
def test_the_asked_languages_are_found_in_any_order_and_writing(
    tmp_path_factory, codes, written, separator
):
    folder = tmp_path_factory.getbasetemp()
    names = [written.format(code=code, name=LANGUAGES[code]) for code in codes]
    lines = [names, [f"{code} word" for code in codes]]
    text = "".join(separator.join(line) + "\n" for line in lines)
    assert read(folder, "drawn.csv", text)[0] == (Entry("en word", ("de word",)),)


@pytest.mark.parametrize("name", ["t.txt", "t.utf8", "t.tab"])
@pytest.mark.parametrize("term", ["#include", "\n#include"])
def test_a_term_that_omegat_takes_for_a_comment_is_not_written(tmp_path, name, term):
    glossary = Glossary((Entry("disk", ("Platte",)), Entry(term, ("Einbindung",))))
    with pytest.raises(UserError, match=r'The term "\s?#include" begins with #.* Write a \.tsv'):
        glossaries.write(glossary, tmp_path / name)
    assert not list(tmp_path.iterdir())
    glossaries.write(glossary, tmp_path / "t.tsv")
    assert len(glossaries.read(tmp_path / "t.tsv").entries) == 2
