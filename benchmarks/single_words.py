"""Which terms help most: those of the paper, or single words that are surely translated so.

    python benchmarks/single_words.py --data DATA [--languages pt fr] [--save]

Terms are extracted from the training part of the software text, and required in its development
part: how many words of the references they are, how many of these words are right, and what BLEU
gains by grid beam search, with the model of the experiments and their search. What is there is not
measured again: a run that was broken off goes on.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from gridbeam import Request, Translator
from gridbeam.evaluation.metrics import bleu
from gridbeam.experiments.defaults import EXPERIMENTS
from gridbeam.experiments.pickrevise import read_pairs
from gridbeam.experiments.terminology import TermSegment, glossary_of, term_segments
from gridbeam.glossary.matching import constraints_for
from gridbeam.support.signature import signature
from gridbeam.terminology.extract import extract
from gridbeam.terminology.options import TERMS, TermOptions

RESULTS = Path(__file__).parent / "results" / "single_words.json"
WAYS = [
    TERMS,
    *(TERMS.but(min_words=1, min_share=share) for share in (0.0, 0.6, 0.7, 0.8)),
]


def words(segments: list[TermSegment]) -> dict[str, float]:
    """The words that are required, and the right ones, in percent of those of the references."""
    every = sum(len(each.reference.split()) for each in segments)
    required = sum(len(text.split()) for each in segments for text in each.targets)
    right = sum(
        len(wording.texts[0].split())
        for each in segments
        for match, wording in zip(each.matches, each.due, strict=True)
        if match in each.right
    )
    return {"words_%": round(100 * required / every, 1), "right_%": round(100 * right / every, 1)}


def measured(
    language: str, options: TermOptions, data: Path, translator: Translator, plain: list[str]
) -> dict[str, Any]:
    """A row: what the terms are, and what they gain."""
    folder = data / "software" / f"en-{language}"
    pairs = read_pairs(folder / "dev.en", folder / f"dev.{language}", None)
    found = extract(folder / "train.en.xz", folder / f"train.{language}.xz", options=options)
    segments = term_segments(glossary_of(found, language), pairs)
    due = [number for number, each in enumerate(segments) if each.due]
    requests = [
        Request(segments[n].source, constraints_for(segments[n].matches, every_time=True))
        for n in due
    ]
    said = list(plain)
    for place, translation in translator.translate_each(
        requests, options=EXPERIMENTS, split=False, batch_size=32
    ):
        if not isinstance(translation, Exception):
            said[due[place]] = translation.text
    references = [reference for _, reference in pairs]
    before, after = bleu(plain, references), bleu(said, references)
    return {
        "language": language,
        "terms": len(found),
        **words(segments),
        "BLEU_plain": round(before, 2),
        "BLEU": round(after, 2),
        "gain": round(after - before, 2),
    }


def main() -> None:
    """Prints the rows, and with --save writes each down as soon as it is there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--languages", nargs="+", default=["pt", "fr", "de"])
    parser.add_argument("--save", action="store_true")
    given = parser.parse_args()
    rows = json.loads(RESULTS.read_text())["rows"] if RESULTS.exists() else []
    for language in given.languages:
        translator = Translator.load(f"general:en-{language}")
        source = given.data / "software" / f"en-{language}" / "dev.en"
        plain: list[str] = []
        for options in WAYS:
            about = {"min_words": options.min_words, "min_share": options.min_share}
            if any(row.items() >= {"language": language, **about}.items() for row in rows):
                continue
            plain = plain or [
                each.text
                for each in translator.translate_all(
                    source.read_text(encoding="utf8").splitlines(),
                    options=EXPERIMENTS,
                    split=False,
                    batch_size=32,
                )
            ]
            row = measured(language, options, given.data, translator, plain) | about
            print(row, flush=True)
            rows.append(row)
            if given.save:
                RESULTS.write_text(
                    json.dumps({"signature": signature(), "rows": rows}, indent=1) + "\n"
                )


if __name__ == "__main__":
    main()
