"""Glossaries of our own, and of DeepL's form with several dictionaries."""

import uuid

import pytest

from gridbeam.glossary import Entry
from gridbeam.store import Absent, DictionaryRow, NewDictionary

DISK = Entry("disk", ("Festplatte", "Laufwerk"), ("Diskette",), note="computing")
FULL = Entry("Grundgesetz", do_not_translate=True, case="exact")
FORMS = Entry("house", ("Haus",), forms=("Hauses",), exact=True, case="any")


def sources(store, glossary, *pair):
    return [row.entry.source for row in store.entries.of(glossary, *pair)]


def test_a_glossary_keeps_its_entries_as_they_are(store):
    made = store.glossaries.add("Büro", [NewDictionary("EN", "pt_BR", (DISK, FULL, FORMS))])
    assert str(uuid.UUID(made.id)) == made.id
    assert made.dictionaries == (DictionaryRow("en", "pt-br", 3),)
    assert (made.count, made.origin, made.version) == (3, "own", 1)
    assert store.glossaries.get(made.id) == made
    rows = store.entries.of(made.id)
    assert [row.entry for row in rows] == [DISK, FULL, FORMS]
    assert {(row.glossary, row.source, row.target) for row in rows} == {(made.id, "en", "pt-br")}


def test_glossaries_are_listed_by_age_origin_and_pair(store):
    own = store.glossaries.add("own", [NewDictionary("en", "de", (DISK,))])
    deepl = store.glossaries.add("d", [NewDictionary("en", "fr", (DISK,))], origin="deepl")
    any_pair = store.glossaries.add("any", [NewDictionary("", "", (DISK,))])
    assert store.glossaries.all() == (own, deepl, any_pair)
    assert store.glossaries.all(origin="deepl") == (deepl,)
    assert store.glossaries.of_pair("EN", "fr") == (deepl, any_pair)
    assert sources(store, any_pair.id, "en", "de") == ["disk"]


def test_a_glossary_can_have_a_dictionary_for_each_of_several_pairs(store):
    parts = [NewDictionary("en", "de", (DISK, FORMS)), NewDictionary("de", "en", (FULL,))]
    made = store.glossaries.add("both", parts, origin="deepl")
    assert [each.count for each in made.dictionaries] == [2, 1]
    assert sources(store, made.id, "de", "en") == ["Grundgesetz"]
    put = store.glossaries.put(made.id, NewDictionary("en", "de", (FULL,)))
    assert put.dictionaries == (DictionaryRow("en", "de", 1), DictionaryRow("de", "en", 1))
    other = Entry("disk", ("Platte",))
    merged = store.glossaries.merge(made.id, NewDictionary("en", "de", (other, DISK)))
    assert merged.dictionaries[0].count == 3
    again = store.glossaries.merge(made.id, NewDictionary("en", "de", (other,)))
    assert again.dictionaries[0].count == 2 and again.version == 4
    assert [row.entry for row in store.entries.of(made.id, "en", "de")] == [FULL, other]
    left = store.glossaries.remove(made.id, "DE", "en")
    assert left.dictionaries == (DictionaryRow("en", "de", 2),)
    with pytest.raises(Absent, match="there is no dictionary in glossary"):
        store.glossaries.remove(made.id, "de", "en")


def test_entries_are_added_changed_and_deleted_one_by_one(store):
    made = store.glossaries.add("terms")
    row = store.entries.add(made.id, "en", "de", DISK)
    store.entries.add(made.id, "en", "de", FORMS)
    assert store.entries.get(row.id) == row
    assert store.entries.change(row.id, FULL).entry == FULL
    assert sources(store, made.id) == ["Grundgesetz", "house"]
    store.entries.delete(row.id)
    assert sources(store, made.id) == ["house"]
    assert store.glossaries.get(made.id).version == 5


def test_a_change_of_a_glossary_is_known_by_its_version_and_time(store):
    made = store.glossaries.add("terms")
    renamed = store.glossaries.rename(made.id, "Wörter")
    assert (renamed.name, renamed.version, renamed.created) == ("Wörter", 2, made.created)
    assert renamed.touched > made.touched


def test_a_deleted_glossary_is_gone_with_its_entries(store):
    made = store.glossaries.add("terms", [NewDictionary("en", "de", (DISK,))])
    (row,) = store.entries.of(made.id)
    store.glossaries.delete(made.id)
    for ask in (store.glossaries.get, store.glossaries.delete, store.entries.of):
        with pytest.raises(Absent, match="there is no glossary"):
            ask(made.id)
        for strange in ("a\0b", "\ud800", "x" * 1000):
            with pytest.raises(Absent):
                ask(strange)
    with pytest.raises(Absent, match="there is no entry"):
        store.entries.get(row.id)


def test_a_glossary_of_five_thousand_entries_is_kept(store):
    entries = tuple(Entry(f"term {n}", (f"Begriff {n}",)) for n in range(5_000))
    made = store.glossaries.add("big", [NewDictionary("en", "de", entries)])
    assert made.count == 5_000
    assert [row.entry for row in store.entries.of(made.id)] == list(entries)
