"""A recorded grid as JSON: columns of hypotheses, and the path of the best."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pydantic import BaseModel, Field

from gridbeam.decoding.hypothesis import Hypothesis
from gridbeam.draw.recorded import VERBS, GridPlace, Recorded


class GridHypothesis(BaseModel):
    """A hypothesis as it stood in its column."""

    id: str = Field(description="Its column and its number there, from 0: 3.0.")
    parent: str | None = Field(description="The id of that which it extends.")
    token: str
    row: int = Field(description="How many tokens it owes; the best texts owe none.")
    covered: int = Field(description="How many constraint tokens it covers.")
    origin: str = Field(description="generate, start or continue: the verbs of Algorithm 1.")
    log_prob: float
    score: float
    is_open: bool
    is_ended: bool


class GridAnswer(BaseModel):
    """A grid, and its best text."""

    source: str
    text: str
    score: float
    columns: list[list[GridHypothesis]]
    path: list[str] = Field(description="The ids that lead to the best text.")


def grid_answer(
    source: str, text: str, found: Hypothesis, word: Callable[[int], str]
) -> GridAnswer:
    """The grid of a search, as far as its best text goes."""
    recorded = Recorded(found, word)
    columns: list[list[GridHypothesis]] = [[] for _ in recorded.trace.columns]
    for place, hypothesis in _hypotheses(recorded):
        columns[place[0]].append(hypothesis)
    path = [_name(place) for place in recorded.path]
    return GridAnswer(source=source, text=text, score=found.score, columns=columns, path=path)


def _hypotheses(recorded: Recorded) -> Iterator[tuple[GridPlace, GridHypothesis]]:
    for place in recorded.places():
        traced, parent = recorded.at(place), recorded.parent(place)
        yield (
            place,
            GridHypothesis(
                id=_name(place),
                parent=None if parent is None else _name(parent),
                token=recorded.shown(place),
                row=traced.row,
                covered=recorded.covered(place),
                origin=VERBS[traced.origin],
                log_prob=traced.log_prob,
                score=traced.score,
                is_open=traced.is_open,
                is_ended=traced.is_ended,
            ),
        )


def _name(place: GridPlace) -> str:
    return f"{place[0]}.{place[1]}"
