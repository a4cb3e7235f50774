"""Whether two systems differ by more than luck: paired bootstrap resampling (Koehn, 2004).

Segments are drawn with replacement, the same for both systems, as sacreBLEU does for BLEU; here for
any measure that is a sum over segments divided by another.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sacrebleu.significance import estimate_ci

from gridbeam.errors import UserError

SAMPLES = 1000

Parts = NDArray[np.float64]
"""What each segment adds above and below the line of a ratio: an array of `[segment, 2]`."""


@dataclass(frozen=True)
class Paired:
    """A baseline's score, the means of both systems with half their 95% intervals, the p-value.

    The means are over all samples.
    """

    baseline: float
    baseline_mean: float
    baseline_interval: float
    mean: float
    interval: float
    p: float


def ratio(parts: Parts) -> float:
    """The ratio of all segments, in percent; 0 where there is nothing to divide by.

    >>> ratio(np.array([[1, 2], [2, 2]]))
    75.0
    """
    above, below = parts.sum(0)
    return float(100 * above / below) if below else 0.0


def paired(parts: Parts, baseline: Parts, samples: int = SAMPLES) -> Paired:
    """How the ratios of two systems differ, with the samples and the p-value of sacreBLEU."""
    draws = np.random.default_rng(seed()).choice(
        len(parts), size=(samples, len(parts)), replace=True
    )
    new, old = (np.array([ratio(each[draw]) for draw in draws]) for each in (parts, baseline))
    differences = np.abs(new - old)
    observed = abs(ratio(parts) - ratio(baseline))
    # A difference counts against the observed one by how far it lies above the mean of all: as if
    # there were none in truth.
    larger = int(np.sum(differences - differences.mean() > observed))
    numbers = (ratio(baseline), *estimate_ci(old), *estimate_ci(new), (larger + 1) / (samples + 1))
    return Paired(*(round(float(number), 4) for number in numbers))


def seed() -> int | None:
    """The seed of the samples: sacreBLEU's, which SACREBLEU_SEED changes.

    None for another one each time.
    """
    given = os.environ.get("SACREBLEU_SEED", "12345")
    if given.lower() != "none" and not given.isdecimal():
        raise UserError(
            f"SACREBLEU_SEED={given}: the seed of resampling is a number, or none for another one"
            " each time."
        )
    return None if given.lower() == "none" else int(given)
