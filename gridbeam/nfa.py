"""A pattern over token ids as a small nondeterministic automaton: which tokens may come next at each node."""

from __future__ import annotations

from dataclasses import dataclass, field

from gridbeam.constraints import AnyOf, Filter, Gap, InOrder, Pattern, Phrase

Node = int
Nodes = frozenset[Node]


@dataclass
class Nfa:
    """Nodes and three kinds of arcs: a token of a phrase, any token (a gap), and none at all (`free`).

    A node with an `anything` arc to itself waits there for ever. A `literal` arc with a gate is there only while that
    filter says so.
    """

    literal: list[list[tuple[int, int | None, Node]]] = field(default_factory=list)
    anything: list[set[Node]] = field(default_factory=list)
    free: list[set[Node]] = field(default_factory=list)
    inside: set[Node] = field(default_factory=set)
    """Nodes between two tokens of one phrase."""
    gates: list[Filter] = field(default_factory=list)
    start: Node = 0
    end: Node = 0
    reach: list[Nodes] = field(default_factory=list)
    """For each node, itself and the nodes that free arcs lead to."""

    def node(self) -> Node:
        """A new node."""
        self.literal.append([])
        self.anything.append(set())
        self.free.append(set())
        return len(self.literal) - 1

    def gate(self, when: Filter | None) -> int | None:
        """The number of a filter; equal filters share one."""
        if when is None:
            return None
        if when not in self.gates:
            self.gates.append(when)
        return self.gates.index(when)


def build(pattern: Pattern, *, anchored: bool) -> Nfa:
    """The automaton of a pattern that may begin anywhere, or at the first token only."""
    nfa = Nfa()
    nfa.start = nfa.node()
    if not anchored:
        nfa.anything[nfa.start].add(nfa.start)
    nfa.end = _add(nfa, pattern, nfa.start)
    nfa.reach = [_closure(nfa, node) for node in range(len(nfa.free))]
    return nfa


def _add(nfa: Nfa, pattern: Pattern, source: Node) -> Node:
    """Adds the pattern after `source`; the node where it ends."""
    match pattern:
        case Phrase(_, when):
            return _add_phrase(nfa, pattern.tokens, nfa.gate(when), source)
        case AnyOf(alternatives):
            end = nfa.node()
            for alternative in alternatives:
                nfa.free[_add(nfa, alternative, source)].add(end)
            return end
        case InOrder():
            (_, first), *rest = pattern.gaps_and_patterns()
            end = _add(nfa, first, source)
            for gap, part in rest:
                end = _add(nfa, part, _add_gap(nfa, gap, end))
            return end


def _add_phrase(nfa: Nfa, tokens: tuple[int, ...], gate: int | None, source: Node) -> Node:
    for position, token in enumerate(tokens):
        target = nfa.node()
        nfa.literal[source].append((token, gate if position == 0 else None, target))
        if position < len(tokens) - 1:
            nfa.inside.add(target)
        source = target
    return source


def _add_gap(nfa: Nfa, gap: Gap, source: Node) -> Node:
    for _ in range(gap.min):
        target = nfa.node()
        nfa.anything[source].add(target)
        source = target
    end = nfa.node()
    nfa.free[source].add(end)
    if gap.max is None:
        nfa.anything[end].add(end)
        return end
    for _ in range(gap.max - gap.min):
        target = nfa.node()
        nfa.anything[source].add(target)
        nfa.free[target].add(end)
        source = target
    return end


def _closure(nfa: Nfa, node: Node) -> Nodes:
    seen, waiting = {node}, [node]
    while waiting:
        for other in nfa.free[waiting.pop()] - seen:
            seen.add(other)
            waiting.append(other)
    return frozenset(seen)


def simulation(nfa: Nfa) -> list[Nodes]:
    """For each node, the others that can do all it can do: beside one of them it is not needed."""
    size = len(nfa.literal)
    better = [set(range(size)) - {node} for node in range(size)]
    changed = True
    while changed:
        changed = False
        for node in range(size):
            for other in list(better[node]):
                if not _can_follow(nfa, node, other, better):
                    better[node].discard(other)
                    changed = True
    return [frozenset(others) for others in better]


def _can_follow(nfa: Nfa, node: Node, other: Node, better: list[set[Node]]) -> bool:
    def covers(targets: set[Node], target: Node) -> bool:
        reached = {n for t in targets for n in nfa.reach[t]}
        return all(n in reached or bool(better[n] & reached) for n in nfa.reach[target])

    def after(token: int, gate: int | None) -> set[Node]:
        literal = {t for x, g, t in nfa.literal[other] if x == token and g in (None, gate)}
        return literal | nfa.anything[other]

    return (
        node != nfa.end
        and all(covers(after(token, gate), target) for token, gate, target in nfa.literal[node])
        and all(covers(nfa.anything[other], target) for target in nfa.anything[node])
    )
