"""A translator at work: pick a word, revise, keep, take back, confirm, take the file home."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from gridbeam.documents import Languages, format_of

pytestmark = pytest.mark.slow
SENTENCE = "The meeting will take place on Monday."
OTHER = "Our meeting will take place on Monday."
"""Not the same, as what is confirmed of one is the translation of the next like it."""
XLIFF = """<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file source-language="en" target-language="de" original="app" datatype="plaintext"><body>
<trans-unit id="full"><source>The hard disk is full.</source></trans-unit>
<trans-unit id="open"><source>Open <g id="1">the folder</g> now.</source></trans-unit>
</body></file></xliff>
"""


def chosen(visit):
    return visit.page.locator("open-segment .word.chosen").all_text_contents()


def locked(visit):
    return visit.page.locator("open-segment .word.locked").all_text_contents()


def test_the_whole_pick_revise_journey(visit, server):
    project = server.project(SENTENCE)
    visit.open(project, 1)
    before = visit.text
    assert "Treffen" in before
    visit.put("Treffen", "Besprechung")
    assert "Besprechung" in visit.text, "the typed words stand at once"
    visit.settled()
    assert "Die Besprechung" in visit.text and "Treffen" not in visit.text
    assert locked(visit) == ["Besprechung"]
    expect(visit.page.locator(".was del")).to_contain_text("Treffen")
    expect(visit.page.locator("#told")).to_contain_text("new")
    assert visit.page.locator(".word.fresh").count() >= 1
    [row] = server.rows(project)
    assert row["target"]["text"] == visit.text and row["status"] == "edited"
    visit.word("Montag").click()
    visit.page.keyboard.type("Dienstag")
    visit.page.keyboard.press("Enter")
    visit.settled()
    assert {"Besprechung", "Dienstag"} <= set(visit.words), "earlier corrections stay"
    visit.page.keyboard.press("Control+Enter")
    expect(visit.page.locator(".head .status")).to_have_text("confirmed")
    expect(visit.page.locator(".crumbs .said")).to_have_text("1 of 1 confirmed")
    study = server.ask(f"projects/{project}/study")["segments"][0]
    assert study["cycles"] >= 2 and study["keystrokes"] >= len("BesprechungDienstag")
    assert study["seconds"] > 0 and study["clicks"] >= 2


def test_alternatives_stand_in_a_place_of_their_own_and_are_taken_by_number(visit, server):
    visit.open(server.project(OTHER), 1)
    place = visit.page.locator(".sheet").bounding_box()
    visit.word("Sitzung").click()
    offered = visit.page.locator(".alternative bdi")
    expect(offered.first).to_be_visible()
    assert 1 <= offered.count() <= 7
    assert visit.page.locator(".sheet").bounding_box()["y"] == place["y"], "nothing jumps"
    words = offered.first.text_content()
    visit.page.keyboard.press("Control+1")
    assert words in visit.text
    visit.settled()
    assert words in visit.text and words in " ".join(locked(visit))
    visit.word("Montag").click()
    expect(offered.first).to_be_visible()
    words = offered.first.text_content()
    visit.page.locator(".alternative").first.click()
    visit.settled()
    assert words in visit.text


def test_a_stretch_is_selected_by_dragging_and_typed_over(visit, server):
    visit.open(server.project(OTHER), 1)
    first, last = visit.page.locator(".word").first, visit.page.locator(".word").nth(1)
    first.hover()
    visit.page.mouse.down()
    last.hover()
    visit.page.mouse.up()
    assert len(chosen(visit)) == 2
    visit.page.keyboard.type("Ihre Besprechung")
    visit.page.keyboard.press("Enter")
    visit.settled()
    assert visit.text.startswith("Ihre Besprechung")


def test_what_is_locked_stays_and_is_let_go_one_by_one(visit, server):
    visit.open(server.project(OTHER), 1)
    visit.word("Sitzung").click()
    visit.page.keyboard.press("l")
    expect(visit.page.locator(".word.locked")).to_have_text(["Sitzung"])
    visit.settled()
    visit.put("Montag", "Freitag")
    visit.settled()
    assert {"Sitzung", "Freitag"} <= set(locked(visit))
    visit.word("Sitzung").click()
    visit.page.keyboard.press("Shift+L")
    expect(visit.page.locator(".word.locked")).to_have_text(["Freitag"])


def test_a_letter_that_begins_a_word_is_no_command(visit, server):
    visit.open(server.project(OTHER), 1)
    visit.word("Sitzung").click()
    visit.page.keyboard.type("lange")
    assert visit.page.locator("input.typing").input_value() == "lange"
    visit.page.keyboard.press("Escape")
    visit.page.wait_for_timeout(600)
    assert not locked(visit)


def test_forbidden_words_are_said_nowhere_until_they_are_allowed(visit, server):
    visit.open(server.project(OTHER), 1)
    visit.word("Sitzung").click()
    visit.page.keyboard.press("x")
    expect(visit.page.locator(".forbids s")).to_have_text("Sitzung")
    visit.settled()
    assert "Sitzung" not in visit.words
    visit.page.get_by_role("button", name="Allow “Sitzung” again").click()
    expect(visit.page.locator(".forbids")).to_have_count(0)


def test_undo_and_redo_go_over_everything(visit, server):
    visit.open(server.project(OTHER), 1)
    texts = [visit.text]
    visit.put("Sitzung", "Besprechung")
    visit.settled()
    texts.append(visit.text)
    visit.word("Montag").click()
    visit.page.keyboard.press("l")
    expect(visit.page.locator(".word.locked")).to_have_count(2)
    for count, text in ((1, texts[1]), (0, texts[0])):
        visit.page.keyboard.press("Control+z")
        expect(visit.page.locator(".word.locked")).to_have_count(count)
        assert visit.text == text
    visit.page.keyboard.press("Control+y")
    expect(visit.page.locator("target-words")).to_contain_text("Besprechung")
    visit.page.reload()
    visit.page.locator("open-segment .word").first.wait_for()
    assert visit.text == texts[1]


def test_two_corrections_in_one_breath_are_both_kept(visit, server):
    visit.open(server.project(OTHER), 1)
    visit.put("Sitzung", "Konferenz")
    visit.put("Montag", "Mittwoch")
    assert {"Konferenz", "Mittwoch"} <= set(visit.words)
    visit.settled()
    assert {"Konferenz", "Mittwoch"} <= set(visit.words)
    assert {"Konferenz", "Mittwoch"} <= set(" ".join(locked(visit)).split())


def test_the_rest_is_completed_from_the_cursor(visit, server):
    visit.open(server.project(OTHER), 1)
    visit.page.keyboard.press("F2")
    visit.page.keyboard.press("Control+a")
    visit.page.keyboard.type("Am Montag")
    visit.page.keyboard.press("Tab")
    visit.settled()
    assert visit.text.startswith("Am Montag ") and len(visit.words) > 5


def test_free_typing_is_kept_as_it_is(visit, server):
    project = server.project("Delete the selected folder.")
    visit.open(project, 1)
    visit.page.keyboard.press("F2")
    visit.page.keyboard.press("Control+a")
    visit.page.keyboard.type("Ganz anders.")
    visit.page.keyboard.press("Control+Enter")
    expect(visit.page.locator(".head .status")).to_have_text("confirmed")
    assert server.rows(project)[0]["target"]["text"] == "Ganz anders."


def test_what_cannot_be_met_is_said_in_place_with_what_to_let_go(visit, server):
    project = server.project("Delete file.")
    [row] = server.rows(project)
    server.act(row, "forbid", words="Kuchen")
    visit.open(project, 1)
    before = visit.text
    visit.put(visit.words[0], "Kuchen")
    notice = visit.page.locator(".notice")
    expect(notice).to_be_visible()
    assert visit.text == before, "nothing has changed"
    expect(notice).to_contain_text("Kuchen")
    notice.get_by_role("button", name="Allow “Kuchen”").click()
    visit.settled()
    assert "Kuchen" in visit.text


def test_a_project_is_made_by_pasting_text_and_filtered_and_searched(visit, server):
    visit.open()
    visit.page.get_by_text("Paste text").click()
    lines = "The hard disk is full.\nOpen the folder.\nClose the window."
    visit.page.get_by_label("Text to translate").fill(lines)
    visit.page.get_by_role("button", name="Translate this text").click()
    expect(visit.page.locator(".row")).to_have_count(3)
    expect(visit.page.locator(".kind", has_text="Machine")).to_contain_text("3")
    expect(visit.page.locator(".row").first).to_contain_text("voll")
    visit.page.keyboard.press("Control+f")
    visit.page.keyboard.type("folder")
    expect(visit.page.locator(".row")).to_have_count(1)
    visit.page.get_by_role("searchbox").fill("nothing like it")
    expect(visit.page.locator(".nothing")).to_contain_text("No segment is like this")
    visit.page.get_by_role("searchbox").fill("")
    visit.page.get_by_role("button", name="Confirmed").click()
    expect(visit.page.locator(".row")).to_have_count(0)


def test_an_xliff_file_goes_through_the_page_and_home_again(visit, server, tmp_path):
    visit.open()
    path = tmp_path / "app.xliff"
    path.write_text(XLIFF)
    visit.page.locator("#file").set_input_files(path)
    expect(visit.page.locator(".row")).to_have_count(2)
    expect(visit.page.locator(".kind", has_text="Machine")).to_contain_text("2")
    visit.page.locator(".row").nth(1).click()
    visit.page.locator("open-segment .word").first.wait_for()
    expect(visit.page.locator(".side.source .code")).to_have_count(2)
    expect(visit.page.locator("target-words .code")).to_have_count(2)
    visit.put(next(word for word in visit.words if re.match(r"Ordner|Verzeichnis", word)), "Mappe")
    visit.settled()
    visit.page.keyboard.press("Control+Enter")
    expect(visit.page.locator(".head .status")).to_have_text("confirmed")
    visit.page.locator(".menu summary").click()
    with visit.page.expect_download() as coming:
        visit.page.get_by_role("button", name="The file").click()
    home = tmp_path / coming.value.suggested_filename
    coming.value.save_as(home)
    assert home.name == "app.xliff"
    segments = [*format_of(home).open(home, Languages("en", "de")).segments()]
    assert [each.name for each in segments] == ["app:full", "app:open"]
    assert "Mappe" in str(segments[1].target) and '<g id="1">' in str(segments[1].target)
    visit.page.locator(".menu summary").click()
    with visit.page.expect_download() as coming:
        visit.page.get_by_role("button", name="TMX of what is confirmed").click()
    memory = tmp_path / "memory.tmx"
    coming.value.save_as(memory)
    assert memory.read_text().count("<tu ") == 1


def test_confirmed_segments_are_offered_to_those_that_are_like_them(visit, server):
    project = server.project("The printer is not ready.", "The printer is now ready.")
    visit.open(project, 1)
    visit.page.keyboard.press("Control+Shift+Enter")
    expect(visit.page).to_have_url(re.compile("/2$"))
    visit.page.get_by_role("button", name="Memory", exact=True).click()
    match = visit.page.locator(".memory li")
    expect(match.locator(".percent")).to_contain_text("%")
    expect(match.locator("del, ins").first).to_be_visible()
    target = match.locator("p").nth(1).text_content()
    match.get_by_role("button", name="Take it").click()
    expect(visit.page.locator("target-words")).to_have_text(target)


def test_glossary_terms_are_marked_met_or_missing_and_edited_in_place(visit, server):
    visit.open(server.project("Open the folder.", "Open the old folder."), 1)
    visit.page.get_by_role("button", name="Glossary", exact=True).click()
    fields = visit.page.locator(".glossary .blank input")
    fields.nth(0).fill("folder")
    fields.nth(1).fill("Mappe")
    fields.nth(1).press("Enter")
    line = visit.page.locator(".glossary tbody tr").first
    expect(line).to_contain_text("2 missing")
    expect(visit.page.locator(".side.source .term.missing")).to_have_text(re.compile("folder"))
    target = line.locator("input").nth(1)
    target.fill("Ordner")
    target.press("Tab")
    expect(visit.page.locator(".side.source .term.met")).to_have_text(re.compile("folder"))
    expect(line).to_contain_text("2 met")
