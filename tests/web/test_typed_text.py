"""What the page shows is what is stored: undo, repeats, lost answers, other tabs, reloads."""

from __future__ import annotations

import pytest
from browsing import Visit
from playwright.sync_api import expect

pytestmark = pytest.mark.slow
SENTENCE = "Our meeting will take place on Monday."
ACTS = "**/acts"


def stored(server, project, number=0):
    return server.rows(project)[number]["target"]["text"]


def kinds(server, project):
    """What was done, in its order, but for what the machine did."""
    acts = server.ask(f"projects/{project}/study")["acts"]
    return [each["act"] for each in acts if each["act"] != "translate"]


class Held:
    """Acts whose answers are held back, be they done or on their way: the page cannot know."""

    def __init__(self, page, kind="replace", *, is_done=True):
        self.page, self.kind, self.routes = page, f'"act":"{kind}"', []
        self.is_done = is_done
        page.route(ACTS, self.hold)

    def hold(self, route):
        if self.kind not in route.request.post_data:
            return route.continue_()
        if self.is_done:
            route.fetch()
        self.routes.append(route)

    def wait(self, count=1):
        while len(self.routes) < count:
            self.page.wait_for_timeout(50)


@pytest.mark.parametrize("is_done", [True, False])
def test_undo_of_what_is_under_way_reaches_the_server(visit, server, is_done):
    project = server.project(SENTENCE)
    visit.open(project, 1)
    before = visit.text
    held = Held(visit.page, is_done=is_done)
    visit.put("Sitzung", "Besprechung")
    held.wait()
    expect(visit.page.get_by_text("not stored yet")).to_be_visible()
    visit.page.keyboard.press("Control+z")
    assert visit.text == before, "what was is back at once"
    visit.settled()
    assert visit.text == before == stored(server, project)
    visit.page.keyboard.press("Control+y")
    expect(visit.page.locator("target-words")).to_contain_text("Besprechung")
    visit.settled()
    assert visit.text == stored(server, project)


def test_an_alternative_is_taken_once(visit, server):
    project = server.project(SENTENCE)
    visit.open(project, 1)
    visit.word("Sitzung").click()
    offered = visit.page.locator(".alternative")
    expect(offered.nth(1)).to_be_visible()
    words = offered.nth(1).locator("bdi").text_content()
    visit.page.keyboard.press("Control+2")
    visit.page.keyboard.press("Control+2")
    visit.settled()
    assert kinds(server, project) == ["replace"]
    assert f" {words} " in visit.text and visit.text == stored(server, project)
    visit.word("Montag").click()
    offered.first.dblclick()
    visit.settled()
    assert kinds(server, project) == ["replace", "replace"]
    assert visit.text == stored(server, project)


def test_a_place_in_a_draft_is_a_place_in_that_draft(visit, server):
    """What is chosen while another text is shown is found again in the one that is stored."""
    project = server.project(SENTENCE)
    visit.open(project, 1)
    visit.page.evaluate(
        "document.querySelector('open-segment').showText('Am Montag ist Sitzung.', 'draft')"
    )
    visit.word("Montag").click()
    visit.page.keyboard.press("l")
    expect(visit.page.locator(".word.locked")).to_have_text(["Montag"])


def test_what_is_confirmed_was_found_and_shown_before(visit, server):
    project = server.project("The hard disk is full.")
    visit.open(project, 1)
    visit.word("Festplatte").click()
    visit.page.keyboard.type("Laufwerk")
    visit.page.keyboard.press("Control+Enter")
    expect(visit.page.locator(".head .status")).to_have_text("confirmed")
    assert visit.text == "Das Laufwerk ist voll." == stored(server, project)
    expect(visit.page.locator(".was del")).to_be_visible()
    expect(visit.page.locator("#told")).to_contain_text("changed around what you typed")


