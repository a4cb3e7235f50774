"""How long it takes to find 100,000 terms in 20,000 sentences, by words and by lemmas, on one core.

    python benchmarks/glossary.py [--quick] [--text sentences.xz] [--save]

The text is one sentence a line, English, plain or .xz; without it, words are drawn as frequent as
Zipf has them. The terms are one to four words that follow each other in it: `distinct` ones are
drawn among all that differ, as terms are mostly rare, and `dense` ones as often as they occur, so
that they cover nearly every word. `bare` is the automaton alone, over the sentences in lower case:
it finds terms inside words too, in any capitals, and resolves no overlaps. Every 500 sentences are
matched five times, and the seconds are those of the fastest, added up: the machine has other work,
too.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from ahocorasick_rs import AhoCorasick

from gridbeam.glossary.entries import Entry, Glossary
from gridbeam.glossary.matching import Matcher
from gridbeam.support.signature import signature
from gridbeam.text.words import words

RESULTS = Path(__file__).parent / "results" / "glossary.json"


def sentences(path: Path | None, count: int) -> list[str]:
    if path is None:
        draw = random.Random(0)
        parts = ["ba", "col", "di", "fer", "gos", "lu", "men", "ni", "par", "ro", "sa", "tin"]
        lexicon = [a + b + c + d for a in parts for b in parts for c in parts for d in parts]
        weights = [1 / rank for rank in range(1, len(lexicon) + 1)]
        return [
            " ".join(draw.choices(lexicon, weights, k=25)).capitalize() + "." for _ in range(count)
        ]
    with (
        lzma.open(path, "rt", encoding="utf8")
        if path.suffix == ".xz"
        else path.open(encoding="utf8")
    ) as file:
        return [line.strip() for line in islice(file, count)]


def glossary(lines: list[str], count: int, *, is_dense: bool) -> Glossary:
    """One to four words that follow each other in the lines, as glossary terms.

    They are drawn among all that differ, or as often as they occur.
    """
    draw = random.Random(0)
    split = [[word for word in words(line) if word.isalpha()] for line in lines]
    if is_dense:
        found = dict[str, None]()
        while len(found) < count:
            line, size = draw.choice(split), draw.choice([1, 1, 2, 2, 3, 4])
            if len(line) >= size:
                start = draw.randrange(len(line) - size + 1)
                found[" ".join(line[start : start + size])] = None
        terms = list(found)
    else:
        grams = {
            " ".join(line[i : i + n])
            for line in split
            for n in (1, 2, 3, 4)
            for i in range(len(line) - n + 1)
        }
        terms = draw.sample(sorted(grams), count)
    return Glossary(tuple(Entry(term, ("x",)) for term in terms), "en", "de")


def best(count: Callable[[str], int], text: list[str], times: int) -> tuple[float, int]:
    """The seconds that a text takes, each part at its fastest, and what was counted."""
    seconds, counted = 0.0, 0
    for begin in range(0, len(text), 500):
        runs = []
        for _ in range(times):
            before = time.perf_counter()
            found = sum(map(count, text[begin : begin + 500]))
            runs.append(time.perf_counter() - before)
        seconds, counted = seconds + min(runs), counted + found
    return seconds, counted


def measured(
    lines: list[str], part: int, times: int, *, is_dense: bool
) -> Iterator[dict[str, str | float]]:
    terms, text = glossary(lines, 100_000 // part, is_dense=is_dense), lines[: 20_000 // part]
    bare = AhoCorasick([entry.source.lower() for entry in terms.entries])
    bare_s, _ = best(
        lambda line: len(bare.find_matches_as_indexes(line.lower(), overlapping=True)), text, times
    )
    for way in ("words", "lemmas"):
        before = time.perf_counter()
        matcher = Matcher(terms, lemmas=way == "lemmas")
        build_s = time.perf_counter() - before
        match_s, matches = best(lambda line, matcher=matcher: len(matcher.match(line)), text, times)
        drawn = {"terms": "dense" if is_dense else "distinct", "by": way, "matches": matches}
        taken = {
            "build_s": build_s,
            "match_s": match_s,
            "bare_s": bare_s,
            "ratio": match_s / bare_s,
        }
        row = drawn | {name: round(value, 2) for name, value in taken.items()}
        print(row)
        yield row


def main() -> None:
    """Prints the table, and with --save writes it down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="a tenth of the terms and sentences, once"
    )
    parser.add_argument("--text", type=Path, metavar="FILE", help="sentences, one a line")
    parser.add_argument("--save", action="store_true", help=f"write {RESULTS.name}")
    options = parser.parse_args()
    part, times = (10, 1) if options.quick else (1, 5)
    lines = sentences(options.text, 30_000 // part)
    rows = [
        row for is_dense in (False, True) for row in measured(lines, part, times, is_dense=is_dense)
    ]
    print(signature())
    if options.save:
        RESULTS.write_text(json.dumps({"signature": signature(), "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
