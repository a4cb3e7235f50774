"""How to search: one value, `SearchOptions`, which goes unchanged from every way in to the loop.

The name, type, default, check and help of each option stand here and nowhere else. The keywords of
the Python functions, the flags of the command line, the headers of journals and logs and the tables
of docs/search.md are derived from it, so that a new option is everywhere once it is here. Loads no
torch: the command line makes its flags of it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from numbers import Real
from operator import index
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, Unpack, get_args

from gridbeam.constraints.automaton import Coverage
from gridbeam.constraints.feasibility import Room
from gridbeam.decoding.scoring import Ended, NeverRises, Score, Stop, final_score, sum_of_log_probs
from gridbeam.errors import Given, Option, UserError
from gridbeam.support.flags import flag

if TYPE_CHECKING:
    from gridbeam.decoding.share import Strategy

Share: TypeAlias = Literal["rows", "settled", "budget", "bounded", "dynamic"]
"""How the places of a column are shared out: the names of `STRATEGIES` in share.py."""
CutOff: TypeAlias = Callable[[Any, Any], Any]
"""A user's own condition: which texts stop where they stand. Given two tensors, the number of the
source of each text and the tokens of each, it returns a tensor of booleans."""
Check: TypeAlias = Callable[[str, Any], Any]
"""From the name of an option and its value to the value that is kept, or a `UserError`."""

LONGEST = 100
"""The most tokens of a text where `max_length` is None and there is no source to go by."""
_STEEPEST = 20
"""The largest length penalty, either way: steeper ones overflow."""


def at_least_one(name: str, value: Any) -> int:
    """A whole number from 1 on, or an error that says which option is none."""
    try:
        number = index(value)
    except TypeError:
        raise UserError(Given(name, value), ": must be a whole number") from None
    if number < 1:
        raise UserError(Given(name, value), ": must be at least 1")
    return number


def _at_least_one_or_none(name: str, value: Any) -> int | None:
    try:
        return None if value is None else at_least_one(name, value)
    except UserError as error:
        raise UserError(*error.pieces, ", or left out") from None


def _one_of(choices: Any) -> Check:
    """One of the words of a `Literal`."""
    words = get_args(choices)

    def check(name: str, value: Any) -> Any:
        if value not in words:
            raise UserError(Given(name, value), f": must be {' or '.join(map(json.dumps, words))}")
        return value

    return check


def _penalty(name: str, value: Any) -> float:
    if not isinstance(value, Real) or not abs(float(value)) <= _STEEPEST:
        must = f": must be a number from -{_STEEPEST} to {_STEEPEST}"
        raise UserError(Given(name, value), must)
    return float(value)


def _reward(name: str, value: Any) -> float:
    if not isinstance(value, Real) or not math.isfinite(value):
        raise UserError(Given(name, value), ": must be a number, such as 0.2")
    return float(value)


def _ratio_or_none(name: str, value: Any) -> float | None:
    if value is None:
        return None
    if not isinstance(value, Real) or not 0 < float(value) < math.inf:
        raise UserError(Given(name, value), ": must be a number above 0, such as 1.5, or left out")
    return float(value)


def _yes_or_no(name: str, value: Any) -> bool:
    if value not in (True, False):
        raise UserError(Given(name, value), ": must be True or False")
    return bool(value)


def _score(name: str, value: Any) -> Any:
    if not callable(value):
        remedy = "leave it out for the sum of log-probabilities"
        raise UserError(Given(name, value), f" is not a function of extensions: {remedy}")
    return value


def _cut_off(name: str, value: Any) -> Any:
    if value is not None and not callable(value):
        raise UserError(Given(name, value), " is not a function of sentences and tokens")
    return value


def _about(check: Check, help: str, *, is_flag: bool = True) -> dict[str, Any]:
    """What is to be known of an option; `is_flag` says whether the command line has it."""
    return {"check": check, "help": help, "is_flag": is_flag}


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """How to search; docs/search.md says more of each. The defaults are those of `gridbeam.search`.

    >>> SearchOptions(beam=5).but(stop="likely", max_length=40).beam
    5
    """

    beam: int = field(
        default=10, metadata=_about(at_least_one, "Hypotheses kept in each row of the grid.")
    )
    budget: int | None = field(
        default=None,
        metadata=_about(
            _at_least_one_or_none, "Instead: hypotheses kept in a whole column, over all its rows."
        ),
    )
    share: Share = field(
        default="rows",
        metadata=_about(
            _one_of(Share),
            "rows: a beam in each row; settled: two places within phrases; bounded: fewer places"
            " where rows are many; budget: places of a column, dealt out evenly; dynamic: in"
            " banks.",
        ),
    )
    max_length: int | None = field(
        default=None,
        metadata=_about(
            _at_least_one_or_none,
            "The most tokens of a sentence, its end token included; by default by its source.",
        ),
    )
    max_ratio: float | None = field(
        default=None,
        metadata=_about(
            _ratio_or_none,
            "At most so many tokens for each of the source, as 1.5, or what constraints take.",
        ),
    )
    n_best: int = field(
        default=1,
        metadata=_about(
            at_least_one, "How many results, best first; no more than the beam, or the budget."
        ),
    )
    coverage: Coverage = field(
        default="contains",
        metadata=_about(
            _one_of(Coverage),
            "contains: a phrase counts wherever it is said; placed: only where it was placed.",
        ),
    )
    ended: Ended = field(
        default="set_aside",
        metadata=_about(
            _one_of(Ended),
            "in_beam: a text that has ended takes a place of its beam; set_aside: it does not.",
        ),
    )
    length_penalty: float = field(
        default=1.0,
        metadata=_about(_penalty, "Scores are divided by length to this power: 1 in the paper."),
    )
    length_reward: float = field(
        default=0.0,
        metadata=_about(_reward, "What a score gets for each token: nothing in the paper."),
    )
    score: Score = field(
        default=sum_of_log_probs,
        metadata=_about(_score, "A function of your own in place of the sum.", is_flag=False),
    )
    force_end: bool = field(
        default=True,
        metadata=_about(
            _yes_or_no, "Whether a text must end, or may be cut off where no more tokens fit."
        ),
    )
    stop: Stop = field(
        default="exact",
        metadata=_about(
            _one_of(Stop),
            "exact: once nothing can beat what is finished; likely: once nothing is likely to;"
            " first: once enough is finished.",
        ),
    )
    cut_off: CutOff | None = field(
        default=None,
        metadata=_about(
            _cut_off, "A function of your own that says which texts stop.", is_flag=False
        ),
    )
    trace: bool = field(
        default=False,
        metadata=_about(_yes_or_no, "Whether the grid is recorded, to be drawn.", is_flag=False),
    )

    def __post_init__(self) -> None:
        for name, value in _checked(vars(self)).items():
            object.__setattr__(self, name, value)

    def but(self, **changes: Unpack[SearchKeywords]) -> SearchOptions:
        """The same with these options instead."""
        for name in changes:
            if name not in NAMES:
                close = get_close_matches(name, NAMES, 1)
                meant = f" Did you mean {close[0]}?" if close else ""
                raise TypeError(f"unknown option {name}: there are {', '.join(NAMES)}.{meant}")
        return replace(self, **changes)

    def as_values(self) -> dict[str, Any]:
        """All options by name, as values that JSON knows: what tells two settings apart.

        A function is told from others by its name; where others may have the same, by its line too.
        """
        return {name: _as_value(getattr(self, name)) for name in NAMES}

    def unlike(self, usual: SearchOptions) -> dict[str, Any]:
        """The options that are not as usual, as such values."""
        own, others = self.as_values(), usual.as_values()
        return {name: value for name, value in own.items() if value != others[name]}

    def final(self, score: Any, length: int) -> Any:
        """The score of a finished text, by which it is compared with longer and shorter ones."""
        return final_score(score, length, penalty=self.length_penalty, reward=self.length_reward)

    def most(self, score: Any, length: int, reward: Any, divisor: Any) -> Any:
        """An upper bound on the final score of any text that goes on from this length.

        It holds if scores never rise: the text keeps the score it has, collects every reward there
        may be, and ends where its length suits it best: next, or last, where it gets this reward
        and is divided by this (`at_last`).
        """
        next_ = length + 1
        kept = score + reward.clamp(min=self.length_reward * next_)
        return (kept / next_**self.length_penalty).maximum(kept / divisor)

    def at_last(self, longest: Sequence[int]) -> tuple[list[float], list[float]]:
        """The rewards of texts of the most tokens, and what their scores are divided by."""
        rewards = [self.length_reward * last for last in longest]
        return rewards, [float(last**self.length_penalty) for last in longest]

    def capped(self, longest: int, source: int, needed: int) -> int:
        """How many tokens `max_ratio` leaves of `longest`, for a source of so many.

        It never leaves too few for what is needed.

        >>> SearchOptions(max_ratio=1.5).capped(50, source=7, needed=4)
        11
        """
        if self.max_ratio is None:
            return longest
        return min(longest, max(math.ceil(self.max_ratio * source), needed))

    @property
    def in_company(self) -> SearchOptions:
        """What searches must have in common to be made together.

        Each has its own `max_length`, and its own `n_best` where that changes no search.
        """
        return self.but(max_length=None, n_best=self.n_best if self.stop == "exact" else 1)

    @property
    def longest(self) -> int:
        """The most tokens that a text may have."""
        return LONGEST if self.max_length is None else self.max_length

    @property
    def widest(self) -> int:
        """How many places there are to share out, and so the most hypotheses of a row."""
        return self.beam if self.budget is None else self.budget

    @property
    def strategy(self) -> Strategy:
        """How they are shared out."""
        from gridbeam.decoding.share import STRATEGIES  # needs torch, which options do not

        return STRATEGIES[self.share]

    @property
    def finished(self) -> int:
        """How many finished hypotheses are kept in mind."""
        return self.n_best if self.stop == "exact" else max(self.n_best, self.widest)

    @property
    def room(self) -> Room:
        """How long a text may be."""
        return Room(self.longest, int(self.force_end))


class SearchKeywords(TypedDict, total=False):
    """The options of a search as keywords of a function, any of them: names and types as above."""

    beam: int
    budget: int | None
    share: Share
    max_length: int | None
    max_ratio: float | None
    n_best: int
    coverage: Coverage
    ended: Ended
    length_penalty: float
    length_reward: float
    score: Score
    force_end: bool
    stop: Stop
    cut_off: CutOff | None
    trace: bool


NAMES = tuple(each.name for each in fields(SearchOptions))
FLAGS = {each.name: flag(each.name) for each in fields(SearchOptions) if each.metadata["is_flag"]}
"""The options that the command line has: all but functions, and the record that `explain` makes."""


def _checked(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of all options as they are kept, or an error that names the wrong one."""
    found = {}
    for each in fields(SearchOptions):
        found[each.name] = each.metadata["check"](each.name, values[each.name])
    width = "beam" if found["budget"] is None else "budget"
    if found["n_best"] > found[width]:
        raise UserError(
            Given("n_best", found["n_best"]),
            f": a {width} of {found[width]} holds no more. Raise ",
            Option(width),
            ", or ask for fewer.",
        )
    if found["share"] in ("rows", "settled", "bounded") and found["budget"] is not None:
        found["share"] = "budget"
    return found


def _as_value(value: Any) -> Any:
    if not callable(value):
        return value
    if isinstance(value, NeverRises):
        return f"never_rises({_as_value(value.score)})"
    name = getattr(value, "__qualname__", None)
    if name is None:
        return repr(value)
    is_unique = "<" not in name  # as it is in <lambda> and in the names of inner functions
    line = "" if is_unique else f", line {value.__code__.co_firstlineno}"
    return f"{value.__module__}.{name}{line}"


SEARCH = SearchOptions()
"""The defaults of `gridbeam.search`: the paper's, but for ended hypotheses, which are set aside."""