def test_what_is_being_typed_outlives_a_reload(visit, server):
    project = server.project(SENTENCE)
    visit.open(project, 1)
    visit.word("Sitzung").click()
    visit.page.keyboard.type("Konfer")
    visit.page.reload()
    field = visit.page.locator("input.typing")
    expect(field).to_have_value("Konfer")
    visit.page.keyboard.press("Escape")
    visit.page.keyboard.press("F2")
    visit.page.keyboard.press("Control+a")
    visit.page.keyboard.type("Ganz anders")
    visit.page.reload()
    expect(visit.page.locator("textarea.free")).to_have_value("Ganz anders")
    visit.page.keyboard.press("Escape")
    visit.settled()
    assert visit.text == "Ganz anders" == stored(server, project)
    visit.page.reload()
    visit.page.locator("open-segment .word").first.wait_for()
    assert visit.page.locator("textarea.free").count() == 0


def test_an_act_whose_answer_was_lost_is_no_conflict(visit, server):
    project = server.project(SENTENCE)
    visit.open(project, 1)
    visit.expected = ("ERR_FAILED",)
    lost = []

    def lose(route):
        if lost:
            return route.continue_()
        lost.append(route.fetch())
        route.abort()

    visit.page.route(ACTS, lose)
    visit.put("Sitzung", "Besprechung")
    visit.settled()
    assert visit.page.locator(".notice").count() == 0
    assert visit.text == stored(server, project) and "Besprechung" in visit.text
    assert kinds(server, project) == ["replace"]


def test_what_is_under_way_in_a_tab_is_taken_over_when_that_tab_is_gone(visit, server):
    project = server.project(SENTENCE, "The hard disk is full.")
    first = Visit(visit.page.context.new_page(), server)
    first.open(project, 1)
    first.page.route(ACTS, lambda route: None)
    first.put("Sitzung", "Besprechung")
    asked = []
    visit.page.on("request", lambda request: "/acts" in request.url and asked.append(request))
    visit.open(project, 1)
    visit.page.wait_for_timeout(500)
    assert not asked, "it is the other tab's"
    visit.page.keyboard.press("Control+ArrowDown")
    expect(visit.page.locator(".row.open .number")).to_have_text("2")
    first.page.close()
    expect(visit.page.locator(".row").first).to_contain_text("Besprechung")
    assert "Besprechung" in stored(server, project)


def test_what_was_being_typed_in_another_segment_is_said_to_wait(visit, server):
    project = server.project(SENTENCE, "The hard disk is full.")
    visit.open(project, 1)
    visit.word("Sitzung").click()
    visit.page.keyboard.type("Konfer")
    visit.page.evaluate("history.replaceState(null, '', location.href.replace(/1$/, '2'))")
    visit.page.reload()
    waiting = visit.page.get_by_role("link", name="segment 1", exact=True)
    waiting.click()
    expect(visit.page.locator("input.typing")).to_have_value("Konfer")
    expect(waiting).to_be_hidden()


def test_a_list_that_cannot_be_loaded_is_asked_for_more_and_more_seldom(visit, server):
    project = server.project(SENTENCE)
    visit.expected = ("ERR_FAILED",)
    asked = []
    visit.page.route("**/segments?*", lambda route: (asked.append(1), route.abort()))
    visit.open(project)
    said = visit.page.get_by_role("group", name="The list")
    expect(said).to_contain_text("cannot be loaded")
    visit.page.wait_for_timeout(2500)
    assert len(asked) <= 3
    visit.page.unroute("**/segments?*")
    expect(visit.page.locator(".row .cell").first).to_be_visible()
    expect(said).to_be_hidden()


def test_that_the_server_is_gone_is_said_until_it_is_back(visit, server):
    visit.open(server.project(SENTENCE), 1)
    visit.expected = ("ERR_FAILED",)
    visit.page.route(ACTS, lambda route: route.abort())
    visit.put("Sitzung", "Besprechung")
    notice = visit.page.locator(".notice.offline")
    expect(notice).to_be_visible()
    visit.word("Montag").click()
    expect(notice).to_be_visible()
    visit.page.unroute(ACTS)
    notice.get_by_role("button", name="Try now").click()
    expect(notice).to_have_count(0)
    visit.settled()
    assert "Besprechung" in visit.words
    assert visit.page.evaluate("document.activeElement.matches('.word')"), "where it was"
