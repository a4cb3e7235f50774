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
from gridbeam.constraints.roles import Role
from gridbeam.constraints.spelled import Spellings
from gridbeam.constraints.terms import AnyOf, Constraint, Gap, InOrder, Phrase
from gridbeam.constraints.walk import phrases, rebuilt
from gridbeam.errors import Limit, MessagePart, Unsatisfiable

_MOST_READ = 1_500_000
"""How many tokens single machines read before a case is given up as undecided: two seconds."""
_FIRST_READ = 500_000
"""How many, before constraints are tried in pairs."""
_MOST_PAIRED = 40
"""Of how many constraints all pairs are tried."""


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

    def too_small_for(self, tokens: int) -> tuple[MessagePart, ...]:
        """Says that so many do not fit."""
        end = " and the end token" if self.end_costs else ""
        return f"{tokens} token{'s' if tokens != 1 else ''}{end}, but ", self.limit


def within(constraints: Sequence[Constraint], room: Room) -> list[Constraint]:
    """The same constraints for texts that fit into `room`.

    No gap need be wider than the text, and an upper limit as high as that is none.
    """

    def gap(given: Gap) -> Gap:
        has_limit = given.max is not None and given.max < room.tokens
        return Gap(min(given.min, room.tokens + 1), given.max if has_limit else None)

    return [rebuilt(term, gap=gap) for term in constraints]


def require_satisfiable(
    automaton: Automaton,
    constraints: Sequence[Constraint],
    *,
    vocab_size: int,
    ends: Collection[Token],
    room: Room,
    shown: Sequence[Constraint] | None = None,
) -> None:
    """Refuses constraints that no text within `room` can meet; `automaton` is made of them.

    Constraints too entangled to decide are let through. Messages show `shown` in their place: the
    text that they spell.
    """
    shown = constraints if shown is None else shown
    for machine, (first, *_) in zip(automaton.required, automaton.copies, strict=True):
        if machine.needs[machine.start] == NEVER:
            raise Unsatisfiable(
                f"{in_line(shown[first])} can never occur: its parts cannot stand side by side as"
                " whole words"
            )
    if _is_surely_satisfiable(constraints, automaton, vocab_size, room.tokens):
        return
    needed = _at_least(constraints, automaton)
    if needed > room.tokens:
        raise Unsatisfiable(*_too_long(shown, constraints, automaton.coverage, ends, room, needed))
    case = _DoubtfulCase(
        automaton, constraints, shown, _by_kind(automaton, range(vocab_size)), ends, room
    )
    culprits = case.contradiction()
    if culprits:
        raise Unsatisfiable(*case.message(culprits))


@dataclass(frozen=True)
class _DoubtfulCase:
    """Constraints of which it is not clear whether a text can meet them all."""

    automaton: Automaton
    constraints: Sequence[Constraint]
    shown: Sequence[Constraint]
    fillers: Sequence[Sequence[Token]]
    """The tokens in groups that no default of the automaton tells apart."""
    ends: Collection[Token]
    room: Room

    def contradiction(self) -> list[int]:
        """The numbers of constraints that cannot be met together; none where there are none.

        What excludes others (the first, the last, what is forbidden and can be said with a
        constraint's own tokens) is tried with each constraint by itself before all are tried
        together: these are few trials, while there is a combination of progress in all constraints
        for each order to meet them in.
        """
        single = [list(copies) for copies in self.automaton.copies]
        at_edges = [n for copies in single for n in copies if not self._may_be_anywhere(n)]
        for copies in (at_edges, *single):
            numbers = [*copies, *self._guards_of(copies)]
            if self._fails(numbers):
                return self._fewest(numbers)
        everyone = list(range(len(self.constraints)))
        try:
            return self._fewest(everyone) if self._is_refuted(everyone, _FIRST_READ) else []
        except Undecided:
            pass
        pairs = list(combinations(single, 2)) if len(single) <= _MOST_PAIRED else []
        for one, other in pairs:
            numbers = [*one, *other, *self._guards_of([*one, *other])]
            if self._fails(numbers):
                return self._fewest(numbers)
        return self._fewest(everyone) if self._fails(everyone) else []

    def _guards_of(self, numbers: Sequence[int]) -> list[int]:
        """The constraints that forbid what can be said with the tokens of some others."""
        known = {
            token
            for number in numbers
            for phrase in phrases(self.constraints[number])
            for token in phrase.tokens
        }
        return [
            n
            for n, term in enumerate(self.constraints)
            if not term.role.must_occur
            and any(_can_be_written(phrase, known) for phrase in phrases(term))
        ]

    def _may_be_anywhere(self, number: int) -> bool:
        match self.constraints[number].role:
            case Role.REQUIRED | Role.FORBIDDEN:
                return True
            case Role.FIRST | Role.LAST:
                return False

    def message(self, culprits: Sequence[int]) -> tuple[MessagePart, ...]:
        """Says that these cannot be met together, and whether more room would help."""
        listed = _listed([self.shown[number] for number in culprits])
        if not self._fails(culprits, tokens=4 * self.room.tokens + 100):
            return "these do not fit together: ", self.room.limit, f" drop one: {listed}"
        return (f"these contradict each other, at any length. Drop one: {listed}",)

    def _fewest(self, numbers: Sequence[int]) -> list[int]:
        """Those of some constraints that fail together of which none could be left out.

        By halves (QuickXplain), so that one of a thousand is found with few trials.
        """

        def needed(known: list[int], is_new: bool, rest: list[int]) -> list[int]:
            if is_new and self._fails(known):
                return []
            if len(rest) == 1:
                return rest
            half = len(rest) // 2
            later = needed([*known, *rest[:half]], True, rest[half:])
            return [*needed([*known, *later], bool(later), rest[:half]), *later]

        found = sorted(needed([], False, list(numbers)))
        return found if self._fails(found) else list(numbers)

    def _fails(self, numbers: Sequence[int], tokens: int | None = None) -> bool:
        """Whether no text meets these constraints; not so where that cannot be decided."""
        try:
            return self._is_refuted(numbers, _MOST_READ, tokens)
        except Undecided:
            return False

    def _is_refuted(self, numbers: Sequence[int], most: int, tokens: int | None = None) -> bool:
        terms = [self.constraints[number] for number in numbers]
        automaton = compile_constraints(terms, self.automaton.coverage, self.ends)
        room = self.room.tokens if tokens is None else tokens
        return _shortest(automaton, self.fillers, self.ends, room, most) is None


