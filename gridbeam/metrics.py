"""How good translations are, by sacreBLEU, always with the signature that makes a number comparable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF


@dataclass(frozen=True)
class Score:
    """A corpus score and how it was computed."""

    name: str
    value: float
    signature: str

    def __str__(self) -> str:
        return f"{self.name} {self.value:.2f} ({self.signature})"


def scores(texts: Sequence[str], references: Sequence[str]) -> tuple[Score, Score]:
    """BLEU and chrF of detokenised texts against one reference each.

    >>> [score.value for score in scores(["Das Haus ist groß."], ["Das Haus ist groß."])]
    [100.0, 100.0]
    """
    found = []
    for metric in (BLEU(), CHRF()):
        score = metric.corpus_score(list(texts), [list(references)])
        name = "chrF" if score.name == "chrF2" else score.name
        found.append(Score(name, round(score.score, 4), str(metric.get_signature())))
    return found[0], found[1]


def bleu(texts: Sequence[str], references: Sequence[str]) -> float:
    """BLEU alone, of detokenised texts."""
    return float(BLEU().corpus_score(list(texts), [list(references)]).score)
