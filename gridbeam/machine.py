"""One constraint as a deterministic automaton: a few arcs for each state, a default, and a debt.

Built from `nfa.py` by the subset construction, once for each meaning of "covered":

- `watching` reads every token, whoever wrote it (`coverage="contains"`, and what must be avoided);
- `placing` moves along a phrase only when the search places a token for it (`coverage="placed"`, the paper).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from heapq import heappop, heappush

from gridbeam.constraints import Filter, Pattern, in_line
from gridbeam.errors import UserError
from gridbeam.nfa import Nfa, Node, Nodes, build

State = int
Token = int
DEAD: State = -1
MET: State = 0
"""In every machine, the state in which the constraint is met for good."""

_MOST_STATES = 30_000
_MOST_FILTERS = 6


@dataclass(frozen=True)
class Machine:
    """The tables of one constraint, indexed by state.

    A machine with filters keeps 2^filters copies of each state side by side, one for each set of filters that say yes;
    arcs lead to the copy where none does.
    """

    start: State
    arcs: tuple[Mapping[Token, State], ...]
    """Where particular tokens lead."""
    base: tuple[State, ...]
    """The state whose arcs hold for tokens without one here; the state itself where there is none."""
    default: tuple[State, ...]
    """Where any other token leads."""
    wanted: tuple[tuple[tuple[Token, State], ...], ...]
    """Tokens that carry a match on, and where they lead when placed."""
    needs: tuple[int, ...]
    """The fewest tokens from here to `MET`."""
    needs_if_broken: tuple[int, ...]
    """The same after an interruption, which a match under way does not survive."""
    inside: tuple[bool, ...]
    """Whether a phrase has begun and not ended."""
    filters: tuple[Filter, ...]
    has_gaps: bool
    """Whether a token may pay a debt without belonging to a phrase."""
    watches: bool
    """Whether arcs are taken by every token, or only by those that the search places."""

    def read(self, state: State, token: Token) -> State:
        """The state after a token that this machine watches."""
        found = self.arcs[state].get(token)
        if found is None:
            found = self.arcs[self.base[state]].get(token, self.default[state])
        return found

    def looked_up(self, state: State) -> Iterable[Token]:
        """The tokens that do not take the default."""
        return self.arcs[state].keys() | self.arcs[self.base[state]].keys()

    def with_filters(self, state: State, prefix: tuple[int, ...]) -> State:
        """The copy of a state for the filters that hold after `prefix`."""
        return state + sum(1 << bit for bit, holds in enumerate(self.filters) if holds(prefix))


def watching(pattern: Pattern, *, anchored: bool = False) -> Machine:
    """A machine that is met when the tokens read so far contain the pattern (or begin with it)."""
    builder = _Builder(build(pattern, anchored=anchored), pattern, watches=True)
    return builder.machine()


def placing(pattern: Pattern, *, anchored: bool = False) -> Machine:
    """A machine that is met when all tokens of the pattern have been placed for it."""
    builder = _Builder(build(pattern, anchored=anchored), pattern, watches=False)
    return builder.machine()


def guarding(pattern: Pattern) -> Machine:
    """A machine that dies when the tokens read so far contain the pattern, and owes nothing."""
    seen = watching(pattern)
    size = len(seen.arcs)
    return Machine(
        start=seen.start,
        arcs=tuple({token: DEAD if to == MET else to for token, to in arcs.items()} for arcs in seen.arcs),
        base=seen.base,
        default=tuple(DEAD if to == MET else to for to in seen.default),
        wanted=((),) * size,
        needs=(0,) * size,
        needs_if_broken=(0,) * size,
        inside=(False,) * size,
        filters=seen.filters,
        has_gaps=False,
        watches=True,
    )


class _Builder:
    """The subset construction: each state is the set of nodes the pattern may be at."""

    def __init__(self, nfa: Nfa, pattern: Pattern, *, watches: bool) -> None:
        self.nfa, self.pattern, self.watches = nfa, pattern, watches
        if len(nfa.gates) > _MOST_FILTERS:
            raise UserError(f"{len(nfa.gates)} different when= filters in one constraint; at most {_MOST_FILTERS}")
        self.copies = 1 << len(nfa.gates)
        self.inert = {n for n in range(len(nfa.literal)) if n != nfa.end and not nfa.literal[n] and not nfa.anything[n]}
        self.waits = {node for node in range(len(nfa.anything)) if node in nfa.anything[node]}
        self.met = frozenset({nfa.end})
        self.number: dict[Nodes, State] = {self.met: MET}
        self.sets: list[Nodes] = [self.met]

    def machine(self) -> Machine:
        start = self._state(self._tidy(self.nfa.reach[self.nfa.start]))
        arcs: list[dict[Token, State]] = [{}] * self.copies
        base, default, rest_at = [MET] * self.copies, [MET] * self.copies, [MET] * self.copies
        done = 1
        while done < len(self.sets):
            nodes = self.sets[done]
            rest, inherits, otherwise = self._at_rest(nodes)
            sources = nodes - self.waits if inherits else nodes
            for gates in range(self.copies):
                here = len(arcs)
                arcs.append({token: self._after(nodes, token, gates) for token in self._tokens(sources, gates)})
                base.append(self._state(rest) + gates if inherits else here)
                default.append(otherwise)
                rest_at.append(self._state(rest) if rest else here)
            done += 1
        needs = _distances(arcs, base, default, self.copies)
        return Machine(
            start=start,
            arcs=tuple(arcs),
            base=tuple(base),
            default=tuple(default),
            wanted=tuple(self._wanted(state, arcs, base, default, needs) for state in range(len(arcs))),
            needs=tuple(needs),
            needs_if_broken=tuple(needs[rest] if self.watches else needs[s] for s, rest in enumerate(rest_at)),
            inside=tuple(bool(nodes & self.nfa.inside) for nodes in self.sets for _ in range(self.copies)),
            filters=tuple(self.nfa.gates),
            has_gaps=any(nodes - self.waits for nodes in self.nfa.anything),
            watches=self.watches,
        )

    def _state(self, nodes: Nodes) -> State:
        """The number of a set of nodes, in its copy with no filter open; the empty set is dead."""
        if not nodes:
            return DEAD
        if nodes not in self.number:
            if len(self.sets) >= _MOST_STATES:
                raise UserError(f"{in_line(self.pattern)} makes more than {_MOST_STATES} states: narrow its gaps or split it")
            self.number[nodes] = len(self.sets)
            self.sets.append(nodes)
        return self.number[nodes] * self.copies

    def _tidy(self, nodes: Iterable[Node]) -> Nodes:
        """The set without nodes that another makes needless; a set that holds the end is the end."""
        kept = set(nodes) - self.inert
        if self.nfa.end in kept:
            return self.met
        if self.watches:
            needless = [self.nfa.needless[node] for node in kept if node in self.nfa.needless]
            kept = {node for node in kept if not any(node in others for others in needless)}
        return frozenset(kept)

    def _closed(self, targets: Iterable[Node]) -> Nodes:
        return self._tidy(node for target in targets for node in self.nfa.reach[target])

    def _after(self, nodes: Nodes, token: Token, gates: int) -> State:
        targets = {t for node in nodes for x, gate, t in self.nfa.literal[node] if x == token and _is_open(gate, gates)}
        if self.watches:
            targets |= {t for node in nodes for t in self.nfa.anything[node]}
        return self._state(self._closed(targets))

    def _tokens(self, nodes: Iterable[Node], gates: int) -> list[Token]:
        """The tokens that phrases wait for, in the order of the pattern."""
        return list(dict.fromkeys(x for n in sorted(nodes) for x, gate, _ in self.nfa.literal[n] if _is_open(gate, gates)))

    def _at_rest(self, nodes: Nodes) -> tuple[Nodes, bool, State]:
        """What stays after an interruption; whether its arcs hold here too; where a token of no phrase leads."""
        rest = self._tidy(nodes & self.waits)
        after = self._closed(t for node in nodes for t in self.nfa.anything[node])
        inherits = self.watches and bool(rest) and rest == after != nodes
        return rest, inherits, self._state(after)

    def _wanted(
        self, state: State, arcs: list[dict[Token, State]], base: list[State], default: list[State], needs: list[int]
    ) -> tuple[tuple[Token, State], ...]:
        """A placed token may raise the debt, beginning a longer alternative; a watched one only if nothing else may follow."""
        if not self.watches:
            return tuple((token, to) for token, to in arcs[state].items() if to != DEAD)
        found = {**arcs[base[state]], **arcs[state]}
        if default[state] == DEAD:
            return tuple((token, to) for token, to in found.items() if to != DEAD)
        idle = (DEAD, default[state], state - state % self.copies)
        return tuple((token, to) for token, to in found.items() if to not in idle and needs[to] <= needs[state])


def _is_open(gate: int | None, gates: int) -> bool:
    return gate is None or bool(gates >> gate & 1)


def _distances(arcs: list[dict[Token, State]], base: list[State], default: list[State], copies: int) -> list[int]:
    """The fewest tokens from each state to `MET`, as if every filter said yes: backwards from `MET`."""
    into: dict[State, list[tuple[State, int]]] = {}
    all_open = copies - 1
    for state in range(all_open, len(arcs), copies):
        for to in {*arcs[state].values(), default[state]} - {DEAD}:
            into.setdefault(to + all_open, []).append((state, 1))
        if base[state] != state:
            into.setdefault(base[state], []).append((state, 0))
    distance: dict[State, int] = {}
    heap = [(0, MET + all_open)]
    while heap:
        so_far, state = heappop(heap)
        if state not in distance:
            distance[state] = so_far
            for source, cost in into.get(state, ()):
                heappush(heap, (so_far + cost, source))
    return [distance[state | all_open] for state in range(len(arcs))]
