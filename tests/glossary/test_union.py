"""Several glossaries as one: the later ones win, and what they change is told."""

from __future__ import annotations

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridbeam import UserError
from gridbeam.errors import UserNotice
from gridbeam.glossary import formats as glossaries
from gridbeam.glossary.entries import Entry, Glossary, Place
from gridbeam.glossary.matching import Matcher, constraints_for
from gridbeam.glossary.union import united


def together(*entries):
    """The entries of one glossary of several, and what was told."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        made = united([Glossary(tuple(each), "en", "de") for each in entries])
    assert all(issubclass(each.category, UserNotice) for each in told)
    return list(made.entries), [str(each.message) for each in told]


def test_of_several_glossaries_the_later_one_wins_and_both_places_are_told():
    base = Entry("disk", ("Platte",), place=Place("base.tsv", 3)), Entry("file", ("Datei",))
    own = [Entry("disk", ("Laufwerk",), place=Place("own.csv", 9))]
    entries, told = together(base, own)
    assert entries == [base[1], *own]
    assert told == [
        "Glossaries differ, and the later one is taken:"
        ' "disk" is "Platte" at base.tsv line 3, and "Laufwerk" at own.csv line 9.'
    ]


def test_what_several_glossaries_agree_on_is_told_to_nobody():
    entry = Entry("disk", ("Platte",))
    assert together([entry], [entry], [entry]) == ([entry], [])


def test_what_forbids_and_what_requires_stand_beside_each_other():
    first, then = Entry("disk", ("Platte", "HDD")), Entry("disk", forbidden=("Scheibe",))
    assert together([first], [then]) == ([first, then], [])
    assert together([then], [first]) == ([then, first], [])


def test_a_later_glossary_forbids_what_an_earlier_one_requires_and_the_other_way_round():
    first, then = Entry("disk", ("Platte", "HDD")), Entry("disk", forbidden=("HDD",))
    entries, [told] = together([first], [then])
    assert entries == [Entry("disk", ("Platte",)), then] and "requires what" in told
    entries, [told] = together([then], [first])
    assert entries == [first] and "forbids what" in told


@pytest.mark.parametrize("is_name", [False, True])
def test_what_an_earlier_glossary_forbids_stays_forbidden_where_a_later_one_requires_else(is_name):
    base = Entry(
        "disk",
        () if is_name else ("Laufwerk",),
        forbidden=("Diskette",),
        do_not_translate=is_name,
        forms=() if is_name else ("Laufwerks",),
    )
    own = Entry("disk", ("Platte",))
    entries, [told] = together([base], [own])
    assert entries == [Entry("disk", forbidden=("Diskette",)), own] and ' is "' in told
    required = Entry("disk", ("Diskette",))
    assert together([base], [required])[0] == [required]
    alike = Entry("disk", ("Platte",), forbidden=("Diskette",))
    assert together([base], [alike])[0] == [alike]


def test_capitals_of_a_title_make_no_other_term_and_those_of_an_acronym_do():
    title, plain = Entry("Hard Disk", ("Platte",)), Entry("hard disk", ("Laufwerk",))
    assert together([title], [plain])[0] == [plain]
    country, us = Entry("US", ("USA",)), Entry("us", ("uns",))
    assert together([country], [us]) == ([country, us], [])


def test_rows_of_one_term_are_one_entry_of_which_any_target_will_do():
    noun, verb = Entry("archive", ("Archiv",)), Entry("archive", ("archivieren",), note="verb")
    entries, [told] = together([noun, Entry("disk", ("Platte",)), verb])
    assert [entry.targets for entry in entries] == [("Archiv", "archivieren"), ("Platte",)]
    assert told.startswith('Terms have several rows, and any of their targets will do: "archive"')


def test_many_conflicts_are_counted():
    first = [Entry(f"w{n}", ("a",)) for n in range(9)]
    _, [told] = together(first, [Entry(f"w{n}", ("b",)) for n in range(9)])
    assert told.endswith("; and 4 more.") and told.count(" is ") == 5 + 1


TEXTS = st.sampled_from(["a", "b", "c"])
ENTRIES = st.builds(
    lambda source, target, is_bad: Entry(
        source, () if is_bad else (target,), forbidden=(target,) if is_bad else ()
    ),
    st.sampled_from(["x", "y"]),
    TEXTS,
    st.booleans(),
)


@given(st.lists(ENTRIES, max_size=3), st.lists(ENTRIES, max_size=3))
def test_what_the_later_glossary_says_is_what_holds(first, later):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        both, alone = (
            united([Glossary(tuple(first)), Glossary(tuple(later))]),
            united([Glossary(tuple(later))]),
        )
    for term in {entry.source for entry in later if entry.targets}:
        assert [e for e in both.entries if e.source == term and e.targets] == [
            e for e in alone.entries if e.source == term and e.targets
        ]
    if not contradictory(later) and not contradictory(first):
        for text in ("x", "y"):
            constraints_for(Matcher(both).match(text))  # raises where they contradict each other


def contradictory(entries):
    """Whether entries of one term require and forbid the same."""
    required = {(e.source, text) for e in entries for text in e.targets}
    return bool(required & {(e.source, text) for e in entries for text in e.forbidden})


def test_files_are_read_one_after_another(tmp_path):
    (tmp_path / "base.tsv").write_text("disk\tPlatte\nfile\tDatei\n")
    (tmp_path / "own.csv").write_text("disk,Laufwerk\n")
    paths = [tmp_path / "base.tsv", str(tmp_path / "own.csv")]
    with pytest.warns(UserNotice, match=r'"Platte" at .*base\.tsv line 1, and "Laufwerk" at .*csv'):
        found = glossaries.read_all(paths, source="en", target="de")
    assert [entry.targets for entry in found.entries] == [("Datei",), ("Laufwerk",)]
    assert glossaries.read_all(paths[0]).entries == glossaries.read(paths[0]).entries
    with pytest.raises(UserError, match="has no sheet"):
        glossaries.read_all(paths, sheet="Terms")


def test_glossaries_of_different_languages_are_not_mixed(tmp_path):
    entry = (Entry("disk", ("Platte",)),)
    swiss, german = Glossary(entry, None, "de_CH"), Glossary(entry, "en", "deu", "de")
    assert united([swiss, german]).target_language == "de_CH"
    glossaries.write(german, tmp_path / "de.tbx")
    glossaries.write(Glossary(entry, "en", "fr"), tmp_path / "fr.tbx")
    with pytest.raises(UserError, match=r'target language of "de" is de.*, and that of "fr" is fr'):
        glossaries.read_all([tmp_path / "de.tbx", tmp_path / "fr.tbx"])
    with pytest.raises(UserError, match="the source language of"):
        united([swiss, german, Glossary(entry, "pt", "de")])
