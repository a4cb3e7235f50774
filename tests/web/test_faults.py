"""Small things that stand in a translator's way: keys, drops, filters, letters, what is hidden."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.slow
SENTENCE = "Our meeting will take place on Monday."
DROP = """(names) => {
  const dataTransfer = new DataTransfer();
  for (const [name, text] of names) dataTransfer.items.add(new File([text], name));
  const event = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
  return !document.querySelector("main").dispatchEvent(event);
}"""
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def test_keys_work_wherever_the_focus_is(visit, server):
    visit.open(server.project(SENTENCE, "The hard disk is full."), 1)
    visit.page.evaluate("document.activeElement.blur()")
    visit.page.keyboard.press("F2")
    expect(visit.page.locator("textarea.free")).to_be_focused()
    visit.page.keyboard.press("Escape")
    visit.page.evaluate("document.activeElement.blur()")
    visit.page.keyboard.press("Control+Enter")
    expect(visit.page.locator(".head .status")).to_have_text("confirmed")
    visit.page.evaluate("document.activeElement.blur()")
    visit.page.keyboard.press("Control+ArrowDown")
    expect(visit.page).to_have_url(re.compile("/2$"))
    visit.page.locator("open-segment .word").first.wait_for()
    visit.page.evaluate("document.activeElement.blur()")
    visit.page.keyboard.press("F9")
    visit.settled()
    visit.page.keyboard.press("Control+Shift+Enter")
    expect(visit.page.locator("#told")).to_contain_text("last open segment")


def test_after_the_last_open_segment_comes_the_first(visit, server):
    visit.open(server.project(SENTENCE, "The hard disk is full."), 2)
    visit.page.keyboard.press("Control+Shift+Enter")
    expect(visit.page).to_have_url(re.compile("/1$"))


def test_files_that_are_dropped_on_any_view_become_projects_and_each_that_is_none_is_named(
    visit, server
):
    visit.expected = ("422",)
    visit.open(server.project(SENTENCE), 1)
    files = [["bad.xliff", "no"], ["good-one.txt", "The hard disk is full."], ["worse.tmx", "x"]]
    assert visit.page.evaluate(DROP, files), "the browser does not open it"
    notice = visit.page.locator(".notice.refused")
    expect(notice).to_contain_text("bad.xliff")
    expect(notice).to_contain_text("worse.tmx")
    expect(visit.page.get_by_role("link", name="good-one")).to_be_visible()


def test_letters_are_never_lost_to_commands(visit, server):
    visit.open(server.project(SENTENCE), 1)
    visit.word("Sitzung").click()
    visit.page.keyboard.press("g")
    expect(visit.page.locator(".pane[data-pane=grid]")).to_be_visible()
    visit.page.keyboard.type("lanz")
    expect(visit.page.locator("input.typing")).to_have_value("glanz")
    expect(visit.page.locator(".pane")).to_be_hidden()
    visit.page.keyboard.press("Escape")
    visit.page.keyboard.press("l")
    expect(visit.page.locator(".word.locked")).to_have_count(1)
    visit.page.keyboard.type("ang")
    expect(visit.page.locator("input.typing")).to_have_value("lang")
    visit.page.keyboard.press("Escape")
    expect(visit.page.locator(".word.locked")).to_have_count(0)


def test_an_address_outside_the_filter_is_opened_all_the_same(visit, server):
    project = server.project(SENTENCE, "The hard disk is full.")
    visit.open(project)
    visit.page.get_by_role("searchbox").fill("disk")
    expect(visit.page.locator(".row")).to_have_count(1)
    visit.open(project, 1)
    expect(visit.page.locator(".row.open .number")).to_have_text("1")
    expect(visit.page.get_by_role("searchbox")).to_have_value("")


def test_hidden_characters_are_seen_and_confirming_errors_is_told(visit, server):
    project = server.project("Delete %s \u202enow\u202c.", translated=False)
    server.act(server.rows(project)[0], "write", text="L\u00f6schen \u202ejetzt\u200b.")
    visit.open(project, 1)
    marks = visit.page.locator(".side.target .unseen-mark")
    expect(marks).to_have_count(2)
    assert marks.first.get_attribute("data-sign") == "RLO"
    assert visit.text == "L\u00f6schen \u202ejetzt\u200b."
    visit.page.keyboard.press("Control+Enter")
    expect(visit.page.locator(".head .status")).to_have_text("confirmedwith errors")
    expect(visit.page.locator("#warned")).to_contain_text("is confirmed, but has errors")


def test_findings_leave_the_text_free_and_follow_the_glossary(visit, server):
    project = server.project("Open the old folder.", "The hard disk is full.", name="terms")
    target = server.rows(project)[0]["target"]["text"]
    visit.open(project)
    row = visit.page.locator(".row").first
    expect(row).to_contain_text(target)
    about = {"name": "terms", "source": "en", "target": "de"}
    glossary = server.ask("glossaries", "POST", **about)["id"]
    server.ask(f"projects/{project}", "PATCH", glossary=glossary)
    server.ask(f"glossaries/{glossary}/entries", "POST", source="folder", target="Mappe")
    chip = row.locator(".finding")
    expect(chip).to_be_visible()
    text = row.locator(".cell").nth(1).bounding_box()
    assert chip.bounding_box()["x"] >= text["x"] + text["width"], "it covers nothing"
    visit.page.get_by_role("button", name="Checks").click()
    expect(visit.page.locator(".row")).to_have_count(1)
    assert server.ask(f"projects/{project}/translate?again=true", "POST")["new"] == 2
    expect(row).to_contain_text("Mappe")


def test_what_a_glossary_refuses_stands_in_its_field_no_more(visit, server):
    visit.expected = ("422",)
    visit.open(server.project("Open the folder."), 1)
    visit.page.get_by_role("button", name="Glossary", exact=True).click()
    fields = visit.page.locator(".glossary .blank input")
    fields.nth(0).fill("folder")
    fields.nth(1).fill("Mappe")
    fields.nth(1).press("Enter")
    line = visit.page.locator(".glossary tbody tr").first
    expect(line).to_contain_text("1 missing")
    target = line.locator("input").nth(1)
    target.fill("")
    target.press("Tab")
    expect(visit.page.locator(".glossary .notice")).to_be_visible()
    expect(target).to_have_value("Mappe")


def test_a_match_is_written_with_its_spaces(visit, server):
    project = server.project("Open the old folder.", "Open the new folder.")
    server.act(server.rows(project)[0], "confirm")
    visit.open(project, 2)
    visit.page.get_by_role("button", name="Memory", exact=True).click()
    source = visit.page.locator(".memory li p").first
    expect(source).to_have_text(re.compile(r"^Open the (old new|new old) folder\.$"))


def test_on_a_phone_everything_stays_in_sight(visit_of, server):
    project = server.project("word " * 1000 + "end.", "The hard disk is full.", translated=False)
    server.act(server.rows(project)[0], "write", text="Wort " * 300)
    visit = visit_of(server, **PHONE)
    visit.page.route("**/translate", lambda route: route.fulfill(json={"new": 0}))
    visit.open(project, 1)
    visit.page.locator("open-segment .word").nth(1).tap()
    seen = [visit.page.get_by_role("searchbox"), visit.page.locator(".menu summary")]
    seen += [visit.page.get_by_role("button", name=name, exact=True) for name in ("Memory", "Done")]
    seen += [visit.page.locator(".foot").get_by_role("button", name="Confirm")]
    seen += [visit.page.locator(".foot .undo"), visit.page.locator("target-words .word").first]
    for each in seen:
        expect(each).to_be_in_viewport(ratio=0.9)
        box = each.bounding_box()
        point = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
        assert visit.page.evaluate(
            "([point, wanted]) => wanted.contains(document.elementFromPoint(...point))",
            [point, each.element_handle()],
        ), each