def witness(
    automaton: Automaton, *, fillers: Sequence[Token], ends: Collection[Token], room: int
) -> Witness | None:
    """A text of at most `room` tokens that meets all constraints; None where there is none.

    Tokens that no constraint asks for are taken from `fillers`, the first that makes no difference.
    Filters (`when=`) are taken to say what helps, since they may depend on everything before;
    `holds` asks them. Gives up after many steps with `Undecided`.
    """
    return _shortest(automaton, _by_kind(automaton, fillers), ends, room, _MOST_READ)


def _shortest(
    automaton: Automaton,
    fillers: Sequence[Sequence[Token]],
    ends: Collection[Token],
    room: int,
    most_read: int,
) -> Witness | None:
    """The witness, found by going first where least is owed."""
    start = _most_lenient(automaton, automaton.start)
    reached: dict[Progress, int] = {start: 0}
    came_from: dict[Progress, tuple[Progress, Token, int]] = {}
    heap = [(automaton.owed(start), 0, start)]
    read = 0
    while heap:
        _, length, progress = heappop(heap)
        if automaton.may_end(progress, ends):
            return _retrace(came_from, progress)
        if length > reached[progress]:
            continue
        tokens = _tokens_that_differ(automaton, progress, fillers, ends)
        read += len(progress) * (1 + len(tokens))
        if read > most_read:
            raise Undecided
        for step in _steps(automaton, progress, tokens):
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


def _is_surely_satisfiable(
    constraints: Sequence[Constraint], automaton: Automaton, vocab_size: int, room: int
) -> bool:
    """Nothing excludes anything, so that what is owed can be paid one constraint after another."""
    wanted = [phrase for term in constraints if term.role.must_occur for phrase in phrases(term)]
    required = {
        token for p in wanted for token in (p.offered if isinstance(p, Spellings) else p.tokens)
    }
    avoided = [
        phrase for term in constraints if not term.role.must_occur for phrase in phrases(term)
    ]
    has_filler = (
        not avoided or len(required.union(*(phrase.tokens for phrase in avoided))) + 1 < vocab_size
    )
    is_clear = has_filler and not any(_can_be_written(phrase, required) for phrase in avoided)
    roles = Counter[Role](term.role for term in constraints)
    between = _tokens_between(wanted, avoided)
    return (
        is_clear
        and roles[Role.FIRST] <= 1
        and roles[Role.LAST] <= 1
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
        copies = count if term.role.counts_copies else 1
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
        case Spellings() | Gap():
            return Counter()
        case _:
            return _tokens_of(term.pattern) if term.role.must_occur else Counter()


def _steps(automaton: Automaton, progress: Progress, tokens: Collection[Token]) -> Iterator[Step]:
    """The steps that constraints wait for, and those with tokens that are placed for none."""
    yield from automaton.wanted(progress)
    for token in tokens:
        after = automaton.accept(progress, token)
        if after is not None:
            yield Step(token, after, NOT_PLACED)


def _tokens_that_differ(
    automaton: Automaton,
    progress: Progress,
    fillers: Sequence[Sequence[Token]],
    ends: Collection[Token],
) -> list[Token]:
    """Each token that makes a difference here, and one for all those of a kind that make none."""
    states = zip(automaton.machines, progress, strict=True)
    tokens = {
        token for machine, state in states if machine.watches for token in machine.looked_up(state)
    }
    chosen = (
        next((token for token in group if token not in tokens and token not in ends), None)
        for group in fillers
    )
    return sorted(tokens.difference(ends) | {each for each in chosen if each is not None})


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
    ends: Collection[Token],
    room: Room,
    needed: int,
) -> tuple[MessagePart, ...]:
    """Names a constraint that is too long by itself, or says that together they do not fit."""
    for shown, term in zip(given, within, strict=True):
        alone = _at_least([term], compile_constraints([term], coverage, ends))
        if alone > room.tokens:
            return f"{in_line(shown)} needs ", *room.too_small_for(alone), " shorten the phrase."
    listed = _listed(given)
    return (
        f"the {len(given)} constraints need ",
        *room.too_small_for(needed),
        f" drop some: {listed}",
    )


def _listed(terms: Sequence[Constraint], most: int = 8) -> str:
    shown = "; ".join(in_line(term) for term in terms[:most])
    return shown if len(terms) <= most else f"{shown}; and {len(terms) - most} more"
