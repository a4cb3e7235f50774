"""Fits the quality estimate of a translation, and measures how well it tells good from bad.

    python benchmarks/quality.py --data DATA --cache FOLDER [--save]

DATA is a folder with real parallel text (benchmarks/checks.py says which, and the development sets
of news and NTREX). 1,600 texts of each language are translated by the model that ships and kept in
FOLDER, which takes some minutes. A translation is usable that has a chrF of at least 50. Every
figure comes from ten-fold cross-validation; the weights that ship are those of all texts. The area
under the curve (AUC) is the chance that of a usable translation and one that is not, the usable one
is ranked higher.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sacrebleu.metrics import CHRF

from gridbeam.checks import CheckedPair, check
from gridbeam.checks.estimate import SearchEvidence, features
from gridbeam.support.signature import signature
from gridbeam.text.parallel import lines

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "quality.json"
WEIGHTS = HERE.parent / "gridbeam" / "checks" / "calibration.py"
LANGUAGES = ("de", "fr", "pt")
NEWS = {"de": "en-de/newstest2012", "fr": "en-fr/newstest2013", "pt": "en-pt/ntrex"}
USABLE = 50
"""The least chrF of a usable translation."""
SHORT = 4
"""The most words of a label."""
FOLDS = 10


def texts(data: Path, language: str) -> Iterator[tuple[str, str]]:
    """Sources and references: software, interfaces, news."""
    stems = {
        "software/en-{0}/dev.{1}": 1000,
        "catalogues/catalogues-en-{0}.{1}.xz": 400,
        f"test/{NEWS[language]}.{{1}}": 200,
    }
    for stem, most in stems.items():
        sides = [list(lines(data / stem.format(language, side))) for side in ("en", language)]
        numbers = list(range(len(sides[0])))
        if most < len(numbers):
            random.Random(7).shuffle(numbers)
        for number in numbers[:most]:
            yield sides[0][number], sides[1][number]


def translated(data: Path, language: str) -> Iterator[dict[str, Any]]:
    """What the search makes of each text; those without words are left out."""
    from gridbeam.documents import Segment
    from gridbeam.files.instructions import Instructions
    from gridbeam.files.pipeline import Pipeline
    from gridbeam.markup.inline import as_marked
    from gridbeam.translation.translator import Translator

    pipeline = Pipeline(Translator.load(f"builtin:en-{language}"), Instructions())
    given = list(texts(data, language))
    for start in range(0, len(given), pipeline.window):
        part = given[start : start + pipeline.window]
        segments = [
            Segment(number, str(number), as_marked(source), Path("text"), number)
            for number, (source, _) in enumerate(part)
        ]
        for place, outcome in pipeline.outcomes(segments):
            if outcome.text is not None and outcome.search is not None:
                source, reference = part[place]
                yield {
                    "source": source,
                    "reference": reference,
                    "text": str(outcome.text),
                    "score": outcome.score,
                    "mean": outcome.search.mean,
                    "tokens": outcome.search.tokens,
                }


def cached(data: Path, folder: Path, language: str) -> list[dict[str, Any]]:
    path = folder / f"quality.{language}.jsonl"
    if not path.exists():
        made = "".join(json.dumps(row) + "\n" for row in translated(data, language))
        path.write_text(made, encoding="utf8")
    return [json.loads(line) for line in path.read_text(encoding="utf8").splitlines()]


def figures(row: dict[str, Any], language: str) -> dict[str, float]:
    pair = CheckedPair.of(row["source"], row["text"], "en", language)
    return features(pair, check(pair), SearchEvidence(row["mean"], row["tokens"]))


def fitted(values: np.ndarray, usable: np.ndarray) -> np.ndarray:
    """The weights of a logistic regression by Newton's method, all but the first held small."""
    scale = values.std(0)
    scale[0] = 1.0
    scaled, weights = values / scale, np.zeros(values.shape[1])
    penalty = np.diag([0.0, *[1.0] * (len(weights) - 1)])
    for _ in range(50):
        chances = 1 / (1 + np.exp(-scaled @ weights))
        slope = scaled.T @ (chances - usable) + penalty @ weights
        curve = (scaled.T * (chances * (1 - chances))) @ scaled + penalty
        step = np.linalg.solve(curve, slope)
        weights = weights - step
        if np.abs(step).max() < 1e-9:
            break
    return weights / scale


