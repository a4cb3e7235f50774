"""A text as its person has left it: what is locked, what is forbidden, and how sure each word is.

All of it is plain values that JSON knows, so that a session can be put away and taken up again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gridbeam.constraints.notation import from_json, to_json
from gridbeam.constraints.terms import Constraint
from gridbeam.editing.stretch import Stretch


@dataclass(frozen=True, order=True)
class Lock:
    """A stretch of the text that stays, in its place among the others."""

    where: Stretch
    typed: bool = False
    """Whether the person has typed it, rather than locked what the machine had said."""


@dataclass(frozen=True)
class Word:
    """A word or a mark of the text, and how probable the model finds it there."""

    start: int
    end: int
    confidence: float | None = None
    """The geometric mean of the probabilities of its tokens, from 0 to 1; None for what a person
    has typed or locked."""


@dataclass(frozen=True)
class EditingState:
    """All that is known of a text that is being edited, except how it came about."""

    text: str
    locks: tuple[Lock, ...] = ()
    """In the order of the text; no two overlap."""
    forbidden: tuple[str, ...] = ()
    words: tuple[Word, ...] = ()
    required: tuple[Constraint, ...] = ()
    """What `PostEditing.revise` was given, which stands wherever the search puts it."""
    fixed: tuple[Stretch, ...] = ()
    """Placeholders and tags, of which no part can be changed."""
    taken_out: tuple[str, ...] = ()
    """Words that a person took out, and that are not said again until that person says them."""

    @property
    def avoided(self) -> tuple[str, ...]:
        """All that is not to be said: what is forbidden, and what was taken out."""
        return tuple(dict.fromkeys((*self.forbidden, *self.taken_out)))

    def locked_at(self, where: Stretch) -> list[Lock]:
        """The locks that have characters in common with a stretch."""
        return [lock for lock in self.locks if lock.where.overlaps(where)]

    def as_json(self) -> dict[str, Any]:
        """The same in values that JSON knows."""
        return {
            "text": self.text,
            "locks": [
                {"start": lock.where.start, "end": lock.where.end, "typed": lock.typed}
                for lock in self.locks
            ],
            "forbidden": list(self.forbidden),
            "words": [
                {"start": word.start, "end": word.end, "confidence": word.confidence}
                for word in self.words
            ],
            "required": json.loads(to_json(self.required)),
            "fixed": [each.as_json() for each in self.fixed],
            "taken_out": list(self.taken_out),
        }

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> EditingState:
        """The state that `as_json` made of one; what is left out is empty."""
        return EditingState(
            text=value["text"],
            locks=tuple(
                Lock(Stretch(each["start"], each["end"]), each["typed"])
                for each in value.get("locks", ())
            ),
            forbidden=tuple(value.get("forbidden", ())),
            words=tuple(Word(**each) for each in value.get("words", ())),
            required=from_json(json.dumps(value.get("required", []))),
            fixed=tuple(Stretch(*each) for each in value.get("fixed", ())),
            taken_out=tuple(value.get("taken_out", ())),
        )
