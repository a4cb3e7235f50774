"""Each outcome with what the checks find in its translation, and how good that may be."""

from __future__ import annotations

from dataclasses import replace

from gridbeam.checks import CheckedPair, check
from gridbeam.checks.estimate import estimate
from gridbeam.documents import Segment
from gridbeam.files.outcome import Outcome
from gridbeam.markup.placeholders import expressions


class Checks:
    """Checks the translations of one pair of languages.

    Terms of a glossary have an account of their own: what the search could not meet is `unmet`.
    """

    def __init__(
        self, source: str | None, target: str | None, placeholders: tuple[str, ...] = ()
    ) -> None:
        self._source, self._target = source, target
        self._own = expressions(placeholders)

    def checked(self, segment: Segment, outcome: Outcome) -> Outcome:
        """The outcome with findings and estimate, where a model has translated the segment."""
        if outcome.text is None or outcome.search is None:
            return outcome
        pair = CheckedPair.of(
            segment.source, outcome.text, self._source, self._target, own=self._own
        )
        findings = tuple(check(pair))
        return replace(outcome, findings=findings, quality=estimate(pair, findings, outcome.search))
