"""What a client hears while its search goes on: drafts of the text, and columns of the grid."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from gridbeam.decoding.hypothesis import Traced
from gridbeam.draw.recorded import VERBS
from gridbeam.draw.words import visible
from gridbeam.translation.drafts import Draft


@dataclass(frozen=True)
class GridColumn:
    """A column of a grid that is still being searched."""

    sentence: int
    """Which of the sentences that are searched at the moment; 0 where there is one."""
    column: int
    """Its number, from 0; a search that begins with 0 again is a new one."""
    hypotheses: tuple[Traced, ...]
    owed_at_start: int
    word: Callable[[int], str]

    def as_json(self) -> dict[str, Any]:
        """The column as values of JSON; ids are column and number, as in a drawn grid."""
        hypotheses = [self._as_json(number, each) for number, each in enumerate(self.hypotheses)]
        return {"sentence": self.sentence, "column": self.column, "hypotheses": hypotheses}

    def _as_json(self, number: int, hypothesis: Traced) -> dict[str, Any]:
        parent = hypothesis.parent
        return {
            "id": f"{self.column}.{number}",
            "parent": None if parent is None else f"{self.column - 1}.{parent}",
            "token": visible(self.word(hypothesis.token)),
            "row": hypothesis.row,
            "covered": self.owed_at_start - hypothesis.row,
            "origin": VERBS[hypothesis.origin],
            "log_prob": hypothesis.log_prob,
            "score": hypothesis.score,
            "is_open": hypothesis.is_open,
            "is_ended": hypothesis.is_ended,
        }


News: TypeAlias = Draft | GridColumn
