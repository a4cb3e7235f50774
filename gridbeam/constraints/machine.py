"""One constraint as a deterministic automaton: a few arcs for each state, a default, and a debt.

Built from `nfa.py` by the subset construction, once for each meaning of "covered":

- `watching` reads every token, whoever wrote it (`coverage="contains"`, and what must be avoided);
- `placing` moves along a phrase only when the search places a token for it (`coverage="placed"`,
  the paper).

Where it matters what stands beside a phrase, tokens that no arc names are told apart by *kind*:
which classes they are in.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import chain

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
    seen = _Builder(build(pattern, anchored=False), pattern, watches=True, places=False).machine()
    size = len(seen.arcs)
    return replace(
        seen,
        arcs=tuple({token: _died(to) for token, to in arcs.items()} for arcs in seen.arcs),
        default=tuple(tuple(map(_died, by_kind)) for by_kind in seen.default),
        needs=(0,) * size,
        needs_if_broken=(0,) * size,
        inside=(False,) * size,
        detour=(0,) * size,
        has_gaps=False,
    )


def _died(state: State) -> State:
    return DEAD if state == MET else state


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
        self.reach: dict[tuple[Node, Kind | None], Items] = {}
        self.kind_of: dict[Token, Kind] = {}
        self.stems: dict[Items, list[Items]] = {}
        self.known_at_rest: dict[Items, list[tuple[Kind, Items]]] = {}
        self.met = frozenset({nfa.end})
        self.number: dict[Items, State] = {self.met: MET}
        self.sets: list[Items] = [self.met]

    def machine(self) -> Machine:
        start = self._state(self._closed([self.nfa.start, *self.nfa.openings.values()], kind=None))
        arcs: list[dict[Token, State]] = [{}] * self.copies
        base, rest_at = [MET] * self.copies, [MET] * self.copies
        default = [(MET,) * len(self.kinds)] * self.copies
        done = 1
        while done < len(self.sets):
            items = self.sets[done]
            rest, otherwise = self._at_rest(items)
            stem = self._stem(items, rest)
            sources = items - (stem or frozenset())
            passed = [self._passed(items, kind) if self.watches else set() for kind in self.kinds]
            for gates in range(self.copies):
                here = len(arcs)
                arcs.append(
                    {
                        token: self._after(items, token, gates, passed)
                        for token in self._tokens(sources, gates)
                    }
                )
                base.append(self._state(stem) + gates if stem else here)
                default.append(otherwise)
                rest_at.append(self._state(rest) if rest else here)
            done += 1
        pending = [self._is_pending(items) for items in self.sets for _ in range(self.copies)]
        needs = _distances(arcs, base, default, pending, self.copies)
        if needs[start] < NEVER:
            _close(arcs, default, needs)
        if_broken = [
            needs[rest] if self.watches else needs[state] for state, rest in enumerate(rest_at)
        ]
        return Machine(
            start=start,
            arcs=tuple(arcs),
            base=tuple(base),
            default=tuple(default),
            wanted=tuple(
                self._wanted(state, arcs, base, default, needs) for state in range(len(arcs))
            ),
            needs=tuple(needs),
            needs_if_broken=tuple(if_broken),
            pending=tuple(pending),
            inside=tuple(self._is_inside(items) for items in self.sets for _ in range(self.copies)),
            detour=tuple(self._detours(needs, if_broken, rest_at)),
            filters=tuple(self.nfa.gates),
            classes=tuple(self.nfa.classes),
            has_gaps=any(nodes - self.waits for nodes in self.nfa.anything),
            watches=self.watches,
        )

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

    def _closed(
        self, targets: Iterable[Node], kind: Kind | None, lingering: Iterable[Item] = ()
    ) -> Items:
        """The items that free arcs lead to after a token of this kind, or where the text begins."""
        return self._tidy(
            chain(lingering, (item for target in targets for item in self._reach(target, kind)))
        )

    def _reach(self, node: Node, kind: Kind | None) -> Items:
        if (node, kind) not in self.reach:
            seen, waiting = {node}, [node]
            while waiting:
                here = waiting.pop()
                for arc in self.nfa.free[here % self.nodes]:
                    item = (
                        arc.to
                        + (here // self.nodes if arc.before is None else arc.before + 1)
                        * self.nodes
                    )
                    if self._is_there(arc, kind) and item not in seen:
                        seen.add(item)
                        waiting.append(item)
            self.reach[node, kind] = frozenset(seen)
        return self.reach[node, kind]

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

    def _kind(self, token: Token) -> Kind:
        if token not in self.kind_of:
            self.kind_of[token] = _kind(self.nfa.classes, token)
        return self.kind_of[token]

    def _is_pending(self, items: Items) -> bool:
        return any(item % self.nodes == self.nfa.end for item in items)

    def _is_inside(self, items: Items) -> bool:
        return any(item % self.nodes in self.nfa.inside for item in items)

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

    def _after(self, items: Items, token: Token, gates: int, passed: Sequence[set[Node]]) -> State:
        kind = self._kind(token)
        nodes = (item % self.nodes for item in items if self._will_do(item, kind))
        targets = {
            arc.to
            for n in nodes
            for arc in self.literals[n].get(token, ())
            if _is_open(arc.gate, gates)
        }
        return self._state(self._closed(targets | passed[kind], kind, self._lingering(items, kind)))

    def _passed(self, items: Items, kind: Kind) -> set[Node]:
        """Where any token of this kind leads: across a gap, or from an end that it confirms."""
        nodes = [item % self.nodes for item in items if self._will_do(item, kind)]
        confirmed = {node for node in nodes if node == self.nfa.end}
        return confirmed.union(*(self.nfa.anything[node] for node in nodes))

    def _lingering(self, items: Items, kind: Kind) -> Iterator[Item]:
        """The items that a token of this kind leaves as they are, since it has no text."""
        if self._is_silent(kind):
            yield from (item for item in items if item >= self.nodes or item in self.nfa.lingers)

    def _is_silent(self, kind: Kind) -> bool:
        """Whether tokens of this kind have no text, which matters where text is watched."""
        return self.watches and self.nfa.silent is not None and bool(kind >> self.nfa.silent & 1)

    def _at_rest(self, items: Items) -> tuple[Items, tuple[State, ...]]:
        """What stays after an interruption, and the defaults.

        The defaults are the states that a token of no phrase leads to, by kind.
        """
        after = tuple(self._state(self._otherwise(items, kind)) for kind in self.kinds)
        return self._tidy(items & self.waits), after

    def _stem(self, items: Items, rest: Items) -> Items | None:
        """The part of a state that begins phrases anew, if its arcs hold here, too.

        So each state has arcs of its own only for the phrases that are under way.
        """
        if not self.watches or not rest:
            return None
        stems = self._stems(rest)
        if items in stems:
            return None
        within = (stem for stem in stems if stem <= items and self._agrees(stem, items))
        return max(within, key=len, default=None)

    def _stems(self, rest: Items) -> list[Items]:
        """What is at rest, and what that becomes after a token of each kind."""
        if rest not in self.stems:
            after = (self._otherwise(rest, kind) for kind in self.kinds)
            self.stems[rest] = [*dict.fromkeys((rest, *filter(None, after)))]
        return self.stems[rest]

    def _agrees(self, stem: Items, items: Items) -> bool:
        """Whether the tokens that a stem waits for lead to the same nodes from these items.

        What these tokens mean to the stem itself is not compared.
        """
        if stem not in self.known_at_rest:
            nodes = (item % self.nodes for item in stem)
            kinds = {self._kind(token) for node in nodes for token in self.literals[node]}
            self.known_at_rest[stem] = [(kind, self._otherwise(stem, kind)) for kind in kinds]
        return all(self._otherwise(items, kind) == to for kind, to in self.known_at_rest[stem])

    def _otherwise(self, items: Items, kind: Kind) -> Items:
        """Where a token of this kind leads that no phrase waits for."""
        return self._closed(self._passed(items, kind), kind, self._lingering(items, kind))

    def _wanted(
        self,
        state: State,
        arcs: list[dict[Token, State]],
        base: list[State],
        default: list[tuple[State, ...]],
        needs: list[int],
    ) -> tuple[tuple[Token, State], ...]:
        """A placed token may raise the debt, beginning a longer alternative.

        A watched one only if nothing else may follow.
        """
        if not self.places:
            return ()
        if not self.watches:
            return tuple((token, to) for token, to in arcs[state].items() if to != DEAD)
        items, gates = self.sets[state // self.copies], state % self.copies
        tokens, found = self._tokens(items, gates), {**arcs[base[state]], **arcs[state]}
        offered = [token for token, is_offered in tokens.items() if is_offered]
        if all(to == DEAD for to in default[state]):
            return tuple((t, found[t]) for t in offered or tokens if found[t] != DEAD)
        idle = (DEAD, *default[state], state - gates)
        return tuple(
            (t, found[t])
            for t in offered
            if found[t] not in idle and needs[found[t]] <= needs[state]
        )


def _is_open(gate: int | None, gates: int) -> bool:
    return gate is None or bool(gates >> gate & 1)


def _kind(classes: Sequence[frozenset[Token]], token: Token) -> Kind:
    return sum(1 << number for number, tokens in enumerate(classes) if token in tokens)


def _distances(
    arcs: list[dict[Token, State]],
    base: list[State],
    default: list[tuple[State, ...]],
    pending: list[bool],
    copies: int,
) -> list[int]:
    """Lower bound on the tokens from each state to one where the text may end.

    Found backwards from the ends, as if every filter said yes.
    """
    into: dict[State, list[tuple[State, int]]] = {}
    all_open = copies - 1
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
