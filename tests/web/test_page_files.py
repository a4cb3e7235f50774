"""What of the page needs no browser: its files, how they are served, and its palette."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import gridbeam.web
from gridbeam.draw.style import DAY, NIGHT
from gridbeam.server.app import create_app
from gridbeam.server.engines import Engines
from gridbeam.store import Store
from gridbeam.web import page_files

HERE = Path(gridbeam.web.__file__).parent
MODULES = sorted((HERE / "modules").glob("*.js"))
STYLES = sorted((HERE / "styles").glob("*.css"))
LATE = {
    "glossary",
    "memory",
    "grid",
    "gridlayout",
    "study",
    "keyhelp",
    "key",
    "walking",
    "projects",
}
"""Modules that a page of segments fetches only when somebody asks for them."""


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    store = Store.open(tmp_path_factory.mktemp("store") / "gridbeam.sqlite")
    app = create_app(store=store, engines=Engines((), queue=1))
    with TestClient(app, "http://127.0.0.1") as found:
        yield found


def test_the_page_and_all_that_it_names_are_served_under_a_strict_policy(client):
    page = client.get("/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in page.headers["content-security-policy"]
    for path in re.findall(r'(?:href|src)="([\w./]+)"', page.text):
        answer = client.get(f"/{path}")
        assert answer.status_code == 200, path
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_file_that_the_browser_has_is_not_sent_again(client):
    tag = client.get("/modules/main.js").headers["etag"]
    again = client.get("/modules/main.js", headers={"If-None-Match": tag})
    assert again.status_code == 304 and not again.content


@pytest.mark.parametrize("path", ["/modules/files.py", "/modules/..%2ffiles.py", "/styles/x.css"])
def test_nothing_but_the_files_of_the_page_is_served(client, path):
    assert client.get(path).status_code == 404


def test_nothing_of_the_page_is_inline_and_no_data_becomes_markup():
    page = (HERE / "index.html").read_text()
    assert not re.search(r"<script>|<style|style=|\son\w+=", page)
    for path in MODULES:
        program = path.read_text()
        forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function"
        assert not re.search(forbidden, program), path.name


def test_every_module_is_short_and_narrow():
    for path in [*MODULES, *STYLES, HERE / "index.html"]:
        lines = path.read_text().splitlines()
        assert len(lines) < 200, path.name
        assert max(map(len, lines)) <= 100, path.name


def test_the_first_load_is_under_100_kb():
    first = [path for path in MODULES if path.stem not in LATE]
    packed = [
        len(page_files()[path.relative_to(HERE).as_posix()].packed) for path in first + STYLES
    ]
    assert sum(packed) + len(page_files()["index.html"].packed) < 100_000


def test_the_palette_is_that_of_the_figures():
    colours = (HERE / "styles" / "colours.css").read_text()
    found = re.findall(r"--(\w+): light-dark\((#\w{6}), (#\w{6})\)", colours)
    shown = {name: (day, night) for name, day, night in found if name in DAY}
    assert shown == {name: (DAY[name], NIGHT[name]) for name in DAY}
