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

from gridbeam.automaton import NOT_PLACED, Automaton, Coverage, Progress, Step, compile_constraints
from gridbeam.constraints import AnyOf, Avoid, Constraint, Gap, InOrder, Phrase, Prefix, in_line, phrases, rebuilt
from gridbeam.errors import Unsatisfiable
from gridbeam.machine import Token

_MOST_VISITED = 200_000


@dataclass(frozen=True)
class Witness:
    """A text that meets all constraints: its tokens without the end token, and what each was placed for."""

    tokens: tuple[Token, ...]
    placed_for: tuple[int, ...]


@dataclass(frozen=True)
class Room:
    """How long a text may be."""

    max_length: int
    end_costs: int = 1
    """1 where the end token must fit as well."""

    @property
    def tokens(self) -> int:
        """How many tokens fit before the end."""
        return self.max_length - self.end_costs

    def too_small_for(self, tokens: int) -> str:
        """Says that so many do not fit."""
        end = " and the end token" if self.end_costs else ""
        return f"{tokens} token{'s' if tokens != 1 else ''}{end}, but max_length is {self.max_length}. Raise max_length or"


def require_satisfiable(
    constraints: Sequence[Constraint],
    coverage: Coverage,
    *,
    vocab_size: int,
    eos: Token,
    room: Room,
    shown: Sequence[Constraint] | None = None,
) -> Automaton:
    """The automaton of these constraints, once it is clear that a text within `room` can meet them.

    Constraints too entangled to decide are let through. Messages show `shown` in their place: the text that they spell.
    """
    shown = constraints if shown is None else shown
    within = [_within(term, room.tokens) for term in constraints]
    automaton = compile_constraints(within, coverage)
    if _is_surely_satisfiable(within, automaton, vocab_size, room.tokens):
        return automaton
    needed = _at_least(within, automaton)
    if needed > room.tokens:
        raise Unsatisfiable(_too_long(shown, within, coverage, room, needed))
    try:
        known = witness(automaton, fillers=range(vocab_size), eos=eos, room=room.tokens)
    except Undecided:
        return automaton
    if known is None:
        raise Unsatisfiable(_conflict(shown, within, coverage, vocab_size, eos, room))
    return automaton


