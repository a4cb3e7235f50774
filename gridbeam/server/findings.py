"""What the checks find, as our own API says it."""

from __future__ import annotations

from pydantic import BaseModel, Field

from gridbeam.checks.rule import Severity


class FindingAnswer(BaseModel):
    """What a rule found in a translation."""

    rule: str
    severity: Severity
    message: str
    spans: list[tuple[int, int]] = Field(description="In code points of the translation.")
    source_spans: list[tuple[int, int]] = Field(description="In code points of the source.")
