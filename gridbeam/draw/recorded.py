"""A recorded grid as pictures need it: where each hypothesis is, its text, the winning path."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from typing import TypeAlias

from gridbeam.decoding.hypothesis import Hypothesis, Origin, Trace, Traced
from gridbeam.draw.words import spaced, visible
from gridbeam.errors import UserError

GridPlace: TypeAlias = tuple[int, int]
"""The column of a hypothesis and its number there, both from 0."""
VERBS = {Origin.GENERATED: "generate", Origin.STARTED: "start", Origin.CONTINUED: "continue"}
NO_PATH = (
    "The text was not found on this grid but by other means (it fell back), so no path is marked."
)


def winning_path(hypothesis: Hypothesis) -> list[Traced]:
    """The recorded hypotheses that lead to this one, first token first.

    Empty where the grid had dropped it.
    """
    recorded = Recorded(hypothesis, str)
    return [recorded.at(place) for place in recorded.path]


def up_to_its_end(hypothesis: Hypothesis) -> Hypothesis:
    """The same hypothesis with its grid cut after the column in which it ended.

    The search went on from there and found nothing better.
    """
    if hypothesis.trace is None or hypothesis.fell_back:
        return hypothesis
    columns = hypothesis.trace.columns[: len(hypothesis.tokens)]
    return replace(hypothesis, trace=replace(hypothesis.trace, columns=columns))


@dataclass(frozen=True)
class Recorded:
    """A recorded grid, and the text of its tokens."""

    hypothesis: Hypothesis
    word: Callable[[int], str]

    def __post_init__(self) -> None:
        if self.hypothesis.trace is None:
            raise UserError("this hypothesis has no recorded grid: search with trace=True")

    @property
    def trace(self) -> Trace:
        """The grid itself."""
        assert self.hypothesis.trace is not None
        return self.hypothesis.trace

    def places(self) -> Iterator[GridPlace]:
        """All hypotheses, column by column, top row first."""
        return (
            (t, number)
            for t, column in enumerate(self.trace.columns)
            for number in range(len(column))
        )

    def at(self, place: GridPlace) -> Traced:
        """The hypothesis at this place."""
        return self.trace.columns[place[0]][place[1]]

    def parent(self, place: GridPlace) -> GridPlace | None:
        """The place it was extended from; None in the first column."""
        number = self.at(place).parent
        return None if number is None else (place[0] - 1, number)

    def path_to(self, place: GridPlace) -> list[GridPlace]:
        """The places that lead to this one, and it itself."""
        path = [place]
        while (parent := self.parent(path[-1])) is not None:
            path.append(parent)
        return path[::-1]

    def covered(self, place: GridPlace) -> int:
        """How many constraint tokens it covers: the row of the paper.

        A text in the middle of the longer of two alternatives may owe more than an empty one, and
        covers less than none.
        """
        return self.trace.owed_at_start - self.at(place).row

    @cached_property
    def rows(self) -> list[int]:
        """The rows by what they cover, the top one first."""
        owed = max(
            [
                self.trace.owed_at_start,
                *(hyp.row for column in self.trace.columns for hyp in column),
            ]
        )
        return [self.trace.owed_at_start - row for row in range(owed + 1)]

    @cached_property
    def beams(self) -> dict[tuple[int, int], list[GridPlace]]:
        """By column and row, the hypotheses of each beam, best first."""
        beams: dict[tuple[int, int], list[GridPlace]] = {}
        for place in self.places():
            beams.setdefault((place[0], self.covered(place)), []).append(place)
        return beams

    @cached_property
    def path(self) -> list[GridPlace]:
        """The places of the winner, first token first; empty where the grid had dropped it."""
        tokens, columns = self.hypothesis.tokens, self.trace.columns
        if not 0 < len(tokens) <= len(columns):
            return []
        for number, last in enumerate(columns[len(tokens) - 1]):
            path = self.path_to((len(tokens) - 1, number))
            if last.row == 0 and tuple(self.at(place).token for place in path) == tokens:
                return path
        return []

    @property
    def text(self) -> str:
        """The text of the winner."""
        return "".join(self.adds[token] for token in self.hypothesis.tokens).strip()

    def is_won(self, place: GridPlace) -> bool:
        """Whether it is on the path of the winner."""
        return self.path[place[0] : place[0] + 1] == [place]

    def shown(self, place: GridPlace) -> str:
        """The text of its last token, as given, on one line."""
        return visible(self.word(self.at(place).token))

    @cached_property
    def adds(self) -> dict[int, str]:
        """For each token what it adds to a text, its space included."""
        tokens = {hyp.token for column in self.trace.columns for hyp in column} | set(
            self.hypothesis.tokens
        )
        words = {token: self.word(token) for token in tokens}
        added = spaced(words.values())
        return {token: added[word] for token, word in words.items()}

    @cached_property
    def so_far(self) -> dict[GridPlace, tuple[str, float]]:
        """For each hypothesis its text and the sum of its log-probabilities."""
        found: dict[GridPlace, tuple[str, float]] = {}
        for place in self.places():
            parent, hyp = self.parent(place), self.at(place)
            text, log_prob = ("", 0.0) if parent is None else found[parent]
            found[place] = text + self.adds[hyp.token], log_prob + hyp.log_prob
        return found

    def title(self, place: GridPlace) -> str:
        """What is shown when the mouse rests on it: the text so far, and how it stands."""
        hyp, (text, log_prob) = self.at(place), self.so_far[place]
        state = ("open" if hyp.is_open else "closed") + (", ended" if hyp.is_ended else "")
        covers = f"covers {self.covered(place)} of {self.trace.owed_at_start}"
        return (
            f"{text.strip()}\n{VERBS[hyp.origin]}, {state}, {covers}, time step"
            f" {place[0] + 1}\nlog-probability {log_prob:z.2f} (last token {hyp.log_prob:z.2f}),"
            f" score {hyp.score:z.2f}"
        )

    def attributes(self, place: GridPlace, kind: str) -> str:
        """What its element is and where it comes from, for style and for the script of the page."""
        hyp, parent = self.at(place), self.parent(place)
        states = {"closed": not hyp.is_open, "ended": hyp.is_ended, "won": self.is_won(place)}
        classes = " ".join(
            [kind, VERBS[hyp.origin], *(name for name, holds in states.items() if holds)]
        )
        facts = {
            "at": _name(place),
            "from": "" if parent is None else _name(parent),
            "adds": self.adds[hyp.token],
        }
        return f'class="{classes}" ' + " ".join(
            f'data-{name}="{escape(fact)}"' for name, fact in facts.items()
        )


def _name(place: GridPlace) -> str:
    return f"{place[0]}.{place[1]}"
