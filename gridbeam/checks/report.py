"""What the checks found in a file: its segments with findings, and how many of each rule."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gridbeam.checks.rule import SEVERITIES, Finding, Severity
from gridbeam.errors import UserError
from gridbeam.support.output_files import write_text


@dataclass(frozen=True)
class CheckedSegment:
    """A segment, what was found in it, and how good it may be."""

    number: int
    name: str
    line: int
    source: str
    target: str
    findings: tuple[Finding, ...]
    quality: float | None = None
    """The chance that it is usable, where a model translated it."""

    def as_json(self) -> dict[str, Any]:
        """All of it as values that JSON knows."""
        return asdict(self)


@dataclass(frozen=True)
class CheckReport:
    """What came of checking a file."""

    file: str
    segments: int
    """How many were checked."""
    found: tuple[CheckedSegment, ...]
    """Those with findings, or with an estimate, in the order of the file."""

    @property
    def rules(self) -> Counter[str]:
        """How many findings each rule made."""
        return Counter(each.rule for segment in self.found for each in segment.findings)

    @property
    def severities(self) -> Counter[Severity]:
        """How many findings are of each severity."""
        return Counter(each.severity for segment in self.found for each in segment.findings)

    def as_json(self) -> dict[str, Any]:
        """All of it as values that JSON knows."""
        return {
            "file": self.file,
            "segments": self.segments,
            "severities": {name: self.severities[name] for name in SEVERITIES},
            "rules": dict(self.rules.most_common()),
            "found": [each.as_json() for each in self.found],
        }

    def __str__(self) -> str:
        return f"{self.segments:,} segments checked: {told(self.severities, self.rules)}"


def told(severities: Mapping[Severity, int], rules: Counter[str]) -> str:
    """How much was found, in a line.

    >>> told({"error": 1, "hint": 2}, Counter(numbers=1, end_stop=2))
    '1 error, 2 hints (end_stop 2, numbers 1)'
    """
    parts = [_counted(severities[name], name) for name in SEVERITIES if severities.get(name)]
    if not parts:
        return "nothing found"
    return f"{', '.join(parts)} ({', '.join(f'{rule} {n:,}' for rule, n in rules.most_common())})"


def _counted(count: int, name: str) -> str:
    return f"{count:,} {name}{'s' if count > 1 else ''}"


def lines_of(report: CheckReport, least: Severity) -> Iterable[str]:
    """A line for each finding that is at least so severe, with its place first."""
    shown = SEVERITIES[: SEVERITIES.index(least) + 1]
    for segment in report.found:
        for each in segment.findings:
            if each.severity in shown:
                place = f"{report.file} line {segment.line}, segment {segment.name}"
                yield f"{place}: {each.severity}: {each}"


def check_suffix(path: Path) -> None:
    """Raises where a name does not say in which format to write a report."""
    if path.suffix.lower() not in (".json", ".html"):
        raise UserError(
            f'{path}: a report with the ending "{path.suffix}" is unknown. Write .json or .html.'
        )


def write_check_report(report: CheckReport, path: Path) -> None:
    """Writes a report, as JSON or as a page, as the name says."""
    from gridbeam.checks.page import as_html

    is_page = path.suffix.lower() == ".html"
    values = json.dumps(report.as_json(), ensure_ascii=False, indent=1)
    write_text(path, as_html(report) if is_page else f"{values}\n")
