"""Takes the pictures of docs/images anew: `python tests/web/screenshots.py`.

A real server on the model that ships, a real browser, and a small project.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import httpx
from PIL import Image
from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).parent.parent))
from browsing import FLAGS, Server, Visit, chromium_of

IMAGES = Path(__file__).parent.parent.parent / "docs" / "images"
APP = (
    ("Open the folder.", "Öffnen Sie das Verzeichnis."),
    ("The hard disk is full.", "Die Festplatte ist voll."),
    ("The meeting will take place on Monday.", ""),
    ("Delete the selected files in %s?", ""),
    ("The committee rejected the proposal.", ""),
    ("Your settings have been saved.", ""),
    ("Restart the computer to install the updates.", ""),
    ("The printer is not ready.", ""),
)
TERMS = (("folder", "Verzeichnis"), ("hard disk", "Festplatte"), ("meeting", "Besprechung"))
COLOURS = 160
"""So many are enough for text, and make a picture small."""


def filled(server: Server) -> int:
    """A project with a glossary, two segments confirmed and the others translated."""
    content = "\n".join(f'msgid "{source}"\nmsgstr "{target}"\n' for source, target in APP)
    files = {"file": ("app.po", content.encode())}
    about = {"name": "app.po", "source": "en", "target": "de"}
    made = httpx.post(f"{server.url}/api/projects", files=files, data=about)
    project: int = made.json()["id"]
    glossary = server.ask("glossaries", "POST", **{**about, "name": "terms"})["id"]
    server.translated(project)
    for source, target in TERMS:
        server.ask(f"glossaries/{glossary}/entries", "POST", source=source, target=target)
    server.ask(f"projects/{project}", "PATCH", glossary=glossary)
    return project


def save(visit: Visit, name: str) -> None:
    """The page as a small PNG."""
    visit.page.wait_for_timeout(400)
    path = IMAGES / f"{name}.png"
    visit.page.screenshot(path=path)
    Image.open(path).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(
        path, optimize=True
    )
    print(path.name, path.stat().st_size // 1024, "KiB")


def visited(browser: Browser, server: Server, **options: object) -> Visit:
    """A page that does not fade what is new, so that the picture shows it."""
    size = {"width": 1180, "height": 760}
    context = browser.new_context(**{"viewport": size, "reduced_motion": "reduce", **options})
    return Visit.of(context.new_page(), server)


def laptop(visit: Visit, project: int, ending: str) -> None:
    """The main views, one after the other."""
    page = visit.page
    visit.open()
    page.locator(".projects a").first.wait_for()
    save(visit, f"projects{ending}")
    visit.open(project, 3)
    visit.word("Treffen").click()
    page.locator(".alternative").first.wait_for()
    save(visit, f"alternatives{ending}")
    visit.put("Treffen", "Besprechung")
    visit.settled()
    save(visit, f"corrected{ending}")
    page.get_by_role("button", name="Glossary", exact=True).click()
    page.locator(".glossary tbody tr").nth(2).wait_for()
    save(visit, f"glossary{ending}")
    page.get_by_role("button", name="Grid", exact=True).click()
    page.locator(".strip.won").first.wait_for()
    save(visit, f"grid{ending}")


def phone(visit: Visit, project: int) -> None:
    """One segment, with the sheet of alternatives."""
    visit.open(project, 5)
    visit.page.locator("open-segment .word").nth(1).tap()
    visit.page.locator(".alternative").first.wait_for()
    save(visit, "phone")


def main() -> None:
    """Takes them all."""
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder)).start()
        try:
            path = chromium_of(playwright.chromium)
            browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
            project = filled(server)
            laptop(visited(browser, server), project, "")
            server.act(server.rows(project)[2], "undo")
            laptop(visited(browser, server, color_scheme="dark"), project, "-dark")
            small = {"width": 390, "height": 780}
            phone(visited(browser, server, viewport=small, has_touch=True), project)
            browser.close()
        finally:
            server.end()


if __name__ == "__main__":
    main()
