"""Can these constraints be met within the limit? Decided before any decoding, by search over progress alone, with no model.

Mostly arithmetic settles it: what is owed fits, or it does not. Where phrases may overlap, exclude each other, or must keep
a distance, `witness` looks for a shortest text that meets them all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from heapq import heappop, heappush
from itertools import combinations
from operator import and_

from gridbeam.automaton import Automaton, Coverage, Progress, Step, compile_constraints
from gridbeam.constraints import AnyOf, Avoid, Constraint, Gap, InOrder, Phrase, Prefix, in_line
from gridbeam.errors import Unsatisfiable
from gridbeam.machine import Token

_MOST_VISITED = 200_000
GENERATED = -1
"""In `Witness.machines`: a token that was placed for no constraint."""


@dataclass(frozen=True)
class Witness:
    """A text that meets all constraints: its tokens without the end token, and the machine that each was placed for."""

    tokens: tuple[Token, ...]
    machines: tuple[int, ...]


def require_satisfiable(
    constraints: Sequence[Constraint], coverage: Coverage, *, vocab_size: int, eos: Token, max_length: int, end_costs: int = 1
) -> Automaton:
    """The automaton of these constraints, once it is clear that a text of at most `max_length` tokens can meet them.

    `end_costs` is 1 where the end token must fit as well. Constraints too entangled to decide are let through.
    """
    automaton = compile_constraints(constraints, coverage)
    room = max_length - end_costs
    if _is_surely_satisfiable(constraints, automaton, room):
        return automaton
    if _at_least(constraints, automaton) > room:
        raise Unsatisfiable(_too_long(constraints, coverage, max_length))
    try:
        known = witness(automaton, vocab_size=vocab_size, eos=eos, room=room)
    except Undecided:
        return automaton
    if known is None:
        raise Unsatisfiable(_conflict(constraints, coverage, vocab_size, eos, max_length))
    return automaton


def witness(automaton: Automaton, *, vocab_size: int, eos: Token, room: int) -> Witness | None:
    """A text of at most `room` tokens that meets all constraints; None where there is none.

    Filters (`when=`) are taken to say what helps, since they may depend on everything before; `holds` asks them. Gives up
    after many steps with `Undecided`.
    """
    start = _most_lenient(automaton, automaton.start)
    reached: dict[Progress, int] = {start: 0}
    came_from: dict[Progress, tuple[Progress, Token, int]] = {}
    heap = [(automaton.owed(start), 0, start)]
    visited = 0
    while heap:
        _, length, progress = heappop(heap)
        if automaton.owed(progress) == 0:
            return _retrace(came_from, progress)
        if length > reached[progress]:
            continue
        visited += len(progress)
        if visited > _MOST_VISITED:
            raise Undecided
        for step in _steps(automaton, progress, vocab_size, eos):
            after = _most_lenient(automaton, step.progress)
            if length + 1 + automaton.needs(after) <= room and length + 1 < reached.get(after, room + 1):
                reached[after] = length + 1
                came_from[after] = (progress, step.token, step.machine)
                heappush(heap, (automaton.owed(after), length + 1, after))
    return None


def holds(automaton: Automaton, known: Witness) -> bool:
    """Whether the filters agree with a witness."""
    progress, prefix = automaton.start, known.tokens
    for position, (token, machine) in enumerate(zip(known.tokens, known.machines, strict=True)):
        progress = automaton.with_filters(progress, prefix[:position])
        steps = {(step.token, step.machine): step.progress for step in automaton.wanted(progress)}
        after = automaton.accept(progress, token) if machine == GENERATED else steps.get((token, machine))
        if after is None:
            return False
        progress = after
    return automaton.owed(progress) == 0


class Undecided(Exception):
    """The constraints are too entangled to decide within a reasonable time."""


def _is_surely_satisfiable(constraints: Sequence[Constraint], automaton: Automaton, room: int) -> bool:
    """Nothing excludes anything, so that what is owed can be paid one constraint after another."""
    entangled = any(isinstance(term, Avoid) for term in constraints) or sum(isinstance(t, Prefix) for t in constraints) > 1
    return not entangled and automaton.owed(automaton.start) <= room


def _at_least(constraints: Sequence[Constraint], automaton: Automaton) -> int:
    """No text with fewer tokens meets the constraints.

    Each token that they hold must occur as often as one of them holds it; one listed n times, n times as often.
    """
    times = Counter(constraints)
    together: Counter[Token] = Counter()
    for term, count in times.items():
        copies = 1 if isinstance(term, Prefix) else count
        together |= Counter({token: n * copies for token, n in _tokens_of(term).items()})
    return max(together.total(), automaton.needs(automaton.start))


def _tokens_of(term: Constraint | Gap) -> Counter[Token]:
    """The tokens that every occurrence of a term holds, and how often."""
    match term:
        case Phrase():
            return Counter(term.tokens)
        case InOrder(parts):
            return sum(map(_tokens_of, parts), Counter[Token]())
        case AnyOf(alternatives):
            return reduce(and_, map(_tokens_of, alternatives))
        case Prefix(pattern):
            return _tokens_of(pattern)
        case Avoid() | Gap():
            return Counter()


def _steps(automaton: Automaton, progress: Progress, vocab_size: int, eos: Token) -> Iterator[Step]:
    """One step for each token that makes a difference here, and one for all those that make none."""
    yield from automaton.wanted(progress)
    states = zip(automaton.machines, progress, strict=True)
    tokens = {token for machine, state in states if machine.watches for token in machine.looked_up(state)}
    filler = next((token for token in range(vocab_size) if token not in tokens and token != eos), None)
    for token in sorted(tokens | ({filler} if filler is not None else set())):
        after = automaton.accept(progress, token)
        if after is not None:
            yield Step(token, after, GENERATED)


def _most_lenient(automaton: Automaton, progress: Progress) -> Progress:
    """Every filter of a required phrase says yes, every one of an avoided phrase (the first machine) no."""
    guard, *required = zip(automaton.machines, progress, strict=True)
    return (guard[1], *(state + (1 << len(machine.filters)) - 1 for machine, state in required))


def _retrace(came_from: dict[Progress, tuple[Progress, Token, int]], progress: Progress) -> Witness:
    tokens, machines = [], []
    while progress in came_from:
        progress, token, machine = came_from[progress]
        tokens.append(token)
        machines.append(machine)
    return Witness(tuple(reversed(tokens)), tuple(reversed(machines)))


def _too_long(constraints: Sequence[Constraint], coverage: Coverage, max_length: int) -> str:
    for term in constraints:
        needed = _at_least([term], compile_constraints([term], coverage))
        if needed >= max_length:
            return (
                f"{in_line(term)} needs {_count(needed)} and the end token, but max_length is {max_length}. "
                "Raise max_length or shorten the phrase."
            )
    needed = _at_least(constraints, compile_constraints(constraints, coverage))
    return (
        f"the {len(constraints)} constraints need {_count(needed)} and the end token, "
        f"but max_length is {max_length}. Raise max_length or drop some: {_listed(constraints)}"
    )


def _conflict(constraints: Sequence[Constraint], coverage: Coverage, vocab_size: int, eos: Token, max_length: int) -> str:
    """Names the fewest constraints that cannot be met together."""

    def fits(terms: Sequence[Constraint], room: int) -> bool:
        try:
            return witness(compile_constraints(terms, coverage), vocab_size=vocab_size, eos=eos, room=room) is not None
        except Undecided:
            return True

    sizes = [size for size, most in ((1, 200), (2, 40), (3, 12)) if len(constraints) <= most]
    groups = (group for size in sizes for group in combinations(constraints, size))
    culprits = next((group for group in groups if not fits(group, max_length - 1)), tuple(constraints))
    if fits(culprits, 4 * max_length + 100):
        return f"these do not fit together in max_length {max_length}. Raise it or drop one: {_listed(culprits)}"
    return f"these contradict each other, at any length. Drop one: {_listed(culprits)}"


def _listed(terms: Sequence[Constraint], most: int = 8) -> str:
    shown = "; ".join(in_line(term) for term in terms[:most])
    return shown if len(terms) <= most else f"{shown}; and {len(terms) - most} more"


def _count(number: int) -> str:
    return f"{number} token{'s' if number != 1 else ''}"
