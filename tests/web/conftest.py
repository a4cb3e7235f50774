"""One server for all tests of the page, a browser for each module, a page for each test."""

from __future__ import annotations

import os

import pytest
from browsing import FLAGS, Server, Visit, chromium_of
from playwright.sync_api import sync_playwright

MISSING = (
    "no Chromium: the tests of the page are skipped. Install it (apt install chromium) or run"
    " playwright install chromium."
)


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """A server on the model that ships."""
    found = Server(tmp_path_factory.mktemp("server")).start()
    yield found
    found.end()


@pytest.fixture(scope="module")
def browser():
    """A Chromium without a window; it ends with the module, as its event loop would disturb."""
    with sync_playwright() as playwright:
        path = chromium_of(playwright.chromium)
        if path is None:
            if "chromium" in os.environ.get("GRIDBEAM_TESTS_NEED", ""):
                pytest.fail(MISSING)
            pytest.skip(MISSING)
        found = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield found
        found.close()


@pytest.fixture
def visit_of(browser):
    """Opens pages; at the end none of them may have complained."""
    opened = []

    def made(server: Server, **options) -> Visit:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
        opened.append(Visit.of(context.new_page(), server))
        return opened[-1]

    yield made
    for visit in opened:
        visit.check()
        visit.page.context.close()


@pytest.fixture
def visit(visit_of, server):
    """A page on a laptop."""
    return visit_of(server)
