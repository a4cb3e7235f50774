"""A quest: one source and what is asked of its text, checked and compiled before any search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gridbeam.constraints.automaton import Automaton, check_tokens, compile_constraints
from gridbeam.constraints.encode import Encode, spell
from gridbeam.constraints.feasibility import require_satisfiable, within
from gridbeam.constraints.terms import Constraint, Constraints, as_constraints
from gridbeam.decoding.options import SearchOptions
from gridbeam.errors import Given, Option, UserError
from gridbeam.models import Model, ends_of


@dataclass(frozen=True)
class Quest:
    """A source and what is asked of its text, ready to be searched."""

    source: Any
    terms: tuple[Constraint, ...]
    """The constraints over token ids."""
    automaton: Automaton
    options: SearchOptions


def quest_of(
    source: Any,
    given: Constraints,
    encode: Encode | None,
    options: SearchOptions,
    model: Model[Any],
) -> Quest:
    """A source with its constraints over token ids, and their automaton.

    Raises where the model lacks a token, or where the constraints cannot be met.
    """
    shown = as_constraints(given)
    ends = ends_of(model)
    terms = (
        shown
        if encode is None
        else tuple(spell(term, encode, ends, model.vocab_size) for term in shown)
    )
    check_tokens(terms, model.vocab_size, ends)
    bounded = within(terms, options.room)
    automaton = compile_constraints(bounded, options.coverage, ends)
    if options.max_ratio is not None:
        options = _within_ratio(options, source, automaton)
    require_satisfiable(
        automaton,
        bounded,
        vocab_size=model.vocab_size,
        ends=ends,
        room=options.room,
        shown=shown,
    )
    return Quest(source, terms, automaton, options)


def _within_ratio(options: SearchOptions, source: Any, automaton: Automaton) -> SearchOptions:
    """The options with the length that `max_ratio` gives to the text of this source."""
    if isinstance(source, str | Mapping) or not hasattr(source, "__len__"):
        raise UserError(
            Given("max_ratio", options.max_ratio),
            f": a {type(source).__name__} has no tokens to count; give ",
            Option("max_length"),
            " instead",
        )
    needed = automaton.owed(automaton.start) + options.room.end_costs
    longest = options.capped(options.longest, len(source), needed)
    return options.but(max_length=longest, max_ratio=None)


def options_of_all(quests: Sequence[Quest]) -> SearchOptions:
    """The options of a batch: each quest takes of what is found as much as it asks for."""
    options = quests[0].options
    if any(quest.options.in_company != options.in_company for quest in quests):
        raise ValueError("searches of different options cannot be made together")
    return options.but(
        max_length=max(quest.options.longest for quest in quests),
        n_best=max(quest.options.n_best for quest in quests),
    )
