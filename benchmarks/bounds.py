"""What a bound on the places of a column costs and saves, beside a beam in each row.

    python benchmarks/bounds.py --src newstest2012.en --ref newstest2012.de [--save]

`phrases`: sentences of 10 to 20 words, of each of which up to four phrases of two words of the
reference are required. `terms`: sentences of a glossary that has nearly every word of them. Each is
translated with the general model, `share="rows"` and `share="bounded"` by turns in one run, on
one thread; `plain` is the same with nothing required, and ratios are those of times to it.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import sacrebleu
import torch

from gridbeam import Request, Translator
from gridbeam.support.signature import signature
from gridbeam.translation.defaults import TRANSLATION

RESULTS = Path(__file__).parent / "results" / "bounds.json"
DENSE = (
    ("The user opens the folder, selects the files and copies them to the new directory.",
     "Anwender Ordner Dateien kopiert Verzeichnis öffnet wählt neue"),
    ("The administrator can change the password of every account in the settings of the program.",
     "Administrator Kennwort Konto Einstellungen Programms ändern jedes kann"),
)  # fmt: skip
"""Sentences, and a word for nearly every word of them."""


def phrases(reference: str, draw: random.Random) -> list[str]:
    """Up to four phrases of two words, none beside another."""
    words = reference.rstrip(".!?").split()
    starts = range(0, max(1, len(words) - 1), 3)
    chosen = draw.sample(starts, min(4, len(starts)))
    found = (" ".join(words[start : start + 2]).strip(',;:()"„“') for start in chosen)
    return [phrase for phrase in found if phrase]


def drawn(src: Path, ref: Path, count: int) -> tuple[list[Request], list[str]]:
    pairs = list(
        zip(
            src.read_text(encoding="utf8").splitlines(),
            ref.read_text(encoding="utf8").splitlines(),
            strict=True,
        )
    )
    draw = random.Random(5)
    fitting = [pair for pair in pairs if 10 <= len(pair[0].split()) <= 20]
    chosen = draw.sample(fitting, count)
    requests = [Request(source, phrases(reference, draw)) for source, reference in chosen]
    return requests, [reference for _, reference in chosen]


def measured(
    translator: Translator, requests: Sequence[Request], references: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """A row for each way: how long it takes, how it scores, and how good it is."""
    plain = [Request(request.source) for request in requests]
    usual = 0.0
    for way, asked in (("plain", plain), ("bounded", requests), ("rows", requests)):
        options = TRANSLATION.but(share="rows" if way == "rows" else "bounded")
        begin = time.perf_counter()
        found = list(translator.translate_all(asked, options=options))
        seconds = time.perf_counter() - begin
        usual = usual or seconds
        row = {"way": way, "seconds": round(seconds, 1), "ratio": round(seconds / usual, 1)}
        row["score"] = round(sum(each.score for each in found) / len(found), 2)
        if references:
            texts = [each.text for each in found]
            row["BLEU"] = round(sacrebleu.corpus_bleu(texts, [references]).score, 1)
        yield row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--src", type=Path, required=True)
    parser.add_argument("--ref", type=Path, required=True)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--save", action="store_true")
    given = parser.parse_args()
    torch.set_num_threads(1)
    translator = Translator.load("general:en-de")
    requests, references = drawn(given.src, given.ref, given.count)
    dense = [Request(text, words.split()) for text, words in DENSE]
    rows = []
    for task, asked, judged in (("terms", dense, ()), ("phrases", requests, references)):
        for row in measured(translator, asked, judged):
            rows.append({"task": task, **row})
            print(json.dumps(rows[-1]), flush=True)
    if given.save:
        text = json.dumps({"signature": signature(), "rows": rows}, indent=2)
        RESULTS.write_text(f"{text}\n", encoding="utf8")


if __name__ == "__main__":
    main()
