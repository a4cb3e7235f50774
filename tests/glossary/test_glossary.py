"""Entries, their constraints, forms harvested for them, and what is wrong with a glossary."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers_at_hand import unigram

from gridbeam import AnyOf, AtMost, Avoid, Phrase, Subwords, UserError
from gridbeam.glossary.entries import Entry, Glossary, Place
from gridbeam.glossary.inflection import count_forms, harvest_forms
from gridbeam.glossary.matching import Matcher, constraints_for
from gridbeam.glossary.problems import check

HERE = Place("terms.tsv", 14)


def due(text, *entries, **options):
    return constraints_for(Matcher(Glossary(entries, "en", "de"), **options).match(text))


def problems(*entries, tokenizer=None):
    return [
        (problem.kind, str(problem)) for problem in check(Glossary(entries, "en", "de"), tokenizer)
    ]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"source": " ", "targets": ("a",)}, "the source is empty"),
        ({"source": "disk"}, '"disk" has no target. Write one'),
        ({"source": "disk", "targets": ("",)}, "is empty. Leave it out"),
        ({"source": "disk", "targets": ("Platte",), "case": "ignore"}, 'case "ignore" is unknown'),
        (
            {"source": "disk", "targets": ("Platte",), "do_not_translate": True},
            "Remove one of the two",
        ),
        ({"source": "disk", "forms": ("Platten",), "forbidden": ("HDD",)}, "and no target"),
        (
            {"source": "disk", "targets": ("HDD",), "forbidden": ("HDD",)},
            '"HDD" is both required and forbidden',
        ),
        (
            {"source": "disk", "targets": ("Sie",), "forbidden": ("sie",)},
            '"Sie" is required, and may be written as "sie", which is forbidden',
        ),
        (
            {"source": "disk", "targets": ("hdd",), "forbidden": ("HDD",), "case": "any"},
            'may be written as "HDD", which is forbidden',
        ),
        (
            {"source": "HDD", "do_not_translate": True, "forbidden": ("HDD",)},
            "both required and forbidden",
        ),
        (
            {"source": "disk", "targets": ("Platte",), "forms": ("HDD",), "forbidden": ("HDD",)},
            "both required and forbidden",
        ),
    ],
)
def test_an_impossible_entry_is_refused_with_place_and_remedy(fields, said):
    with pytest.raises(UserError, match=r"^terms\.tsv line 14: ") as refused:
        Entry(**fields, place=HERE)
    assert said in str(refused.value)


def test_a_forbidden_text_inside_a_longer_word_is_no_contradiction():
    assert (
        Entry("drive", ("Festplattenlaufwerk",), forbidden=("Laufwerk", "Platte")).forbids(
            "das Festplattenlaufwerk"
        )
        is None
    )


def test_capitals_may_tell_what_is_required_from_what_is_forbidden():
    Entry("you", ("Sie",), forbidden=("sie",), case="exact")


def test_the_place_of_an_entry_does_not_make_it_another():
    assert Entry("disk", ("Platte",), place=HERE) == Entry("disk", ("Platte",))


def test_a_term_is_due_once_in_each_sentence_that_has_it():
    disk, once = Entry("disk", ("Platte",)), Phrase("Platte", case="sentence")
    assert due("disk to disk", disk) == [once]
    assert due("The disk is a disk. A disk!", disk) == [once] * 2
    matches = Matcher(Glossary((disk,), "en")).match("disk to disk")
    assert constraints_for(matches, every_time=True) == [once] * 2


def test_a_name_is_due_once_in_each_way_that_a_sentence_writes_it():
    name = Entry("node js", do_not_translate=True)
    assert due("Run node js, Node JS and node js", name) == [
        Phrase("node js", case="sentence"),
        Phrase("Node JS", case="exact"),
    ]


def test_several_targets_become_alternatives_and_forms_inflections():
    entry = Entry("disk", ("Platte", "Laufwerk"), forms=("Platten",), case="exact")
    assert due("disk", entry) == [
        AnyOf(Phrase("Platte", case="exact", inflect=["Platten"]), Phrase("Laufwerk", case="exact"))
    ]


def test_forbidden_targets_are_avoided_once_however_often_the_term_occurs():
    entry = Entry("disk", forbidden=("HDD",))
    assert due("disk to disk", entry) == [Avoid(Phrase("HDD", case="sentence"))]


def test_a_forbidden_text_that_is_part_of_a_required_one_is_forbidden_elsewhere():
    mail, post = Entry("e-mail", ("E-Mail",)), Entry("send", forbidden=("Mail",))
    once = [Phrase("E-Mail", case="sentence"), AtMost(1, Phrase("Mail", case="sentence"))]
    assert due("Send an e-mail", mail, post) == once
    assert due("Send e-mail! By e-mail!", mail, post) == [
        once[0],
        once[0],
        AtMost(2, once[1].pattern),
    ]
    assert due("Send it", mail, post) == [Avoid(Phrase("Mail", case="sentence"))]
    own = Entry("e-mail", ("E-Mail",), forbidden=("Mail",))
    assert due("an e-mail", own) == once
    assert not problems(mail, Entry("send", ("senden",), forbidden=("Mail",)))


@given(st.lists(st.sampled_from(["E-Mail", "Post", "Mail an alle"]), min_size=1, max_size=3))
def test_what_is_required_never_says_more_of_what_is_forbidden_than_is_let(targets):
    entries = [Entry(f"w{number}", (target,)) for number, target in enumerate(targets)]
    text = " ".join(entry.source for entry in entries)
    found = due(f"{text} send", *entries, Entry("send", forbidden=("Mail",)))
    [limit] = [each for each in found if not each.role.must_occur]
    said = sum(target.count("Mail") for target in targets)
    assert (limit.n if isinstance(limit, AtMost) else 0) == said


def test_what_is_not_to_be_translated_is_required_as_it_is():
    entry = Entry("gridbeam", do_not_translate=True)
    assert due("Gridbeam is here.", entry) == [Phrase("gridbeam", case="sentence")]


def test_what_is_not_to_be_translated_in_any_capitals_keeps_those_of_the_source():
    entry = Entry("node js", do_not_translate=True, case="any")
    assert due("Run Node  JS", entry) == [Phrase("Node JS", case="exact")]


def test_what_is_not_to_be_translated_keeps_the_capitals_of_a_title():
    assert due("The Node JS Guide", Entry("node js", do_not_translate=True)) == [
        Phrase("Node JS", case="exact")
    ]


def test_a_term_in_a_heading_and_in_its_text_is_due_in_both():
    entries = Entry("hard disk", ("Festplatte",)), Entry("folder", ("Ordner",))
    assert due("HARD DISK\n\nCheck the hard disk in the folder.", *entries) == [
        Phrase("Festplatte", case="any")
    ] * 2 + [Phrase("Ordner", case="sentence")]


def test_a_term_in_a_heading_may_be_translated_in_capitals():
    entry = Entry("disk", ("Platte",), forbidden=("HDD",))
    assert due("DISK FULL", entry) == [
        Phrase("Platte", case="any"),
        Avoid(Phrase("HDD", case="any")),
    ]
    assert due("Full Disk", entry) == [
        Phrase("Platte", case="sentence"),
        Avoid(Phrase("HDD", case="sentence")),
    ]
    assert due("an SSD", Entry("SSD", ("SSD-Platte",))) == [Phrase("SSD-Platte", case="sentence")]


def test_entries_that_contradict_each_other_in_one_text_are_refused_with_both_places():
    one = Entry("disk", ("HDD",), forbidden=("Platte",), place=HERE)
    two = Entry("plate", ("Platte",), forbidden=("HDD",), place=Place("terms.tsv", 15))
    assert due("a disk", one)
    with pytest.raises(
        UserError,
        match=r'line 14: "disk" requires "HDD", and "plate" .*\(terms.tsv line 15\) forbids "HDD"',
    ):
        due("a disk on a plate", one, two)


def test_an_alternative_that_another_term_forbids_leaves_the_others():
    assert due(
        "disk plate",
        Entry("disk", ("HDD", "Laufwerk")),
        Entry("plate", ("Teller",), forbidden=("HDD",)),
    )


def test_forms_are_harvested_most_frequent_first_and_capped():
    lines = [
        "Laufwerke! Laufwerke, Laufwerken.",
        "des Laufwerks",
        "Laufwerk",
        "LAUFWERKE",
        "laufwerke",
    ]
    glossary = Glossary((Entry("drive", ("Laufwerk",), forms=("Laufwerks",)),), "en", "de")
    assert count_forms(glossary, lines)["Laufwerk"] == {
        "Laufwerke": 2,
        "Laufwerken": 1,
        "Laufwerks": 1,
    }
    assert harvest_forms(glossary, lines).entries[0].forms == (
        "Laufwerks",
        "Laufwerke",
        "Laufwerken",
    )
    assert harvest_forms(glossary, lines, at_most=1).entries[0].forms == ("Laufwerks", "Laufwerke")
    assert harvest_forms(glossary, lines, at_least=2).entries[0].forms == ("Laufwerks", "Laufwerke")


def test_forms_of_several_words_have_the_lemmas_of_each():
    glossary = Glossary((Entry("hard disk", ("harte Platte",)),), "en", "de")
    lines = [
        "Die harten Platten.",
        "Harten Platten fehlt es.",
        "eine harte Schale",
        "harte-Platten",
        "Harte Platten",
    ]
    assert count_forms(glossary, lines) == {
        "harte Platte": {"harten Platten": 2, "harte Platten": 1}
    }


def test_the_first_word_of_a_sentence_is_harvested_without_its_capital():
    glossary = Glossary((Entry("delete", ("löschen",)),), "en", "de-AT")
    assert count_forms(glossary, ["Löscht alles!", "Er Löscht"]) == {"löschen": {"löscht": 1}}


def test_a_forbidden_form_is_not_harvested():
    glossary = Glossary((Entry("drive", ("Laufwerk",), forbidden=("Laufwerke",)),), "en", "de")
    assert harvest_forms(glossary, ["Laufwerke Laufwerken"]).entries[0].forms == ("Laufwerken",)


def test_every_form_of_what_is_forbidden_is_forbidden():
    entry = Entry("drive", ("Laufwerk",), forbidden=("Platte",))
    lines = ["Platten, Laufwerke", "der Platte", "PLATTEN"]
    (found,) = harvest_forms(Glossary((entry,), "en", "de"), lines, at_least=2).entries
    assert (found.forms, found.forbidden) == ((), ("Platte", "Platten"))


def test_a_form_of_what_is_forbidden_that_is_required_is_not_forbidden():
    entry = Entry("drives", ("Platten",), forbidden=("Platte",))
    (found,) = harvest_forms(Glossary((entry,), "en", "de"), ["Platten"]).entries
    assert found.forbidden == ("Platte",)


@pytest.mark.parametrize(
    ("language", "said"), [(None, "names no target language"), ("tlh", 'no lemmas for "tlh"')]
)
def test_forms_of_an_unknown_language_are_refused(language, said):
    with pytest.raises(UserError, match=said):
        harvest_forms(Glossary((Entry("drive", ("Laufwerk",)),), "en", language), ["x"])


def test_a_sound_glossary_has_no_problems():
    assert not problems(
        Entry("disk", ("Platte",)), Entry("disk", forbidden=("HDD",)), Entry("plate", ("Teller",))
    )


def test_the_same_entry_twice_is_a_duplicate():
    first, again = (
        Entry("disk", ("Platte",), place=HERE),
        Entry("disk", ("Platte",), place=Place("terms.tsv", 20)),
    )
    said = 'terms.tsv line 20: "disk" is the same as at terms.tsv line 14. Remove one of the two.'
    assert problems(first, again) == [("duplicate", said)]


def test_different_targets_of_one_term_are_a_conflict():
    ((kind, said),) = problems(Entry("disk", ("Platte",), place=HERE), Entry("disk", ("HDD",)))
    assert kind == "conflict" and "another target at terms.tsv line 14" in said


def test_what_one_entry_requires_and_another_forbids_is_a_contradiction():
    one, two = (
        Entry("disk", ("HDD",), forbidden=("Platte",)),
        Entry("plate", ("Platte",), forbidden=("HDD",)),
    )
    found = problems(one, two, Entry("slab", ("Platte", "Tafel")))
    assert [kind for kind, _ in found] == ["contradiction", "contradiction"]
    assert 'requires "HDD", but "plate"' in found[0][1] and "Allow another target" in found[0][1]


def test_terms_that_differ_only_in_capitals_are_told_unless_both_are_exact():
    assert [kind for kind, _ in problems(Entry("us", ("uns",)), Entry("US", ("USA",)))] == ["case"]
    assert not problems(Entry("us", ("uns",), case="exact"), Entry("US", ("USA",), case="exact"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hard  disk", "a space too many"),
        ("hard\u00a0disk", "U+00A0"),
        ("di\u200bsk", "U+200B"),
        ("disk ", "space"),
    ],
)
def test_white_space_that_nobody_sees_is_told(text, said):
    ((kind, message),) = problems(Entry(text, ("Platte",)))
    assert kind == "white space" and said in message


def test_a_sentence_is_long_for_a_term():
    ((kind, message),) = problems(Entry("disk", ("eine " * 15 + "Platte",)))
    assert kind == "long" and "16 words" in message


def test_what_a_tokenizer_cannot_write_is_told():
    entries = Entry("disk", ("Festplatte",)), Entry("snow", ("☃",), place=HERE)
    ((kind, message),) = problems(*entries, tokenizer=Subwords(unigram()))
    assert (
        kind == "unwritable" and message.startswith("terms.tsv line 14: ") and "U+2603" in message
    )


def test_problems_come_in_the_order_of_the_entries():
    found = problems(
        Entry("a  b", ("x",)), Entry("c", ("y",)), Entry("c", ("z",)), Entry("d  e", ("w",))
    )
    assert [kind for kind, _ in found] == ["white space", "conflict", "white space"]
