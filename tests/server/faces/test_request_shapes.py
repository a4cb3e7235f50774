"""Requests as other clients were recorded to send them: deepl-node and -java, Weblate, Mastodon,
npm libretranslate, OmegaT. A tiny model answers, so only the form of the answers counts.
"""

from __future__ import annotations

import asyncio
import re
from types import SimpleNamespace

import pytest

from gridbeam.server.faces.doors import FACES
from gridbeam.server.faces.fields import fields_of
from gridbeam.server.refusal import Refusal
from gridbeam.server.settings import RequestLimits, Settings

WEBLATE = {"User-Agent": "Weblate/5.14.3"}
MANY = "The disk is full."


def test_deepl_node_sends_forms_with_repeated_texts_and_tags_in_one(client):
    body = (
        "target_lang=de&source_lang=en&show_billed_characters=1&text=The+disk+is+full.&text=%3Cx%2F%3E"
        "&tag_handling=xml&outline_detection=0&ignore_tags=x%2Cy&splitting_tags=p,q"
        "&preserve_formatting=1&split_sentences=0&formality=prefer_more&model_type=latency_optimized"
    )
    answer = client.post("/v2/translate", content=body, headers=form())
    assert answer.status_code == 200 and answer.headers["X-Trace-ID"]
    first, second = answer.json()["translations"]
    assert first.keys() == {
        "detected_source_language",
        "text",
        "billed_characters",
        "model_type_used",
    }
    assert second["text"] == "<x/>" and second["billed_characters"] == 4


def test_deepl_node_sends_constraints_as_text(client):
    body = "text=The+disk+is+full.&target_lang=de&constraints=%5B%22Laufwerk%22%5D"
    answer = client.post("/v2/translate", content=body, headers=form())
    assert "Laufwerk" in answer.json()["translations"][0]["text"]


@pytest.mark.parametrize("constraints", [["x"] * 101, [[{"any_of": ["x"] * 101}]]])
def test_constraints_have_the_same_limit_for_clients_of_deepl(client, constraints):
    body = {"text": ["The disk"], "target_lang": "de", "constraints": constraints}
    answer = client.post("/v2/translate", json=body)
    assert answer.status_code == 400 and "the limit is 100" in answer.json()["message"]


def test_deepl_node_sends_dictionaries_by_number(client):
    body = (
        "name=node&dictionaries[0].source_lang=en&dictionaries[0].target_lang=de"
        "&dictionaries[0].entries=disk%09Laufwerk&dictionaries[0].entries_format=tsv"
    )
    made = client.post("/v3/glossaries", content=body, headers=form())
    assert made.status_code == 201
    assert re.fullmatch(r"[\d-]+T[\d:]+\.\d{3}Z", made.json()["creation_time"])
    put = "source_lang=en&target_lang=de&entries=disk%09Platte%0Afile%09Datei&entries_format=tsv"
    place = f"/v3/glossaries/{made.json()['glossary_id']}"
    changed = client.put(f"{place}/dictionaries", content=put, headers=form())
    assert changed.json() == {"source_lang": "en", "target_lang": "de", "entry_count": 2}
    assert client.delete(place).status_code == 204


def test_weblate_translates_a_batch_and_checks_languages(client):
    languages = client.get("/v3/languages?resource=translate_text", headers=WEBLATE).json()
    german = next(each for each in languages if each["lang"] == "de")
    assert german["usable_as_target"] and not german["usable_as_source"]
    assert "formality" not in german["features"] and "glossary" in german["features"]
    assert client.get("/v3/languages?resource=write").status_code == 404
    assert client.get("/v2/glossary-language-pairs").json()["supported_languages"][0] == {
        "source_lang": "en",
        "target_lang": "de",
    }
    asked = {
        "text": [f'The disk <x id="{number}"></x> is full.' for number in range(20)],
        "source_lang": "EN",
        "target_lang": "DE",
        "formality": "default",
        "tag_handling": "xml",
        "ignore_tags": ["x"],
        "context": "a disk",
    }
    answer = client.post("/v2/translate", json=asked, headers=WEBLATE).json()
    for number, each in enumerate(answer["translations"]):
        assert each["text"].count(f'<x id="{number}"></x>') == 1


