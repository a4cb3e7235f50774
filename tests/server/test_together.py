"""A real server and a real engine: many clients at once, some of whom leave or run out of time."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from real_server import serving, soon

from gridbeam.server.app import create_app
from gridbeam.server.settings import RequestLimits, Settings

MUCH = {"source": ["The disk is full and the file is empty."] * 64, "beam": 20, "max_length": 60}
"""Minutes of searching, as no constraint lets it end early."""
MUCH["source"] = [f"{text} {number}" for number, text in enumerate(MUCH["source"])]


@pytest.fixture
def engine(engines):
    return engines.of("en", "de")


def is_idle(engine):
    return engine.stats.running == engine.stats.waiting == 0


def test_a_client_that_hangs_up_ends_its_search(engines, engine, store):
    done = engine.stats.done
    with serving(create_app(Settings(), store, engines)) as server:
        connection = server.sent("POST /api/translate", json.dumps(MUCH).encode())
        assert soon(lambda: engine.stats.running > 0)
        connection.close()
        assert soon(lambda: is_idle(engine))
    assert engine.stats.done - done < len(MUCH["source"])


def test_a_search_past_its_time_is_dropped_and_told(engines, engine, store):
    limits = RequestLimits(seconds=0.3)
    with serving(create_app(Settings(limits=limits), store, engines)) as server:
        answer = httpx.post(f"{server.url}/api/translate", json=MUCH, timeout=30)
        assert answer.status_code == 504
        assert set(answer.json()) == {"error", "where", "remedy"}
        assert soon(lambda: is_idle(engine))


def test_sixteen_clients_at_once_get_what_each_would_get_alone(engines, store):
    words = ["Laufwerk", "Ordner", "Bildschirm", "Festplatte"]
    wishes = [
        {"source": f"The {noun} is full.", "constraints": [words[number % 4]], "beam": 3}
        for number, noun in enumerate(["disk", "drive", "file", "folder"] * 4)
    ]
    with serving(create_app(Settings(), store, engines)) as server:

        def asked(wish):
            answer = httpx.post(f"{server.url}/api/translate", json=wish, timeout=60)
            assert answer.status_code == 200, answer.text
            return answer.json()["text"]

        alone = [asked(wish) for wish in wishes[:4]]
        with ThreadPoolExecutor(16) as pool:
            together = list(pool.map(asked, wishes))
    assert together == alone * 4
    assert all(words[number % 4] in text for number, text in enumerate(together))


def test_metrics_have_the_figures_of_an_engine(client, engine):
    client.post("/api/translate", json={"source": "The disk is full."})
    told = client.get("/metrics").text
    for name in ("waiting", "running", "done_total", "refused_total", "columns_total"):
        assert f"gridbeam_{name}{{" in told
    assert "gridbeam_model_load_seconds{" in told
