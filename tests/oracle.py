"""The judge of last resort: every string there is, and constraints written out by brute force.

Shares nothing with the package but the terms themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, product
from typing import Any

from gridbeam.constraints.spelled import Arc, Spellings
from gridbeam.constraints.terms import (
    AnyOf,
    AtMost,
    Avoid,
    Constraint,
    Gap,
    InOrder,
    Pattern,
    Phrase,
    Prefix,
    Suffix,
)

Positions = tuple[int, ...]


def every_string(vocab_size: int, eos: int, max_length: int) -> Iterator[tuple[int, ...]]:
    """All strings of at most `max_length` tokens that end with the end token and hold no other."""
    others = [token for token in range(vocab_size) if token != eos]
    for length in range(max_length):
        for body in product(others, repeat=length):
            yield (*body, eos)


def best_strings(
    model: Callable[[tuple[int, ...]], Sequence[float]],
    constraints: Sequence[Constraint],
    *,
    vocab_size: int,
    eos: int,
    max_length: int,
    coverage: str,
    length_penalty: float,
    length_reward: float = 0.0,
) -> list[tuple[float, tuple[int, ...]]]:
    """Every string that meets the constraints, with its score, best first."""
    found = []
    for string in every_string(vocab_size, eos, max_length):
        if is_met(constraints, string, coverage, eos):
            total = sum(model(string[:i])[token] for i, token in enumerate(string))
            found.append(
                ((total + length_reward * len(string)) / len(string) ** length_penalty, string)
            )
    return sorted(found, reverse=True)


def is_met(
    constraints: Sequence[Constraint], string: tuple[int, ...], coverage: str, eos: int = 1
) -> bool:
    """Whether a string meets all constraints in this meaning of "covered"."""
    choices = []
    constraints = [placeable(term) if coverage == "placed" else term for term in constraints]
    for term in dict.fromkeys(constraints):
        if isinstance(term, Avoid):
            if any(True for _ in occurrences(term.pattern, string)):
                return False
            continue
        if isinstance(term, AtMost):
            if any(True for _ in repeated(term.pattern, term.n + 1, string)):
                return False
            continue
        if isinstance(term, Prefix):
            choices.append([p for p in occurrences(term.pattern, string) if p[0] == 0])
        elif isinstance(term, Suffix):
            last = len(string) - 1 - (string[-1:] == (eos,))
            choices.append([p for p in occurrences(term.pattern, string) if p[-1] == last])
        else:
            choices.append(list(repeated(term, list(constraints).count(term), string)))
    if coverage == "contains":
        return all(choices)
    return any(len(set(sum(picked, ()))) == len(sum(picked, ())) for picked in product(*choices))


def placeable(term: Constraint | Gap) -> Any:
    """The term without the spellings that are only recognised, which nobody places."""

    def offered(arcs: tuple[Arc, ...]) -> tuple[Arc, ...]:
        return tuple(arc for arc in arcs if arc.is_offered)

    match term:
        case Spellings():
            return replace(
                term,
                leading=offered(term.leading),
                arcs=tuple(map(offered, term.arcs)),
                skipped=frozenset(),
            )
        case AnyOf(parts) | InOrder(parts):
            return type(term)(*map(placeable, parts))
        case Prefix(pattern) | Suffix(pattern):
            return type(term)(placeable(pattern))
        case _:
            return term


def repeated(pattern: Pattern, times: int, string: tuple[int, ...]) -> Iterator[Positions]:
    """Positions of `times` occurrences, each wholly after the one before."""
    for picked in product(list(occurrences(pattern, string)), repeat=times):
        if all(a[-1] < b[0] for a, b in pairwise(picked)):
            yield sum(picked, ())


def occurrences(pattern: Pattern, string: tuple[int, ...]) -> Iterator[Positions]:
    """The token positions of every occurrence of a pattern."""
    match pattern:
        case Phrase(content, when):
            for start in range(len(string) - len(content) + 1):
                if string[start : start + len(content)] == content and (
                    when is None or when(string[:start])
                ):
                    yield tuple(range(start, start + len(content)))
        case Spellings(when=when):
            for start in range(len(string)):
                if when is None or when(string[:start]):
                    yield from spelled(pattern, string, start)
        case AnyOf(alternatives):
            for alternative in alternatives:
                yield from occurrences(alternative, string)
        case InOrder(parts):
            patterns = [part for part in parts if not isinstance(part, Gap)]
            gaps = [
                _gap_before(parts, i) for i, part in enumerate(parts) if not isinstance(part, Gap)
            ][1:]
            for picked in product(*(list(occurrences(part, string)) for part in patterns)):
                between = [b[0] - a[-1] - 1 for a, b in pairwise(picked)]
                if all(
                    low <= n and (high is None or n <= high)
                    for n, (low, high) in zip(between, gaps, strict=True)
                ):
                    yield sum(picked, ())


def _gap_before(parts: Sequence[Pattern | Gap], index: int) -> tuple[int, int | None]:
    before = parts[index - 1] if index else None
    return (before.min, before.max) if isinstance(before, Gap) else (0, None)


def spelled(pattern: Spellings, string: tuple[int, ...], start: int) -> Iterator[Positions]:
    """Every path through the graph of a spelled text that the string follows from `start` on."""
    audible = [token for token in string[:start] if token not in pattern.skipped]
    may_begin = pattern.before is None or (
        audible[-1] in pattern.before if audible else pattern.may_open
    )
    may_begin = may_begin or (start == 1 and string[0] == pattern.opening)
    paths = [(start, arc) for arc in (*pattern.leading, *(pattern.arcs[0] if may_begin else ()))]
    while paths:
        at, arc = paths.pop()
        if at < len(string) and at > start and string[at] in pattern.skipped:
            paths.append((at + 1, arc))
        if at == len(string) or string[at] != arc.token:
            continue
        after = [token for token in string[at + 1 :] if token not in pattern.skipped]
        is_confirmed = not after or pattern.after is None or after[0] in pattern.after
        if arc.to > pattern.end or (arc.to == pattern.end and is_confirmed):
            yield tuple(range(start, at + 1))
        elif arc.to < pattern.end:
            paths += [(at + 1, onward) for onward in pattern.arcs[arc.to]]