def test_weblate_keeps_glossaries_by_name_and_replaces_stale_ones(client):
    name = "weblate:1:EN:DE:9f2a"
    made = client.post(
        "/v2/glossaries",
        json={
            "name": name,
            "source_lang": "EN",
            "target_lang": "DE",
            "entries": "disk\tFestplatte",
            "entries_format": "tsv",
        },
    ).json()
    assert name in [each["name"] for each in client.get("/v2/glossaries").json()["glossaries"]]
    place = f"/v3/glossaries/{made['glossary_id']}"
    part = {"source_lang": "EN", "target_lang": "DE", "entries": "file\tDatei"}
    assert client.put(f"{place}/dictionaries", json=part).json()["entry_count"] == 1
    assert (
        client.patch(place, json={"name": "weblate:1:EN:DE:77aa"}).json()["name"].endswith("77aa")
    )
    assert client.delete(f"/v2/glossaries/{made['glossary_id']}").status_code == 204
    assert client.delete(place).status_code == 404


def test_an_old_client_says_the_type_in_the_body_of_a_get(client):
    answer = client.request("GET", "/v2/languages", content="type=target", headers=form())
    assert {"language": "DE", "name": "German", "supports_formality": False} in answer.json()


def test_the_libretranslate_of_npm_sends_its_key_under_another_name(client_of):
    client = client_of(Settings(keys=True))
    assert client.get("/languages").status_code == 200
    asked = {"q": MANY, "source": "en", "target": "de", "format": "text", "apiKey": ""}
    missing = client.post("/translate", json=asked)
    assert (missing.status_code, set(missing.json())) == (400, {"error"})
    wrong = client.post("/translate", json=asked | {"apiKey": "wrong"})
    assert (wrong.status_code, wrong.json()) == (403, {"error": "Invalid API key"})


def test_mastodon_sends_html_in_a_language_to_be_found_out(client):
    asked = {"q": ["<p>The disk <b>is</b> full</p>"], "source": "auto", "target": "de"}
    answer = client.post("/translate", json=asked | {"format": "html", "api_key": ""}).json()
    (found,) = answer["detectedLanguage"]
    assert found["language"] == "en" and 50 < found["confidence"] <= 100
    assert re.fullmatch(r"<p>.*<b>.*</b>.*</p>", answer["translatedText"][0])


def test_alternatives_are_told_where_they_are_asked_for(client):
    asked = {"q": MANY, "source": "en", "target": "de", "alternatives": 2}
    answer = client.post("/translate", data=asked).json()
    assert isinstance(answer["translatedText"], str) and len(answer["alternatives"]) <= 2
    assert answer["translatedText"] not in answer["alternatives"]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"source": "en", "target": "de"}, "Invalid request: missing q parameter"),
        ({"q": "a", "target": "de"}, "Invalid request: missing source parameter"),
        ({"q": "a", "source": "en", "target": "xx"}, "xx is not supported"),
        (
            {"q": "a", "source": "en", "target": "de", "format": "pdf"},
            "pdf format is not supported",
        ),
        ({"q": "a" * 31, "source": "en", "target": "de"}, "request (31) exceeds text limit (30)"),
        ({"q": ["a"] * 3, "source": "en", "target": "de"}, "request (3) exceeds text limit (2)"),
        ({"q": "a", "source": "en", "target": "de", "alternatives": "x"}, "is not a number"),
    ],
)
def test_libretranslate_says_what_is_wrong_in_its_words(client_of, asked, told):
    client = client_of(Settings(limits=RequestLimits(chars=30, texts=2)))
    answer = client.post("/translate", json=asked)
    assert answer.status_code == 400 and told in answer.json()["error"]


def test_omegat_asks_apertium_with_either_codes(client):
    for pair in ("en|de", "eng|deu"):
        asked = {"q": MANY, "markUnknown": "no", "langpair": pair, "key": "k"}
        answer = client.get("/translate", params=asked).json()
        assert answer["responseStatus"] == 200 and answer["responseData"]["translatedText"]
    pairs = client.get("/listPairs").json()["responseData"]
    assert {"sourceLanguage": "eng", "targetLanguage": "deu"} in pairs
    wrong = client.get("/translate", params={"q": "a", "langpair": "en|xx"})
    assert (wrong.status_code, wrong.json()["status"]) == (400, "error")


