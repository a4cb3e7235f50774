"""Nothing is lost and nothing gets in: two tabs, a dead server, hostile text, a long list."""

from __future__ import annotations

import re
import signal

import pytest
from browsing import Server
from playwright.sync_api import expect

pytestmark = pytest.mark.slow
SENTENCE = "Our meeting will take place on Monday."
HOSTILE = "<script>window.owned = 1</script> <img src=x onerror=window.owned=1> שלום עולם 👩‍💻 ok"
MODULE = "async (name) => { window.module = await import(`/modules/${name}.js`); }"


def test_two_tabs_do_not_overwrite_each_other_silently(visit_of, server):
    project = server.project(SENTENCE)
    one, other = visit_of(server), visit_of(server)
    for visit in (one, other):
        visit.open(project, 1)
    other.page.route("**/events", lambda route: route.abort())
    other.page.reload()
    other.page.locator("open-segment .word").first.wait_for()
    other.expected = ("ERR_FAILED", "409")
    one.put("Sitzung", "Besprechung")
    one.settled()
    other.put("Montag", "Dienstag")
    notice = other.page.locator(".notice.conflict")
    expect(notice).to_be_visible()
    expect(notice).to_contain_text("Besprechung")
    expect(notice).to_contain_text("Dienstag")
    assert "Besprechung" in server.rows(project)[0]["target"]["text"]
    notice.get_by_role("button", name="Keep mine").click()
    other.settled()
    assert "Dienstag" in other.text
    assert server.rows(project)[0]["target"]["text"] == other.text
    expect(one.page.locator("target-words")).to_contain_text("Dienstag")


def test_what_was_typed_outlives_a_server_that_is_killed(visit_of, tmp_path):
    server = Server(tmp_path).start()
    try:
        project = server.project(SENTENCE)
        visit = visit_of(server)
        visit.expected = ("ERR_", "Failed to load resource")
        visit.open(project, 1)
        visit.put("Sitzung", "Besprechung")
        visit.settled()
        kept = visit.text
        server.end(signal.SIGKILL)
        visit.put("Montag", "Dienstag")
        expect(visit.page.locator(".notice.offline")).to_be_visible()
        assert "Dienstag" in visit.text, "what is typed stays"
        server.start()
        visit.settled()
        assert {"Besprechung", "Dienstag"} <= set(visit.words)
        visit.page.reload()
        visit.page.locator("open-segment .word").first.wait_for()
        assert {"Besprechung", "Dienstag"} <= set(visit.words), kept
    finally:
        server.end(signal.SIGKILL)


def test_a_row_is_waited_for_while_its_page_is_on_its_way(visit, server):
    project = server.project(*[f"Item {number}" for number in range(150)], translated=False)
    visit.open()
    visit.page.evaluate(MODULE, "rows")
    number = visit.page.evaluate(
        """async (id) => {
          const rows = new window.module.Rows({ id }, () => {});
          await rows.filter({});
          rows.at(120);
          return (await rows.wait(120))?.number;
        }""",
        project,
    )
    assert number == 121


def test_what_is_typed_after_an_act_that_is_refused_is_kept(visit, server):
    project = server.project(SENTENCE)
    visit.open(project, 1)
    visit.expected = ("422",)
    held = []

    def hold(route):
        if "forbid" in route.request.post_data:
            held.append(route)
        else:
            route.continue_()

    visit.page.route("**/acts", hold)
    visit.word("Montag").click()
    with visit.page.expect_request("**/acts"):
        visit.page.keyboard.press("x")
    visit.put("Sitzung", "Besprechung")
    held[0].fulfill(status=422, json={"error": "no", "where": "", "remedy": ""})
    visit.settled()
    assert "Besprechung" in visit.words
    assert "Besprechung" in server.rows(project)[0]["target"]["text"]


def test_hostile_text_is_text(visit, server):
    project = server.project(HOSTILE, "word " * 1000 + "end.", translated=False)
    row = server.rows(project)[0]
    server.act(row, "write", text=HOSTILE)
    visit.open(project, 1)
    visit.page.locator("open-segment .word").first.wait_for()
    assert visit.text == HOSTILE
    assert visit.page.evaluate("window.owned") is None
    assert visit.page.locator("open-segment script, open-segment img").count() == 0
    assert "👩‍💻" in visit.words, "a grapheme is never cut"
    visit.word("ok").click()
    visit.page.keyboard.press("Shift+L")
    expect(visit.page.locator(".word.locked")).to_have_count(0)
    visit.page.keyboard.press("l")
    expect(visit.page.locator(".word.locked")).to_have_text(["ok"])
    [lock] = server.rows(project)[0]["locks"]
    assert HOSTILE[lock["start"] : lock["end"]] == "ok", "positions are code points"


def test_right_to_left_text_is_walked_as_it_runs(visit, server):
    project = server.project("Hello world.", translated=False)
    server.act(server.rows(project)[0], "write", text="שלום עולם יפה")
    visit.open(project, 1)
    first = visit.page.locator(".word").first
    visit.page.keyboard.press("ArrowLeft")
    expect(visit.page.locator(".word.chosen")).to_have_text(["שלום"])
    visit.page.keyboard.press("ArrowLeft")
    expect(visit.page.locator(".word.chosen")).to_have_text(["עולם"])
    assert first.bounding_box()["x"] > visit.page.locator(".word").nth(2).bounding_box()["x"]


