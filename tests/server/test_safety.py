"""What keeps pages of other origins, other names and strangers out."""

from __future__ import annotations

import pytest

from gridbeam.server.safety import SAFE_HEADERS
from gridbeam.server.settings import Settings


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/modules/main.js",
        "/docs",
        "/docs.css",
        "/openapi.json",
        "/health",
        "/api/status",
        "/no",
    ],
)
def test_every_answer_lets_a_browser_run_only_what_comes_from_here(client, path):
    headers = client.get(path).headers
    assert {name: headers.get(name) for name in SAFE_HEADERS} == SAFE_HEADERS
    assert "access-control-allow-origin" not in headers


def test_a_fault_of_ours_says_nothing_of_its_inside_and_has_the_same_headers(client):
    @client.app.get("/fault")
    async def fault() -> None:
        raise RuntimeError("/home/secret")

    answer = client.get("/fault")
    assert answer.status_code == 500 and "secret" not in answer.text
    assert {name: answer.headers.get(name) for name in SAFE_HEADERS} == SAFE_HEADERS


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost", "LOCALHOST:1", "[::1]:80"])
def test_names_of_this_machine_are_answered(client, host):
    assert client.get("/health", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.1.nip.io"])
def test_another_name_that_leads_to_loopback_is_refused(client, host):
    assert client.get("/health", headers={"Host": host}).status_code == 421


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Origin": "http://["},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"},
    ],
)
def test_a_page_of_another_origin_is_refused(client, headers):
    answer = client.get("/api/status", headers=headers)
    assert answer.status_code == 403 and "--allow-origin" in answer.json()["remedy"]


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://127.0.0.1", "Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "none"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"},
    ],
)
def test_our_own_page_and_links_to_it_are_answered(client, headers):
    assert client.get("/api/status", headers=headers).status_code == 200


def test_an_origin_that_is_allowed_may_read_the_answer(client_of):
    origin = "https://addon.example"
    client = client_of(Settings(origins=(origin,)))
    answer = client.get("/api/status", headers={"Origin": origin, "Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == origin
    assert client.get("/api/status", headers={"Origin": "https://b.example"}).status_code == 403


def test_who_is_exposed_asks_for_a_key(client_of, store):
    client = client_of(Settings(host="0.0.0.0"))
    assert client.get("/health").status_code == 200
    answer = client.get("/api/status")
    assert answer.status_code == 401 and answer.headers["www-authenticate"] == "Bearer"
    wrong = client.get("/api/status", headers={"Authorization": "Bearer guessed"})
    assert wrong.status_code == 401 and "revoked" in wrong.json()["error"]
    row, key = store.keys.add("a script")
    right = {"Authorization": f"Bearer {key}"}
    assert client.get("/api/status", headers=right).status_code == 200
    store.keys.revoke(row.id)
    assert client.get("/api/status", headers=right).status_code == 401


@pytest.mark.parametrize(
    ("settings", "asked"),
    [
        (Settings(), False),
        (Settings(keys=True), True),
        (Settings(host="::1"), False),
        (Settings(host="0.0.0.0", keys=False), False),
        (Settings(hosts=("mt.example.org",)), True),
    ],
)
def test_keys_are_asked_for_where_others_can_reach_the_server(settings, asked):
    assert settings.needs_keys is asked
