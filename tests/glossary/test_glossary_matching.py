"""The terms of a glossary in a text, judged by a matcher that tries each at each character."""

from __future__ import annotations

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from timing import timed

from gridbeam import UserError
from gridbeam.glossary.entries import Entry, Glossary
from gridbeam.glossary.index import TermIndex, TextWords
from gridbeam.glossary.matching import Matcher
from gridbeam.text.letters import is_of_a_word
from gridbeam.text.words import capitalised, words


def found(text, *entries, **options):
    return [match.text for match in Matcher(Glossary(entries, "en", "de"), **options).match(text)]


def term(source, **options):
    return Entry(source, ("x",), **options)


def naive(entries, text):
    """Leftmost-longest, character by character: the end of the first of the longest that fit."""
    matches, start = [], 0
    while start < len(text):
        fitting = [
            (end, entry)
            for entry in entries
            for end in range(start + 1, len(text) + 1)
            if fits(entry, text, start, end)
        ]
        if fitting:
            end = max(end for end, _ in fitting)
            same = [entry for each, entry in fitting if each == end]
            exact = [entry for entry in same if entry.source.split() == text[start:end].split()]
            matches.append((start, end, (exact or same)[0]))
            start = end
        else:
            start += 1
    return matches


def fits(entry, text, start, end):
    inside = text[start:end]
    if inside != inside.strip() or joins(text, start) or joins(text, end):
        return False
    if hyphenated(text[:start][::-1]) or hyphenated(text[end:]):
        return False
    said, own = " ".join(inside.split()), entry.source
    if entry.case == "sentence":
        own = re.sub(r"\w+", lambda word: word[0].lower() if word[0].istitle() else word[0], own)
    if entry.case == "any":
        return said.casefold() == own.casefold()
    is_abbreviation = (
        len(words(own)) == 1 and said.isupper() and said != capitalised(own) and not text.isupper()
    )
    return said == own or (entry.case == "sentence" and said in risen(own) and not is_abbreviation)


def hyphenated(rest):
    """Whether a text goes on with a hyphen and a word right behind it."""
    return rest[:1] == "-" and rest[1:2].isalnum()


def risen(text):
    """The text with every choice of its small letters as capitals."""
    found = [""]
    for letter in text:
        found = [begun + each for begun in found for each in {letter, letter.upper()}]
    return found


def joins(text, place):
    return 0 < place < len(text) and is_of_a_word(text[place - 1]) and is_of_a_word(text[place])


TEXTS = st.lists(
    st.sampled_from(
        ["a", "b", "A", "ß", "SS", "ab", "-", " ", "  ", ".", '"', "\u0301", "日", "本"]
    ),
    max_size=14,
).map("".join)
SOURCES = TEXTS.map(lambda text: " ".join(text.split())).filter(bool)
CASES = st.sampled_from(["exact", "sentence", "any"])


@given(st.lists(st.tuples(SOURCES, CASES), min_size=1, max_size=6), TEXTS)
def test_matching_agrees_with_trying_every_entry_everywhere(drawn, text):
    entries = [Entry(source, ("x",), case=case) for source, case in drawn]
    got = [
        (match.start, match.end, match.entry)
        for match in Matcher(Glossary(tuple(entries))).match(text)
    ]
    assert got == naive(entries, text)


@given(st.text(), st.lists(st.text().filter(str.strip), min_size=1, max_size=3))
def test_matches_are_the_text_they_name_and_never_overlap(text, sources):
    end = 0
    for match in Matcher(Glossary(tuple(map(term, sources)))).match(text + sources[0] + text):
        assert end <= match.start < match.end
        assert (text + sources[0] + text)[match.start : match.end] == match.text
        end = match.end


@pytest.mark.slow
def test_words_are_what_the_tokenizers_take_for_words():
    characters = [
        chr(c)
        for c in range(0, sys.maxunicode + 1, 5)
        if not 0xD800 <= c < 0xE000 and not chr(c).isspace()
    ]
    assert all((words(f"a{c}a") == [f"a{c}a"]) == is_of_a_word(c) for c in characters)


