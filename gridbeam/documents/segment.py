"""A segment: a text of a document that is translated as one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from gridbeam.constraints.terms import Constraint
from gridbeam.documents.limit import SizeLimit
from gridbeam.markup.inline import Marked

Status: TypeAlias = Literal["untranslated", "draft", "translated", "locked"]
"""What the file says of a translation: none yet, one to be looked at, one that will do, or that it
must stay as it is."""


@dataclass(frozen=True)
class Segment:
    """A text of a document, and what the document says about its translation."""

    number: int
    """Its place among the segments of the document, from 0: by this a translation is given back."""
    name: str
    """How the document calls it: a key, an id or a line number."""
    source: Marked
    path: Path
    line: int
    target: Marked | None = None
    """The translation that is there."""
    status: Status = "untranslated"
    constraints: tuple[Constraint, ...] = ()
    """What the document requires of the translation."""
    values: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """All that the document says of it in JSON, for a document of that."""
    stretches: tuple[tuple[int, int] | None, ...] = ()
    """For each constraint the characters of the source, as it is written, that it translates; empty
    where none has such."""
    accelerator: str | None = None
    """The mark before the letter of a key, where the document says which it has."""
    limits: tuple[SizeLimit, ...] = ()
    """How long the translation may be."""

    @property
    def is_due(self) -> bool:
        """Whether it is to be translated: nothing that is there would be lost."""
        return self.status == "untranslated"

    @property
    def where(self) -> str:
        """The place of the segment, for messages."""
        return f"{self.path} line {self.line}"
