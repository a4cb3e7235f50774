"""What goes into the store and comes out: plain values that no database stands behind."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypeAlias

from gridbeam.glossary.entries import Entry

Json: TypeAlias = dict[str, Any]
"""An object of JSON, kept as it is."""
SegmentStatus: TypeAlias = Literal["new", "machine", "edited", "confirmed"]
STATUSES: tuple[SegmentStatus, ...] = ("new", "machine", "edited", "confirmed")
"""How far a segment is."""


@dataclass(frozen=True)
class Snapshot:
    """What an act leaves of a segment, and what undo brings back: all of it but its source."""

    target: Json | None = None
    """The translation as it is shown, `{"text": ..., "codes": [...]}`; none in a new segment."""
    state: Json | None = None
    """The state of its editing: locks, forbidden words, confidence."""
    status: SegmentStatus = "new"
    review: bool = False
    """Whether it needs review."""
    findings: tuple[Json, ...] = ()
    """What the checks found, each with its `rule`."""


@dataclass(frozen=True)
class NewSegment:
    """A segment of a project to be."""

    name: str
    source: Json
    """The source as it is shown, `{"text": ..., "codes": [...]}`."""
    content: Snapshot = Snapshot()
    details: Json = field(default_factory=dict)
    """What else its file says of it: limits, its line, and so on."""


@dataclass(frozen=True)
class NewProject:
    """A project to be."""

    name: str
    source: str
    """The language of its source: en."""
    target: str
    format: str = "text"
    file: str = ""
    """The name of the file that it was made of."""
    glossary: str | None = None
    """The id of its glossary."""


@dataclass(frozen=True)
class Counts:
    """How many segments of a project there are of each status."""

    new: int = 0
    machine: int = 0
    edited: int = 0
    confirmed: int = 0
    review: int = 0
    """Those that need review, whatever their status."""

    @property
    def total(self) -> int:
        """All segments."""
        return self.new + self.machine + self.edited + self.confirmed


@dataclass(frozen=True)
class ProjectRow:
    """A project, and how far it is."""

    id: int
    name: str
    source: str
    target: str
    format: str
    file: str
    glossary: str | None
    created: datetime
    touched: datetime
    """When it or one of its segments was last changed."""
    counts: Counts


@dataclass(frozen=True)
class SegmentRow:
    """A segment as it is now."""

    id: int
    project: int
    number: int
    """Its place in the project, from 0."""
    name: str
    source: Json
    details: Json
    target: Json | None
    state: Json | None
    status: SegmentStatus
    review: bool
    findings: tuple[Json, ...]
    version: int
    """How many acts there were: an act says on which it was made."""
    can_undo: bool
    can_redo: bool
    touched: datetime

    @property
    def content(self) -> Snapshot:
        """What an act can change."""
        return Snapshot(self.target, self.state, self.status, self.review, self.findings)


@dataclass(frozen=True)
class SegmentPage:
    """Some of the segments that were asked for, and how many there are in all."""

    total: int
    rows: tuple[SegmentRow, ...]


@dataclass(frozen=True)
class NewAct:
    """What a person did to a segment, or the machine."""

    kind: str
    """replace, lock, confirm, and so on."""
    payload: Json = field(default_factory=dict)
    """Where, which words, and whatever else it is that was asked."""
    seconds: float | None = None
    """How long the person took."""
    keystrokes: int | None = None
    client: str = ""
    """Who did it: the page's tab, or `machine`."""
    act_id: str | None = None
    """What its client calls it, so that a repeat is recognised."""


@dataclass(frozen=True)
class ActRow:
    """An act as it was logged; an undo or redo is one, too."""

    segment: int
    version: int
    """The version of the segment that it made."""
    head: int
    """The version whose content the segment had after it: its own, or the one that an undo or redo
    went to; 0 is the content before the first act."""
    parent: int
    """The same before it."""
    kind: str
    payload: Json
    after: Snapshot
    seconds: float | None
    keystrokes: int | None
    client: str
    act_id: str | None
    when: datetime


@dataclass(frozen=True)
class NewDictionary:
    """The entries of a glossary to be, for one pair of languages; an empty one stands for any."""

    source: str
    target: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class DictionaryRow:
    """The entries of a glossary for one pair of languages; an empty language stands for any."""

    source: str
    target: str
    count: int


@dataclass(frozen=True)
class GlossaryRow:
    """A glossary without its entries."""

    id: str
    """A UUID."""
    name: str
    origin: str
    """Whose it is: `own`, or the face that made it, `deepl`."""
    dictionaries: tuple[DictionaryRow, ...]
    created: datetime
    touched: datetime
    version: int
    """It grows with each change, so that what was made of the entries can be kept until then."""

    @property
    def count(self) -> int:
        """How many entries it has."""
        return sum(dictionary.count for dictionary in self.dictionaries)


@dataclass(frozen=True)
class EntryRow:
    """An entry of a glossary, and its number there."""

    id: int
    glossary: str
    source: str
    target: str
    entry: Entry


@dataclass(frozen=True)
class KeyRow:
    """What is known of an API key; the key itself is not."""

    id: str
    name: str
    created: datetime
    used: datetime | None
    """When it was last used, to the minute."""
    revoked: datetime | None


@dataclass(frozen=True)
class MatchRow:
    """A confirmed segment whose source is like another's."""

    segment: int
    project: int
    source: Json
    target: Json
    percent: int
    """How like: 100 only if the same to the letter."""
    touched: datetime