def test_the_longest_term_is_taken_and_the_search_goes_on_behind_it():
    entries = term("hard"), term("hard disk"), term("disk drive"), term("drive")
    assert found("the hard disk drive", *entries) == ["hard disk", "drive"]


def test_a_longer_term_that_does_not_fit_leaves_room_for_a_shorter():
    assert found("hard diskette", term("hard disk"), term("hard")) == ["hard"]


def test_a_term_inside_a_word_is_none():
    assert found("diskette, mydisk, disk_1, a disk.", term("disk")) == ["disk"]


def test_a_term_inside_a_word_with_a_hyphen_is_none_unless_it_says_the_hyphen():
    text = "a disk-based e-mail, hard\u2010disk, disk- and -disk, disk - disk"
    assert found(text, term("disk")) == ["disk"] * 4
    assert found(text, term("mail")) == [] and found(text, term("e-mail")) == ["e-mail"]
    assert found(text, term("disk-"), term("-based")) == ["disk-", "disk-"]
    assert found("a disk-based system", term("-based")) == ["-based"]
    assert found("Linux\u2011based", Entry("Linux", do_not_translate=True)) == ["Linux"]
    assert found("e-mails, sub-disks", term("mail"), term("disk"), lemmas=True) == []


def test_a_term_that_is_written_as_a_title_is_found_in_small_letters():
    entries = (
        term("Hard Disk"),
        term("Control Panel of a PC"),
        Entry("Apple", do_not_translate=True),
    )
    assert found("The hard disk, the control panel of a PC, an apple.", *entries[:2]) == [
        "hard disk",
        "control panel of a PC",
    ]
    assert found("the control panel of a pc", *entries) == []
    assert found("Open windows", Entry("Windows", ("Windows",))) == []
    assert found("hard disk", term("Hard Disk", case="exact")) == []
    german = Matcher(Glossary((term("Essen"),), "de", "en"))
    assert [match.text for match in german.match("Wir essen ein Essen.")] == ["Essen"]


def test_of_two_entries_that_differ_in_capitals_the_one_of_the_text_is_due():
    entries = Entry("May", ("Mai",)), Entry("may", ("dürfen",))
    matches = Matcher(Glossary(entries, "en")).match("You may come in May.")
    assert [match.entry.targets for match in matches] == [("dürfen",), ("Mai",)]


def test_line_breaks_and_runs_of_spaces_between_words_do_not_matter_but_hyphens_do():
    assert found("hard\n  disk hard-disk e-mail e - mail", term("hard disk"), term("e-mail")) == [
        "hard\n  disk",
        "e-mail",
    ]


@pytest.mark.parametrize(
    ("case", "matched"),
    [("exact", ["Disk"]), ("sentence", ["Disk", "disk"]), ("any", ["Disk", "disk", "DISK"])],
)
def test_capitals_follow_the_case_rule_of_the_entry(case, matched):
    assert found("Disk or disk or DISK.", term("Disk", case=case)) == matched


def test_a_term_is_found_in_a_title_and_in_a_heading():
    text = "Choose Hard Disk Settings. HARD DISK."
    assert found(text, term("hard disk")) == ["Hard Disk", "HARD DISK"]
    assert found(text, term("Hard disk"), term("hard DISK")) == ["Hard Disk", "HARD DISK"]
    assert found("STRASSE 5", term("straße")) == ["STRASSE"]
    assert found("STRASSE 5", term("Straße", case="exact")) == []


def test_accents_and_apostrophes_may_be_written_in_several_ways():
    assert found(
        "Le menu\u0301 d’été, co\u2011op", term("menú"), term("d'e\u0301te\u0301"), term("co-op")
    ) == [
        "menu\u0301",
        "d’été",
        "co\u2011op",
    ]
    assert found("co\u0302te\u0301", term("cote"), term("côte", case="any")) == []


def test_a_term_in_capitals_is_not_met_by_a_word():
    assert found("It is us, and IT in the US.", term("IT"), term("US")) == ["IT", "US"]


