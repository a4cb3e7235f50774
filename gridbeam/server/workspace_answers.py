"""What our own API answers about projects and segments, as types. All positions are code points."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from gridbeam.server.answers import ErrorAnswer
from gridbeam.server.findings import FindingAnswer


class CodeAnswer(BaseModel):
    """A placeholder, a tag or the syntax of a message."""

    start: int
    end: int
    raw: str


class CodedText(BaseModel):
    """A text as its file writes it, and which of its characters are codes."""

    text: str
    codes: list[CodeAnswer]


class CountsAnswer(BaseModel):
    """How many segments there are of each status."""

    new: int
    machine: int
    edited: int
    confirmed: int
    review: int = Field(description="Those that need review, whatever their status.")
    total: int


class ProjectAnswer(BaseModel):
    """A project, and how far it is."""

    id: int
    name: str
    source: str
    target: str
    format: str
    file: str = Field(description="The name of the file that it was made of.")
    glossary: str | None = Field(description="The id of its glossary.")
    created: str
    touched: str
    counts: CountsAnswer


class WordAnswer(BaseModel):
    """A word of a translation."""

    start: int
    end: int
    confidence: float | None = Field(
        description="How probable the model finds it; null for what a person has typed or locked."
    )


class LockAnswer(BaseModel):
    """A stretch that stays."""

    start: int
    end: int
    typed: bool = Field(description="Whether a person has typed it.")


class TermInSegmentAnswer(BaseModel):
    """A term of the glossary in the source."""

    start: int
    end: int
    source: str
    target: str = Field(description="What the translation must say, or one of several.")
    state: Literal["met", "missing", "forbidden"]


class LimitAnswer(BaseModel):
    """How long the translation may be, and how long it is."""

    most: int
    unit: str
    length: int | None


class SegmentAnswer(BaseModel):
    """A segment with all that is shown of it."""

    id: int
    project: int
    number: int = Field(description="Its place in the project, from 1.")
    name: str
    source: CodedText
    target: CodedText | None
    status: Literal["new", "machine", "edited", "confirmed"]
    review: bool
    locked: bool = Field(description="Whether the file says that it must stay as it is.")
    version: int
    findings: list[FindingAnswer]
    words: list[WordAnswer]
    locks: list[LockAnswer]
    forbidden: list[str]
    terms: list[TermInSegmentAnswer]
    limits: list[LimitAnswer]
    quality: float | None = Field(description="The chance that it is usable, from 0 to 1.")
    undo: bool
    redo: bool


class NewerAnswer(ErrorAnswer):
    """The segment has another version than the one that was acted on."""

    segment: SegmentAnswer


NEWER: dict[str, Any] = {"model": NewerAnswer, "description": "Somebody else was faster."}


class PassageAnswer(BaseModel):
    """Words in a row that are kept, new, gone or moved."""

    kind: Literal["kept", "new", "gone", "moved"]
    text: str
    start: int = Field(description="In the text after; for what is gone, in the text before.")
    end: int


class MatchAnswer(BaseModel):
    """A confirmed segment whose source is like this one's."""

    segment: int
    source: str
    target: str
    percent: int
    difference: list[PassageAnswer]


class SegmentWithMatches(SegmentAnswer):
    """A segment, and the confirmed ones that are like it."""

    matches: list[MatchAnswer]


class SegmentPageAnswer(BaseModel):
    """Some of the segments that were asked for, and how many there are in all."""

    total: int
    segments: list[SegmentAnswer]


class ChangeAnswer(BaseModel):
    """What an act came to."""

    segment: SegmentAnswer
    before: CodedText
    difference: list[PassageAnswer]
    seconds: float


class WordingAnswer(BaseModel):
    """Another wording of a stretch."""

    text: str
    score: float


class WordingsAnswer(BaseModel):
    """Other wordings of a stretch of a translation."""

    where: tuple[int, int]
    alternatives: list[WordingAnswer]


class StudyAnswer(BaseModel):
    """What people did in a project, and what it has cost them."""

    project: int
    name: str
    languages: list[str]
    total: dict[str, Any]
    segments: list[dict[str, Any]]
    acts: list[dict[str, Any]]
