"""How the experiments search where nobody says otherwise. Loads no torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gridbeam.decoding.options import SearchOptions
from gridbeam.errors import Given, UserError
from gridbeam.support.flags import flag
from gridbeam.terminology.options import AS_IN_PAPER as PAPERS_TERMS
from gridbeam.terminology.options import TERMS, TermOptions
from gridbeam.translation.defaults import TRANSLATION

EXPERIMENTS = TRANSLATION.but(beam=10, share="rows")
"""The paper's beam in every row, with the lengths that constraints need."""
AS_IN_PAPER = EXPERIMENTS.but(
    length_penalty=1.0,
    length_reward=0.0,
    max_ratio=1.5,
    coverage="placed",
    ended="in_beam",
    stop="exact",
)
"""The search of the paper, with what its text leaves open as the authors' scripts have it: a text
is at most half as long again as its source, and nothing is given up before that."""
DICTIONARY = TRANSLATION
"""As a translator has them: what it costs its users to have every term said."""


def is_as_in_paper(options: Mapping[str, Any]) -> bool:
    """Whether options of a search by name are those of the paper, but for the beam."""
    paper = AS_IN_PAPER.as_values()
    return all(options.get(name) == paper[name] for name in paper if name != "beam")


def as_in_paper(search: SearchOptions) -> SearchOptions:
    """The search of the paper; what it leaves open stays as asked for.

    Raises where something else was asked for.
    """
    own = AS_IN_PAPER.unlike(EXPERIMENTS)
    _refuse_another(search.unlike(EXPERIMENTS), own)
    return search.but(**{name: getattr(AS_IN_PAPER, name) for name in own})


def extracted_as_in_paper(terms: TermOptions) -> TermOptions:
    """The terms of the paper; what it leaves open stays as asked for. Raises likewise."""
    own = PAPERS_TERMS.unlike(TERMS)
    _refuse_another(terms.unlike(TERMS), own)
    return replace(terms, **own)


def _refuse_another(asked: Mapping[str, Any], own: Mapping[str, Any]) -> None:
    for name in asked.keys() & own.keys():
        if asked[name] != own[name]:
            raise UserError(
                Given(name, asked[name]),
                f": the paper has {own[name]}; leave out this or {flag('as_in_paper')}",
            )
