"""A language is the same wherever its code comes from: all of the package reads codes alike."""

from __future__ import annotations

import json

import pytest

from gridbeam.documents import open_document
from gridbeam.errors import UserError
from gridbeam.evaluation.due import listed
from gridbeam.glossary.formats import read
from gridbeam.models.directions import chosen
from gridbeam.text.languages import is_same, language, plain, varieties
from gridbeam.text.lemmas import has_lemmas, lemmatizer
from gridbeam.text.sentences import split

GERMAN = ["de", "deu", "ger", "DE", "de_AT", "de-CH", "deu_Latn", "DEU"]

TMX = """<?xml version="1.0"?>
<tmx version="1.4"><header srclang="en"/><body><tu>
<tuv xml:lang="en"><seg>disk</seg></tuv><tuv xml:lang="{}"><seg>Platte</seg></tuv>
</tu></body></tmx>"""
XLIFF = """<?xml version="1.0"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file original="a" datatype="plaintext" source-language="en" target-language="{}"><body>
<trans-unit id="1"><source>disk</source><target>Platte</target></trans-unit>
</body></file></xliff>"""
TBX = """<?xml version="1.0"?>
<martif type="TBX" xml:lang="en"><text><body><termEntry>
<langSet xml:lang="en"><tig><term>disk</term></tig></langSet>
<langSet xml:lang="{}"><tig><term>Platte</term></tig></langSet>
</termEntry></body></text></martif>"""


@pytest.mark.parametrize("code", GERMAN)
def test_german_is_one_language_however_its_code_is_written(code):
    assert language(code) == "de"
    assert is_same(code, "de") and not is_same(code, "nds")
    assert language(plain(code)) == "de"


@pytest.mark.parametrize("code", GERMAN)
def test_german_has_lemmas(code):
    assert has_lemmas(code)
    assert lemmatizer(code, "target")("Häuser") == "haus"


@pytest.mark.parametrize("code", GERMAN)
def test_german_has_the_abbreviations_of_german(code):
    text = "Das ist ca. 3 Ztr. schwer. Gut."
    assert split(text, code) == split(text, "de")


@pytest.mark.parametrize("code", GERMAN)
def test_a_model_is_asked_for_german(code):
    assert chosen("a model", "target", code, ["eng_Latn", "deu_Latn"]) == "deu_Latn"
    assert chosen("a model", "target", code, ["en", "de"]) == "de"


@pytest.mark.parametrize("code", ["de", "deu", "ger", "de-AT", "de_AT", "deu-AT"])
def test_a_column_of_a_glossary_is_german(tmp_path, code):
    path = tmp_path / "a.tsv"
    path.write_text(f"en\t{code}\ndisk\tPlatte\n")
    with pytest.warns(UserWarning, match="names the columns"):
        glossary = read(path, source="eng", target="deu")
    assert [entry.source for entry in glossary.entries] == ["disk"]


@pytest.mark.parametrize("asked", ["de", "deu", "ger"])
@pytest.mark.parametrize("code", GERMAN)
def test_documents_and_term_bases_in_german_are_read_as_such(tmp_path, code, asked):
    for name, text in (("a.tmx", TMX), ("a.xlf", XLIFF)):
        (tmp_path / name).write_text(text.format(code))
        document = open_document(tmp_path / name, source_language="en", target_language=asked)
        assert [str(segment.target) for segment in document.segments()] == ["Platte"]
    (tmp_path / "a.tbx").write_text(TBX.format(code))
    glossary = read(tmp_path / "a.tbx", source="eng", target=asked)
    assert [entry.targets for entry in glossary.entries] == [("Platte",)]


def test_a_document_in_another_language_is_refused(tmp_path):
    (tmp_path / "a.xlf").write_text(XLIFF.format("fra"))
    document = open_document(tmp_path / "a.xlf", source_language="en", target_language="deu")
    with pytest.raises(UserError, match='target-language="fra", and translations are in deu'):
        list(document.segments())


def test_listed_terms_are_found_by_another_code_of_their_language(tmp_path):
    path = tmp_path / "terms.jsonl"
    path.write_text(json.dumps([{"de": "Platte", "en": "disk"}]) + "\n")
    assert listed(path, "deu").segments[0] == listed(path, "de").segments[0]
    with pytest.raises(UserError, match='and the target language is "fra"'):
        listed(path, "fra")


def test_a_code_is_itself_before_it_is_another_of_its_language():
    known = ["de-DE", "deu", "de", "de-AT"]
    assert varieties(known, "deu") == ["deu"]
    assert varieties(known, "DE_at") == ["de-AT"]
    assert varieties(known, "ger") == ["deu", "de"]
    assert varieties(["de-DE", "de-AT"], "deu") == ["de-DE", "de-AT"]
    assert varieties(["nds", "den"], "de") == []


def test_both_names_of_norwegian_have_lemmas():
    assert all(map(has_lemmas, ("no", "nor", "nb", "nob", "nn", "nno")))