def witness(automaton: Automaton, *, fillers: Sequence[Token], eos: Token, room: int) -> Witness | None:
    """A text of at most `room` tokens that meets all constraints; None where there is none.

    Tokens that no constraint asks for are taken from `fillers`, the first that makes no difference. Filters (`when=`) are
    taken to say what helps, since they may depend on everything before; `holds` asks them. Gives up after many steps with
    `Undecided`.
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
        for step in _steps(automaton, progress, fillers, eos):
            after = _most_lenient(automaton, step.progress)
            if length + 1 + automaton.needs(after) <= room and length + 1 < reached.get(after, room + 1):
                reached[after] = length + 1
                came_from[after] = (progress, step.token, step.placed_for)
                heappush(heap, (automaton.owed(after), length + 1, after))
    return None


def holds(automaton: Automaton, known: Witness) -> bool:
    """Whether the filters agree with a witness."""
    progress, prefix = automaton.start, known.tokens
    for position, (token, placed_for) in enumerate(zip(known.tokens, known.placed_for, strict=True)):
        progress = automaton.with_filters(progress, prefix[:position])
        steps = {(step.token, step.placed_for): step.progress for step in automaton.wanted(progress)}
        after = automaton.accept(progress, token) if placed_for == NOT_PLACED else steps.get((token, placed_for))
        if after is None:
            return False
        progress = after
    return automaton.owed(progress) == 0


class Undecided(Exception):
    """The constraints are too entangled to decide within a reasonable time."""


def _within(term: Constraint, room: int) -> Constraint:
    """The same term for texts of at most `room` tokens: no gap need be wider, and an upper limit that high is none."""
    return rebuilt(term, gap=lambda gap: Gap(min(gap.min, room + 1), None if (gap.max or 0) >= room else gap.max))


def _is_surely_satisfiable(constraints: Sequence[Constraint], automaton: Automaton, vocab_size: int, room: int) -> bool:
    """Nothing excludes anything, so that what is owed can be paid one constraint after another."""
    required = {token for term in constraints if not isinstance(term, Avoid) for p in phrases(term) for token in p.tokens}
    avoided = [phrase.tokens for term in constraints if isinstance(term, Avoid) for phrase in phrases(term)]
    has_filler = not avoided or len(required.union(*avoided)) + 1 < vocab_size
    is_clear = all(not required.issuperset(tokens) for tokens in avoided) and has_filler
    prefixes = sum(isinstance(term, Prefix) for term in constraints)
    return is_clear and prefixes <= 1 and automaton.owed(automaton.start) <= room


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


def _steps(automaton: Automaton, progress: Progress, fillers: Sequence[Token], eos: Token) -> Iterator[Step]:
    """One step for each token that makes a difference here, and one for all those that make none."""
    yield from automaton.wanted(progress)
    states = zip(automaton.machines, progress, strict=True)
    tokens = {token for machine, state in states if machine.watches for token in machine.looked_up(state)}
    filler = next((token for token in fillers if token not in tokens and token != eos), None)
    for token in sorted(tokens | ({filler} if filler is not None else set())):
        after = automaton.accept(progress, token)
        if after is not None:
            yield Step(token, after, NOT_PLACED)


def _most_lenient(automaton: Automaton, progress: Progress) -> Progress:
    """Every filter of a required phrase says yes, every one of an avoided phrase no."""
    guards = len(automaton.guards)
    required = zip(automaton.required, progress[guards:], strict=True)
    return (*progress[:guards], *(state + (1 << len(machine.filters)) - 1 for machine, state in required))


def _retrace(came_from: dict[Progress, tuple[Progress, Token, int]], progress: Progress) -> Witness:
    tokens, placed_for = [], []
    while progress in came_from:
        progress, token, owner = came_from[progress]
        tokens.append(token)
        placed_for.append(owner)
    return Witness(tuple(reversed(tokens)), tuple(reversed(placed_for)))


def _too_long(given: Sequence[Constraint], within: Sequence[Constraint], coverage: Coverage, room: Room, needed: int) -> str:
    """Names a constraint that alone is too long, or says that all together need more tokens than fit."""
    for shown, term in zip(given, within, strict=True):
        alone = _at_least([term], compile_constraints([term], coverage))
        if alone > room.tokens:
            return f"{in_line(shown)} needs {room.too_small_for(alone)} shorten the phrase."
    return f"the {len(given)} constraints need {room.too_small_for(needed)} drop some: {_listed(given)}"


def _conflict(
    given: Sequence[Constraint], within: Sequence[Constraint], coverage: Coverage, vocab_size: int, eos: Token, room: Room
) -> str:
    """Names the fewest constraints that cannot be met together."""

    def fits(numbers: Sequence[int], tokens: int) -> bool:
        automaton = compile_constraints([within[number] for number in numbers], coverage)
        try:
            return witness(automaton, fillers=range(vocab_size), eos=eos, room=tokens) is not None
        except Undecided:
            return True

    everyone = range(len(given))
    sizes = [size for size, most in ((1, 200), (2, 40), (3, 12)) if len(given) <= most]
    groups = (group for size in sizes for group in combinations(everyone, size))
    culprits = next((group for group in groups if not fits(group, room.tokens)), tuple(everyone))
    listed = _listed([given[number] for number in culprits])
    if fits(culprits, 4 * room.tokens + 100):
        return f"these do not fit together in max_length {room.max_length}. Raise it or drop one: {listed}"
    return f"these contradict each other, at any length. Drop one: {listed}"


def _listed(terms: Sequence[Constraint], most: int = 8) -> str:
    shown = "; ".join(in_line(term) for term in terms[:most])
    return shown if len(terms) <= most else f"{shown}; and {len(terms) - most} more"