def auc(scores: np.ndarray, usable: np.ndarray) -> float:
    """The chance that a usable one ranks above one that is not; of two alike, half."""
    good, bad = np.sort(scores[usable]), scores[~usable]
    below = np.searchsorted(good, bad, "left")
    above = len(good) - np.searchsorted(good, bad, "right")
    return float(((above + (len(good) - below)) / 2).sum() / (len(good) * len(bad)))


def held_out(values: np.ndarray, usable: np.ndarray) -> np.ndarray:
    """The estimate of each text by weights that were fitted without it."""
    order = np.array(random.Random(0).sample(range(len(values)), len(values)))
    chances = np.zeros(len(values))
    for fold in range(FOLDS):
        left = order[fold::FOLDS]
        rest = np.setdiff1d(order, left)
        chances[left] = 1 / (1 + np.exp(-values[left] @ fitted(values[rest], usable[rest])))
    return chances


def measured(rows: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], dict[str, float]]:
    """The tables, and the weights."""
    metric = CHRF()
    names = list(rows[0]["figures"])
    values = np.array([[row["figures"][name] for name in names] for row in rows])
    quality = np.array(
        [metric.sentence_score(row["text"], [row["reference"]]).score for row in rows]
    )
    usable, chances = quality >= USABLE, held_out(values, quality >= USABLE)
    is_short = np.exp(values[:, names.index("words")]) <= SHORT + 0.5
    languages = np.array([row["language"] for row in rows])
    groups = {f"en-{each}": languages == each for each in LANGUAGES}
    groups |= {f"labels of up to {SHORT} words": is_short, "longer": ~is_short}
    groups["all"] = np.ones(len(rows), bool)
    scores, means = np.array([row["score"] for row in rows]), values[:, names.index("mean")]
    found = {
        "signature": signature(),
        "auc": [
            {
                "texts": group,
                "count": int(mask.sum()),
                "usable_%": round(100 * float(usable[mask].mean()), 1),
                "score": round(auc(scores[mask], usable[mask]), 3),
                "score_a_token": round(auc(means[mask], usable[mask]), 3),
                "estimate": round(auc(chances[mask], usable[mask]), 3),
            }
            for group, mask in groups.items()
        ],
        "calibration": [
            {
                "estimate": f"{low / 100:.1f} to {(low + 10) / 100:.1f}",
                "count": int(part.sum()),
                "usable_%": round(100 * float(usable[part].mean()), 1),
                "chrF": round(float(quality[part].mean()), 1),
            }
            for low in range(0, 100, 10)
            if (part := (chances >= low / 100) & (chances < (low + 10) / 100)).any()
        ],
    }
    found["limits"] = [
        {
            "review_below": limit / 10,
            "flagged_%": round(100 * float((chances < limit / 10).mean()), 1),
            "usable_among_others_%": round(100 * float(usable[chances >= limit / 10].mean()), 1),
        }
        for limit in range(2, 8)
    ]
    return found, dict(zip(names, fitted(values, usable).tolist(), strict=True))


def save(found: dict[str, Any], weights: dict[str, float]) -> None:
    RESULTS.write_text(json.dumps(found, indent=1) + "\n")
    listed = "".join(f'    "{name}": {weight:.4f},\n' for name, weight in weights.items())
    WEIGHTS.write_text(
        '"""The weights of the quality estimate, written by `benchmarks/quality.py --save`."""\n\n'
        f"WEIGHTS: dict[str, float] = {{\n{listed}}}\n"
        '"""For each figure of `estimate.features`."""\n'
        f'SIGNATURE = (\n    "{found["signature"]}"\n)\n'
        '"""What they were fitted with."""\n'
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--save", action="store_true")
    given = parser.parse_args()
    rows = [
        row | {"language": language, "figures": figures(row, language)}
        for language in LANGUAGES
        for row in cached(given.data, given.cache, language)
    ]
    found, weights = measured(rows)
    print(json.dumps(found | {"weights": weights}, indent=1))
    if given.save:
        save(found, weights)
