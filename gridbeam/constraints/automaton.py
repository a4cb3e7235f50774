"""All constraints of one text as one automaton: progress, wanted tokens, tokens owed.

Progress is a vector, one state for each machine, never a joint state: C unordered phrases would
make 2^C of those. First come the guards of what must be avoided, then a machine for each required
constraint, or for the n copies of one listed n times.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, TypeAlias

from gridbeam.constraints.drawing import in_line
from gridbeam.constraints.machine import (
    DEAD,
    NEVER,
    Machine,
    Token,
    guarding,
    placing,
    watching,
)
from gridbeam.constraints.roles import Role
from gridbeam.constraints.spelled import Spellings
from gridbeam.constraints.terms import AnyOf, Constraint, InOrder, Pattern, Phrase
from gridbeam.constraints.walk import phrases, sought
from gridbeam.errors import UserError

Coverage: TypeAlias = Literal["placed", "contains"]
Progress: TypeAlias = tuple[int, ...]
NOT_PLACED = -1
"""In place of a number of `Automaton.required`: the token was placed for none."""


@dataclass(frozen=True)
class Step:
    """A token that carries a constraint on, and the progress after it.

    `placed_for` says which of `Automaton.required` the token was placed for.
    """

    token: Token
    progress: Progress
    placed_for: int
    is_inside: bool = False
    """Whether it continues a phrase that has begun."""


@dataclass(frozen=True)
class Automaton:
    """What a hypothesis has covered, token by token."""

    guards: tuple[Machine, ...]
    required: tuple[Machine, ...]
    copies: tuple[tuple[int, ...], ...]
    """For each required machine, the places of its constraints in the user's list."""
    coverage: Coverage

    @cached_property
    def machines(self) -> tuple[Machine, ...]:
        """Those of which a progress holds the states, in this order."""
        return (*self.guards, *self.required)

    @property
    def start(self) -> Progress:
        """Nothing covered yet."""
        return tuple(machine.start for machine in self.machines)

    def wanted(self, progress: Progress) -> Iterator[Step]:
        """The tokens that start or continue a constraint, in the order of the constraints."""
        for number, machine in enumerate(self.required, len(self.guards)):
            state = progress[number]
            for token, to in machine.wanted[state]:
                after = self._read(
                    progress, token, placed=None if machine.watches else (number, to)
                )
                if after is not None:
                    yield Step(token, after, number - len(self.guards), machine.inside[state])

    def accept(self, progress: Progress, token: Token) -> Progress | None:
        """The progress after a generated token; None where it is not allowed."""
        return self._read(progress, token, placed=None)

    def is_open(self, progress: Progress) -> bool:
        """Whether the hypothesis may generate; a closed one must continue its constraint."""
        states = zip(self.machines, progress, strict=True)
        return all(any(to != DEAD for to in machine.default[state]) for machine, state in states)

    def owed(self, progress: Progress) -> int:
        """So many tokens surely satisfy what is left; 0: may end.

        One broken match can be mended at a time, so of the matches under way only the longest
        counts as covered; but those that only wait for a word to end are confirmed together. What
        must be last is broken by all that comes after it: while other things are owed, it is owed
        in full.
        """
        under_way, pending, if_broken, last, last_if_broken = 0, 0, 0, 0, 0
        for machine, state in zip(self.machines, progress, strict=True):
            if machine.is_last:
                last += machine.needs[state]
                last_if_broken += machine.needs_if_broken[state]
                continue
            covered = machine.needs_if_broken[state] - machine.needs[state]
            if_broken += machine.needs_if_broken[state]
            pending += covered if machine.pending[state] else 0
            under_way = max(under_way, covered)
        others = if_broken - max(under_way, pending)
        return others + (last_if_broken if others else last)

    def detour(self, progress: Progress) -> int:
        """How far a longer alternative that is under way is from paying for itself.

        0 where none is.

        Till then it owes what a hypothesis owes that has not begun, and would lose against it: so
        the two do not compete.
        """
        return max(
            (machine.detour[state] for machine, state in zip(self.machines, progress, strict=True)),
            default=0,
        )

    def may_end(self, progress: Progress, ends: Collection[Token]) -> bool:
        """Whether nothing is owed, and no end token completes what must be avoided."""
        return self.owed(progress) == 0 and any(
            self.accept(progress, end) is not None for end in ends
        )

    def needs(self, progress: Progress) -> int:
        """Fewer tokens than this can never satisfy what is left."""
        owed = self.owed(progress)
        if self.pays_singly or owed >= NEVER:
            return owed
        return max(
            (machine.needs[state] for machine, state in zip(self.machines, progress, strict=True)),
            default=0,
        )

    @cached_property
    def most_owed(self) -> int:
        """No progress owes more."""
        return sum(_most(machine) for machine in self.machines)

    @cached_property
    def longest_detour(self) -> int:
        """No progress is further from paying for itself."""
        return max((max(machine.detour) for machine in self.machines), default=0)

    @cached_property
    def pays_singly(self) -> bool:
        """Whether a token pays at most one debt: every token is placed and none fills a gap."""
        return self.coverage == "placed" and not any(machine.has_gaps for machine in self.machines)

    @cached_property
    def beginning(self) -> tuple[Token, ...]:
        """The tokens that every text must begin with, as far as there is no choice."""
        progress, found = self.start, list[Token]()
        if any(machine.filters for machine in self.machines):
            return ()
        while not self.is_open(progress):
            steps = [*self.wanted(progress)]
            if len({step.token for step in steps}) != 1:
                break
            found.append(steps[0].token)
            progress = steps[0].progress
        return tuple(found)

    def with_filters(self, progress: Progress, prefix: tuple[int, ...]) -> Progress:
        """The progress with the `when=` filters switched on that hold after this prefix."""
        return tuple(
            m.with_filters(s, prefix) if m.filters else s
            for m, s in zip(self.machines, progress, strict=True)
        )

    def _read(
        self, progress: Progress, token: Token, placed: tuple[int, int] | None
    ) -> Progress | None:
        after = list(progress)
        for number, (machine, state) in enumerate(zip(self.machines, progress, strict=True)):
            if placed is not None and placed[0] == number:
                after[number] = placed[1]
            else:
                after[number] = (
                    machine.read(state, token) if machine.watches else machine.pass_by(state, token)
                )
            if after[number] == DEAD:
                return None
        return tuple(after)


