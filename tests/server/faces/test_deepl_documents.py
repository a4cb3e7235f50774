"""Documents of DeepL's API that come to nothing: each is told of, and none takes all places."""

from __future__ import annotations

import threading
import time

import pytest

from gridbeam.server.faces.deepl import documents
from gridbeam.server.settings import RequestLimits, Settings

FILE = {"file": ("notes.txt", b"The disk is full.")}
LONG = 20.0


@pytest.fixture
def client(client_of):
    """A server whose queue has two places, and so one for documents."""
    with client_of(Settings(limits=RequestLimits(queue=2))) as found:
        yield found


def sent(client):
    return client.post("/v2/document", files=FILE, data={"target_lang": "DE"})


def outcome(client, made):
    """What a document came to."""
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        asked = {"document_key": made["document_key"]}
        told = client.post(f"/v2/document/{made['document_id']}", json=asked).json()
        if told["status"] in ("done", "error"):
            return told
        time.sleep(0.01)
    raise AssertionError("it never came to an end")


def test_a_document_that_a_fault_of_ours_stops_is_told_to_have_failed(client, monkeypatch, caplog):
    def broken(*_):
        raise RuntimeError("/home/secret")

    monkeypatch.setattr(documents, "translated", broken)
    told = outcome(client, sent(client).json())
    assert told["status"] == "error" and "secret" not in told["error_message"]
    assert "secret" in caplog.text


def test_documents_take_no_more_than_half_of_the_queue(client, monkeypatch):
    may_end = threading.Event()
    monkeypatch.setattr(documents, "translated", lambda *_: may_end.wait(LONG) and b"done")
    made = sent(client).json()
    assert sent(client).status_code == 503
    may_end.set()
    assert outcome(client, made)["status"] == "done"
    assert outcome(client, sent(client).json())["status"] == "done"
