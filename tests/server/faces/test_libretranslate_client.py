"""libretranslatepy, against a real server with the model that ships."""

from __future__ import annotations

import json
import urllib.error
import urllib.request

import pytest
from libretranslatepy import LibreTranslateAPI

pytestmark = pytest.mark.slow


@pytest.fixture
def client(server):
    return LibreTranslateAPI(f"{server.url}/", server.key)


def test_the_client_translates_detects_and_lists(client):
    assert (
        client.translate("The file %s was deleted!", "en", "de") == "Die Datei %s wurde gelöscht!"
    )
    assert client.detect("Die Datei wurde gelöscht.")[0]["language"] == "de"
    english = {"code": "en", "name": "English", "targets": ["de", "fr"]}
    assert english in client.languages()


def test_a_wrong_key_is_an_error_in_its_form(server):
    with pytest.raises(urllib.error.HTTPError) as failed:
        LibreTranslateAPI(f"{server.url}/", "wrong").translate("a", "en", "de")
    assert failed.value.code == 403
    assert json.load(failed.value) == {"error": "Invalid API key"}


def test_a_file_is_translated_and_fetched(server):
    sent = multipart({"source": "en", "target": "de", "api_key": server.key}, "The house.\n")
    request = urllib.request.Request(f"{server.url}/translate_file", *sent)
    with urllib.request.urlopen(request) as answer:
        url = json.load(answer)["translatedFileUrl"]
    fetched = urllib.request.Request(f"{url}?api_key={server.key}")
    with urllib.request.urlopen(fetched) as answer:
        assert answer.read().decode() == "Das Haus.\n"
        assert "notes.txt" in answer.headers["Content-Disposition"]


def multipart(fields, text):
    """A form with a file, and the header that says so."""
    lines = [
        f'--cut\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in fields.items()
    ]
    head = '--cut\r\nContent-Disposition: form-data; name="file"; filename="notes.txt"\r\n\r\n'
    body = "".join([*lines, head, text, "\r\n--cut--\r\n"]).encode()
    return body, {"Content-Type": "multipart/form-data; boundary=cut"}
