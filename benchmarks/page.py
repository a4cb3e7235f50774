"""How long a translator waits for the page, on the model that ships.

    python benchmarks/page.py [--quick] [--save]

A real server and a real browser; sentences of about 20 words, three corrections each. Where others
use the machine, too, everything takes longer: the result says how busy it was. Three waits, from
the press of the key or the mouse to the frame in which it can be seen: that the typed words stand
(first feedback), that other wordings of a word are offered (alternatives), that the new translation
stands (revise). Each correction is the best of the alternatives, typed.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from browsing import FLAGS, Server, Visit, chromium_of

from gridbeam.support.signature import signature
from gridbeam.translation.defaults import TRANSLATION

RESULTS = Path(__file__).parent / "results" / "page.json"
SENTENCES = (
    "The committee decided on Monday that the new rules for the protection of workers will be"
    " published before the summer holidays.",
    "When the computer starts for the first time, the program asks you to choose a language and a"
    " folder for backups.",
    "The government wants to spend more money on schools and hospitals, but the opposition says"
    " that this is not enough.",
    "Many people who live in large cities would like to move to the country because the rents are"
    " too high there.",
    "If the printer does not respond after several minutes, check whether the cable is connected"
    " and restart the service again.",
    "The researchers compared the results of both studies and found that the differences between"
    " the groups were smaller than expected.",
)
PLACES = (0.25, 0.5, 0.75)
"""Where in a sentence the corrections are made."""
TARGETS = {"feedback": 0.1, "alternatives": 0.3, "revise": 1.0}
WATCH = """() => {
  const segment = document.querySelector("open-segment"), waits = {};
  let began = 0;
  const seen = (name) => requestAnimationFrame(() => {
    waits[name] ??= (performance.now() - began) / 1000;
  });
  const begin = () => {
    began = performance.now();
    for (const name of Object.keys(waits)) delete waits[name];
  };
  addEventListener("pointerup", begin, { capture: true });
  addEventListener("keydown", ({ key }) => key === "Enter" && begin(), { capture: true });
  new MutationObserver((changes) => {
    if (changes.some(({ target }) => target.matches("target-words"))) seen("feedback");
    if (segment.querySelector(".alternative")) seen("alternatives");
    if (changes.some(({ attributeName }) => attributeName === "busy") &&
      !segment.hasAttribute("busy")) seen("revise");
  }).observe(segment, { childList: true, subtree: true, attributeFilter: ["busy"] });
  window.waits = waits;
}"""


def waited(visit: Visit, name: str) -> float:
    """How long the last press has waited for this."""
    ends = time.monotonic() + 60
    while (found := visit.page.evaluate(f"window.waits.{name} ?? null")) is None:
        if time.monotonic() > ends:
            said = visit.page.locator(".place").all_text_contents()
            raise TimeoutError(f"{name} was not seen within a minute: {visit.text} {said}")
        visit.page.wait_for_timeout(20)
    return float(found)


def words_to_correct(visit: Visit) -> list[str]:
    """A longer word near each place, none of them twice."""
    words = visit.words
    found: list[str] = []
    for place in PLACES:
        near = sorted(range(len(words)), key=lambda number: abs(number - place * len(words)))
        free = [words[n] for n in near if len(words[n]) > 4 and words.count(words[n]) == 1]
        found.append(next(word for word in free if word not in found))
    return found


def corrected(visit: Visit) -> list[dict[str, Any]]:
    """What each of three corrections of the open segment has waited for."""
    visit.page.evaluate(WATCH)
    rows = []
    for old in words_to_correct(visit):
        if old not in visit.words:
            continue
        visit.word(old).click()
        alternatives = waited(visit, "alternatives")
        new = str(visit.page.locator(".alternative bdi").first.text_content())
        visit.page.keyboard.press("Enter")
        visit.page.locator("input.typing").fill(new)
        visit.page.keyboard.press("Enter")
        feedback, revise = waited(visit, "feedback"), waited(visit, "revise")
        row = {"old": old, "new": new, "feedback": feedback, "alternatives": alternatives}
        rows.append(row | {"revise": revise, "text": visit.text})
        print(f"{feedback:6.3f} {alternatives:6.3f} {revise:6.3f}  {old} -> {new}", flush=True)
    return rows


def measured(sentences: tuple[str, ...]) -> list[dict[str, Any]]:
    """All waits of all sentences, after one that warms everything up."""
    rows = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder), threads=None).start()
        try:
            path = chromium_of(playwright.chromium)
            browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
            visit = Visit.of(browser.new_page(), server)
            project = server.project("The first sentence warms the engine up.", *sentences)
            for number in range(len(sentences) + 1):
                visit.open(project, number + 1)
                visit.settled()
                found = corrected(visit) if number else warmed(visit)
                rows += [{"source": sentences[number - 1], **row} for row in found]
                visit.page.goto("about:blank")
            browser.close()
        finally:
            server.end()
    return rows


def warmed(visit: Visit) -> list[dict[str, Any]]:
    """Nothing, after alternatives have been asked for once."""
    visit.page.locator("open-segment .word").nth(1).click()
    visit.page.locator(".alternative").first.wait_for()
    return []


def main() -> None:
    """Prints the waits and their medians, and writes them down if asked to."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="two sentences")
    options.add_argument("--save", action="store_true", help="write benchmarks/results/page.json")
    given = options.parse_args()
    load = os.getloadavg()[0]
    rows = measured(SENTENCES[:2] if given.quick else SENTENCES)
    medians = {name: round(statistics.median(row[name] for row in rows), 4) for name in TARGETS}
    for name, target in TARGETS.items():
        print(f"{name}: median {medians[name]:.3f} s (wanted: {target:g} s)")
    values = {
        "signature": signature(),
        "options": f"beam {TRANSLATION.beam}, {len(rows)} corrections",
        "load of others before": round(load, 2),
        "wanted": TARGETS,
        "medians": medians,
        "rows": rows,
    }
    if given.save:
        RESULTS.write_text(json.dumps(values, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
