"""DeepL's own Python client, against a real server with the model that ships."""

from __future__ import annotations

import re

import deepl
import pytest
from deepl.api_data import MultilingualGlossaryDictionaryEntries as Dictionary

pytestmark = pytest.mark.slow


@pytest.fixture
def client(server):
    made = deepl.DeepLClient(server.key, server_url=server.url)
    yield made
    made.close()


def test_the_client_lists_the_languages_there_are(client):
    assert [each.code for each in client.get_source_languages()] == ["EN"]
    targets = client.get_target_languages()
    assert [(each.code, each.name) for each in targets] == [("DE", "German"), ("FR", "French")]
    assert not any(each.supports_formality for each in targets)
    pairs = client.get_glossary_languages()
    assert [(each.source_lang, each.target_lang) for each in pairs] == [("en", "de"), ("en", "fr")]


def test_a_text_and_a_list_are_translated_and_billed(client):
    one = client.translate_text("The hard disk is full.", target_lang="de")
    assert one.text == "Die Festplatte ist voll."
    assert (one.detected_source_lang, one.billed_characters) == ("EN", 22)
    two = client.translate_text(["The house.", "The dog."], source_lang="EN", target_lang="FR")
    assert [each.text for each in two] == ["La maison.", "Le chien."]
    assert client.get_usage().character.count >= 22


def test_constraints_travel_through_the_official_client(client):
    said = client.translate_text(
        ["The hard disk is full.", "The house is big."],
        source_lang="EN",
        target_lang="DE",
        extra_body_parameters={"constraints": [["Laufwerk"], [{"avoid": "groß"}]]},
    )
    assert "Laufwerk" in said[0].text and "groß" not in said[1].text
    with pytest.raises(deepl.DeepLException, match="contradict"):
        client.translate_text(
            "The house.",
            target_lang="DE",
            extra_body_parameters={"constraints": ["Haus", {"avoid": "Haus"}]},
        )


def test_placeholders_of_weblate_and_tags_come_back(client):
    text = 'Copy <x id="5"></x> &amp; <x id="12"></x> to the <b>big</b> house &lt;now&gt;.'
    said = client.translate_text(
        text, source_lang="EN", target_lang="DE", tag_handling="xml", ignore_tags=["x"]
    ).text
    assert sorted(re.findall(r'<x id="\d+"></x>', said)) == ['<x id="12"></x>', '<x id="5"></x>']
    assert re.search(r"<b>\w.*</b>", said) and "&amp;" in said and "&lt;now&gt;" in said


def test_what_is_not_to_be_translated_stays_and_blocks_are_told_apart(client):
    html = '<h1>My First Heading</h1>\n<p translate="no">My first paragraph.</p>'
    said = client.translate_text(html, target_lang="DE", tag_handling="html").text
    assert said == '<h1>Meine erste Überschrift</h1>\n<p translate="no">My first paragraph.</p>'
    xml = "<doc><title>The house</title><raw>The dog</raw></doc>"
    said = client.translate_text(
        xml, target_lang="DE", tag_handling="xml", ignore_tags="raw", splitting_tags=["title"]
    ).text
    assert said == "<doc><title>Das Haus</title><raw>The dog</raw></doc>"


def test_a_glossary_of_version_3_is_made_used_changed_and_deleted(client):
    made = client.create_multilingual_glossary(
        "terms", [Dictionary("EN", "DE", {"house": "Gebäude"}), Dictionary("EN", "FR", {"a": "b"})]
    )
    said = client.translate_text(
        "The house is big.", source_lang="EN", target_lang="DE", glossary=made
    )
    assert "Gebäude" in said.text
    assert made.creation_time.tzinfo is not None
    changed = client.update_multilingual_glossary_dictionary(
        made, Dictionary("EN", "DE", {"house": "Bau", "dog": "Köter"})
    )
    assert [each.entry_count for each in changed.dictionaries] == [2, 1]
    client.replace_multilingual_glossary_dictionary(made, Dictionary("EN", "DE", {"dog": "Rüde"}))
    client.update_multilingual_glossary_name(made, "other")
    entries = client.get_multilingual_glossary_entries(made, "EN", "DE").dictionaries[0]
    assert entries.entries == "dog\tRüde"
    client.delete_multilingual_glossary_dictionary(made, source_lang="EN", target_lang="FR")
    (listed,) = [
        each
        for each in client.list_multilingual_glossaries()
        if each.glossary_id == made.glossary_id
    ]
    assert listed.name == "other" and len(listed.dictionaries) == 1
    client.delete_multilingual_glossary(made)
    with pytest.raises(deepl.GlossaryNotFoundException):
        client.get_multilingual_glossary(made.glossary_id)


def test_a_glossary_of_version_2_holds_one_pair(client):
    made = client.create_glossary("terms", "EN", "DE", {"house": "Gebäude", "A%=&": "B&=%"})
    assert (made.ready, made.entry_count) == (True, 2)
    assert client.get_glossary_entries(made) == {"house": "Gebäude", "A%=&": "B&=%"}
    assert "Gebäude" in client.translate_text_with_glossary("The house.", made).text
    assert made.glossary_id in [each.glossary_id for each in client.list_glossaries()]
    client.delete_glossary(made)
    with pytest.raises(deepl.GlossaryNotFoundException):
        client.get_glossary_entries(made)


def test_the_client_reads_what_was_wrong(client, server):
    with pytest.raises(deepl.DeepLException, match=r"target_lang.*not supported"):
        client.translate_text("a", target_lang="XX")
    with pytest.raises(deepl.DeepLException, match=r"source_lang.*not supported"):
        client.translate_text("a", source_lang="XX", target_lang="DE")
    with pytest.raises(deepl.DeepLException, match=r"Target language DE.*formality"):
        client.translate_text("a", target_lang="DE", formality="more")
    client.translate_text("a house", target_lang="DE", formality="prefer_more")
    with pytest.raises(deepl.DeepLException, match="style rules"):
        client.translate_text("a", target_lang="DE", style_rule="mine")
    wrong = deepl.DeepLClient("wrong", server_url=server.url)
    with pytest.raises(deepl.AuthorizationException):
        wrong.get_usage()
    wrong.close()


def test_a_document_is_translated_in_the_background_and_fetched(client, tmp_path):
    source, target = tmp_path / "notes.txt", tmp_path / "notizen.txt"
    source.write_text("The house.\nThe dog.\n")
    status = client.translate_document_from_filepath(source, target, target_lang="DE")
    assert target.read_text() == "Das Haus.\nDer Hund.\n"
    assert status.done and status.billed_characters == len(source.read_text())
    other = tmp_path / "notes.invalid"
    other.write_text("a")
    with pytest.raises(deepl.DeepLException, match=r"\(Invalid file\).*\.xliff"):
        client.translate_document_from_filepath(other, target, target_lang="DE")


def test_a_text_that_is_a_term_becomes_its_target(client):
    made = client.create_glossary("terms", "EN", "DE", {"artist": "Maler", "R&D room": "F&E-Raum"})
    said = client.translate_text(
        ["artist", "Artist", "R&amp;D room"],
        source_lang="EN",
        target_lang="DE",
        glossary=made,
        tag_handling="xml",
    )
    assert [each.text for each in said] == ["Maler", "Maler", "F&amp;E-Raum"]
    client.delete_glossary(made)
