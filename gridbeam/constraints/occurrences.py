"""Where a pattern occurs in a sequence of tokens, found by plain matching, with no automaton.

The search reports its spans with it, and `check` judges any sequence by it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gridbeam.constraints.encode import Encode, Speller, spell
from gridbeam.constraints.roles import Role
from gridbeam.constraints.spelled import Spellings
from gridbeam.constraints.terms import (
    AnyOf,
    Constraint,
    Constraints,
    InOrder,
    Pattern,
    Phrase,
    as_constraints,
)
from gridbeam.constraints.walk import sought
from gridbeam.errors import UserError

Span: TypeAlias = tuple[int, int]
"""The first token of a stretch, and the one after its last."""
Spans: TypeAlias = tuple[Span, ...]
"""Where one constraint occurs: a stretch for each of its phrases."""


@dataclass(frozen=True)
class Verdict:
    """Whether a sequence meets a constraint, and where; where an `Avoid` is broken, if it is."""

    constraint: Constraint
    is_met: bool
    spans: Spans


def check(
    constraints: Constraints,
    tokens: Sequence[int],
    *,
    encode: Encode | None = None,
    ends: Collection[int] = (),
) -> list[Verdict]:
    """For each constraint, whether `tokens` meets it, and where.

    A phrase counts wherever it occurs, whoever wrote it; one listed n times must occur n times.
    `ends` are the tokens that end a text, where they are others than the tokenizer's own.

    >>> from gridbeam import Avoid
    >>> [verdict.is_met for verdict in check([Phrase([1, 2]), Avoid([9])], [7, 1, 1, 2])]
    [True, True]
    """
    terms = as_constraints(constraints)
    spelled = terms if encode is None else tuple(spell(term, encode, ends) for term in terms)
    if isinstance(tokens, str):
        raise UserError("check works on token ids: encode the text first")
    ids = tuple(tokens)
    ids = ids[:-1] if ids and ids[-1] in _ends(ends, encode) else ids
    verdicts = []
    found_until: dict[Constraint, int] = {}
    for given, term in zip(terms, spelled, strict=True):
        spans = locate(term, ids, start=found_until.get(term, 0))
        if term.role.counts_copies:
            found_until[term] = spans[-1][1] if spans else len(ids)
        is_met = (spans is not None) == term.role.must_occur
        verdicts.append(Verdict(given, is_met, spans or ()))
    return verdicts


def _ends(given: Collection[int], encode: Encode | None) -> Collection[int]:
    """The tokens that end a text: those given, or the tokenizer's own."""
    return given or (encode.ends if isinstance(encode, Speller) else ())


def locate(
    term: Constraint,
    tokens: tuple[int, ...],
    *,
    start: int = 0,
    usable: Collection[int] | None = None,
) -> Spans | None:
    """The occurrence that ends first among those that begin at `start` or later.

    None where there is none. What must be last ends with the last of the tokens, which are those
    of a text without its end token.

    With `usable`, only tokens at these positions may stand for tokens of a phrase.
    """
    match term.role:
        case Role.REQUIRED | Role.FORBIDDEN:
            return _first_to_end(sought(term), tokens, start, usable)
        case Role.FIRST:
            return _first(_endings(sought(term), tokens, 0, usable))
        case Role.LAST:
            return _last(sought(term), tokens, usable)


def _first_to_end(
    pattern: Pattern, tokens: tuple[int, ...], start: int, usable: Collection[int] | None
) -> Spans | None:
    best: Spans | None = None
    for position in range(start, len(tokens)):
        if best is not None and position >= best[-1][1]:
            break
        found = _first(_endings(pattern, tokens, position, usable))
        if found is not None and (best is None or found[-1][1] < best[-1][1]):
            best = found
    return best


def _last(
    pattern: Pattern, tokens: tuple[int, ...], usable: Collection[int] | None
) -> Spans | None:
    """The shortest occurrence that ends with the last token."""
    for start in reversed(range(len(tokens))):
        found = _endings(pattern, tokens, start, usable).get(len(tokens))
        if found is not None:
            return found
    return None


def occurrences(term: Constraint, tokens: tuple[int, ...]) -> Iterator[Spans]:
    """Where a term occurs, from left to right.

    Of occurrences that begin with the same token the one that ends first.
    """
    found = locate(term, tokens)
    while found is not None:
        yield found
        found = locate(term, tokens, start=found[0][0] + 1)


def _first(endings: dict[int, Spans]) -> Spans | None:
    return endings[min(endings)] if endings else None


def _endings(
    pattern: Pattern, tokens: tuple[int, ...], at: int, usable: Collection[int] | None
) -> dict[int, Spans]:
    """For every place where an occurrence that begins at `at` may end, its spans."""
    match pattern:
        case Phrase(_, when):
            end = at + len(pattern.tokens)
            occurs = (
                tokens[at:end] == pattern.tokens
                and (usable is None or all(position in usable for position in range(at, end)))
                and (when is None or when(tokens[:at]))
            )
            return {end: ((at, end),)} if occurs else {}
        case Spellings():
            return _endings_spelled(pattern, tokens, at, usable)
        case AnyOf(alternatives):
            found: dict[int, Spans] = {}
            for alternative in alternatives:
                for end, spans in _endings(alternative, tokens, at, usable).items():
                    found.setdefault(end, spans)
            return found
        case InOrder():
            return _endings_in_order(pattern, tokens, at, usable)


def _endings_spelled(
    pattern: Spellings, tokens: tuple[int, ...], at: int, usable: Collection[int] | None
) -> dict[int, Spans]:
    if at == len(tokens) or (pattern.when is not None and not pattern.when(tokens[:at])):
        return {}
    skipped = pattern.skipped if usable is None else ()
    last = next((token for token in reversed(tokens[:at]) if token not in skipped), None)
    may_begin = pattern.before is None or (
        pattern.may_open if last is None else last in pattern.before
    )
    may_begin |= at == 1 and tokens[0] == pattern.opening
    arcs = (*pattern.leading, *(pattern.arcs[0] if may_begin else ()))
    found: dict[int, Spans] = {}
    for position in range(at, len(tokens)):
        if not arcs or (usable is not None and position not in usable):
            break
        if position > at and tokens[position] in skipped:
            continue
        nodes = {arc.to for arc in arcs if arc.token == tokens[position]}
        end = position + 1
        following = next((token for token in tokens[end:] if token not in skipped), None)
        is_confirmed = following is None or pattern.after is None or following in pattern.after
        if pattern.end + 1 in nodes or (pattern.end in nodes and is_confirmed):
            found[end] = ((at, end),)
        arcs = tuple(arc for node in nodes if node < pattern.end for arc in pattern.arcs[node])
    return found


def _endings_in_order(
    pattern: InOrder, tokens: tuple[int, ...], at: int, usable: Collection[int] | None
) -> dict[int, Spans]:
    (_, first), *rest = pattern.gaps_and_patterns()
    endings = _endings(first, tokens, at, usable)
    for gap, part in rest:
        begins: dict[int, Spans] = {}
        for end, spans in sorted(endings.items()):
            last = len(tokens) if gap.max is None else min(end + gap.max, len(tokens))
            for begin in range(end + gap.min, last + 1):
                begins.setdefault(begin, spans)
        endings = {}
        for begin, before in sorted(begins.items()):
            for end, spans in _endings(part, tokens, begin, usable).items():
                endings.setdefault(end, before + spans)
    return endings
