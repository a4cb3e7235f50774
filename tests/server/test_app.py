"""The server as a whole: what it says of itself, and how it says no."""

from __future__ import annotations

import re


def test_a_server_says_that_it_is_there(client):
    answer = client.get("/health")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def test_the_status_names_all_pairs_of_a_model_and_no_path(client):
    models = client.get("/api/status").json()["models"]
    assert [(each["source"], each["target"]) for each in models] == [
        ("en", "de"),
        ("en", "fr"),
        ("en", "pt"),
    ]
    assert not any("/" in each["name"] for each in models)


def test_what_is_not_there_is_told_as_every_error(client):
    answer = client.get("/nothing")
    assert answer.status_code == 404
    assert set(answer.json()) == {"error", "where", "remedy"}


def test_the_reference_has_every_route_and_loads_nothing_from_elsewhere(client):
    page = client.get("/docs").text
    for path in client.get("/openapi.json").json()["paths"]:
        assert path in page
    assert "<script" not in page and "style=" not in page
    loaded = re.findall(r'(?:src|href)="([^"#]+)"', page)
    assert loaded == ["docs.css", "openapi.json"]


def test_metrics_count_requests_by_route(client):
    client.get("/health")
    client.get("/no/such/route")
    told = client.get("/metrics").text
    assert 'gridbeam_requests_total{method="GET",route="/health",status="200"} 1.0' in told
    assert 'route="none",status="404"' in told


def test_metrics_have_no_line_for_each_method_that_somebody_makes_up(client):
    for number in range(3):
        client.request(f"MADEUP{number}", "/health")
    told = client.get("/metrics").text
    assert "MADEUP" not in told
    assert 'gridbeam_requests_total{method="other",route="/health",status="405"} 3.0' in told
