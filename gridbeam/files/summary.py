"""What there is to say at the end of a run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from gridbeam.files.instructions import OnUnmet
from gridbeam.files.outcome import Outcome

_MOST_TOLD = 20


@dataclass(frozen=True)
class Summary:
    """How many segments were due and translated, and which are not as asked."""

    segments: int
    translated: int
    unmet: int
    told: tuple[str, ...]
    """The first of those that are not as asked, or that a note is about, each in a line."""
    on_unmet: OnUnmet
    note: str | None = None
    """What else there is to say about the output."""
    noted: int = 0
    """How many segments there is something else to say about."""

    @property
    def is_failure(self) -> bool:
        """Whether something is not as asked, and that was to be an error."""
        return self.unmet > 0 and self.on_unmet == "error"

    def __str__(self) -> str:
        untold = self.unmet + self.noted - len(self.told)
        more = [f"and {untold:,} more; the --report of a file lists all"] if untold else []
        unmet = f", {self.unmet:,} not as asked" if self.unmet else ""
        notes = [self.note] if self.note else []
        return "\n".join(
            [
                *self.told,
                *more,
                *notes,
                f"{self.translated:,} of {self.segments:,} segments translated{unmet}",
            ]
        )


def summary_of(
    path: Path, outcomes: Iterable[Outcome], on_unmet: OnUnmet, note: str | None = None
) -> Summary:
    """The summary of what came of the segments of a file."""
    segments = translated = unmet = noted = 0
    told: list[str] = []
    for outcome in outcomes:
        segments += 1
        translated += outcome.text is not None
        unmet += bool(outcome.unmet)
        if outcome.unmet and len(told) < _MOST_TOLD:
            told.append(_told(path, outcome))
        noted += bool(outcome.notes)
        if outcome.notes and len(told) < _MOST_TOLD:
            told.append(f"{_where(path, outcome)}: {'; '.join(outcome.notes)}")
    return Summary(segments, translated, unmet, tuple(told), on_unmet, note, noted)


def _told(path: Path, outcome: Outcome) -> str:
    made = (
        "left as it is"
        if outcome.text is None
        else f"translated without {len(outcome.dropped)} of what was asked"
    )
    return f"{_where(path, outcome)}, {made}: {outcome.unmet}"


def _where(path: Path, outcome: Outcome) -> str:
    return f"{path} line {outcome.line}, segment {outcome.name}"
