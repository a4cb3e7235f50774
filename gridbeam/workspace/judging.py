"""What there is to say about a translation: what the checks find, its terms, its limits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, Literal, TypeAlias

from gridbeam.checks import CheckedPair, check
from gridbeam.checks.pair import COVER, CheckedText
from gridbeam.documents import Segment
from gridbeam.glossary.entries import Entry
from gridbeam.glossary.index import TextWords
from gridbeam.glossary.matching import Match
from gridbeam.markup.inline import Marked
from gridbeam.store import ProjectRow
from gridbeam.workspace.glossaries import Terms

TermState: TypeAlias = Literal["met", "missing", "forbidden"]
BAR = " | "
"""What stands between targets of which any will do."""
_FOR_ONE = re.compile(r"\[0\]\Z")
"""How the name of the first plural form in a PO file ends."""


def matches_in(segment: Segment, terms: Terms) -> list[Match]:
    """The terms in the source of a segment, but for those within codes."""
    codes = CheckedText.of(segment.source).codes
    return [
        match
        for match in terms.matches(str(segment.source))
        if all(match.end <= code.start or code.end <= match.start for code in codes)
    ]


def pair_of(
    segment: Segment, target: Marked | None, project: ProjectRow, matches: Sequence[Match]
) -> CheckedPair:
    """A segment and a translation of it as the checks look at them."""
    is_for_one = project.format == "po" and bool(_FOR_ONE.search(segment.name))
    return CheckedPair.of(
        segment.source,
        target,
        project.source,
        project.target,
        terms=matches,
        is_for_one=is_for_one,
    )


def findings_in(segment: Segment, target: Marked, pair: CheckedPair) -> tuple[dict[str, Any], ...]:
    """What the checks find in a translation, and which limits it does not keep."""
    found = [asdict(each) for each in check(pair)]
    return (*_too_long(segment, target), *found)


def _too_long(segment: Segment, target: Marked) -> Iterator[dict[str, Any]]:
    for limit in segment.limits:
        if not limit.holds(target):
            message = f"{limit.size(target):,} {limit.unit}, and there is room for {limit.most:,}"
            whole = [[0, len(str(target))]]
            yield {
                "rule": "limit",
                "severity": "error",
                "message": message,
                "spans": whole,
                "source_spans": [],
            }


def terms_of(matches: Sequence[Match], target: str | None) -> list[dict[str, Any]]:
    """The terms of a source with what they ask for, and whether a translation says it."""
    line = None if target is None else TextWords(CheckedText.of(target).plain.replace(COVER, " "))
    return [
        {
            "start": match.start,
            "end": match.end,
            "source": match.text,
            "target": said_of(match.entry),
            "state": _state(match, line),
        }
        for match in matches
    ]


def said_of(entry: Entry) -> str:
    """What an entry asks for: a target, or several with bars between."""
    return BAR.join(entry.targets or entry.required[:1])


def _state(match: Match, line: TextWords | None) -> TermState:
    if line is not None and any(bad.places(line) for bad in match.forbidden):
        return "forbidden"
    wording = match.required
    is_met = wording is None or (line is not None and bool(wording.places(line)))
    return "met" if is_met else "missing"


def limits_of(segment: Segment, target: Marked | None) -> list[dict[str, Any]]:
    """The limits of a segment, and how much of each its translation takes."""
    return [
        {
            "most": limit.most,
            "unit": limit.unit,
            "length": None if target is None else limit.size(target),
        }
        for limit in segment.limits
    ]
