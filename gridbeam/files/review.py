"""Which translations somebody should look at: by their estimate, their findings, what was unmet."""

from __future__ import annotations

from collections.abc import Container, Mapping

from gridbeam.files.outcome import Outcome


def needs_review(outcome: Outcome, below: float) -> bool:
    """Whether a translation is estimated to be worse than that, or something is wrong with it."""
    is_broken = any(each.severity == "error" for each in outcome.findings)
    return is_broken or bool(outcome.unmet) or outcome.quality is None or outcome.quality < below


class Settled(Container[int]):
    """The numbers of the segments whose translations nobody need look at; none without a limit."""

    def __init__(self, outcomes: Mapping[int, Outcome], below: float | None) -> None:
        self._outcomes, self._below = outcomes, below

    def __contains__(self, number: object) -> bool:
        if self._below is None or not isinstance(number, int) or number not in self._outcomes:
            return False
        return not needs_review(self._outcomes[number], self._below)
