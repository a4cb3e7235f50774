"""How good translations are, by sacreBLEU, always with the signature to compare numbers by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from sacrebleu.metrics.base import Metric
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER
from sacrebleu.significance import PairedTest, Result

from gridbeam.evaluation.resampling import SAMPLES, Paired, seed
from gridbeam.text import marks

_METRICS: dict[str, type[Metric]] = {"BLEU": BLEU, "chrF": CHRF, "TER": TER}
QUICK = ("BLEU", "chrF")
"""Those that take no time, for test sets that are scored again and again."""


@dataclass(frozen=True)
class MetricScore:
    """A corpus score and how it was computed."""

    name: str
    value: float
    signature: str

    def __str__(self) -> str:
        return f"{self.name} {self.value:.2f} ({self.signature})"


def scores(
    texts: Sequence[str], references: Sequence[str], names: Sequence[str] = tuple(_METRICS)
) -> tuple[MetricScore, ...]:
    """BLEU, chrF and TER of detokenised texts against one reference each, by sacreBLEU's defaults.

    >>> [score.value for score in scores(["Das Haus ist groß."], ["Das Haus ist groß."])]
    [100.0, 100.0, 0.0]
    """
    found = []
    for name in names:
        metric = _METRICS[name]()
        score = metric.corpus_score(list(texts), [list(references)])
        found.append(MetricScore(name, round(score.score, 4), str(metric.get_signature())))
    return tuple(found)


def bleu(texts: Sequence[str], references: Sequence[str]) -> float:
    """BLEU alone, of detokenised texts."""
    return float(BLEU().corpus_score(list(texts), [list(references)]).score)


def tokenised_bleu(texts: Sequence[str], references: Sequence[str]) -> MetricScore:
    """BLEU as papers of before 2018 have it: unsmoothed, of texts that were cut into words.

    As by multi-bleu, but the words are those of `gridbeam.text.marks` and not of Moses: compare
    with published numbers in magnitude only.
    """
    metric = BLEU(tokenize="none", smooth_method="none", force=True)
    divided = [[" ".join(marks.split(text)) for text in side] for side in (texts, references)]
    score = metric.corpus_score(divided[0], [divided[1]])
    return MetricScore("tokenised BLEU", round(score.score, 4), str(metric.get_signature()))


def compared(
    texts: Sequence[str],
    baseline: Sequence[str],
    references: Sequence[str],
    samples: int = SAMPLES,
    names: Sequence[str] = tuple(_METRICS),
) -> list[tuple[MetricScore, Paired]]:
    """The scores of texts, and how they differ from another system's, by paired bootstrap.

    sacreBLEU does the resampling.
    """
    seed()  # which sacreBLEU reads itself, with a less helpful error
    systems: list[tuple[str, Sequence[str]]] = [
        ("baseline", list(baseline)),
        ("system", list(texts)),
    ]
    metrics = {name: _METRICS[name]() for name in names}
    signatures, found = PairedTest(systems, metrics, [list(references)], "bs", samples)()
    rows = []
    for name, theirs in zip(metrics, signatures, strict=True):
        old, new = cast(list[Result], found[theirs])
        numbers = (old.score, old.mean, old.ci, new.mean, new.ci, new.p_value)
        pair = Paired(*(round(float(number), 4) for number in numbers if number is not None))
        rows.append((MetricScore(name, round(new.score, 4), str(signatures[theirs])), pair))
    return rows
