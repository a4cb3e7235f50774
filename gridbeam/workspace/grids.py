"""The last search of each segment, with its grid, for as long as the process runs."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field

from gridbeam.translation.request import Sentence

_KEPT = 64
"""How many segments have theirs remembered: a grid may take megabytes."""


@dataclass
class RememberedGrids:
    """The sentences that were searched last for some segments."""

    _found: OrderedDict[int, tuple[Sentence, ...]] = field(default_factory=OrderedDict)
    _turn: threading.Lock = field(default_factory=threading.Lock)

    def of(self, segment: int) -> tuple[Sentence, ...]:
        """What was searched last for a segment; nothing where that is forgotten."""
        with self._turn:
            return self._found.get(segment, ())

    def remember(self, segment: int, found: tuple[Sentence, ...]) -> None:
        """Takes down what was searched for a segment, if anything was."""
        if not found:
            return
        with self._turn:
            self._found[segment] = found
            self._found.move_to_end(segment)
            while len(self._found) > _KEPT:
                self._found.popitem(last=False)
