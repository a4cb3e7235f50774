"""A sentence as it stands after a cycle of corrections: a record of the log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from gridbeam.constraints.occurrences import Span
from gridbeam.editing.effort import Effort
from gridbeam.errors import UserError
from gridbeam.experiments.users import Correction
from gridbeam.text.words import WordRange
from gridbeam.translation.request import Translation


@dataclass(frozen=True)
class SearchCost:
    """How long the last search for a sentence took, and how much it did."""

    seconds: float
    expanded: int = 0
    columns: int = 0
    stopped_early: bool = False
    fell_back: bool = False


@dataclass(frozen=True)
class PlayedDraft:
    """A sentence of a test set, its translation so far, and what was said about it."""

    number: int
    cycle: int
    text: str = ""
    given: tuple[WordRange, ...] = ()
    """The words of the reference that were given so far."""
    spans: tuple[Span, ...] = ()
    """The stretches of the text that meet them."""
    effort: Effort = field(default_factory=Effort)
    """What all corrections so far cost."""
    search: SearchCost | None = None
    """None where the user had nothing to say, so that nothing was searched."""
    unmet: str = ""
    """Why the correction could not be met, where it could not."""

    def kept(self, cycle: int) -> PlayedDraft:
        """The same in the next cycle."""
        return replace(self, cycle=cycle, search=None, unmet="")

    def revised(
        self, said: Correction, found: Translation | UserError, seconds: float
    ) -> PlayedDraft:
        """The sentence in the next cycle: translated anew, or as it was.

        It stays as it was where the correction cannot be met.
        """
        spent = replace(self.kept(self.cycle + 1), effort=self.effort + said.effort)
        if isinstance(found, UserError):
            return replace(spent, search=SearchCost(seconds), unmet=str(found))
        spans = tuple(sorted(span for spans in found.spans for span in spans))
        return replace(
            spent, text=found.text, given=said.given, spans=spans, search=_search(found, seconds)
        )

    def as_record(self) -> dict[str, Any]:
        """The draft as values that JSON knows."""
        return {"key": f"{self.cycle}/{self.number}", "kind": "sentence", **asdict(self)}

    @staticmethod
    def of(record: Mapping[str, Any]) -> PlayedDraft:
        """The draft of a record."""
        return PlayedDraft(
            number=record["number"],
            cycle=record["cycle"],
            text=record["text"],
            given=tuple((first, end) for first, end in record["given"]),
            spans=tuple((start, end) for start, end in record["spans"]),
            effort=Effort(**record["effort"]),
            search=record["search"] and SearchCost(**record["search"]),
            unmet=record["unmet"],
        )


def _search(found: Translation, seconds: float) -> SearchCost:
    hypotheses = [sentence.hypothesis for sentence in found.sentences]
    works = [hypothesis.work for hypothesis in hypotheses if hypothesis.work is not None]
    return SearchCost(
        seconds=round(seconds, 4),
        expanded=sum(work.expanded for work in works),
        columns=sum(work.columns for work in works),
        stopped_early=all(work.stopped_early for work in works),
        fell_back=any(hypothesis.fell_back for hypothesis in hypotheses),
    )
