"""Requests to a server whose model repeats its source, over every route and each of its faces.

An input is JSON: method, path, headers and body. Any answer will do that is no failure of the
server, and that is JSON where it says so.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import echo_server
from fuzzed import Parser
from seeds import documents, request
from starlette.testclient import TestClient

from gridbeam.server.settings import RequestLimits

LIMITS = RequestLimits(chars=400, texts=4, constraints=6, beam=3, length=24, seconds=20.0)
_FORM = "multipart/form-data; boundary=b"
_URLENCODED = "application/x-www-form-urlencoded"
_TEXT = "The disk is full.\nOpen the folder {file}."


def form(file: str, content: bytes, **fields: str) -> str:
    """A form with a file."""
    said = "".join(
        f'--b\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'
        for key, value in fields.items()
    )
    head = f'--b\r\nContent-Disposition: form-data; name="file"; filename="{file}"\r\n\r\n'
    return f"{said}{head}{content.decode('utf8', 'replace')}\r\n--b--\r\n"


def files() -> list[bytes]:
    """Projects, glossaries and documents of files."""
    path, kind = "/api/projects", {"Content-Type": _FORM}
    return [
        *(
            request("POST", path, form(f"a{suffix}", documents(suffix)[-1], target="de"), **kind)
            for suffix in (".po", ".xlf", ".jsonl", ".tmx")
        ),
        request("POST", "/api/glossaries", form("a.tsv", b"disk\tPlatte\n", name="x"), **kind),
        request("POST", "/v2/document", form("a.txt", b"The disk", target_lang="DE"), **kind),
        request("POST", "/translate_file", form("a.txt", b"x", source="en", target="de"), **kind),
    ]


def acts() -> list[bytes]:
    """Acts on the first segment."""
    bodies: Sequence[dict[str, Any]] = (
        {"act": "translate", "version": 0},
        {"act": "write", "version": 0, "text": "Die Festplatte", "seconds": 1.5, "clicks": 2},
        {"act": "replace", "version": 1, "where": [0, 3], "words": "Das"},
        {"act": "lock", "version": 1, "where": [0, 3]},
        {"act": "forbid", "version": 1, "words": "HDD"},
        {"act": "complete", "version": 1, "left": "Die ", "client": "page"},
        {"act": "undo", "version": 2},
    )
    return [request("POST", "/api/segments/1/acts", body) for body in bodies]


@cache
def seeds() -> tuple[bytes, ...]:
    """A request to each route that takes something."""
    wish = {"constraints": ["Platte", {"any_of": ["a", "b"]}], "avoid": ["HDD"], "beam": 2}
    terms = {"glossary": [{"source": "disk", "targets": ["Platte"]}], "lemmas": True}
    chat = {"model": "echo", "messages": [{"role": "user", "content": "The disk"}]}
    glossary = {"name": "g", "source_lang": "en", "target_lang": "de", "entries_format": "tsv"}
    translate = {"text": ["The disk", "b"], "target_lang": "DE", "source_lang": "EN"}
    return (
        request("POST", "/api/translate", {"source": "The disk", **wish, "max_length": 9}),
        request("POST", "/api/translate", {"source": ["a", {"text": "b", "prefix": "c"}], **terms}),
        request("POST", "/api/check", {"source": "5 disks", "translation": "6 Platten", **terms}),
        request("POST", "/api/explain", {"source": "The disk", **wish}),
        request("POST", "/api/projects", {"text": _TEXT, "name": "n", "target": "de"}),
        request("PATCH", "/api/projects/1", {"name": "other", "glossary": "x"}),
        request("GET", "/api/projects/1/segments?status=new&search=disk&offset=0&limit=9"),
        request("POST", "/api/projects/1/translate", {}),
        request("GET", "/api/projects/1/export?format=tmx"),
        request("GET", "/api/projects/1/study?format=csv"),
        request("GET", "/api/segments/1/alternatives?version=0&at=3"),
        request("GET", "/api/segments/1/grid?version=0"),
        request("GET", "/api/segments/1"),
        request("POST", "/api/glossaries", {"name": "g", "entries": [{"source": "a"}]}),
        request("POST", "/api/glossaries/g/entries", {"source": "a", "targets": ["b"]}),
        request("PATCH", "/api/glossaries/g/entries/1", {"source": "a", "targets": ["c"]}),
        request("POST", "/v2/translate", translate),
        request("POST", "/v2/translate", "text=a&target_lang=DE", **{"Content-Type": _URLENCODED}),
        request("POST", "/v2/glossaries", {**glossary, "entries": "disk\tPlatte"}),
        request("POST", "/v3/glossaries", {"name": "g", "dictionaries": [{**glossary}]}),
        request("GET", "/v2/usage"),
        request("POST", "/translate", {"q": "The disk", "source": "en", "target": "de"}),
        request("POST", "/detect", {"q": ["The disk is full"]}),
        request("GET", "/translate?langpair=en|de&q=The%20disk&format=html"),
        request("POST", "/v1/chat/completions", {**chat, "max_tokens": 9, "stream": True}),
        request("POST", "/v1/completions", {"model": "echo", "prompt": "The", "n": 1}),
        *acts(),
        *files(),
    )


class OneServer:
    """A server for all inputs of a process, begun by the first: a fork has no threads of it."""

    def __init__(self) -> None:
        self._client: TestClient | None = None
        self._open = ExitStack()

    def client(self, folder: Path) -> TestClient:
        """Its client."""
        if self._client is None:
            kept = folder / "server"
            kept.mkdir()
            self._client = self._open.enter_context(echo_server.client(kept, limits=LIMITS))
            echo_server.pasted(self._client, _TEXT)
        return self._client


SERVER = OneServer()


def ask(data: bytes, folder: Path) -> None:
    """Asks what an input says."""
    client = SERVER.client(folder)
    try:
        given = json.loads(data)
        method, path = str(given["method"])[:20], str(given["path"])[:4_000]
        headers = {str(name): str(each) for name, each in dict(given["headers"]).items()}
        body = given["body"]
    except (ValueError, TypeError, KeyError, RecursionError):
        method, path, headers, body = "POST", "/api/translate", {}, data
    if not isinstance(body, bytes):
        headers.setdefault("Content-Type", "application/json")
        body = body if isinstance(body, str) else json.dumps(body)
        body = body.encode("utf8", "surrogatepass")
    path = quote(path.encode("utf8", "surrogatepass"), safe="/?&=%|")
    if "/events" in path:  # a stream without an end
        return
    named = {_ascii(name): _plain(value) for name, value in headers.items()}
    method = "".join(filter(str.isalpha, _plain(method).decode("latin-1"))) or "GET"
    answer = client.request(method, f"/{path.lstrip('/')}", headers=named, content=body)
    if answer.status_code == 500 or answer.status_code > 504:
        raise AssertionError(f"{method} {path[:200]} answers {answer.status_code}: {answer.text}")
    if answer.headers.get("content-type", "").startswith("application/json"):
        answer.json()


def _ascii(text: str) -> bytes:
    """What the client of these tests takes as the name of a header."""
    return bytes(each for each in _plain(text) if each < 127)


def _plain(text: str) -> bytes:
    """What a header may hold."""
    return bytes(each for each in text.encode("latin-1", "replace") if 32 <= each != 127)


PARSERS = (Parser("http", "requests", seeds, ask),)
