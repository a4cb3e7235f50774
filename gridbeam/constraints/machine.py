"""One constraint as a deterministic automaton: a few arcs for each state, a default, and a debt.

Built from `nfa.py` by the subset construction, once for each meaning of "covered":

- `watching` reads every token, whoever wrote it (`coverage="contains"`, and what must be avoided);
- `placing` moves along a phrase only when the search places a token for it (`coverage="placed"`,
  the paper).

Where it matters what stands beside a phrase, tokens that no arc names are told apart by *kind*:
which classes they are in.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from heapq import heappop, heappush
from itertools import chain, repeat
from typing import TypeVar

from gridbeam.constraints.drawing import in_line
from gridbeam.constraints.nfa import Free, Kind, Nfa, Node, TokenArc, build, states_at_most
from gridbeam.constraints.spelled import Filter
from gridbeam.constraints.terms import Pattern
from gridbeam.errors import UserError

State = int
Token = int
Item = int
"""A node, or a node that will do only if the next token is of some class: node + (1 + class) *
number of nodes."""
Items = frozenset[Item]
_NONE: Items = frozenset()
DEAD: State = -1
MET: State = 0
"""In every machine, the state in which the constraint is met for good."""

NEVER = 1 << 30
"""So many tokens are needed where no text can meet a constraint."""
_MOST_STATES = 30_000
_FEW_STATES = 2_000
"""How many, where a pattern may have far more than the most: it is refused before it has cost a
second."""
_MOST_FILTERS = 6


@dataclass(frozen=True)
class Columns:
    """The arcs of a machine in ascending order, and its defaults state by state.

    They are numbers in a row each, for those who compute with them.
    """

    state: array[int]
    token: array[int]
    to: array[int]
    default: array[int]


@dataclass(frozen=True)
class Machine:
    """The tables of one constraint, indexed by state.

    A machine with filters keeps 2^filters copies of each state side by side, one for each set of
    filters that say yes; arcs lead to the copy where none does.
    """

    start: State
    arcs: tuple[Mapping[Token, State], ...]
    """Where particular tokens lead."""
    base: tuple[State, ...]
    """The state whose arcs hold for tokens without one here; the state itself where there is
    none."""
    default: tuple[tuple[State, ...], ...]
    """Where any other token leads, by its kind."""
    wanted: tuple[tuple[tuple[Token, State], ...], ...]
    """Tokens that carry a match on, and where they lead when placed."""
    needs: tuple[int, ...]
    """The fewest tokens from here to `MET`, or to a state that is as good if the text ends."""
    needs_if_broken: tuple[int, ...]
    """The same after an interruption, which a match under way does not survive."""
    pending: tuple[bool, ...]
    """Whether the pattern is complete if the text ends here, or goes on with the right kind of
    token."""
    inside: tuple[bool, ...]
    """Whether a phrase has begun and not ended."""
    detour: tuple[int, ...]
    """In an alternative that is longer than another, how many tokens it is from a smaller debt; 0
    where none is under way."""
    filters: tuple[Filter, ...]
    classes: tuple[frozenset[Token], ...]
    has_gaps: bool
    """Whether a token may pay a debt without belonging to a phrase."""
    watches: bool
    """Whether arcs are taken by every token, or only by those that the search places."""
    is_last: bool = False
    """Whether the pattern must end the text: whatever follows it breaks it. Where tokens are placed
    one cannot go back, and what is needed after an interruption is `NEVER` from the first token on
    that cannot be interrupted."""

    @property
    def is_selective(self) -> bool:
        """Whether some state refuses some kinds of tokens and takes others."""
        return any(DEAD in by_kind and len(set(by_kind)) > 1 for by_kind in self.default)

    def read(self, state: State, token: Token) -> State:
        """The state after a token that this machine watches."""
        found = self.arcs[state].get(token)
        if found is None:
            found = self.arcs[self.base[state]].get(token)
        return self.pass_by(state, token) if found is None else found

    def pass_by(self, state: State, token: Token) -> State:
        """The state after a token that no arc is taken for."""
        return self.default[state][self.kind(token)]

    def kind(self, token: Token) -> Kind:
        """Which classes the token is in."""
        return _kind(self.classes, token)

    @cached_property
    def columns(self) -> Columns:
        """Its arcs and defaults once more, as columns."""
        sizes = ((state, len(arcs)) for state, arcs in enumerate(self.arcs))
        rows = [sorted(arcs.items()) for arcs in self.arcs]
        return Columns(
            state=array("q", chain.from_iterable(repeat(*each) for each in sizes)),
            token=array("q", [token for row in rows for token, _ in row]),
            to=array("q", [to for row in rows for _, to in row]),
            default=array("q", chain.from_iterable(self.default)),
        )

    def looked_up(self, state: State) -> Iterable[Token]:
        """The tokens that do not take the default."""
        return self.arcs[state].keys() | self.arcs[self.base[state]].keys()

    def with_filters(self, state: State, prefix: tuple[int, ...]) -> State:
        """The copy of a state for the filters that hold after `prefix`."""
        return state + sum(1 << bit for bit, holds in enumerate(self.filters) if holds(prefix))


def watching(
    pattern: Pattern, *, anchored: bool = False, last_before: frozenset[Token] | None = None
) -> Machine:
    """A machine that is met when the tokens read so far contain the pattern.

    Or when they begin with it (`anchored`), or when they end with it and one of some tokens or
    none follows (`last_before`).
    """
    nfa = build(pattern, anchored=anchored, last_before=last_before)
    machine = _Builder(nfa, pattern, watches=True).machine()
    return machine if last_before is None else replace(machine, is_last=True)


def placing(
    pattern: Pattern, *, anchored: bool = False, last_before: frozenset[Token] | None = None
) -> Machine:
    """A machine that is met when all tokens of the pattern have been placed for it, there."""
    nfa = build(pattern, anchored=anchored, last_before=last_before)
    machine = _Builder(nfa, pattern, watches=False).machine()
    return machine if last_before is None else _ending(machine)


def _ending(machine: Machine) -> Machine:
    """The machine of a pattern that ends the text: all else must be done before its last phrase."""
    copies = 1 << len(machine.filters)
    back: dict[State, list[tuple[State, int]]] = {}
    waits = []
    for state, (arcs, default) in enumerate(zip(machine.arcs, machine.default, strict=True)):
        if not {DEAD, MET}.issuperset(default):
            waits.append(state // copies)
        for to in arcs.values():
            back.setdefault(to // copies, []).append((state // copies, 0))
    survives = _shortest(back, waits)
    if_broken = (
        needs if state // copies in survives else NEVER for state, needs in enumerate(machine.needs)
    )
    return replace(machine, needs_if_broken=tuple(if_broken), is_last=True)


def guarding(pattern: Pattern) -> Machine:
    """A machine that dies when the tokens read so far contain the pattern, and owes nothing."""
    return _Builder(build(pattern, anchored=False), pattern, watches=True, places=False).guard()


@dataclass(frozen=True)
class _Arrows:
    """Where each state leads; the lists of a machine by its states."""

    start: State
    arcs: list[dict[Token, State]]
    base: list[State]
    default: list[tuple[State, ...]]
    rest_at: list[State]
    """The state after an interruption; the state itself where none is left."""


Key = TypeVar("Key")
Value = TypeVar("Value")


class _FoundOnce(dict[Key, Value]):
    """Values that are found when they are first asked for."""

    def __init__(self, find: Callable[[Key], Value]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, key: Key) -> Value:
        value = self[key] = self._find(key)
        return value


class _Builder:
    """The subset construction: each state is the set of nodes the pattern may be at."""

    def __init__(self, nfa: Nfa, pattern: Pattern, *, watches: bool, places: bool = True) -> None:
        self.nfa, self.pattern, self.watches, self.places = nfa, pattern, watches, places
        if len(nfa.gates) > _MOST_FILTERS:
            raise UserError(
                f"{len(nfa.gates)} different when= filters in one constraint; at most"
                f" {_MOST_FILTERS}"
            )
        self.most_states = _MOST_STATES
        if watches and states_at_most(pattern) > _MOST_STATES:
            self.most_states = _FEW_STATES
        self.copies = 1 << len(nfa.gates)
        self.kinds = range(1 << len(nfa.classes))
        self.nodes = len(nfa.literal)
        self.literals = [self._by_token(arcs) for arcs in nfa.literal]
        self.inert = {
            n
            for n in range(self.nodes)
            if n != nfa.end and not nfa.literal[n] and not nfa.anything[n]
        }
        self.place_of: dict[Node, list[tuple[int, int]]] = {}
        for number, window in enumerate(nfa.windows):
            for place, node in enumerate(window.places):
                self.place_of.setdefault(node, []).append((number, place))
        self.waits = {node for node in range(self.nodes) if node in nfa.anything[node]}
        self.moving = self._items_of({nfa.end, *(n for n in range(self.nodes) if nfa.anything[n])})
        self.ends, self.inside = self._items_of([nfa.end]), self._items_of(nfa.inside)
        self.lingers = self._items_of(range(self.nodes)).difference(range(self.nodes)) | nfa.lingers
        self.kind_of = _FoundOnce(partial(_kind, nfa.classes))
        self.reach = _FoundOnce(self._reach)
        self.onward_from = _FoundOnce(self._onward_from)
        self.onward_from_stem = _FoundOnce(self._onward)
        self.moved = _FoundOnce(self._moved)
        self.state_of = _FoundOnce(self._state_of)
        self.tidy = _FoundOnce(self._tidy)
        self.stems = _FoundOnce(self._stems)
        self.at_rest = _FoundOnce(self._at_rest)
        self.met = frozenset({nfa.end})
        self.number: dict[Items, State] = {self.met: MET}
        self.sets: list[Items] = [self.met]

    def _items_of(self, nodes: Iterable[Node]) -> Items:
        """The items of some nodes, with and without a class that the next token must be of."""
        ways = range(0, self.nodes * (len(self.nfa.classes) + 1), self.nodes)
        return frozenset(node + way for node in nodes for way in ways)

    def machine(self) -> Machine:
        """The machine of what is required."""
        arrows = self._arrows()
        arcs, default, rest_at = arrows.arcs, arrows.default, arrows.rest_at
        pending = self._pending()
        needs = _distances(arrows, pending, self.copies)
        if needs[arrows.start] < NEVER:
            _close(arcs, default, needs)
        if_broken = [
            needs[rest] if self.watches else needs[state] for state, rest in enumerate(rest_at)
        ]
        return Machine(
            start=arrows.start,
            arcs=tuple(arcs),
            base=tuple(arrows.base),
            default=tuple(default),
            wanted=tuple(self._wanted(state, arrows, needs) for state in range(len(arcs))),
            needs=tuple(needs),
            needs_if_broken=tuple(if_broken),
            pending=tuple(pending),
            inside=tuple(
                not self.inside.isdisjoint(items) for items in self.sets for _ in range(self.copies)
            ),
            detour=tuple(self._detours(needs, if_broken, rest_at)),
            filters=tuple(self.nfa.gates),
            classes=tuple(self.nfa.classes),
            has_gaps=any(nodes - self.waits for nodes in self.nfa.anything),
            watches=self.watches,
        )

    def guard(self) -> Machine:
        """The machine of what must be avoided, which owes nothing."""
        arrows = self._arrows()
        size = len(arrows.arcs)
        return Machine(
            start=arrows.start,
            arcs=tuple(arrows.arcs),
            base=tuple(arrows.base),
            default=tuple(arrows.default),
            wanted=((),) * size,
            needs=(0,) * size,
            needs_if_broken=(0,) * size,
            pending=tuple(self._pending()),
            inside=(False,) * size,
            detour=(0,) * size,
            filters=tuple(self.nfa.gates),
            classes=tuple(self.nfa.classes),
            has_gaps=False,
            watches=self.watches,
        )

    def _arrows(self) -> _Arrows:
        start = self._closed([self.nfa.start, *self.nfa.openings.values()], kind=None)
        found = _Arrows(
            start=self.state_of[start],
            arcs=[{}] * self.copies,
            base=[MET] * self.copies,
            default=[(self.state_of[self.met],) * len(self.kinds)] * self.copies,
            rest_at=[MET] * self.copies,
        )
        done = 1
        while done < len(self.sets):
            items = self.sets[done]
            passed = self._passed(items)
            otherwise = tuple(map(self.state_of.__getitem__, passed))
            rest = self.tidy[items & self.waits]
            stem = self._stem(items, rest, otherwise)
            for gates in range(self.copies):
                here = len(found.arcs)
                found.arcs.append(self._arcs(items, stem, gates, passed))
                found.base.append(self._state(stem) + gates if stem else here)
                found.default.append(otherwise)
                found.rest_at.append(self._state(rest) if rest else here)
            done += 1
        return found

    def _pending(self) -> list[bool]:
        """Of which states the pattern is complete if the text ends there."""
        return [not self.ends.isdisjoint(items) for items in self.sets for _ in range(self.copies)]

    def _by_token(self, arcs: Iterable[TokenArc]) -> dict[Token, list[TokenArc]]:
        """The arcs of a node; who places tokens places only those that are offered."""
        found: dict[Token, list[TokenArc]] = {}
        for arc in arcs:
            if self.watches or arc.is_offered:
                found.setdefault(arc.token, []).append(arc)
        return found

    def _state(self, items: Items) -> State:
        """The number of a set of items, in its copy with no filter open; the empty set is dead."""
        if not items:
            return DEAD
        if items not in self.number:
            if len(self.sets) >= self.most_states:
                raise UserError(self._too_large())
            self.number[items] = len(self.sets)
            self.sets.append(items)
        return self.number[items] * self.copies

    def _too_large(self) -> str:
        remedy = "narrow its gaps or split it"
        if self.places and self.watches:
            remedy = f'search with coverage="placed", or {remedy}'
        return (
            f"{in_line(self.pattern)} makes more than {self.most_states} states, since each of its"
            f" orders may be under way in any place at once: {remedy}"
        )

    def _tidy(self, items: Iterable[Item]) -> Items:
        """The set without items that another makes needless.

        A set that holds the end is the end.
        """
        kept = {item for item in items if item % self.nodes not in self.inert}
        if self.nfa.end in kept:
            return self.met
        if self.watches:
            needless = [self.nfa.needless[node] for node in kept if node in self.nfa.needless]
            if needless:
                kept = {i for i in kept if not any(i % self.nodes in others for others in needless)}
            kept = {i for i in kept if i < self.nodes or i % self.nodes not in kept}
            kept -= self._crowded(kept)
        return frozenset(kept)

    def _crowded(self, items: Collection[Item]) -> set[Item]:
        """The places within a gap that say nothing beside others in the same gap."""
        by_window: dict[int, list[int]] = {}
        for item in items:
            for number, place in self.place_of.get(item, ()):
                by_window.setdefault(number, []).append(place)
        crowded = set()
        for number, places in by_window.items():
            window = self.nfa.windows[number]
            crowded |= {window.places[n] for n in set(places).difference(window.kept(places))}
        return crowded

    def _closed(self, targets: Iterable[Node], kind: Kind | None) -> Items:
        """The items that free arcs lead to after a token of this kind, or where the text begins."""
        return _NONE.union(*(self.reach[target, kind] for target in targets))

    def _reach(self, key: tuple[Node, Kind | None]) -> Items:
        node, kind = key
        seen, waiting = {node}, [node]
        while waiting:
            here = waiting.pop()
            for arc in self.nfa.free[here % self.nodes]:
                item = (
                    arc.to
                    + (here // self.nodes if arc.before is None else arc.before + 1) * self.nodes
                )
                if self._is_there(arc, kind) and item not in seen:
                    seen.add(item)
                    waiting.append(item)
        return frozenset(seen)

    def _is_there(self, arc: Free, kind: Kind | None) -> bool:
        """Whether a free arc may be taken after a token of this kind, or where the text begins."""
        if arc.after is None or kind is None:
            return arc.after is None or arc.may_open
        return not self._is_silent(kind) and bool(kind >> arc.after & 1)

    def _will_do(self, item: Item, kind: Kind) -> bool:
        """Whether a token of this kind is what an item asks for."""
        return item < self.nodes or (
            not self._is_silent(kind) and bool(kind >> item // self.nodes - 1 & 1)
        )

    def _detours(
        self, needs: list[int], if_broken: list[int], rest_at: list[State]
    ) -> Iterator[int]:
        """How far each state is from a smaller debt, along what is under way.

        0 where it has one, or nothing is under way.

        While an alternative has more tokens left than the shortest has in all, its first ones pay
        nothing: they could as well have been any others. Who places tokens owes more for it
        instead.
        """
        left = self._tokens_left() if self.watches else {}
        for state, rest in enumerate(rest_at):
            nodes = {item % self.nodes for item in self.sets[state // self.copies]}
            under_way = [left[node] for node in nodes & self.nfa.inside & left.keys()]
            pays_nothing = needs[state] == if_broken[state] and rest != state
            yield max(1, min(under_way) - if_broken[state] + 1) if under_way and pays_nothing else 0

    def _tokens_left(self) -> dict[Node, int]:
        """Lower bound on the tokens to the end from each node, on the ways the search takes."""
        onwards: dict[int, list[tuple[int, int]]] = {}
        back: dict[int, list[tuple[int, int]]] = {}
        for node in range(self.nodes):
            steps = [(arc.to, 1) for arc in self.nfa.literal[node] if arc.is_offered]
            steps += [(to, 1) for to in self.nfa.anything[node]] + [
                (arc.to, 0) for arc in self.nfa.free[node]
            ]
            onwards[node] = steps
            for to, cost in steps:
                back.setdefault(to, []).append((node, cost))
        reached = _shortest(onwards, [self.nfa.start, *self.nfa.openings.values()])
        return {
            node: tokens
            for node, tokens in _shortest(back, [self.nfa.end]).items()
            if node in reached
        }

    def _tokens(self, items: Iterable[Item], gates: int) -> dict[Token, bool]:
        """The tokens that phrases wait for, in pattern order, and whether they are offered."""
        found: dict[Token, bool] = {}
        for item in sorted(items, key=lambda item: item % self.nodes):
            for token, arcs in self.literals[item % self.nodes].items():
                there = [arc for arc in arcs if _is_open(arc.gate, gates)]
                if there:
                    found[token] = found.get(token, False) or any(arc.is_offered for arc in there)
        return found

    def _arcs(
        self, items: Items, stem: Items | None, gates: int, passed: Sequence[Items]
    ) -> dict[Token, State]:
        """Where the tokens lead that phrases wait for, without those of the stem alone."""
        shared = self.onward_from_stem[stem, gates] if stem else {}
        own = self._onward((items - stem if stem else items, gates))
        beyond = passed if self.watches else [_NONE] * len(passed)
        return {
            token: self.state_of[to | shared.get(token, _NONE) | beyond[self.kind_of[token]]]
            for token, to in own.items()
        }

    def _onward(self, key: tuple[Items, int]) -> dict[Token, Items]:
        """Where the tokens that phrases wait for carry them on, in pattern order."""
        items, gates = key
        found: dict[Token, Items] = {}
        for item in sorted(items, key=lambda item: item % self.nodes):
            for token, to in self.onward_from[item, gates].items():
                found[token] = found[token] | to if token in found else to
        return found

    def _onward_from(self, key: tuple[Item, int]) -> dict[Token, Items]:
        item, gates = key
        there = {
            token: [arc.to for arc in arcs if _is_open(arc.gate, gates)]
            for token, arcs in self.literals[item % self.nodes].items()
        }
        kinds = self.kind_of
        return {
            token: self._closed(to, kinds[token]) if self._will_do(item, kinds[token]) else _NONE
            for token, to in there.items()
            if to
        }

    def _passed(self, items: Items) -> list[Items]:
        """Where any token leads, by its kind.

        Across a gap, or from an end that it confirms; one without text leaves things as they are.
        """
        by_kind = self.moved[items & self.moving]
        if self.nfa.silent is None or not self.watches:
            return by_kind
        lingering = items & self.lingers
        return [
            moved | lingering if self._is_silent(kind) else moved
            for kind, moved in enumerate(by_kind)
        ]

    def _moved(self, items: Items) -> list[Items]:
        return [self._moved_by(items, kind) for kind in self.kinds]

    def _moved_by(self, items: Items, kind: Kind) -> Items:
        nodes = [item % self.nodes for item in items if self._will_do(item, kind)]
        confirmed = {node for node in nodes if node == self.nfa.end}
        return self._closed(confirmed.union(*(self.nfa.anything[node] for node in nodes)), kind)

    def _is_silent(self, kind: Kind) -> bool:
        """Whether tokens of this kind have no text, which matters where text is watched."""
        return self.watches and self.nfa.silent is not None and bool(kind >> self.nfa.silent & 1)

    def _state_of(self, items: Items) -> State:
        """The state of a set of items that may hold needless ones."""
        state = self._state(self._tidy(items))
        return DEAD if state == MET and not self.places else state

    def _stem(self, items: Items, rest: Items, otherwise: Sequence[State]) -> Items | None:
        """The part of a state that begins phrases anew, if its arcs hold here, too.

        So each state has arcs of its own only for the phrases that are under way.
        """
        if not self.watches or not rest:
            return None
        ended = items & self.ends
        stems = [stem | ended for stem in self.stems[rest]]
        if items in stems:
            return None
        within = (stem for stem in stems if stem <= items and self._agrees(stem, otherwise))
        return max(within, key=len, default=None)

    def _stems(self, rest: Items) -> list[Items]:
        """What is at rest, and what that becomes after a token of each kind."""
        return [*dict.fromkeys((rest, *filter(None, map(self._tidy, self._passed(rest)))))]

    def _agrees(self, stem: Items, otherwise: Sequence[State]) -> bool:
        """Whether the tokens that a stem waits for lead to the same nodes as from other items.

        Those lead to `otherwise`, by kind. What these tokens mean to the stem itself is not
        compared.
        """
        return all(otherwise[kind] == self._known_state(to) for kind, to in self.at_rest[stem])

    def _at_rest(self, stem: Items) -> list[tuple[Kind, Items]]:
        """Where the kinds of tokens that a stem waits for lead, if it did not."""
        nodes = (item % self.nodes for item in stem)
        kinds = {self.kind_of[token] for node in nodes for token in self.literals[node]}
        passed = self._passed(stem)
        return [(kind, self._tidy(passed[kind])) for kind in kinds]

    def _known_state(self, items: Items) -> State | None:
        """The state of a tidy set; None where there is none yet."""
        if not items or (items == self.met and not self.places):
            return DEAD
        return self.number[items] * self.copies if items in self.number else None

    def _wanted(
        self,
        state: State,
        arrows: _Arrows,
        needs: list[int],
    ) -> tuple[tuple[Token, State], ...]:
        """A placed token may raise the debt, beginning a longer alternative.

        A watched one only if nothing else may follow.
        """
        arcs, default = arrows.arcs, arrows.default[state]
        if not self.watches:
            return tuple((token, to) for token, to in arcs[state].items() if to != DEAD)
        items, gates = self.sets[state // self.copies], state % self.copies
        tokens, found = self._tokens(items, gates), {**arcs[arrows.base[state]], **arcs[state]}
        offered = [token for token, is_offered in tokens.items() if is_offered]
        if all(to == DEAD for to in default):
            return tuple((t, found[t]) for t in offered or tokens if found[t] != DEAD)
        idle = (DEAD, *default, state - gates)
        return tuple(
            (t, found[t])
            for t in offered
            if found[t] not in idle and needs[found[t]] <= needs[state]
        )


def _is_open(gate: int | None, gates: int) -> bool:
    return gate is None or bool(gates >> gate & 1)


def _kind(classes: Sequence[frozenset[Token]], token: Token) -> Kind:
    return sum(1 << number for number, tokens in enumerate(classes) if token in tokens)


def _distances(arrows: _Arrows, pending: list[bool], copies: int) -> list[int]:
    """Lower bound on the tokens from each state to one where the text may end.

    Found backwards from the ends, as if every filter said yes.
    """
    into: dict[State, list[tuple[State, int]]] = {}
    arcs, base, default, all_open = arrows.arcs, arrows.base, arrows.default, copies - 1
    for state in range(all_open, len(arcs), copies):
        for to in {*arcs[state].values(), *default[state]} - {DEAD}:
            into.setdefault(to + all_open, []).append((state, 1))
        if base[state] != state:
            into.setdefault(base[state], []).append((state, 0))
    distance = _shortest(
        into,
        [
            MET + all_open,
            *(state for state in range(all_open, len(arcs), copies) if pending[state]),
        ],
    )
    return [distance.get(state | all_open, NEVER) for state in range(len(arcs))]


def _shortest(
    arcs: Mapping[int, Sequence[tuple[int, int]]], origins: Iterable[int]
) -> dict[int, int]:
    """The distance of each place from the nearest of some others, by arcs with costs."""
    distance: dict[int, int] = {}
    heap = [(0, origin) for origin in origins]
    while heap:
        so_far, here = heappop(heap)
        if here not in distance:
            distance[here] = so_far
            for to, cost in arcs.get(here, ()):
                heappush(heap, (so_far + cost, to))
    return distance


def _close(
    arcs: list[dict[Token, State]], default: list[tuple[State, ...]], needs: list[int]
) -> None:
    """Makes dead ends of the states from which the pattern can never be met."""
    lost = {state for state, tokens in enumerate(needs) if tokens == NEVER}
    if lost:
        arcs[:] = [
            {token: DEAD if to in lost else to for token, to in here.items()} for here in arcs
        ]
        default[:] = [tuple(DEAD if to in lost else to for to in by_kind) for by_kind in default]
        needs[:] = [0 if state in lost else tokens for state, tokens in enumerate(needs)]
