"""A real server and a real browser for the tests of the page."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import BrowserType, Page, expect

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
VIOLATIONS = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => {
  window.violations.push(`${event.violatedDirective} ${event.blockedURI}`);
});
"""
expect.set_options(timeout=15_000)


def chromium_of(kind: BrowserType) -> str | None:
    """Where there is a Chromium: of the system, or Playwright's own."""
    names = ("/usr/bin/chromium", "chromium", "chromium-browser", "google-chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    own = kind.executable_path
    return found or (own if Path(own).exists() else None)


@dataclass
class Server:
    """`gridbeam serve` in a process of its own."""

    folder: Path
    model: str = "builtin:en-de"
    threads: int | None = 1
    """None: as many as `gridbeam serve` takes by itself."""
    port: int = 0
    url: str = ""
    process: subprocess.Popen[str] | None = None
    reader: threading.Thread | None = None

    def start(self) -> Server:
        command = [sys.executable, "-m", "gridbeam", "serve", "--port", str(self.port)]
        command += ["--model", self.model, "--database", str(self.folder / "gridbeam.sqlite")]
        command += ["--threads", str(self.threads)] if self.threads else []
        environment = os.environ | {"PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env=environment, start_new_session=True
        )
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if "http://" in line:
                self.url = "http://" + line.split("http://")[1].split()[0].rstrip("/")
                self.port = int(self.url.rsplit(":", 1)[1])
                break
        self.reader = threading.Thread(target=self.process.stdout.read, daemon=True)
        self.reader.start()
        return self

    def end(self, by: signal.Signals = signal.SIGTERM) -> None:
        assert self.process is not None and self.process.stdout is not None
        self.process.send_signal(by)
        self.process.wait(20)
        if self.reader is not None:
            self.reader.join()
        self.process.stdout.close()

    def ask(self, path: str, method: str = "GET", **values: object) -> dict:
        """What the API answers."""
        body = json.dumps(values).encode() if values else None
        headers = {"Content-Type": "application/json"} if values else {}
        request = urllib.request.Request(f"{self.url}/api/{path}", body, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            said = answer.read()
        return json.loads(said) if said else {}

    def project(self, *lines: str, name: str = "test", translated: bool = True) -> int:
        """A project of these segments, which the machine has translated."""
        made = self.ask("projects", "POST", text="\n".join(lines), name=name)
        number: int = made["id"]
        if translated:
            self.translated(number)
        return number

    def translated(self, project: int) -> None:
        """Waits for the machine to have translated all of a project."""
        self.ask(f"projects/{project}/translate", "POST")
        while self.ask(f"projects/{project}")["counts"]["new"]:
            time.sleep(0.05)

    def rows(self, project: int) -> list[dict]:
        found: list[dict] = self.ask(f"projects/{project}/segments")["segments"]
        return found

    def act(self, row: dict, act: str, **values: object) -> dict:
        """A segment after an act that somebody else makes."""
        values |= {"act": act, "version": row["version"]}
        changed: dict = self.ask(f"segments/{row['id']}/acts", "POST", **values)["segment"]
        return changed


@dataclass
class Visit:
    """A page in the browser, and what it complained about."""

    page: Page
    server: Server
    complaints: list[str] = field(default_factory=list)
    expected: tuple[str, ...] = ()
    """Complaints that are the point of a test, such as a refused connection."""

    @staticmethod
    def of(page: Page, server: Server) -> Visit:
        visit = Visit(page, server)
        page.add_init_script(VIOLATIONS)
        page.on("console", lambda said: visit.heard(said.type, f"{said.text} {said.location}"))
        page.on("pageerror", lambda error: visit.heard("error", str(error)))
        return visit

    def heard(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.complaints.append(text)

    def check(self) -> None:
        """Fails where the browser has complained, or the policy was violated."""
        left = [said for said in self.complaints if not any(e in said for e in self.expected)]
        assert not left, left
        assert self.page.evaluate("window.violations ?? []") == []

    def open(self, project: int | None = None, segment: int | str | None = None) -> None:
        parts = [] if project is None else ["p", project, *([segment] if segment else [])]
        self.page.goto(f"{self.server.url}/#/{'/'.join(map(str, parts))}")
        if isinstance(segment, int):
            self.page.locator("open-segment .word, open-segment .empty").first.wait_for()

    @property
    def words(self) -> list[str]:
        """The words of the target, as they are shown."""
        found: list[str] = self.page.locator("open-segment .word").all_text_contents()
        return found

    @property
    def text(self) -> str:
        """The target as it is shown."""
        return str(self.page.locator("target-words").text_content())

    def word(self, text: str):
        return self.page.locator("open-segment .word").get_by_text(text, exact=True).first

    def settled(self) -> None:
        """Waits until nothing is under way."""
        expect(self.page.locator("open-segment:not([busy])")).to_be_visible()

    def put(self, old: str, new: str) -> None:
        """Types over a word."""
        self.word(old).click()
        self.page.keyboard.type(new)
        self.page.keyboard.press("Enter")
