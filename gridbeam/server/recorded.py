"""A recorded grid as the page draws it: its columns, and the way that won."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gridbeam.draw.recorded import VERBS, GridPlace, Recorded
from gridbeam.translation.request import Sentence


def sentence_grid(sentence: Sentence, word: Callable[[int], str]) -> dict[str, Any]:
    """The grid of a sentence; `path` has the number of the winner in each column."""
    recorded = Recorded(sentence.hypothesis, word)
    columns: list[dict[str, Any]] = [
        {"column": number, "hypotheses": []} for number in range(len(recorded.trace.columns))
    ]
    for place in recorded.places():
        columns[place[0]]["hypotheses"].append(_hypothesis(recorded, place))
    return {
        "source": sentence.source,
        "text": sentence.text,
        "score": sentence.hypothesis.score,
        "columns": columns,
        "path": [number for _, number in recorded.path],
    }


def _hypothesis(recorded: Recorded, place: GridPlace) -> dict[str, Any]:
    traced = recorded.at(place)
    return {
        "id": f"{place[0]}.{place[1]}",
        "parent": None if traced.parent is None else f"{place[0] - 1}.{traced.parent}",
        "token": recorded.shown(place),
        "text": recorded.adds[traced.token],
        "row": traced.row,
        "covered": recorded.covered(place),
        "origin": VERBS[traced.origin],
        "score": traced.score,
        "log_prob": traced.log_prob,
        "is_open": traced.is_open,
        "is_ended": traced.is_ended,
    }
