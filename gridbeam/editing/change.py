"""What an act came to: the text before and after, and the words that differ."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from gridbeam.editing.difference import Passage, difference
from gridbeam.editing.speaker import Said
from gridbeam.editing.state import EditingState


@dataclass(frozen=True)
class Change:
    """A text before an act and after it."""

    before: EditingState
    after: EditingState
    said: Said | None = field(default=None, repr=False, compare=False)
    """What was found for it; None where nothing was searched for."""

    @property
    def text(self) -> str:
        """The text after."""
        return self.after.text

    @cached_property
    def difference(self) -> tuple[Passage, ...]:
        """The words of the text after, and those that are gone."""
        return difference(self.before.text, self.after.text)

    def as_json(self) -> dict[str, Any]:
        """The same in values that JSON knows."""
        return {
            "before": self.before.as_json(),
            "after": self.after.as_json(),
            "difference": [passage.as_json() for passage in self.difference],
        }
