"""How often each rule fires on good translations, and on ones with a fault made on purpose.

    python benchmarks/checks.py --data DATA [--save]

DATA is a folder with real parallel text: `software/en-XX/dev.*` and `catalogues/*.xz`. Translations
by people should pass, so what fires there is a false alarm, or a fault of theirs. Then one fault is
made in each of many that pass, a number or a bracket dropped, and the rule should say so.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from gridbeam.checks import RULES, CheckedPair, check
from gridbeam.support.signature import signature
from gridbeam.text.parallel import lines

RESULTS = Path(__file__).parent / "results" / "checks.json"
LANGUAGES = ("de", "fr", "pt")
STEMS = {
    "software": "software/en-{}/dev.{}",
    "interfaces": "catalogues/catalogues-en-{}.{}.xz",
    "manuals": "catalogues/manuals-en-{}.{}.xz",
}
MOST = 2000
"""So many pairs of each corpus are drawn."""
Fault = Callable[[str, str, random.Random], str | None]
"""From a source and its translation to one with a fault; None where it cannot be made."""


def without(pattern: str) -> Fault:
    """Takes out one of the matches."""

    def fault(source: str, target: str, draw: random.Random) -> str | None:
        found = list(re.finditer(pattern, target))
        if not found:
            return None
        one = draw.choice(found)
        return target[: one.start()] + target[one.end() :]

    return fault


def changed_number(source: str, target: str, draw: random.Random) -> str | None:
    """Makes one digit another."""
    found = list(re.finditer(r"(?<![{\d])\d(?![}\d])", target))
    if not found:
        return None
    one = draw.choice(found)
    return target[: one.start()] + str((int(one[0]) + 3) % 10) + target[one.end() :]


def english_number(source: str, target: str, draw: random.Random) -> str | None:
    """Writes a number with a comma as the source has it."""
    for one in re.finditer(r"(?<![\w.,])\d+\.\d+(?![\w.,])", source):
        if (written := one[0].replace(".", ",")) in target:
            return target.replace(written, one[0])
    return None


def word_twice(source: str, target: str, draw: random.Random) -> str | None:
    words = list(re.finditer(r"\b[^\W\d_]{2,}\b", target))
    if len(words) < 3:
        return None
    one = draw.choice(words)
    return f"{target[: one.end()]} {one[0]}{target[one.end() :]}"


def half(source: str, target: str, draw: random.Random) -> str | None:
    """Only the first quarter of a longer text."""
    return target[: len(target) // 4].rstrip() if len(target) > 80 else None


FAULTS: dict[str, tuple[str, Fault]] = {
    "a number dropped": ("numbers", without(r"(?<![{\d.,\w])\d+(?![}\d.,\w])")),
    "a digit changed": ("numbers", changed_number),
    "separators left as they are": ("separators", english_number),
    "a placeholder dropped": ("placeholders", without(r"\{\d+\}")),
    "a placeholder altered": (
        "placeholders",
        lambda source, target, draw: target.replace("{1}", "{7}") if "{1}" in target else None,
    ),
    "a bracket dropped": ("brackets", without(r"[()\[\]](?!\w{0,3}\))")),
    "quotation marks dropped": (
        "doublequoting",
        lambda source, target, draw: (
            re.sub('["“”„»«]', "", target) if re.search('["“”„»«]', target) else None
        ),
    ),
    "the last colon, ? or ! dropped": ("endpunc", without(r"\s?[:!?]\Z")),
    "the last full stop dropped": ("end_stop", without(r"(?<![.\s])\.\Z")),
    "a word twice": ("doublewords", word_twice),
    "not translated": (
        "sourcewords",
        lambda source, target, draw: source if len(source.split()) > 6 else None,
    ),
    "broken off after a quarter": ("short", half),
    "said twice over": (
        "long",
        lambda source, target, draw: f"{target} {target} {target}" if len(target) > 20 else None,
    ),
    "two spaces": (
        "doublespacing",
        lambda source, target, draw: target.replace(" ", "  ", 1) if " " in target else None,
    ),
    "a damaged character": ("validchars", lambda source, target, draw: target[:-1] + "\ufffd"),
}


def pairs(data: Path, language: str) -> Iterator[tuple[str, str, str]]:
    """The corpus, the source and the translation of pairs drawn from each corpus."""
    for name, stem in STEMS.items():
        sides = [list(lines(data / stem.format(language, side))) for side in ("en", language)]
        size = len(sides[0])
        for number in random.Random(0).sample(range(size), min(size, MOST)):
            yield name, sides[0][number], sides[1][number]


def fired(source: str, target: str, language: str) -> set[str]:
    return {found.rule for found in check(CheckedPair.of(source, target, "en", language))}


def measured(data: Path) -> dict[str, Any]:
    """Both tables, rates in percent."""
    pairs_of, alarms = Counter[str](), Counter[tuple[str, str]]()
    made, caught = Counter[str](), Counter[str]()
    draw = random.Random(0)
    for language in LANGUAGES:
        for corpus, source, target in pairs(data, language):
            found = fired(source, target, language)
            for column in (language, corpus, "all"):
                pairs_of[column] += 1
                alarms.update((rule, column) for rule in found)
            for name, (rule, fault) in FAULTS.items():
                wrong = None if rule in found else fault(source, target, draw)
                if wrong is not None and wrong != target:
                    made[name] += 1
                    caught[name] += rule in fired(source, wrong, language)
    return {
        "signature": signature(of_model=False),
        "pairs": dict(pairs_of),
        "alarms": [
            {"rule": rule.name, "severity": rule.severity}
            | {c: round(100 * alarms[rule.name, c] / pairs_of[c], 2) for c in pairs_of}
            for rule in RULES
        ],
        "faults": [
            {
                "fault": name,
                "rule": rule,
                "made": made[name],
                "caught_%": round(100 * caught[name] / max(made[name], 1), 1),
            }
            for name, (rule, _) in FAULTS.items()
        ],
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--save", action="store_true")
    given = parser.parse_args()
    found = measured(given.data)
    for row in (*found["alarms"], *found["faults"]):
        print(*row.values(), sep="\t")
    if given.save:
        RESULTS.write_text(json.dumps(found, indent=1) + "\n")
