"""What there is to say at the end of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from gridbeam.checks import Severity
from gridbeam.checks.report import told
from gridbeam.checks.rule import SEVERITIES
from gridbeam.files.instructions import Instructions
from gridbeam.files.outcome import Outcome
from gridbeam.files.review import needs_review

_MOST_TOLD = 20


@dataclass(frozen=True)
class Summary:
    """How many segments were due and translated, and which are not as they should be."""

    segments: int
    translated: int
    unmet: int
    told: tuple[str, ...]
    """The first of those that are not as asked, that a note is about or that have errors, each in a
    line."""
    untold: int
    """How many others there are."""
    instructions: Instructions
    severities: Counter[Severity] = field(default_factory=Counter)
    """How many findings of the checks are of each severity."""
    rules: Counter[str] = field(default_factory=Counter)
    """How many findings each rule made."""
    to_review: int = 0
    """How many somebody should look at, where a limit is given."""
    note: str | None = None
    """What else there is to say about the output."""

    @property
    def is_failure(self) -> bool:
        """Whether something is not as it should be, and that was to be an error."""
        how = self.instructions
        failing = (
            () if how.fail_on == "nothing" else SEVERITIES[: SEVERITIES.index(how.fail_on) + 1]
        )
        return (self.unmet > 0 and how.on_unmet == "error") or any(
            self.severities[each] for each in failing
        )

    def __str__(self) -> str:
        more = (
            [f"and {self.untold:,} more; the --report of a file lists all"] if self.untold else []
        )
        unmet = f", {self.unmet:,} not as asked" if self.unmet else ""
        found = f"; {told(self.severities, self.rules)}" if self.rules else ""
        review = (
            "" if self.instructions.review_below is None else f"; {self.to_review:,} to be reviewed"
        )
        counted = f"{self.translated:,} of {self.segments:,} segments translated"
        notes = [self.note] if self.note else []
        return "\n".join([*self.told, *more, *notes, f"{counted}{unmet}{found}{review}"])


def summary_of(
    path: Path, outcomes: Iterable[Outcome], instructions: Instructions, note: str | None = None
) -> Summary:
    """The summary of what came of the segments of a file."""
    segments = translated = unmet = to_review = untold = 0
    severities, rules = Counter[Severity](), Counter[str]()
    lines: list[str] = []
    for outcome in outcomes:
        segments += 1
        translated += outcome.text is not None
        unmet += bool(outcome.unmet)
        severities.update(each.severity for each in outcome.findings)
        rules.update(each.rule for each in outcome.findings)
        below = instructions.review_below
        to_review += below is not None and needs_review(outcome, below)
        for line in _lines(path, outcome, with_errors=instructions.fail_on != "nothing"):
            if len(lines) < _MOST_TOLD:
                lines.append(line)
            else:
                untold += 1
    return Summary(
        segments,
        translated,
        unmet,
        tuple(lines),
        untold,
        instructions,
        severities,
        rules,
        to_review,
        note,
    )


def _lines(path: Path, outcome: Outcome, *, with_errors: bool) -> Iterator[str]:
    """What is to be told of a segment: what was asked in vain, notes, and errors."""
    where = f"{path} line {outcome.line}, segment {outcome.name}"
    if outcome.unmet:
        made = (
            "left as it is"
            if outcome.text is None
            else f"translated without {len(outcome.dropped)} of what was asked"
        )
        yield f"{where}, {made}: {outcome.unmet}"
    if outcome.notes:
        yield f"{where}: {'; '.join(outcome.notes)}"
    errors = [str(each) for each in outcome.findings if each.severity == "error"]
    if errors and with_errors:
        yield f"{where}, error: {'; '.join(errors)}"