def compile_constraints(
    constraints: Sequence[Constraint], coverage: Coverage, ends: Collection[Token] = ()
) -> Automaton:
    """The automaton of one text's constraints, over token ids.

    What must come last needs to know the tokens that end a text.
    """
    forbidden = [sought(term) for term in constraints if not term.role.must_occur]
    required: dict[Constraint, list[int]] = {}
    for i, term in enumerate(constraints):
        if term.role.must_occur:
            required.setdefault(term, []).append(i)
    machines = (
        _machine(term, len(places), coverage, _ends_for(term.role, ends))
        for term, places in required.items()
    )
    return Automaton(
        guards=_guards(tuple(dict.fromkeys(forbidden))),
        required=tuple(machines),
        copies=tuple(map(tuple, required.values())),
        coverage=coverage,
    )


def _ends_for(role: Role, ends: Collection[Token]) -> frozenset[Token] | None:
    """The end tokens, for those who need to know them."""
    match role:
        case Role.LAST:
            return frozenset(ends)
        case Role.REQUIRED | Role.FORBIDDEN | Role.FIRST:
            return None


def _most(machine: Machine) -> int:
    """No state needs more tokens after an interruption, but for those that survive none."""
    return max((needs for needs in machine.needs_if_broken if needs < NEVER), default=0)


@lru_cache(maxsize=64)
def _guards(patterns: tuple[Pattern, ...]) -> tuple[Machine, ...]:
    """One machine for all phrases to avoid, and one for each pattern with an order.

    Joined into one, patterns with an order would multiply their states. What is sought beyond
    tokens without text is joined apart: who skips tokens sees other neighbours.
    """
    contiguous: dict[frozenset[int], list[Pattern]] = {}
    ordered = []
    apart = (each for pattern in patterns for each in _alternatives(pattern))
    for pattern in dict.fromkeys(apart):
        if _has_order(pattern):
            ordered.append(pattern)
        else:
            contiguous.setdefault(_skipped(pattern), []).append(pattern)
    return tuple(
        guarding(pattern)
        for pattern in [*(AnyOf(*joined) for joined in contiguous.values()), *ordered]
    )


def _alternatives(pattern: Pattern) -> Iterator[Pattern]:
    """What must be avoided, one by one, for the sake of a pattern."""
    if isinstance(pattern, AnyOf) and _has_order(pattern):
        for alternative in pattern.alternatives:
            yield from _alternatives(alternative)
    else:
        yield pattern


def _skipped(pattern: Pattern) -> frozenset[int]:
    return frozenset().union(
        *(phrase.skipped for phrase in phrases(pattern) if isinstance(phrase, Spellings))
    )


def _has_order(pattern: Pattern) -> bool:
    return isinstance(pattern, InOrder) or (
        isinstance(pattern, AnyOf) and any(map(_has_order, pattern.alternatives))
    )


@lru_cache(maxsize=2048)  # a batch of many sentences has some hundreds
def _machine(
    term: Constraint, count: int, coverage: Coverage, ends: frozenset[Token] | None
) -> Machine:
    """The machine of a constraint listed `count` times: so many occurrences, one after another."""
    make: Callable[..., Machine] = placing if coverage == "placed" else watching
    match term.role:
        case Role.REQUIRED:
            return make(sought(term) if count == 1 else InOrder(*[sought(term)] * count))
        case Role.FIRST:
            return make(sought(term), anchored=True)
        case Role.LAST:
            if not ends:
                raise ValueError(f"{in_line(term)}: which tokens end a text? Pass ends=")
            return make(sought(term), last_before=ends)
        case Role.FORBIDDEN:
            return guarding(sought(term))


def check_tokens(
    constraints: Sequence[Constraint], vocab_size: int, ends: Collection[Token]
) -> None:
    """Refuses token ids that the model does not know, and the end token inside a phrase."""
    for term in constraints:
        for phrase in phrases(term):
            _check_phrase(phrase, vocab_size, ends)


def _check_phrase(phrase: Phrase | Spellings, vocab_size: int, ends: Collection[Token]) -> None:
    unknown = [token for token in phrase.tokens if token >= vocab_size]
    if unknown:
        raise UserError(
            f"{phrase}: token id {unknown[0]} is unknown to the model, whose ids go from 0 to"
            f" {vocab_size - 1}. Encode the phrase with the tokenizer of this model."
        )
    ending = [token for token in phrase.tokens if token in ends]
    if ending:
        raise UserError(
            f"{phrase}: {ending[0]} is the end token, and nothing can follow it. "
            "Encode the phrase without special tokens (add_special_tokens=False)."
        )
