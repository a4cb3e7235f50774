"""The rules: what each finds, and what it leaves alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from timing import timed

from gridbeam.checks import RULES, CheckedPair, check, chosen
from gridbeam.errors import UserError
from gridbeam.glossary.entries import Entry, Glossary
from gridbeam.glossary.matching import Matcher
from gridbeam.markup.inline import Code, Marked
from gridbeam.markup.placeholders import expressions


def fired(source, target, languages="en-de", **more):
    own, _, other = languages.partition("-")
    pair = CheckedPair.of(source, target, own or None, other or None, **more)
    return {found.rule for found in check(pair)}


WRONG = [
    ("numbers", "Wait 10 minutes.", "Warten Sie."),
    ("numbers", "Wait 10 minutes.", "Warten Sie 100 Minuten."),
    ("numbers", "From 1,000.5 to 3", "Von 1.000,5"),
    ("placeholders", "Open {file}", "Öffnen"),
    ("placeholders", "Open {file}", "{datei} öffnen"),
    ("placeholders", "%s of %d", "%d"),
    ("placeholders", "Hi", "Hallo {name}"),
    ("xmltags", "An <b>old</b> one", "Ein <b>altes"),
    ("xmltags", "<b>An</b> <i>old</i> one", "<b>Ein <i>altes</b></i>"),
    ("xmltags", "copy <file> to <folder>", "<Datei> kopieren"),
    ("xmltags", '<img src="a.png"> here', "hier"),
    ("escapes", r"One\nTwo", "Eins Zwei"),
    ("accelerators", "&Save as...", "Speichern unter ..."),
    ("accelerators", "_Save", "_Speichern _unter"),
    ("notranslate", "Set MAX_SIZE", "MAX_GRÖSSE setzen"),
    ("separators", "It costs 1,000.5", "Es kostet 1,000.5"),
    ("separators", "A radius of 0.5", "Ein Radius von 0.5"),
    ("urls", "See https://a.org/b.", "Siehe https://a.org/c."),
    ("brackets", "Old (new)", "Alt (neu"),
    ("brackets", "Old [new]", "Alt neu"),
    ("doublequoting", 'Press "Enter"', "Eingabe drücken"),
    ("startpunc", "- an item", "ein Punkt"),
    ("endpunc", "Name:", "Name"),
    ("endpunc", "Really?", "Wirklich."),
    ("endpunc", "Loading...", "Lädt."),
    ("end_stop", "It is full.", "Er ist voll"),
    ("startwhitespace", " Name", "Name"),
    ("endwhitespace", "Name ", "Name"),
    ("newlines", "One\n", "Eins"),
    ("newline-count", "One\nTwo", "Eins Zwei"),
    ("tabs", "One\tTwo", "Eins Zwei"),
    ("doublespacing", "It is full", "Er  ist voll"),
    ("puncspacing", "It is full.", "Er ist voll ."),
    ("untranslated", "It is full", None),
    ("blank", "It is full", ""),
    ("blank", "It is full", "  "),
    ("unchanged", "It is full", "It is full"),
    ("sourcewords", "It is full as can be now", "Er is full as can sein"),
    ("doublewords", "It is full", "Er ist ist voll"),
    ("doublewords", "It is full", "Er ist voll ist voll"),
    ("long", "It is full", "Er ist voll und noch voller und so weiter und so fort, sagt er"),
    ("short", "It is full, and so on and so forth, says he who has seen it", "Voll"),
    ("validchars", "It is full", "Er ist v\ufffdll"),
]


@pytest.mark.parametrize(("rule", "source", "target"), WRONG)
def test_each_rule_finds_what_it_is_for(rule, source, target):
    assert rule in fired(source, target)


@pytest.mark.parametrize(
    ("source", "target", "languages"),
    [
        ("It costs 1,000.50 for 3 of 12.", "Es kostet 1.000,50 für drei von 12.", "en-de"),
        ("It costs 10,000 today.", "Cela coûte 10\u202f000 aujourd'hui.", "en-fr"),
        ("The 2nd of 3 files at 5 PM", "Die zweite von 3 Dateien um 17 Uhr", "en-de"),
        ("In the 19th century", "Au XIXe siècle", "en-fr"),
        ('Press "Enter": done!', "Appuyez sur « Entrée » : c'est fait !", "en-fr"),
        ("Press 'Enter' (don't wait)", "Drücken Sie „Enter“ (nicht warten)", "en-de"),
        ("Copy %1$s to %2$s...", "Nach %2$s wird %1$s kopiert …", "en-de"),
        ("Open <b>{file}</b>", "<b>{file}</b> öffnen", "en-de"),
        ("Delete file(s)", "Dateien löschen", "en-de"),
        ("50% of all", "50 %iger Anteil", "en-de"),
        ("We have nothing.", "Nous nous taisons.", "en-fr"),
        ("It is full?", "いっぱいですか？", "en-ja"),
        ("Is it full?", "¿Está lleno?", "en-es"),
        ("a) One thing", "a) Eine Sache", "en-de"),
        ("&Save R&D", "R&D &sichern", "en-de"),
        ("_Reply", "Antwo_rten", "en-de"),
        ("copy <file> to <folder>", "<Datei> nach <Ordner> kopieren", "en-de"),
        ("Set the _name and the _id", "_name und _id setzen", "en-de"),
        ("Version 1.2.3 of 0.5", "Version 1.2.3 von 0,5", "en-de"),
        (
            "{n, plural, one {# file} other {# files}}",
            "{n, plural, one {# A} other {# B}}",
            "en-de",
        ),
        ("", "", "en-de"),
    ],
)
def test_what_a_language_writes_otherwise_is_no_finding(source, target, languages):
    assert not fired(source, target, languages)


def test_french_and_spanish_marks_are_hints_of_their_languages_only():
    assert fired("Really?", "Vraiment?", "en-fr") == {"punctuation_spacing"}
    assert fired("Really?", "Vraiment ?", "en-fr") == set()
    assert fired("Really?", "Wirklich ?", "en-de") == {"puncspacing"}
    assert fired("Really?", "De veras?", "en-es") == {"inverted_marks"}


def test_numbers_as_words_are_known_in_some_languages_and_doubted_in_no_other():
    assert fired("3 files", "drei Dateien", "en-de") == set()
    assert fired("3 files", "Dateien", "en-de") == {"numbers"}
    assert fired("3 files", "tři soubory", "en-cs") == set()
    assert fired("30 files", "soubory", "en-cs") == {"numbers"}
    assert fired("3 files", "trois fichiers", "-") == set()
    assert fired("3 files", "fichiers", "-") == {"numbers"}


def test_codes_of_a_file_are_compared_whatever_they_hold():
    source = Marked.of(["The ", Code('<g id="1">', "opens"), "disk", Code("</g>", "closes")])
    assert fired(source, Marked.of(["Die ", *source.pieces[1:]])) == set()
    assert fired(source, "Die Platte") == {"xmltags"}


def test_codes_without_words_are_no_translation_of_words():
    opened, closed = Code('<g id="1">', "opens"), Code("</g>", "closes")
    source = Marked.of([opened, '(use "git add" to track)', closed])
    assert fired(source, Marked.of([opened, closed])) == {"blank"}
    assert fired("<b>Open</b>", "<b> </b>") == {"blank"}
    bare = Marked.of([Code("<x/>")])
    assert "blank" not in fired(bare, bare) and "blank" not in fired("by {name}", "{name}")
    assert "blank" in fired(bare, "")


def test_codes_in_a_message_are_part_of_it_in_as_many_forms_as_a_language_has():
    value = Code('<x id="INTERPOLATION"/>')
    source = Marked.of(["{VAR_PLURAL, plural, =1 {1 vote} other {", value, " votes}}"])
    forms = [" one {", value, " vote} many {", value, " de votes} other {", value, " votes}}"]
    target = Marked.of(["{VAR_PLURAL, plural, =1 {1 vote}", *forms])
    assert fired(source, target, "en-fr") == set()
    beside = Marked.of([*target.pieces, " ", value])
    assert fired(Marked.of([*source.pieces, " ", value]), beside, "en-fr") == set()
    assert fired(source, beside, "en-fr") >= {"xmltags"}


def test_a_placeholder_of_ones_own_is_one():
    own = expressions(["@@\\w+"])
    assert fired("Open @@file", "Öffnen", own=own) == {"placeholders"}
    assert fired("Open @@file", "@@file öffnen", own=own) == set()


def test_a_form_for_a_single_thing_need_not_say_its_number():
    assert fired("%d file", "Eine Datei", is_for_one=True) == set()
    assert fired("%d file", "Eine Datei") == {"placeholders"}
    assert fired("%s has %d file", "Eine Datei", is_for_one=True) == {"placeholders"}


def test_terms_are_due_as_often_as_the_source_has_them_and_forbidden_ones_are_found():
    entries = (Entry("disk", ("Platte", "Laufwerk"), forbidden=("HDD",)),)
    matcher = Matcher(Glossary(entries, "en", "de"))
    source = "The disk and the disk"

    def found(target):
        pair = CheckedPair.of(source, target, "en", "de", terms=matcher.match(source))
        return [str(each) for each in check(pair, chosen(["check_glossary"]))]

    assert found("Die Platte und die Platte") == []
    assert found("Die Platte und mehr") == ['check_glossary: "disk" is not "Platte" or "Laufwerk"']
    assert found("Die Platte, die Platte, die HDD") == ['check_glossary: "HDD" is forbidden']


def test_findings_say_where_in_the_texts_as_they_are_written():
    (found,) = check(CheckedPair.of("Wait 10 <b>s</b>", "Warten <b>s</b>", "en", "de"))
    assert [found.source_spans, found.spans] == [((5, 7),), ()]
    (found,) = check(CheckedPair.of("A <b>b</b>", "Der <b>x x</b>", "en", "de"))
    assert found.spans == ((7, 10),)


def test_rules_are_chosen_by_any_of_their_names():
    assert [rule.name for rule in chosen(["printf", "numbers"])] == ["placeholders", "numbers"]
    assert len(chosen(skip=["same"])) == len(RULES) - 1
    with pytest.raises(UserError, match='no rule "nubmers": choose among placeholders, '):
        chosen(["nubmers"])


def test_no_name_is_that_of_two_rules():
    names = [name for rule in RULES for name in (rule.name, *rule.also)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    "part", [" ", ".", '"', "' ", "1 ", "ab ", "(", "%", "{", "<b>", "a-", "_a"]
)
def test_a_long_text_takes_time_in_proportion_to_its_length(part):
    def seconds(size):
        pair = CheckedPair.of(part * size, "x" + part * size, "en", "de")
        with timed() as taken:
            check(pair)
        return taken.seconds

    seconds(1)  # compiles expressions
    assert seconds(8_000) < 24 * max(seconds(1_000), 0.005)


TEXT = st.text(st.sampled_from("ab AB 12.,:;!?()[]{}<>/%s\"'«»„“\n\t\\&_ü日¿…"), max_size=40)


@given(TEXT)
def test_a_text_beside_itself_has_no_findings_but_that_it_is_the_same(text):
    assert fired(text, text, "en-de") <= {"unchanged", "sourcewords", "validchars"}


@given(TEXT, TEXT)
def test_findings_lie_within_their_texts(source, target):
    for found in check(CheckedPair.of(source, target, "en", "fr")):
        assert all(0 <= start <= end <= len(target) for start, end in found.spans)
        assert all(0 <= start <= end <= len(source) for start, end in found.source_spans)
