"""How much of what is not language survives a model, kind by kind, in each way to show it.

    python benchmarks/kinds.py --pair MODEL SOURCE REFERENCE [--pair ...] [--count 12] [--save]

A text is one sentence a line, plain or .xz. For each kind of `gridbeam/markup/kinds.py` so many
sentences are drawn that have one of that kind, and nothing else that is not language, and whose
reference has it too. Each is translated in four ways: with the thing as it is or `{1}` for it, and
with that required as a phrase or not. `survives` is how often it is in the translation once, when
nobody requires it; `chrF` compares the translation with the reference, when it is required and the
`{1}` put back, so that it comes back in both ways, and what is left is fluency; `s` are the seconds
of a sentence then.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import sacrebleu

from gridbeam.constraints.terms import Phrase
from gridbeam.errors import UserError
from gridbeam.markup.kinds import KIND
from gridbeam.markup.placeholders import is_language, placeholders
from gridbeam.support.signature import signature
from gridbeam.translation.translator import Request, Translator

RESULTS = Path(__file__).parent / "results" / "kinds.json"
STAND_IN = "{1}"
FORCED = 2
"""So many of them at most are translated with it required, which takes long."""
FEWEST = 6
"""A kind of which fewer sentences are found is left out."""


@dataclass(frozen=True)
class Example:
    """A sentence that has one thing that is not language, and its reference."""

    source: str
    reference: str
    raw: str


def lines(path: str) -> Iterator[str]:
    with lzma.open(path, "rt") if path.endswith(".xz") else open(path) as file:
        yield from (line.rstrip("\n") for line in islice(file, 400_000))


def examples(source: str, reference: str, count: int) -> dict[str, list[Example]]:
    """So many sentences for each kind, drawn from all."""
    pairs = [
        pair
        for pair in zip(lines(source), lines(reference), strict=True)
        if 25 <= len(pair[0]) <= 75 and len(pair[0].split()) >= 5
    ]
    random.Random(0).shuffle(pairs)
    found: dict[str, list[Example]] = defaultdict(list)
    for text, told in pairs[:60_000]:
        things = placeholders(text)
        if (
            len(things) != 1
            or is_language(things[0])
            or STAND_IN in text.replace(things[0].raw, "")
        ):
            continue
        (thing,) = things
        alike = found[thing.kind]
        if (
            len(alike) < count
            and len(thing.raw) <= 40
            and told.count(thing.raw) == text.count(thing.raw) == 1
        ):
            alike.append(Example(text, told, thing.raw))
    return found


def translated(
    translator: Translator, cases: list[Example], *, is_shown: bool, is_required: bool
) -> tuple[list[str], float]:
    """The translations, with what stood for the thing still in them, and the seconds it took."""
    requests = []
    for case in cases:
        shown = case.raw if is_shown else STAND_IN
        phrases = [Phrase(shown, case="exact", whole_word=False)] if is_required else []
        requests.append(Request(case.source.replace(case.raw, shown), phrases))
    begin = time.perf_counter()
    results = dict(translator.translate_each(requests))
    found = [
        "" if isinstance(results[number], UserError) else results[number].text
        for number in range(len(requests))
    ]
    return found, time.perf_counter() - begin


def row(parts: list[tuple[Translator, list[Example]]]) -> dict[str, Any]:
    """What is measured of one kind, with each of the models."""
    survived, chrf, seconds = defaultdict(int), defaultdict(list), defaultdict(float)
    for translator, cases in parts:
        for way, is_shown in (("as it is", True), ("{1}", False)):
            sought = [case.raw if is_shown else STAND_IN for case in cases]
            plain, _ = translated(translator, cases, is_shown=is_shown, is_required=False)
            survived[way] += sum(t.count(s) == 1 for t, s in zip(plain, sought, strict=True))
            few = cases[:FORCED]
            forced, spent = translated(translator, few, is_shown=is_shown, is_required=True)
            seconds[way] += spent
            chrf[way] += [
                sacrebleu.sentence_chrf(text.replace(shown, case.raw), [case.reference]).score
                for text, shown, case in zip(forced, sought, few, strict=False)
            ]
    count = sum(len(cases) for _, cases in parts)
    found: dict[str, Any] = {"sentences": count}
    for way in ("as it is", "{1}"):
        name = "as is" if way == "as it is" else way
        found[f"{name} survives %"] = round(100 * survived[way] / count)
    for way in ("as it is", "{1}"):
        name = "as is" if way == "as it is" else way
        found[f"{name} chrF"] = round(sum(chrf[way]) / len(chrf[way]), 1)
        found[f"{name} s"] = round(seconds[way] / len(chrf[way]), 2)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pair", nargs=3, action="append", required=True)
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--save", action="store_true")
    given = parser.parse_args()
    cases: dict[str, list[tuple[Translator, list[Example]]]] = defaultdict(list)
    for name, source, reference in given.pair:
        translator = Translator.load(name)
        for kind, found in examples(source, reference, given.count).items():
            cases[kind].append((translator, found))
    rows = []
    for kind in KIND:
        if sum(len(found) for _, found in cases[kind]) >= FEWEST:
            rows.append({"kind": kind, "shown": KIND[kind].shown, **row(cases[kind])})
            print(rows[-1], flush=True)
    if given.save:
        text = json.dumps({"signature": signature(), "rows": rows}, indent=1, ensure_ascii=False)
        RESULTS.write_text(text + "\n", encoding="utf8")


if __name__ == "__main__":
    main()
