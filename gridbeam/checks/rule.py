"""A rule of the checks as one value, and what one finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from gridbeam.checks.pair import CheckedPair
from gridbeam.constraints.occurrences import Spans

Severity: TypeAlias = Literal["error", "warning", "hint"]
"""Something that breaks what the text is used in, something that is most likely wrong, or something
that good translations do as well."""
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "hint")
"""The worst first."""


@dataclass(frozen=True)
class Flaw:
    """What is wrong, and where: in the translation, or in the source what it lacks."""

    message: str
    spans: Spans = ()
    source_spans: Spans = ()


@dataclass(frozen=True)
class CheckRule:
    """One rule: a comparison of a translation with its source."""

    name: str
    """As in pofilter, or else as in Weblate, or else our own."""
    severity: Severity
    compares: str
    """What of the two texts it looks at, in a word or two."""
    about: str
    """What it finds, in a line."""
    flaws: Callable[[CheckedPair], Iterable[Flaw]]
    also: tuple[str, ...] = ()
    """What pofilter and Weblate call it besides."""


@dataclass(frozen=True)
class Finding:
    """What a rule found in a translation."""

    rule: str
    severity: Severity
    message: str
    spans: Spans = ()
    """In characters of the translation as it is written."""
    source_spans: Spans = ()
    """In characters of the source."""

    def __str__(self) -> str:
        return f"{self.rule}: {self.message}"

    @classmethod
    def of_values(cls, values: dict[str, Any]) -> Finding:
        """The finding of what `dataclasses.asdict` made of one, and JSON of that."""
        spans = {name: _stretches(values[name]) for name in ("spans", "source_spans")}
        return cls(**{**values, **spans})


def _stretches(values: Iterable[Iterable[int]]) -> Spans:
    return tuple((start, end) for start, end in values)
