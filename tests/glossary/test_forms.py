"""What a term may be said in: its inflected forms, and compounds that have it as a part."""

from __future__ import annotations

import warnings

import pytest

from gridbeam.checks import CheckedPair, check, chosen
from gridbeam.constraints.terms import AnyOf, Phrase
from gridbeam.errors import UserError
from gridbeam.evaluation.due import by_glossary
from gridbeam.evaluation.term_scores import term_scores
from gridbeam.glossary import Entry, Glossary, formats
from gridbeam.glossary.agreement import MOST_FORMS, term_forms
from gridbeam.glossary.index import TextWords
from gridbeam.glossary.inflection import harvest_forms
from gridbeam.glossary.matching import Matcher, constraints_for, once_a_sentence
from gridbeam.text.wordforms import is_part, word_forms


def required(text, *entries, target="de", lemmas=True):
    matches = Matcher(Glossary(entries, "en", target), lemmas=lemmas).match(text)
    return constraints_for(matches)


def found(text, *entries, source="en"):
    """The terms of a text that are found by lemmas."""
    matcher = Matcher(Glossary(entries, source, "fr"), lemmas=True)
    return [match.text for match in matcher.match(text)]


def says(text, *targets, **options):
    """How often a text says a target."""
    entry = Entry("x", targets, **options)
    [match] = Matcher(Glossary((entry,), "en", "de"), lemmas=True).match("x")
    return len(match.required.places(TextWords(text)))


@pytest.mark.parametrize(
    ("code", "word", "forms"),
    [
        ("de", "Laufwerk", {"Laufwerke", "Laufwerken", "Laufwerks"}),
        ("fr", "cheval", {"chevaux"}),
        ("pt", "configuração", {"configurações"}),
        ("nl", "schijf", {"schijven"}),
    ],
)
def test_the_forms_of_a_lemma_are_found_without_a_file(code, word, forms):
    assert word_forms(word, code)[0] == word
    assert forms <= set(word_forms(word, code))


def test_an_inflected_target_has_the_forms_of_its_lemma():
    assert word_forms("Einstellungen", "de") == ("Einstellungen", "Einstellung")
    assert word_forms("données", "fr") == ("données", "donnée")


def test_a_german_noun_keeps_its_capital_and_has_no_forms_of_a_verb():
    assert set(word_forms("Speicher", "de")) == {"Speicher", "Speichern", "Speichers"}
    assert word_forms("Speichern", "de") == ("Speichern",)
    assert all(form.islower() for form in word_forms("neu", "de"))


def test_a_word_in_the_capital_of_a_title_has_forms_in_it_too():
    assert word_forms("Fichier", "fr") == ("Fichier", "Fichiers")


def test_a_form_that_the_dictionary_has_for_another_word_is_found_where_it_is_regular():
    assert "sauvegardes" in word_forms("sauvegarde", "fr")  # there a form of sauvegarder


def test_words_without_a_dictionary_and_abbreviations_have_no_other_forms():
    assert [word_forms(*each) for each in (("ディスク", "ja"), ("PC", "de"), ("disk", None))] == [
        ("ディスク",),
        ("PC",),
        ("disk",),
    ]


def test_a_compound_that_the_dictionary_lacks_is_inflected_in_its_last_part():
    assert word_forms("Rechtschreibprüfung", "de")[1:] == ("Rechtschreibprüfungen",)
    assert word_forms("Backupdatei", "de")[1:] == ("Backupdateien",)


@pytest.mark.parametrize(
    ("code", "term", "forms"),
    [
        ("fr", "disque dur", ["disques durs"]),
        ("fr", "disque de sauvegarde", ["disques de sauvegarde"]),
        ("fr", "paramètres avancés", ["paramètre avancé"]),
        ("fr", "souris sans fil", []),
        ("fr", "hors ligne", []),
        ("pt", "sistema operacional", ["sistemas operacionais"]),
        ("pt", "papel de parede", ["papéis de parede"]),
        ("es", "tarjeta gráfica", ["tarjetas gráficas"]),
        ("de", "XML-Datei", ["XML-Dateien"]),
        ("en", "hard disk", ["hard disks"]),
    ],
)
def test_the_words_of_a_term_are_inflected_together(code, term, forms):
    assert list(term_forms(term, code)) == forms


