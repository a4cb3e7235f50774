"""Pairs in other dress, alike on both sides."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from gridbeam.training.varying import varied

LABELS = [("Save file", "Datei speichern"), ("Open", "Öffnen"), ("All folders", "Alle Ordner")] * 60
SENTENCES = [("The disk is full.", "Die Platte ist voll.")] * 100
CODES = [("Cannot open “{1}” in {2}", "„{1}“ in {2} kann nicht geöffnet werden")] * 300


def changed(pairs, **options):
    wanted = {"share": 1.0, "seed": 1, "capitalises": True, **options}
    return list(varied(pairs, wanted.pop("share"), wanted.pop("seed"), **wanted))


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_only_a_share_of_the_pairs_is_varied(share):
    found = changed(SENTENCES, share=share)
    differing = sum(one != other for one, other in zip(found, SENTENCES, strict=True))
    assert differing <= 0.5 * len(SENTENCES) if share else not differing


def test_the_same_seed_varies_in_the_same_way():
    assert changed(CODES, seed=3) == changed(CODES, seed=3)


def test_labels_come_in_capitals_as_titles_in_small_letters_and_in_lists():
    found = set(changed(LABELS))
    assert ("SAVE FILE", "DATEI SPEICHERN") in found
    assert ("Save File", "Datei speichern") in found
    assert ("save file", "Datei speichern") in found
    assert any(", " in source and ", " in target for source, target in found)


def test_small_letters_begin_a_label_where_nouns_have_them_too():
    found = set(changed([("Open file", "Ouvrir le fichier")] * 60, capitalises=False))
    assert ("open file", "ouvrir le fichier") in found


def test_a_sentence_loses_its_full_stop_or_ends_otherwise_on_both_sides():
    found = set(changed(SENTENCES))
    assert ("The disk is full", "Die Platte ist voll") in found
    assert ("The disk is full:", "Die Platte ist voll:") in found


def test_a_code_stands_on_both_sides():
    for source, target in changed(CODES):
        match = re.fullmatch(r"cannot open “(.+)” in (.+)", source, re.IGNORECASE)
        assert match is not None
        for code in match.groups():
            assert code.lower() in target.lower()


def test_placeholders_that_stand_for_tags_stay():
    pairs = [("{1}Hide{2} the disk now and here", "{1}Verbergen{2} Sie die Platte jetzt")] * 50
    assert all(Counter(source)["{"] == 2 for source, _ in changed(pairs))
