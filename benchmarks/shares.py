"""What each way to share out the places of a column costs, and what it gains.

    python benchmarks/shares.py --src newstest2012.en --ref newstest2012.de [--save]

`one phrase`, `three phrases`: what a simulated user of pick-revise gives in one cycle and in three,
up to three words of the reference each, to sentences of 8 to 25 words. `terms`: two sentences of a
glossary that has nearly every word of them. All ways search for the same, in one run on one thread.
`hypotheses` are those that the model went on with, a sentence; `times` are those of the processor
beside a plain search of beam 10; `gain %` is the share of what beam 10 in each row gains in BLEU.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import sacrebleu
import torch

from gridbeam import Request, SearchOptions, Translator
from gridbeam.experiments.picking import pick
from gridbeam.experiments.reference import ReferenceText
from gridbeam.support.signature import signature
from gridbeam.text.parallel import aligned
from gridbeam.text.words import WordRange
from gridbeam.translation.defaults import TRANSLATION

RESULTS = Path(__file__).parent / "results" / "shares.json"
MODEL = "general:en-de"
WHOLE = "rows, beam 10"
"""What gains are measured by."""
WAYS = {
    WHOLE: TRANSLATION.but(beam=10, share="rows"),
    **{f"rows, beam {n}": TRANSLATION.but(beam=n, share="rows") for n in (1, 2, 5)},
    **{f"budget {n}": TRANSLATION.but(share="budget", budget=n) for n in (5, 10, 20, 40)},
    **{f"dynamic {n}": TRANSLATION.but(share="dynamic", budget=n) for n in (5, 10, 20, 40)},
}
DENSE_WAYS = {
    f"{share}, beam 5": TRANSLATION.but(beam=5, share=share) for share in ("rows", "bounded")
}
DENSE = (
    ("The user opens the folder, selects the files and copies them to the new directory.",
     "Anwender Ordner Dateien kopiert Verzeichnis öffnet wählt neue"),
    ("The administrator can change the password of every account in the settings of the program.",
     "Administrator Kennwort Konto Einstellungen Programms ändern jedes kann"),
)  # fmt: skip
"""Sentences, and a word for nearly every word of them."""
Row = dict[str, Any]


def drawn(src: Path, ref: Path, count: int) -> list[tuple[str, str]]:
    """Pairs from all over a development set."""
    fitting = [pair for pair in aligned(src, ref) if 8 <= len(pair[0].split()) <= 25]
    return random.Random(5).sample(fitting, count)


def corrected(
    translator: Translator, pairs: Sequence[tuple[str, str]], cycles: int
) -> Iterator[list[Request]]:
    """What is asked after each cycle of a simulated user's corrections."""
    references = [ReferenceText.of(reference) for _, reference in pairs]
    requests = [Request(source) for source, _ in pairs]
    given: list[list[WordRange]] = [[] for _ in pairs]
    for _ in range(cycles):
        texts = translator.translate_all(requests, options=WAYS["rows, beam 5"])
        for number, (found, reference) in enumerate(zip(texts, references, strict=True)):
            if picked := pick(reference, found.text, given[number]):
                given[number].append(picked)
                phrases = [reference[each] for each in given[number]]
                requests[number] = replace(requests[number], constraints=phrases)
        yield list(requests)


def searched(
    translator: Translator, requests: Sequence[Request], options: SearchOptions
) -> tuple[list[str], Row]:
    """The texts, and what they cost and come to."""
    before = time.process_time()
    found = list(translator.translate_all(requests, options=options))
    seconds = time.process_time() - before
    works = [part.hypothesis.work for each in found for part in each.sentences]
    expanded = sum(work.expanded for work in works if work)
    count = len(requests)
    figures = {
        "ms": round(1000 * seconds / count, 1),
        "hypotheses": round(expanded / count),
        "score": round(sum(each.score for each in found) / count, 2),
    }
    return [each.text for each in found], figures


def measured(
    translator: Translator,
    task: str,
    requests: Sequence[Request],
    references: Sequence[str],
    ways: dict[str, SearchOptions],
) -> Iterator[Row]:
    """A row for each way, the plain search first."""
    plain = [Request(request.source) for request in requests]
    rows: dict[str, Row] = {}
    for way, asked, options in (
        ("plain, beam 10", plain, TRANSLATION.but(beam=10)),
        ("plain, beam 5", plain, TRANSLATION),
        *((way, requests, options) for way, options in ways.items()),
    ):
        texts, figures = searched(translator, asked, options)
        row = rows[way] = {"task": task, "way": way, **figures}
        usual = rows["plain, beam 10"]
        row["times"] = round(row["ms"] / usual["ms"], 1)
        if references:
            row["BLEU"] = round(sacrebleu.corpus_bleu(texts, [references]).score, 2)
        if references and WHOLE in rows:
            whole = rows[WHOLE]["BLEU"] - usual["BLEU"]
            row["gain_%"] = round(100 * (row["BLEU"] - usual["BLEU"]) / whole, 1)
        yield row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--src", type=Path, required=True)
    parser.add_argument("--ref", type=Path, required=True)
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--save", action="store_true")
    given = parser.parse_args()
    torch.set_num_threads(1)
    translator = Translator.load(MODEL)
    pairs = drawn(given.src, given.ref, given.count)
    references = [reference for _, reference in pairs]
    one, _, three = islice(corrected(translator, pairs, 3), 3)
    dense = [Request(text, words.split()) for text, words in DENSE]
    rows = []
    for task, requests, judged, ways in (
        ("one phrase", one, references, WAYS),
        ("three phrases", three, references, WAYS),
        ("terms", dense, (), DENSE_WAYS),
    ):
        for row in measured(translator, task, requests, judged, ways):
            rows.append(row)
            print(json.dumps(row), flush=True)
    if given.save:
        about = f"{signature()}, {MODEL}, {given.src.name}, {given.count} sentences"
        text = json.dumps({"signature": about, "rows": rows}, indent=2)
        RESULTS.write_text(f"{text}\n", encoding="utf8")


if __name__ == "__main__":
    main()