def test_german_adjectives_have_one_ending_and_what_follows_the_noun_stays():
    forms = term_forms("schneller externer Speicher", "de")
    assert {"schnellen externen Speichern", "schnelle externe Speicher"} <= set(forms)
    assert "schneller externen Speicher" not in forms
    assert "Rechten Maustaste" in term_forms("Rechte Maustaste", "de")
    assert set(term_forms("Liste der Dateien", "de")) == {"Listen der Dateien"}


def test_a_verb_is_inflected_and_what_it_is_about_stays():
    assert "abre arquivo" in term_forms("abrir arquivo", "pt")
    assert "Datei geöffnet" in term_forms("Datei öffnen", "de")


@pytest.mark.parametrize(("code", "term"), [("pl", "dysk twardy"), ("pt", "abrir arquivo")])
def test_a_term_has_forty_other_forms_at_most(code, term):
    assert len(term_forms(term, code)) <= MOST_FORMS == 40


def test_with_lemmas_each_target_may_be_inflected_and_is_first_as_written():
    disk = Entry("disk", ("Festplatte", "Laufwerk"))
    [either] = required("disks", disk)
    assert isinstance(either, AnyOf)
    assert [each.content for each in either.alternatives] == ["Festplatte", "Laufwerk"]
    assert either.alternatives[0] == Phrase("Festplatte", case="sentence", inflect=["Festplatten"])
    assert "Laufwerke" in either.alternatives[1].inflect


def test_without_lemmas_only_what_is_written_will_do():
    assert required("disk", Entry("disk", ("Festplatte",)), lemmas=False) == [
        Phrase("Festplatte", case="sentence")
    ]


def test_forms_of_a_glossary_come_beside_those_of_the_dictionary_and_forbidden_ones_do_not():
    entry = Entry("disk", ("Laufwerk",), forms=("Lw.",), forbidden=("Laufwerken",))
    phrase = required("disk", entry)[0]
    assert phrase.inflect[0] == "Lw." and "Laufwerke" in phrase.inflect
    assert "Laufwerken" not in phrase.inflect


def test_an_exact_entry_is_found_in_any_form_and_said_in_one():
    entry = Entry("disk", ("Festplatte",), exact=True)
    assert required("disks", entry) == [Phrase("Festplatte", case="sentence")]
    lines = ["Alle Festplatten"]
    assert harvest_forms(Glossary((entry,), "en", "de"), lines).entries == (entry,)


@pytest.mark.parametrize("name", ["t.tsv", "t.csv", "t.xlsx", "t.tbx", "t.txt"])
def test_every_format_keeps_that_an_entry_is_exact(tmp_path, name):
    entries = Entry("disk", ("Platte",), exact=True), Entry("file", ("Datei",))
    formats.write(Glossary(entries, "en", "de"), tmp_path / name)
    read = formats.read(tmp_path / name, source="en", target="de")
    assert [entry.exact for entry in read.entries] == [True, False]


