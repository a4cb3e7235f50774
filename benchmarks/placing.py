"""How much better could terms be placed: an upper bound for what leaves the other words alone.

    gridbeam experiment dictionary -m builtin:en-de --src T.en --ref T.de --terms T.jsonl -o LOG
    python benchmarks/placing.py T.de T.jsonl LOG ... [--save]

Each term that a translation without constraints lacks is put into it in every place: between two
words, or instead of up to three. Of all these texts the one is taken that is most like the
reference, by sentence BLEU: no search places a term better that changes nothing else. `and a word`
exchanges one other word besides, whichever gains most, for any word of the reference: far more than
an article or an ending put right.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from sacrebleu.metrics.bleu import BLEU

from gridbeam.evaluation.metrics import bleu
from gridbeam.experiments.dictionary import CONSTRAINED, PLAIN
from gridbeam.experiments.log import read
from gridbeam.support.signature import signature

RESULTS = Path(__file__).parent / "results" / "placing.json"
LONGEST = 3
JUDGE = BLEU(effective_order=True)


def placed(text: str, term: str) -> Iterator[str]:
    """The text with the term in every place, in addition or instead of some words."""
    words = text.split(" ")
    for start in range(len(words) + 1):
        for end in range(start, min(start + LONGEST, len(words)) + 1):
            yield " ".join([*words[:start], term, *words[end:]])


def exchanged(text: str, reference: str) -> Iterator[str]:
    """The text, and the text with one word exchanged for one of the reference."""
    yield text
    words = text.split(" ")
    for place in range(len(words)):
        for other in set(reference.split(" ")):
            yield " ".join([*words[:place], other, *words[place + 1 :]])


def best(texts: Iterator[str], reference: str) -> str:
    """The text most like the reference."""
    return max(texts, key=lambda text: JUDGE.sentence_score(text, [reference]).score)


def oracle(text: str, terms: Sequence[str], reference: str) -> str:
    """The text with the terms that it lacks, each in its best place."""
    for term in terms:
        if term not in text:
            text = best(placed(text, term), reference)
    return text


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path, help="references, terms and log of each set")
    parser.add_argument("--save", action="store_true")
    given = parser.parse_args()
    rows = []
    for place in range(0, len(given.files), 3):
        reference_file, term_file, log = given.files[place : place + 3]
        references = reference_file.read_text(encoding="utf8").splitlines()
        lines = [json.loads(line) for line in term_file.read_text(encoding="utf8").splitlines()]
        terms = [[each["de"] for each in line] for line in lines]
        run = read(log)
        texts = {
            system: [run.all[f"{system}/{n}"]["text"] for n in range(len(references))]
            for system in (PLAIN, CONSTRAINED)
        }
        put = [
            oracle(text, wanted, reference)
            for text, wanted, reference in zip(texts[PLAIN], terms, references, strict=True)
        ]
        mended = [
            text if text == plain else best(exchanged(text, reference), reference)
            for text, plain, reference in zip(put, texts[PLAIN], references, strict=True)
        ]
        plain = bleu(texts[PLAIN], references)
        row = {
            "set": reference_file.name.split("-")[-1].removesuffix(".de"),
            "sentences": len(references),
            "that_lack_a_term": sum(a != b for a, b in zip(put, texts[PLAIN], strict=True)),
            "BLEU_plain": round(plain, 2),
            "search": round(bleu(texts[CONSTRAINED], references) - plain, 2),
            "best_places": round(bleu(put, references) - plain, 2),
            "and_a_word": round(bleu(mended, references) - plain, 2),
        }
        print(row, flush=True)
        rows.append(row)
    if given.save:
        RESULTS.write_text(json.dumps({"signature": signature(), "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
