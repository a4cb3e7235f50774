"""The phrases of a term, and the same term with others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gridbeam.constraints.roles import Role
from gridbeam.constraints.spelled import Spellings
from gridbeam.constraints.terms import (
    AnyOf,
    Constraint,
    Gap,
    InOrder,
    Pattern,
    Phrase,
)


def rebuilt(
    term: Constraint,
    *,
    phrase: Callable[[Phrase], Pattern] = lambda p: p,
    gap: Callable[[Gap], Gap] = lambda g: g,
) -> Constraint:
    """The same term with other phrases and gaps in it."""

    def pattern(part: Pattern) -> Pattern:
        match part:
            case Phrase():
                return phrase(part)
            case Spellings():
                return part
            case AnyOf(alternatives):
                return AnyOf(*map(pattern, alternatives))
            case InOrder(parts):
                return InOrder(*(gap(p) if isinstance(p, Gap) else pattern(p) for p in parts))

    if term.role is Role.REQUIRED:
        return pattern(term)
    return replace(term, pattern=pattern(term.pattern))


def sought(term: Constraint) -> Pattern:
    """The pattern that is looked for in a text for the sake of a constraint."""
    return term if term.role is Role.REQUIRED else term.sought


def phrases(term: Constraint | Gap) -> list[Phrase | Spellings]:
    """Every phrase in a term, from left to right."""
    match term:
        case Phrase() | Spellings():
            return [term]
        case Gap():
            return []
        case AnyOf(parts) | InOrder(parts):
            return [phrase for part in parts for phrase in phrases(part)]
        case _:
            return phrases(term.pattern)
