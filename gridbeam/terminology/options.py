"""What is taken for a term: one value, from every way in to the counting.

The names, defaults, checks and help of all options stand here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, TypeAlias, TypedDict, Unpack, get_args

from gridbeam.errors import Given, UserError

Punctuation: TypeAlias = Literal["inside", "anywhere", "nowhere"]
"""Where an n-gram may have marks: between its words, though no end of a sentence; wherever they
stand; or not at all."""


def _at_least_one(value: Any) -> str:
    return "" if value >= 1 else "must be at least 1"


def _npmi(value: Any) -> str:
    within = -1 < value <= 1
    return "" if within else "npmi is above -1 and at most 1; the paper's is 0.9"


def _share(value: Any) -> str:
    return "" if 0 <= value <= 1 else "must be from 0 to 1"


def _place(value: Any) -> str:
    return "" if value in get_args(Punctuation) else f"must be {' or '.join(get_args(Punctuation))}"


def _any(value: Any) -> str:
    return ""


def _about(help: str, wrong: Callable[[Any], str] = _any) -> dict[str, Any]:
    """The help of an option, and a function that says what is wrong with a value."""
    return {"help": help, "wrong": wrong}


@dataclass(frozen=True, kw_only=True)
class TermOptions:
    """What is taken for a term; docs/terms.md says more of each.

    >>> TermOptions(min_words=1).but(min_share=0.8).min_share
    0.8
    """

    min_words: int = field(
        default=2,
        metadata=_about("The fewest words of a term; 1 for single words as well.", _at_least_one),
    )
    max_words: int = field(default=5, metadata=_about("The most words of a term.", _at_least_one))
    threshold: float = field(
        default=0.9, metadata=_about("The least normalised pointwise mutual information.", _npmi)
    )
    min_count: int = field(
        default=5,
        metadata=_about("The fewest segments with a term, on each side.", _at_least_one),
    )
    min_share: float = field(
        default=0.0,
        metadata=_about(
            "The least share of the segments with a source whose translation has the target.",
            _share,
        ),
    )
    punctuation: Punctuation = field(
        default="inside",
        metadata=_about("Where a term may have marks: inside, anywhere or nowhere.", _place),
    )
    fold_case: bool = field(
        default=False, metadata=_about("Take n-grams that differ in case only as one.")
    )
    fold: bool = field(
        default=True,
        metadata=_about("Leave out a pair within a longer one with the same counts."),
    )
    whole: bool = field(
        default=False, metadata=_about("Leave out stretches of longer repetitions.")
    )

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if wrong := each.metadata["wrong"](value):
                raise UserError(Given(each.name, value), f": {wrong}")
        if self.min_words > self.max_words:
            raise UserError(
                Given("min_words", self.min_words),
                " is more than ",
                Given("max_words", self.max_words),
                ": lower the one or raise the other",
            )

    def but(self, **changes: Unpack[TermKeywords]) -> TermOptions:
        """The same with these options instead."""
        return replace(self, **changes)

    def keeps(self, source_count: int, joint_count: int) -> bool:
        """Whether the source of a pair is translated so often enough."""
        return joint_count >= self.min_share * source_count

    def unlike(self, usual: TermOptions) -> dict[str, Any]:
        """The options that are not as usual."""
        return {name: value for name, value in vars(self).items() if value != getattr(usual, name)}


class TermKeywords(TypedDict, total=False):
    """The options as keywords of a function, any of them: names and types as above."""

    min_words: int
    max_words: int
    threshold: float
    min_count: int
    min_share: float
    punctuation: Punctuation
    fold_case: bool
    fold: bool
    whole: bool


TERMS = TermOptions()
"""The paper's threshold, counts and lengths, of n-grams that read as terms."""
AS_IN_PAPER = TermOptions(punctuation="anywhere", fold=False)
"""Every n-gram, as the paper has it: parts of longer ones with the same counts, and with any
marks."""
