"""Files of texts with their translations, checked segment by segment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gridbeam.checks.pair import CheckedPair
from gridbeam.checks.report import CheckedSegment, CheckReport
from gridbeam.checks.rule import CheckRule, Finding
from gridbeam.checks.rules import RULES, check
from gridbeam.documents import Languages, Segment, format_of
from gridbeam.documents.lines import lines
from gridbeam.errors import UserError
from gridbeam.glossary.entries import Glossary
from gridbeam.glossary.matching import Match, Matcher, once_a_sentence
from gridbeam.markup.inline import as_marked
from gridbeam.markup.placeholders import expressions
from gridbeam.text.parallel import aligned

_OF_LINES = ("text", "moses")
"""Formats whose translations take the place of their sources: both are never in one file."""
_FOR_ONE = re.compile(r"\[0\]\Z")
"""How the name of the first plural form in a PO file ends."""


@dataclass(frozen=True)
class Checking:
    """How files are checked."""

    rules: Sequence[CheckRule] = RULES
    glossary: Glossary = field(default_factory=lambda: Glossary(()))
    lemmas: bool = False
    """Whether the glossary's terms match by lemmas too, and their targets may be inflected."""
    placeholders: tuple[str, ...] = ()
    """Regular expressions for placeholders, besides those that are known."""
    every_time: bool = False
    """Whether a term is owed each time that a sentence has it, and not once."""


def known_languages(
    path: Path, asked: Languages, target: Path | None = None, format: str | None = None
) -> Languages:
    """The languages of a file: those asked for, or else those that it names itself."""
    if target is not None:
        return asked
    said = format_of(path, format).languages(path)
    return Languages(asked.source or said.source, asked.target or said.target)


def check_file(
    path: Path,
    how: Checking,
    known: Languages,
    *,
    target: Path | None = None,
    format: str | None = None,
) -> CheckReport:
    """What the rules find in a bilingual file, or in a text and its translation, line by line."""
    own = expressions(how.placeholders)
    matcher = Matcher(how.glossary, lemmas=how.lemmas) if how.glossary.entries else None
    count, found = 0, list[CheckedSegment]()
    for segment in _segments(path, target, format, known):
        pair = CheckedPair.of(
            segment.source,
            segment.target,
            known.source,
            known.target,
            terms=_owed(matcher, str(segment.source), how) if matcher else (),
            own=own,
            is_for_one=segment.path.suffix == ".po" and bool(_FOR_ONE.search(segment.name)),
        )
        count += 1
        if findings := check(pair, how.rules):
            found.append(_checked(segment, pair, tuple(findings)))
    return CheckReport(str(path), count, tuple(found))


def _owed(matcher: Matcher, source: str, how: Checking) -> Sequence[Match]:
    matches = matcher.match(source)
    return matches if how.every_time else once_a_sentence(matches)


def _checked(segment: Segment, pair: CheckedPair, findings: tuple[Finding, ...]) -> CheckedSegment:
    return CheckedSegment(
        segment.number, segment.name, segment.line, pair.source.text, pair.target.text, findings
    )


def _segments(
    path: Path, target: Path | None, format: str | None, known: Languages
) -> Iterator[Segment]:
    """The segments that are to be checked, with their translations."""
    if target is not None:
        for number, (one, other) in enumerate(aligned(path, target)):
            yield _pair_of_lines(path, number, one, other)
        return
    form = format_of(path, format)
    if form.name in _OF_LINES:
        raise UserError(
            f"{path} has texts without translations beside them. Name the file of these with"
            " --target."
        )
    if form.name == "tsv":
        for number, line in enumerate(lines(path)):
            one, _, rest = line.text.partition("\t")
            yield _pair_of_lines(path, number, one, rest.partition("\t")[0] or None)
        return
    for segment in form.open(path, known).segments():
        if _is_to_be_checked(segment, form.name):
            yield segment


def _pair_of_lines(path: Path, number: int, source: str, target: str | None) -> Segment:
    marked = None if target is None else as_marked(target)
    return Segment(number, str(number + 1), as_marked(source), path, number + 1, marked)


def _is_to_be_checked(segment: Segment, format: str) -> bool:
    """Whether anybody will read its translation; what is locked in a PO file is obsolete."""
    if segment.status != "locked":
        return True
    is_translated = segment.target is not None and str(segment.target) != str(segment.source)
    return is_translated and format != "po"
