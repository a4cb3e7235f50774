"""How good a translation may be, from what the search and the checks tell of it.

A logistic regression over a few plain figures. Its weights (`calibration.py`) were fitted to
translations of the model that ships: the estimate is the chance that a translation is usable, that
is, has a chrF of at least 50 against one by a person. For other models it still ranks, though the
figure itself is not to be taken at its word.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from gridbeam.checks.calibration import WEIGHTS
from gridbeam.checks.pair import CheckedPair
from gridbeam.checks.rule import Finding

_LEFT = frozenset(("unchanged", "sourcewords"))
"""Rules on words that were not translated."""
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class SearchEvidence:
    """What the search tells of a translation."""

    mean: float
    """The mean log-probability of the tokens that the model chose itself."""
    tokens: int
    """How many tokens it wrote, those of constraints among them."""

    @classmethod
    def of(cls, tokens: Sequence[tuple[float, bool]]) -> SearchEvidence:
        """What the log-probability of each token tells, and whether the model chose it itself.

        >>> SearchEvidence.of([(-0.5, True), (-7.0, False), (-0.1, True)])
        SearchEvidence(mean=-0.3, tokens=3)
        """
        own = [log_prob for log_prob, is_own in tokens if is_own]
        counted = own or [log_prob for log_prob, _ in tokens] or [0.0]
        return cls(round(sum(counted) / len(counted), 4), len(tokens))

    @classmethod
    def joined(cls, parts: Sequence[SearchEvidence]) -> SearchEvidence:
        """What the search tells of several texts that make one.

        >>> SearchEvidence.joined([SearchEvidence(-0.5, 1), SearchEvidence(-0.1, 3)])
        SearchEvidence(mean=-0.2, tokens=4)
        """
        tokens = sum(part.tokens for part in parts)
        weighted = sum(part.mean * part.tokens for part in parts)
        return cls(round(weighted / max(1, tokens), 4), tokens)


def estimate(pair: CheckedPair, findings: Sequence[Finding], search: SearchEvidence) -> float:
    """The chance that a translation is usable, from 0 to 1."""
    figures = features(pair, findings, search)
    weighted = sum(WEIGHTS[name] * value for name, value in figures.items())
    return round(1 / (1 + math.exp(-max(-50.0, min(50.0, weighted)))), 3)


def features(
    pair: CheckedPair, findings: Sequence[Finding], search: SearchEvidence
) -> dict[str, float]:
    """The figures that an estimate is made of, by name."""
    source, target = pair.source.text, pair.target.text
    written = source.split() or [""]
    length = math.log(max(1, len(target)) / max(1, len(source)))
    return {
        "one": 1.0,
        "mean": search.mean,
        "capitals": sum(word[:1].isupper() for word in written) / len(written),
        "length": length,
        "length_squared": length * length,
        "tokens_a_word": search.tokens / max(1, len(target.split())),
        "letters_a_word": len(source) / len(written),
        "words": math.log(max(1, len(_WORD.findall(source)))),
        "left": float(any(each.rule in _LEFT for each in findings)),
        "errors": float(any(each.severity == "error" for each in findings)),
    }
