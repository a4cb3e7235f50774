"""A format of documents as one value: how a file of it is told, read and written.

Each format is a file of this folder that ends with its `FORMAT`; registry.py lists them. Whatever
else depends on the format (the help of the command line, which formats a stream may have, what may
be written over its own input) asks this value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias

from gridbeam.documents.lines import Line, by_line
from gridbeam.documents.segment import Segment
from gridbeam.documents.splice import Translations, Unit


class Document(Protocol):
    """A file of text to translate."""

    @property
    def path(self) -> Path:
        """Where it is."""
        ...

    @property
    def format(self) -> str:
        """Which format it is in, with the version where that matters."""
        ...

    def segments(self) -> Iterator[Segment]:
        """The segments in the order of the file, those that must not be translated among them."""
        ...

    def write(
        self, path: str | Path, translations: Translations, settled: Container[int] = ()
    ) -> str | None:
        """Writes the document with these translations to a file, replaced when all of it is there.

        Translations are given by the number of their segment, or one for each segment in order; one
        without stays as it is. Each is marked as one to be looked at, where the format has a way,
        but for those of the segments whose numbers are `settled`. What comes back tells what else
        had to change: the charset of a PO file that cannot hold a translation.
        """
        ...


LineUnit: TypeAlias = Callable[[Line, int], Unit | None]
"""The unit of a line, given the number of its segment; None for a line without a segment."""


@dataclass(frozen=True)
class Languages:
    """The languages of a translation, for formats that say them in the file; None: not known."""

    source: str | None = None
    target: str | None = None


@dataclass(frozen=True, kw_only=True)
class Format:
    """One format of documents: either `unit` or `document` says how it is read."""

    name: str
    """As in `format=` and on the command line."""
    suffixes: tuple[str, ...] = ()
    """The endings of its files' names, in small letters."""
    contents: re.Pattern[bytes] | None = None
    """Found in the first bytes of a file whose suffix tells nothing."""
    unit: LineUnit | None = None
    """Where a line is a segment: what makes a unit of it. Such a format may also be a stream."""
    document: Callable[[Path, Languages], Document] | None = None
    """Where a segment is anything else: opens a file."""
    said: Callable[[Path], Languages] | None = None
    """Reads the languages that a file itself names, for a format that has a place for them."""
    has_states: bool = False
    """Whether it says of a translation that somebody should look at it, or need not."""
    keeps_source: bool = False
    """Whether the sources are still there once it is written: it may replace its own input."""

    def __post_init__(self) -> None:
        if (self.unit is None) == (self.document is None):
            raise ValueError(f'the format "{self.name}" needs either unit= or document=')

    def languages(self, path: Path) -> Languages:
        """The languages that a file of this format names itself."""
        return Languages() if self.said is None else self.said(path)

    def open(self, path: Path, languages: Languages) -> Document:
        """The document in a file of this format."""
        if self.unit is not None:
            return by_line(path, self.name, self.unit)
        assert self.document is not None
        return self.document(path, languages)