@pytest.mark.parametrize(
    ("asked", "status", "told"),
    [
        ({"target_lang": "de"}, 400, "'text' not specified"),
        ({"text": ["a"]}, 400, "'target_lang' not specified"),
        ({"text": ["a"] * 51, "target_lang": "de"}, 400, "Too many texts"),
        ({"text": ["a"], "target_lang": "de", "split_sentences": "x"}, 400, "split_sentences"),
        ({"text": ["a"], "target_lang": "de", "glossary_id": "g"}, 400, "source_lang"),
        (
            {"text": ["a"], "target_lang": "de", "source_lang": "en", "glossary_id": "g"},
            404,
            "Not found",
        ),
        ({"text": ["a"], "target_lang": "de", "constraints": [["a"], ["b"]]}, 400, "constraints"),
        ({"text": ["a"], "target_lang": "de", "constraints": [{"any": 1}]}, 400, "constraints"),
        ({"text": ["a" * 140_000], "target_lang": "de"}, 413, "exceeds the limit"),
        ({"text": [1], "target_lang": "de"}, 400, "text"),
    ],
)
def test_deepl_says_what_is_wrong_in_its_form(client, asked, status, told):
    answer = client.post("/v2/translate", json=asked)
    assert (answer.status_code, told in answer.json()["message"]) == (status, True)
    assert answer.headers["X-Trace-ID"]


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        ("disk\tPlatte\ndisk\tLaufwerk", "Duplicate"),
        ("disk", "tab"),
        ("disk\t", "empty"),
        ("di\u0007sk\tPlatte", "control"),
        ("d" * 1025 + "\tPlatte", "1024"),
        ("\n\n", "no entries"),
    ],
)
def test_a_glossary_that_cannot_be_is_refused_with_a_detail(client, entries, told):
    asked = {"name": "bad", "source_lang": "en", "target_lang": "de", "entries": entries}
    answer = client.post("/v2/glossaries", json=asked)
    assert answer.status_code == 400
    assert answer.json()["message"] == "Bad request" and told in answer.json()["detail"]


@pytest.mark.parametrize("body", [b"{", b"[1]", b'{"text": NaN}', b'{"text": "\\ud800"}', b"\xff"])
def test_a_body_that_is_no_object_of_json_is_a_bad_request(client, body):
    headers = {"Content-Type": "application/json"}
    for path in ("/v2/translate", "/translate", "/v1/chat/completions"):
        assert client.post(path, content=body, headers=headers).status_code == 400


def form():
    return {"Content-Type": "application/x-www-form-urlencoded"}


UNESCAPED = "text=The café “Müller” is open.&target_lang=DE&source_lang=EN&glossary_id=".encode()


def test_forms_and_addresses_are_in_utf8_whether_or_not_it_is_escaped(client):
    """As curl sends `-d 'text=The café'`: the bytes as they are typed."""
    request = SimpleNamespace(
        headers={"content-type": "application/x-www-form-urlencoded"},
        scope={"query_string": "q=Ähre&q=%C3%84hre&langpair=en|de".encode()},
        state=SimpleNamespace(),
        body=lambda: said(UNESCAPED),
    )
    fields = asyncio.run(fields_of(request))
    assert fields.text("text") == "The café “Müller” is open." and fields.text("glossary_id") == ""
    assert fields.texts("q") == ["Ähre", "Ähre"] and fields.text("langpair") == "en|de"
    answer = client.post("/v2/translate", content=b"text=caf\xe9&target_lang=DE", headers=form())
    assert answer.status_code == 400 and "UTF-8" in answer.json()["message"]


async def said(body):
    return body


def test_what_is_wrong_and_what_to_do_are_told_apart_by_a_mark(client):
    wrong = {"text": ["a"], "target_lang": "de", "constraints": [["a"]], "glossary_id": "none"}
    for refusal, told in (
        (Refusal(422, '"a" is forbidden, and is to be said', "", "allow it."), "said: allow it."),
        (Refusal(401, "this server asks for an API key", "", "Send it."), "API key. Send it."),
        (Refusal(422, "it is full.", "", "Empty it."), "it is full. Empty it."),
    ):
        for face in FACES:
            assert told in face.answer(refusal).body.decode().replace('\\"', '"'), face.name
    assert client.post("/v2/translate", json=wrong).status_code == 400


def test_plain_french_is_not_translated_as_english(client):
    asked = {"text": ["Le comité a rejeté la proposition hier."], "target_lang": "DE"}
    answer = client.post("/v2/translate", json=asked)
    assert answer.status_code == 400 and "fr" in answer.json()["message"].lower()


@pytest.mark.parametrize("text", ["Press <b>Enter", "Press Enter</b>", "<b><i>Enter</b></i>"])
def test_xml_that_is_none_is_refused_and_html_is_taken_as_it_is(client, text):
    asked = {"text": [text], "target_lang": "DE", "source_lang": "EN"}
    answer = client.post("/v2/translate", json={**asked, "tag_handling": "xml"})
    assert answer.status_code == 400 and "Tag handling parsing failed" in answer.json()["message"]
    assert client.post("/v2/translate", json={**asked, "tag_handling": "html"}).status_code == 200
