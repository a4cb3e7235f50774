"""The report on a run: each term, where it was due, where it was met and how.

It also has each segment that is not as asked, and each translation with what the checks found in it
and how good it may be.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from gridbeam.checks.report import CheckedSegment, CheckReport
from gridbeam.documents import Document, replaced
from gridbeam.files.outcome import Outcome
from gridbeam.glossary.entries import Entry, Glossary


@dataclass(frozen=True)
class Where:
    """A segment with a term: its number and name, and the form of the term in its translation."""

    number: int
    name: str
    is_met: bool
    said: str


@dataclass(frozen=True)
class TermUse:
    """A term of the glossary and the segments where it was due."""

    entry: Entry
    segments: list[Where] = field(default_factory=list)

    @property
    def met(self) -> int:
        """How often the term was met."""
        return sum(each.is_met for each in self.segments)

    @property
    def forms(self) -> Counter[str]:
        """How often each form was chosen."""
        return Counter(each.said for each in self.segments if each.said)

    def as_json(self) -> dict[str, Any]:
        """All of it as values that JSON knows."""
        entry = self.entry
        return {
            "source": entry.source,
            "required": list(entry.required),
            "forbidden": list(entry.forbidden),
            "place": entry.where,
            "due": len(self.segments),
            "met": self.met,
            "forms": dict(self.forms.most_common()),
            "segments": [
                {
                    "number": each.number,
                    "name": each.name,
                    "met": each.is_met,
                    "said": each.said or None,
                }
                for each in self.segments
            ],
        }


@dataclass(frozen=True)
class Unmet:
    """A segment that is not as asked: why, and the constraints it was translated without."""

    number: int
    name: str
    line: int
    why: str
    is_translated: bool
    dropped: tuple[Any, ...]


@dataclass(frozen=True)
class Noted:
    """A segment that there is something else to say about."""

    number: int
    name: str
    line: int
    note: str


@dataclass(frozen=True)
class Report:
    """What came of a file."""

    file: str
    segments: int
    """How many were due."""
    unmet: tuple[Unmet, ...]
    terms: tuple[TermUse, ...]
    """Those that were due, the ones with most failures first."""
    checks: CheckReport
    """What the checks found, and how good the translations may be."""
    notes: tuple[Noted, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """All of it as values that JSON knows."""
        return {
            "file": self.file,
            "segments": self.segments,
            "due": sum(len(term.segments) for term in self.terms),
            "met": sum(term.met for term in self.terms),
            "unmet": [
                {"number": each.number, "name": each.name, "line": each.line, "why": each.why}
                | {"translated": each.is_translated, "dropped": list(each.dropped)}
                for each in self.unmet
            ],
            "notes": [asdict(each) for each in self.notes],
            "terms": [term.as_json() for term in self.terms],
            "checks": self.checks.as_json(),
        }


def checks_of(document: Document, outcomes: Mapping[int, Outcome]) -> CheckReport:
    """What the checks found in the segments of a document, and how good each may be."""
    found: list[CheckedSegment] = []
    for segment in document.segments():
        outcome = outcomes.get(segment.number)
        if outcome is not None and outcome.text is not None and outcome.search is not None:
            about = segment.number, segment.name, outcome.line
            texts = str(segment.source), str(outcome.text)
            found.append(CheckedSegment(*about, *texts, outcome.findings, outcome.quality))
    return CheckReport(str(document.path), len(outcomes), tuple(found))


def report_on(
    file: str, outcomes: Iterable[Outcome], glossary: Glossary, checks: CheckReport
) -> Report:
    """The report on the segments of a file."""
    terms: dict[int, TermUse] = {}
    unmet: list[Unmet] = []
    noted: list[Noted] = []
    count = 0
    for outcome in outcomes:
        count += 1
        if outcome.unmet:
            is_translated = outcome.text is not None
            unmet.append(
                Unmet(
                    outcome.number,
                    outcome.name,
                    outcome.line,
                    outcome.unmet,
                    is_translated,
                    outcome.dropped,
                )
            )
        noted += [Noted(outcome.number, outcome.name, outcome.line, note) for note in outcome.notes]
        for use in outcome.uses:
            term = terms.setdefault(use.entry, TermUse(glossary.entries[use.entry]))
            term.segments.append(Where(outcome.number, outcome.name, use.is_met, use.said))
    worst_first = sorted(
        terms.values(), key=lambda term: (term.met - len(term.segments), -len(term.segments))
    )
    return Report(file, count, tuple(unmet), tuple(worst_first), checks, tuple(noted))


def write_report(report: Report, path: Path) -> None:
    """Writes a report, as JSON or as a page, as the name says."""
    from gridbeam.files.page import as_html

    is_page = path.suffix.lower() == ".html"
    text = (
        as_html(report)
        if is_page
        else json.dumps(report.as_json(), ensure_ascii=False, indent=1) + "\n"
    )
    with replaced(path) as file:
        file.write(text.encode("utf8", "backslashreplace"))
