"""For everyone: by keyboard alone, judged by axe, on a phone, in the dark."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

pytestmark = pytest.mark.slow
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
LINES = ("The hard disk is full.", "Open the old folder.", "The meeting is on Monday.")

SWIPE = """() => {
  const target = document.querySelector(".side.source");
  const at = (clientX) => [new Touch({ identifier: 1, target, clientX, clientY: 150 })];
  const fire = (kind, touches) => target.dispatchEvent(new TouchEvent(kind, { bubbles: true,
    touches, changedTouches: touches }));
  fire("touchstart", at(100));
  fire("touchend", at(300));
}"""


@pytest.fixture(scope="module")
def project(server):
    number = server.project(*LINES, name="access")
    path = f"projects/{number}"
    about = {"name": "access", "source": "en", "target": "de"}
    glossary = server.ask("glossaries", "POST", **about)["id"]
    for source, target in (("hard disk", "Festplatte"), ("folder", "Mappe")):
        server.ask(f"glossaries/{glossary}/entries", "POST", source=source, target=target)
    server.ask(path, "PATCH", glossary=glossary)
    server.act(server.rows(number)[2], "confirm")
    return number


def judged(visit):
    """What axe finds on the page as it is."""
    found = Axe().run(visit.page, options={"runOnly": RULES})
    return [
        (each["id"], [node["html"][:200] for node in each["nodes"]])
        for each in found.response["violations"]
    ]


def test_axe_finds_nothing_in_the_dark(visit_of, server, project):
    visit = visit_of(server, color_scheme="dark", reduced_motion="reduce")
    visit.open(project, 2)
    visit.page.locator("open-segment .word").nth(1).click()
    visit.page.locator(".alternative").first.wait_for()
    visit.page.get_by_role("button", name="Glossary", exact=True).click()
    visit.page.locator(".glossary td").first.wait_for()
    assert judged(visit) == []


def test_axe_finds_nothing_in_any_view(visit_of, server, project):
    visit = visit_of(server, color_scheme="light", reduced_motion="reduce")
    page = visit.page
    visit.open()
    page.locator(".projects a").first.wait_for()
    assert judged(visit) == []
    visit.open(project)
    page.locator(".row .cell").first.wait_for()
    assert judged(visit) == []
    visit.open(project, 2)
    assert judged(visit) == []
    page.locator("open-segment .word").nth(1).click()
    page.locator(".alternative").first.wait_for()
    assert judged(visit) == []
    page.keyboard.press("Enter")
    page.locator("input.typing").wait_for()
    assert judged(visit) == []
    page.keyboard.press("Escape")
    page.keyboard.press("F2")
    assert judged(visit) == []
    page.keyboard.press("Escape")
    for pane in ("Glossary", "Memory", "Grid"):
        page.get_by_role("button", name=pane, exact=True).click()
        page.locator(f".{pane.lower()} :is(li, table, .strip, p)").first.wait_for()
        page.wait_for_timeout(200)
        assert judged(visit) == [], pane
    page.get_by_role("button", name="All keys").click()
    page.locator("dialog.keys dt").first.wait_for()
    assert judged(visit) == []
    page.keyboard.press("Escape")
    visit.open(project, "study")
    page.locator(".study h1").wait_for()
    assert judged(visit) == []


def test_everything_is_done_by_keyboard_alone(visit, server):
    project = server.project(*LINES)
    page, keys = visit.page, visit.page.keyboard
    visit.open(project)
    page.locator(".row .cell").first.wait_for()
    for _ in range(20):
        keys.press("Tab")
        if page.evaluate("document.activeElement.matches('.opener')"):
            break
    keys.press("ArrowDown")
    keys.press("ArrowUp")
    keys.press("Enter")
    page.locator("open-segment .word").first.wait_for()
    keys.press("ArrowRight")
    keys.press("ArrowRight")
    expect(page.locator(".word.chosen")).to_have_count(1)
    keys.press("Shift+ArrowRight")
    expect(page.locator(".word.chosen")).to_have_count(2)
    keys.press("ArrowLeft")
    old = page.locator(".word.chosen").text_content()
    keys.type("Platte")
    keys.press("Enter")
    assert "Platte" in visit.words and old not in visit.words
    visit.settled()
    assert page.evaluate("document.activeElement.matches('.word')"), "the focus stays in place"
    keys.press("l")
    visit.settled()
    keys.press("Control+ArrowDown")
    expect(page).to_have_url(re.compile("/2$"))
    keys.press("Control+ArrowUp")
    expect(page).to_have_url(re.compile("/1$"))
    page.locator("open-segment .word").first.wait_for()
    keys.press("Control+Shift+Enter")
    expect(page).to_have_url(re.compile("/2$"))
    page.locator("open-segment .word").first.wait_for()
    keys.press("ArrowRight")
    keys.press("?")
    expect(page.locator("dialog.keys")).to_be_visible()
    keys.press("Escape")
    expect(page.locator("dialog.keys")).to_have_count(0)
    keys.press("g")
    expect(page.locator(".pane[data-pane=grid]")).to_be_visible()
    page.locator("open-segment .word").first.focus()
    keys.press("Escape")
    keys.press("Tab")
    assert not page.evaluate("document.activeElement.matches('.word')"), "no trap"
    assert server.rows(project)[0]["status"] == "confirmed"


def test_focus_is_always_seen_and_targets_are_large_enough(visit, project):
    visit.open(project, 2)
    small = visit.page.evaluate(
        """[...document.querySelectorAll('button, summary, select, input:not(.unseen)')]
        .filter((each) => each.offsetParent)
        .map((each) => [each.textContent, each.getBoundingClientRect()])
        .filter(([, box]) => box.width < 24 || box.height < 24).map(([text]) => text)"""
    )
    assert small == []
    visit.page.keyboard.press("ArrowRight")
    style = "getComputedStyle(document.activeElement).outlineStyle"
    assert visit.page.evaluate(style) == "solid"


def test_on_a_phone_there_is_one_segment_with_alternatives_as_a_sheet(visit_of, server, project):
    size = {"width": 390, "height": 844}
    visit = visit_of(server, viewport=size, has_touch=True, is_mobile=True)
    page = visit.page
    visit.open(project)
    page.locator(".row .cell").first.wait_for()
    wide = "document.documentElement.scrollWidth"
    assert page.evaluate(wide) <= 390
    page.locator(".row").nth(1).tap()
    page.locator("open-segment .word").first.wait_for()
    assert page.locator(".row.open").bounding_box()["width"] == 390
    page.locator("open-segment .word").nth(1).tap()
    page.locator(".alternative").first.wait_for()
    sheet = page.locator(".sheet").bounding_box()
    assert round(sheet["y"] + sheet["height"]) == 844
    assert page.locator(".alternative").first.bounding_box()["height"] >= 24
    assert page.evaluate(wide) <= 390
    assert judged(visit) == []
    page.get_by_role("button", name="Done").tap()
    page.get_by_role("button", name="Segment after").tap()
    expect(page).to_have_url(re.compile("/3$"))
    page.locator("open-segment .word").first.wait_for()
    page.evaluate(SWIPE)
    expect(page).to_have_url(re.compile("/2$"))


def test_light_and_dark_are_a_choice_that_is_kept(visit, project):
    visit.open(project)
    ground = "getComputedStyle(document.body).backgroundColor"
    visit.page.locator(".row .cell").first.wait_for()
    assert visit.page.evaluate(ground) == "rgb(255, 255, 255)"
    visit.page.get_by_role("button", name="Light or dark").click()
    assert visit.page.evaluate(ground) == "rgb(20, 23, 27)"
    visit.page.reload()
    assert visit.page.evaluate(ground) == "rgb(20, 23, 27)"