@pytest.mark.parametrize("lemmas", [False, True])
def test_a_word_is_not_met_by_an_abbreviation(lemmas):
    entries = term("it"), term("us"), term("a"), term("delete")
    assert found("Our IT department helps the US army.", *entries, lemmas=lemmas) == []
    assert found("A Job For Us", *entries, lemmas=lemmas) == ["A", "Us"]
    assert found("HOW IT WORKS", *entries, lemmas=lemmas) == ["IT"]
    assert found("DELETE %s FROM {folder}?", *entries, lemmas=lemmas) == ["DELETE"]
    assert found("Our IT", term("it", case="any"), lemmas=lemmas) == ["IT"]


def test_of_two_entries_of_one_term_the_first_with_its_capitals_is_due():
    entries = [
        Entry("disk", ("1",), case="any"),
        Entry("Disk", ("2",), case="any"),
        Entry("Disk", ("3",), case="any"),
    ]
    assert [
        match.entry.targets for match in Matcher(Glossary(tuple(entries))).match("disk Disk DISK")
    ] == [
        ("1",),
        ("2",),
        ("1",),
    ]


def test_entries_that_only_forbid_come_along_with_the_one_that_requires():
    entries = (
        Entry("disk", forbidden=("HDD",)),
        Entry("disk", ("Platte",)),
        Entry("disk", ("Laufwerk",)),
    )
    matches = Matcher(Glossary(entries)).match("disk")
    assert [match.entry for match in matches] == [entries[1], entries[0]]


def test_inflected_words_trigger_their_term_with_lemmas():
    entries = term("hard disk"), term("child"), term("delete the file")
    text = "Hard disks of children: deleting the files, hardly a disk."
    assert found(text, *entries) == []
    assert found(text, *entries, lemmas=True) == ["Hard disks", "children", "deleting the files"]


def test_a_literal_match_is_preferred_to_one_by_lemmas():
    entries = Entry("setting", ("1",)), Entry("settings", ("2",))
    matches = Matcher(Glossary(entries, "en"), lemmas=True).match("settings setting")
    assert [match.entry.targets for match in matches] == [("2",), ("1",)]


def test_lemmas_keep_to_the_case_rule():
    assert found("Disks, disks, DISKS", term("disk"), lemmas=True) == ["Disks", "disks"]
    assert found("Disks, disks, DISKS", term("Disk"), lemmas=True) == ["Disks", "disks"]
    assert found("DISKS, HARD DISKS", term("disk"), term("hard disk"), lemmas=True) == [
        "DISKS",
        "HARD DISKS",
    ]
    assert found("Disks, disks, DISKS", term("disk", case="exact"), lemmas=True) == ["disks"]
    assert found("disks, DISKS", term("DISK", case="any"), lemmas=True) == ["disks", "DISKS"]
    assert found("Its it", term("IT"), lemmas=True) == []


def test_what_is_not_to_be_translated_has_no_lemmas():
    assert found("Apples", Entry("apple", do_not_translate=True), lemmas=True) == []


@pytest.mark.parametrize(
    ("language", "said"), [(None, "names no source language"), ("xx", 'no lemmas for "xx"')]
)
def test_lemmas_of_an_unknown_language_are_refused(language, said):
    with pytest.raises(UserError, match=said):
        Matcher(Glossary((term("disk"),), language), lemmas=True)


def test_a_text_of_a_megabyte_is_matched_in_one_piece():
    assert len(found("the hard disk. " * 70_000, term("hard disk"), term("disk"))) == 70_000


def test_the_time_of_matching_grows_with_the_length_of_a_text_and_not_its_square():
    matcher = Matcher(Glossary((term("disk"),), "en"), lemmas=True)

    def seconds(times):
        with timed() as taken:
            assert len(matcher.match("disks " * times)) == times
        return taken.seconds

    assert seconds(64_000) < 40 * max(min(seconds(8_000) for _ in range(3)), 0.02)


def test_no_terms_and_no_text_match_nothing():
    assert found("disk") == [] and found("", term("disk")) == []


@pytest.mark.slow
def test_more_different_words_than_there_are_characters_are_refused():
    line = TextWords(" ".join(map(str, range(sys.maxunicode))))
    with pytest.raises(UserError, match="Split the glossary"):
        TermIndex([(line, 1)], str.casefold)