def test_five_thousand_characters_can_be_edited(visit, server):
    project = server.project("word " * 1000 + "end.", translated=False)
    server.act(server.rows(project)[0], "write", text="Wort " * 1000 + "Schluss.")
    visit.open(project, 1)
    assert len(visit.words) == 1002
    visit.page.locator(".word").nth(1000).click()
    visit.page.keyboard.press("l")
    expect(visit.page.locator(".word.locked").first).to_be_visible()


def test_ten_thousand_segments_scroll_smoothly(visit, server):
    lines = [f"Item number {number}" for number in range(10_000)]
    project = server.ask("projects", "POST", text="\n".join(lines), name="large")["id"]
    visit.page.route("**/translate", lambda route: route.fulfill(json={"new": 0}))
    visit.open(project)
    visit.page.locator(".row .cell").first.wait_for()
    slowest = visit.page.evaluate(
        """async () => {
          const list = document.querySelector('segment-list');
          let [slowest, last] = [0, performance.now()];
          for (let step = 0; step < 60; step += 1) {
            list.scrollTop += 4000;
            await new Promise(requestAnimationFrame);
            slowest = Math.max(slowest, performance.now() - last);
            last = performance.now();
          }
          return slowest;
        }"""
    )
    assert slowest < 250
    assert visit.page.locator(".row").count() < 60
    visit.open(project, 9_999)
    expect(visit.page.locator(".row.open .number")).to_have_text("9999")


def test_the_grid_grows_while_the_search_runs_and_is_walked_afterwards(visit, server):
    visit.open(server.project(SENTENCE), 1)
    visit.page.get_by_role("button", name="Grid", exact=True).click()
    visit.page.locator(".strip.won").first.wait_for()
    visit.page.evaluate(
        """() => { window.seen = new Set();
        new MutationObserver(() => window.seen.add(document.querySelectorAll('.strip').length))
          .observe(document.querySelector('.picture[role=group]'), { childList: true }); }"""
    )
    visit.put("Sitzung", "Besprechung")
    visit.settled()
    visit.page.locator(".strip.won").first.wait_for()
    assert len(visit.page.evaluate("[...window.seen]")) > 3, "it was seen to grow"
    verbs = visit.page.locator(".strip.won.start, .strip.won.continue")
    assert verbs.count() >= 1
    won = visit.page.locator(".strip[tabindex='0']")
    won.focus()
    said = visit.page.locator(".grid .said")
    expect(said).to_contain_text("Besprechung")
    for key in ("ArrowLeft", "ArrowLeft", "ArrowUp", "ArrowDown", "ArrowRight"):
        visit.page.keyboard.press(key)
        assert visit.page.evaluate("document.activeElement.matches('.strip')")
    assert re.search(r"score -?\d", said.text_content())


@pytest.mark.parametrize(
    ("text", "unit", "point"),
    [("a👩‍💻b", 6, 4), ("e\u0301x", 2, 2), ("שלום", 3, 3), ("😀😀", 2, 1)],
)
def test_positions_are_code_points_at_the_api(visit, text, unit, point):
    visit.open()
    visit.page.evaluate(MODULE, "positions")
    both = "([text, unit, point]) => { const all = new window.module.Positions(text);"
    both += " return [all.point(unit), all.unit(point)]; }"
    assert visit.page.evaluate(both, [text, unit, point]) == [point, unit]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Die 24-Stunden-Frist, bitte!", ["Die", "24-Stunden-Frist", ",", "bitte", "!"]),
        ("«l’arbre» 👍🏽", ["«", "l’arbre", "»", "👍🏽"]),
        ("e\u0301te\u0301 (a)", ["e\u0301te\u0301", "(", "a", ")"]),
        ("今日は晴れ。", ["今日", "は", "晴れ", "。"]),
    ],
)
def test_words_are_what_people_take_for_words(visit, text, words):
    visit.open()
    visit.page.evaluate(MODULE, "positions")
    cut = "(text) => window.module.words(text).filter((each) => each.kind !== 'space')"
    assert [each["text"] for each in visit.page.evaluate(cut, text)] == words


@pytest.mark.parametrize(
    ("where", "before", "after", "found"),
    [
        ((4, 7), "Das ist gut", "Das ist sehr gut", (4, 7)),
        ((8, 11), "Das ist gut", "Das ist sehr gut", (13, 16)),
        ((4, 8), "Ein Haus steht", "Heute steht ein Haus da", (16, 20)),
        ((4, 8), "Ein Haus steht", "Ein Baum steht", (4, 8)),
    ],
)
def test_a_stretch_is_found_again_in_a_newer_text(visit, where, before, after, found):
    visit.open()
    visit.page.evaluate(MODULE, "positions")
    again = "([where, before, after]) => window.module.rebase(where, before, after)"
    assert tuple(visit.page.evaluate(again, [where, before, after])) == found