def test_a_column_exact_says_yes_or_no(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text("source\ttarget\texact\ndisk\tPlatte\tyes\n", "utf8")
    assert formats.read(path).entries[0].exact
    path.write_text("source\ttarget\texact\ndisk\tPlatte\tperhaps\n", "utf8")
    with pytest.raises(UserError, match=r'line 2: exact is "perhaps"\. Write'):
        formats.read(path)


def test_rows_of_several_parts_of_speech_mean_any_of_their_targets(tmp_path):
    path = tmp_path / "wp.csv"
    path.write_text("en,de,pos,description\nquery,Abfrage,noun,\nquery,abfragen,verb,\n", "utf8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        glossary = formats.read_all(path, source="en", target="de")
    for lemmas in (False, True):
        [either] = constraints_for(Matcher(glossary, lemmas=lemmas).match("Query the query."))
        assert [each.content for each in either.alternatives] == ["Abfrage", "abfragen"]


def test_of_the_matches_in_a_sentence_the_first_is_kept():
    matcher = Matcher(Glossary((Entry("disk", ("Platte",)),), "en", "de"), lemmas=True)
    matches = matcher.match("Disks and a disk. Here is a disk, a disk.")
    assert [match.start for match in once_a_sentence(matches)] == [0, 28]


@pytest.mark.parametrize(
    ("part", "word"),
    [
        ("Festplatte", "Festplattenspeicher"),
        ("Datei", "Dateisystem"),
        ("Datei", "Sicherungsdatei"),
        ("Benutzer", "benutzerdefiniert"),
        ("Platte", "Festplatte"),
    ],
)
def test_a_compound_says_its_first_and_its_last_part(part, word):
    assert is_part(part, word, "de")


@pytest.mark.parametrize(
    ("part", "word"),
    [
        ("Bild", "Bildung"),
        ("Bild", "Abbildung"),
        ("Zeit", "Zeitung"),
        ("Rand", "Brand"),
        ("Spiel", "Beispiel"),
        ("Wort", "Antwort"),
        ("Druck", "Drucker"),
        ("Schrift", "Beschriftung"),
        ("disque", "disquette"),
    ],
)
def test_a_compound_is_cut_at_its_joints_only(part, word):
    assert not is_part(part, word, "de")
    assert not is_part(part, word, "fr")


def test_a_text_says_a_term_in_any_form_as_a_part_of_a_compound_and_beside_a_hyphen():
    assert says("Der Festplattenspeicher, zwei Festplatten, die Festplatte.", "Festplatte") == 3
    assert says("Die XML-Datei und XML-Dateien", "Datei") == 2
    assert says("Die Bildung", "Bild") == 0


def test_an_exact_entry_is_said_in_no_compound_but_beside_a_hyphen():
    assert says("Dateisystem, Dateien, XML-Datei", "Datei", exact=True) == 1


def test_in_english_a_part_of_a_word_with_a_hyphen_is_a_term_if_the_other_means_something():
    disk, date, mail = (Entry(term, ("x",)) for term in ("disk", "date", "mail"))
    assert found("a disk-based store", disk) == ["disk"]
    assert found("an up-to-date e-mail, sub-disks, e-mails", disk, date, mail) == []


def test_in_french_a_word_with_hyphens_is_a_word_of_its_own():
    assert found("un arc-en-ciel", Entry("arc", ("x",)), source="fr") == []


def test_a_german_compound_is_a_source_of_its_parts_at_their_joints():
    disk, image = Entry("Festplatte", ("disque dur",)), Entry("Bild", ("image",))
    assert found("Der Festplattenspeicher ist voll.", disk, source="de") == ["Festplattenspeicher"]
    assert found("Die XML-Festplatte", disk, source="de") == ["Festplatte"]
    assert found("Bildung und Abbildung", image, source="de") == []


def test_without_lemmas_no_part_of_a_word_is_a_term_of_the_source():
    matcher = Matcher(Glossary((Entry("Festplatte", ("disque",)),), "de", "fr"))
    assert matcher.match("Festplattenspeicher, XML-Festplatte") == []


@pytest.mark.parametrize(
    ("text", "is_said"),
    [
        ("Die Festplatte", True),
        ("Zwei Festplatten", True),
        ("Der Festplattenspeicher", True),
        ("Die USB-Festplatte", True),
        ("Die Platte", False),
        ("die festplatte", False),
    ],
)
def test_checks_and_scores_have_one_rule_of_what_is_said(text, is_said):
    glossary = Glossary((Entry("hard disk", ("Festplatte",)),), "en", "de")
    source = "A hard disk is a hard disk."
    terms = once_a_sentence(Matcher(glossary, lemmas=True).match(source))
    pair = CheckedPair.of(source, text, "en", "de", terms=terms)
    assert (not list(check(pair, chosen(["check_glossary"])))) == is_said
    terms_due = by_glossary(glossary, [source], lemmas=True)
    scores = {each.name: each.parts[0] for each in term_scores([text], [text], terms_due)}
    assert list(scores["terms said"]) == [is_said, 1]
    assert list(scores["terms exact"]) == [text == "Die Festplatte" or "USB" in text, 1]
