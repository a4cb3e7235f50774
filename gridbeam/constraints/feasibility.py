"""Can these constraints be met within the limit? Decided before decoding, without a model.

Mostly arithmetic settles it: what is owed fits, or it does not. Where phrases may overlap, exclude
each other, or must keep a distance, `witness` looks for a shortest text that meets them all, by a
search over progress alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from heapq import heappop, heappush
from itertools import combinations
from operator import and_

from gridbeam.constraints.automaton import (
    NOT_PLACED,
    Automaton,
    Coverage,
    Progress,
    Step,
    compile_constraints,
)
from gridbeam.constraints.drawing import in_line
from gridbeam.constraints.machine import NEVER, Token
from gridbeam.constraints.spelled import Spellings
from gridbeam.constraints.terms import AnyOf, Avoid, Constraint, Gap, InOrder, Phrase, Prefix
from gridbeam.constraints.walk import phrases, rebuilt
from gridbeam.errors import Limit, Piece, Unsatisfiable

_MOST_VISITED = 200_000


@dataclass(frozen=True)
class Witness:
    """A text that meets all constraints: its tokens, and what each was placed for.

    The end token is not among them.
    """

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

    @property
    def limit(self) -> Limit:
        """How long a text may be, for messages."""
        return Limit("max_length", self.max_length)

    def too_small_for(self, tokens: int) -> tuple[Piece, ...]:
        """Says that so many do not fit."""
        end = " and the end token" if self.end_costs else ""
        return f"{tokens} token{'s' if tokens != 1 else ''}{end}, but ", self.limit


def require_satisfiable(
    constraints: Sequence[Constraint],
    coverage: Coverage,
    *,
    vocab_size: int,
    ends: Collection[Token],
    room: Room,
    shown: Sequence[Constraint] | None = None,
) -> Automaton:
    """The automaton of these constraints, once it is clear that a text within `room` can meet them.

    Constraints too entangled to decide are let through. Messages show `shown` in their place: the
    text that they spell.
    """
    shown = constraints if shown is None else shown
    within = [_within(term, room.tokens) for term in constraints]
    automaton = compile_constraints(within, coverage)
    for machine, (first, *_) in zip(automaton.required, automaton.copies, strict=True):
        if machine.needs[machine.start] == NEVER:
            raise Unsatisfiable(
                f"{in_line(shown[first])} can never occur: its parts cannot stand side by side as"
                " whole words"
            )
    if _is_surely_satisfiable(within, automaton, vocab_size, room.tokens):
        return automaton
    needed = _at_least(within, automaton)
    if needed > room.tokens:
        raise Unsatisfiable(*_too_long(shown, within, coverage, room, needed))
    try:
        known = witness(automaton, fillers=range(vocab_size), ends=ends, room=room.tokens)
    except Undecided:
        return automaton
    if known is None:
        raise Unsatisfiable(*_conflict(shown, within, coverage, vocab_size, ends, room))
    return automaton


def witness(
    automaton: Automaton, *, fillers: Sequence[Token], ends: Collection[Token], room: int
) -> Witness | None:
    """A text of at most `room` tokens that meets all constraints; None where there is none.

    Tokens that no constraint asks for are taken from `fillers`, the first that makes no difference.
    Filters (`when=`) are taken to say what helps, since they may depend on everything before;
    `holds` asks them. Gives up after many steps with `Undecided`.
    """
    start = _most_lenient(automaton, automaton.start)
    groups = _by_kind(automaton, fillers)
    reached: dict[Progress, int] = {start: 0}
    came_from: dict[Progress, tuple[Progress, Token, int]] = {}
    heap = [(automaton.owed(start), 0, start)]
    visited = 0
    while heap:
        _, length, progress = heappop(heap)
        if automaton.may_end(progress, ends):
            return _retrace(came_from, progress)
        if length > reached[progress]:
            continue
        visited += len(progress)
        if visited > _MOST_VISITED:
            raise Undecided
        for step in _steps(automaton, progress, groups, ends):
            after = _most_lenient(automaton, step.progress)
            if length + 1 + automaton.needs(after) <= room and length + 1 < reached.get(
                after, room + 1
            ):
                reached[after] = length + 1
                came_from[after] = (progress, step.token, step.placed_for)
                heappush(heap, (automaton.owed(after), length + 1, after))
    return None


def holds(automaton: Automaton, known: Witness, ends: Collection[Token]) -> bool:
    """Whether the filters agree with a witness."""
    progress, prefix = automaton.start, known.tokens
    for position, (token, placed_for) in enumerate(
        zip(known.tokens, known.placed_for, strict=True)
    ):
        progress = automaton.with_filters(progress, prefix[:position])
        steps = {
            (step.token, step.placed_for): step.progress for step in automaton.wanted(progress)
        }
        after = (
            automaton.accept(progress, token)
            if placed_for == NOT_PLACED
            else steps.get((token, placed_for))
        )
        if after is None:
            return False
        progress = after
    return automaton.may_end(progress, ends)


class Undecided(Exception):
    """The constraints are too entangled to decide within a reasonable time."""


def _within(term: Constraint, room: int) -> Constraint:
    """The same term for texts of at most `room` tokens.

    No gap need be wider than that, and an upper limit that high is none.
    """
    return rebuilt(
        term,
        gap=lambda gap: Gap(min(gap.min, room + 1), None if (gap.max or 0) >= room else gap.max),
    )


def _is_surely_satisfiable(
    constraints: Sequence[Constraint], automaton: Automaton, vocab_size: int, room: int
) -> bool:
    """Nothing excludes anything, so that what is owed can be paid one constraint after another."""
    wanted = [
        phrase for term in constraints if not isinstance(term, Avoid) for phrase in phrases(term)
    ]
    required = {
        token for p in wanted for token in (p.offered if isinstance(p, Spellings) else p.tokens)
    }
    avoided = [
        phrase for term in constraints if isinstance(term, Avoid) for phrase in phrases(term)
    ]
    has_filler = (
        not avoided or len(required.union(*(phrase.tokens for phrase in avoided))) + 1 < vocab_size
    )
    is_clear = has_filler and not any(_can_be_written(phrase, required) for phrase in avoided)
    prefixes = sum(isinstance(term, Prefix) for term in constraints)
    between = _tokens_between(wanted, avoided)
    return (
        is_clear
        and prefixes <= 1
        and between is not None
        and automaton.owed(automaton.start) + between <= room
    )


def _can_be_written(phrase: Phrase | Spellings, tokens: set[Token]) -> bool:
    """Whether these tokens are enough to write a phrase, whatever stands beside it."""
    if isinstance(phrase, Phrase):
        return tokens.issuperset(phrase.tokens)
    reached = {arc.to for arc in phrase.leading if arc.token in tokens} | {0}
    for node, arcs in enumerate(phrase.arcs):
        if node in reached:
            reached |= {arc.to for arc in arcs if arc.token in tokens}
    return max(reached) >= phrase.end


def _tokens_between(
    wanted: Sequence[Phrase | Spellings], avoided: Sequence[Phrase | Spellings]
) -> int | None:
    """How many tokens put between phrases make each stand where it may.

    None: no token is known to do so.
    """
    spelled = [phrase for phrase in wanted if isinstance(phrase, Spellings)]
    classes = {
        tokens
        for phrase in spelled
        for tokens in (phrase.before, phrase.after)
        if tokens is not None
    }
    if not classes:
        return 0
    fits_everywhere = frozenset.intersection(*classes).difference(
        *(phrase.tokens for phrase in avoided)
    )
    return len(wanted) if fits_everywhere else None


def _at_least(constraints: Sequence[Constraint], automaton: Automaton) -> int:
    """No text with fewer tokens meets the constraints.

    Each token that they hold must occur as often as one of them holds it; one listed n times, n
    times as often. Of spelled texts that cannot overlap, each needs tokens of its own.
    """
    times = Counter(constraints)
    together: Counter[Token] = Counter()
    for term, count in times.items():
        copies = 1 if isinstance(term, Prefix) else count
        together |= Counter({token: n * copies for token, n in _tokens_of(term).items()})
    return max(together.total(), automaton.needs(automaton.start), _apart(constraints, automaton))


def _apart(constraints: Sequence[Constraint], automaton: Automaton) -> int:
    """What spelled texts need that cannot share a token."""
    groups: list[tuple[int, list[Spellings]]] = []
    for machine, (first, *_) in zip(automaton.required, automaton.copies, strict=True):
        needs, texts = (
            machine.needs[machine.start],
            [p for p in phrases(constraints[first]) if isinstance(p, Spellings)],
        )
        if machine.has_gaps or len(texts) < len(phrases(constraints[first])):
            continue
        sharing = [g for g in groups if any(_may_share(a, b) for a in texts for b in g[1])]
        groups = [group for group in groups if group not in sharing]
        groups.append(
            (
                max([needs, *(n for n, _ in sharing)]),
                [*texts, *(text for _, others in sharing for text in others)],
            )
        )
    return sum(needs for needs, _ in groups)


def _may_share(a: Spellings, b: Spellings) -> bool:
    """Whether a token may belong to both texts.

    Either the texts overlap, or the token holds the end of one and the beginning of the other.
    """
    first, second = a.text.casefold(), b.text.casefold()
    overlaps = (
        first in second
        or second in first
        or any(
            one.endswith(other[:size])
            for one, other in ((first, second), (second, first))
            for size in range(1, len(other))
        )
    )
    return overlaps or bool(_beyond(a) & _leading(b)) or bool(_beyond(b) & _leading(a))


def _beyond(spellings: Spellings) -> set[Token]:
    return {
        arc.token
        for arcs in (spellings.leading, *spellings.arcs)
        for arc in arcs
        if arc.to > spellings.end
    }


def _leading(spellings: Spellings) -> set[Token]:
    return {arc.token for arc in spellings.leading}


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
        case Spellings() | Avoid() | Gap():
            return Counter()


def _steps(
    automaton: Automaton,
    progress: Progress,
    fillers: Sequence[Sequence[Token]],
    ends: Collection[Token],
) -> Iterator[Step]:
    """A step for each token that makes a difference here, and one for all others together."""
    yield from automaton.wanted(progress)
    states = zip(automaton.machines, progress, strict=True)
    tokens = {
        token for machine, state in states if machine.watches for token in machine.looked_up(state)
    }
    chosen = (
        next((token for token in group if token not in tokens and token not in ends), None)
        for group in fillers
    )
    for token in sorted(
        tokens.difference(ends) | {filler for filler in chosen if filler is not None}
    ):
        after = automaton.accept(progress, token)
        if after is not None:
            yield Step(token, after, NOT_PLACED)


def _by_kind(automaton: Automaton, tokens: Sequence[Token]) -> list[Sequence[Token]]:
    """The tokens in groups that no default tells apart."""
    classes = list(
        dict.fromkeys(tokens for machine in automaton.machines for tokens in machine.classes)
    )
    if not classes:
        return [tokens]
    groups: dict[tuple[bool, ...], list[Token]] = {}
    for token in tokens:
        groups.setdefault(tuple(token in members for members in classes), []).append(token)
    return list(groups.values())


def _most_lenient(automaton: Automaton, progress: Progress) -> Progress:
    """Every filter of a required phrase says yes, every one of an avoided phrase no."""
    guards = len(automaton.guards)
    required = zip(automaton.required, progress[guards:], strict=True)
    return (
        *progress[:guards],
        *(state + (1 << len(machine.filters)) - 1 for machine, state in required),
    )


def _retrace(came_from: dict[Progress, tuple[Progress, Token, int]], progress: Progress) -> Witness:
    tokens, placed_for = [], []
    while progress in came_from:
        progress, token, owner = came_from[progress]
        tokens.append(token)
        placed_for.append(owner)
    return Witness(tuple(reversed(tokens)), tuple(reversed(placed_for)))


def _too_long(
    given: Sequence[Constraint],
    within: Sequence[Constraint],
    coverage: Coverage,
    room: Room,
    needed: int,
) -> tuple[Piece, ...]:
    """Names a constraint that is too long by itself, or says that together they do not fit."""
    for shown, term in zip(given, within, strict=True):
        alone = _at_least([term], compile_constraints([term], coverage))
        if alone > room.tokens:
            return f"{in_line(shown)} needs ", *room.too_small_for(alone), " shorten the phrase."
    listed = _listed(given)
    return (
        f"the {len(given)} constraints need ",
        *room.too_small_for(needed),
        f" drop some: {listed}",
    )


def _conflict(
    given: Sequence[Constraint],
    within: Sequence[Constraint],
    coverage: Coverage,
    vocab_size: int,
    ends: Collection[Token],
    room: Room,
) -> tuple[Piece, ...]:
    """Names the fewest constraints that cannot be met together."""

    def fits(numbers: Sequence[int], tokens: int) -> bool:
        automaton = compile_constraints([within[number] for number in numbers], coverage)
        try:
            return witness(automaton, fillers=range(vocab_size), ends=ends, room=tokens) is not None
        except Undecided:
            return True

    everyone = range(len(given))
    sizes = [size for size, most in ((1, 200), (2, 40), (3, 12)) if len(given) <= most]
    groups = (group for size in sizes for group in combinations(everyone, size))
    culprits = next((group for group in groups if not fits(group, room.tokens)), tuple(everyone))
    listed = _listed([given[number] for number in culprits])
    if fits(culprits, 4 * room.tokens + 100):
        return "these do not fit together: ", room.limit, f" drop one: {listed}"
    return (f"these contradict each other, at any length. Drop one: {listed}",)


def _listed(terms: Sequence[Constraint], most: int = 8) -> str:
    shown = "; ".join(in_line(term) for term in terms[:most])
    return shown if len(terms) <= most else f"{shown}; and {len(terms) - most} more"
