"""A pattern over token ids as a small nondeterministic automaton: which tokens may come next."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import prod

from gridbeam.constraints.spelled import Filter, Spellings
from gridbeam.constraints.terms import AnyOf, Gap, InOrder, Pattern, Phrase
from gridbeam.errors import UserError

Node = int
Kind = int
"""Which of the classes of an automaton a token is in: one bit for each."""

_MOST_NODES = 100_000
_MOST_CLASSES = 6
_PLENTY = 20
"""Two to the power of this is more states than any machine may have."""


@dataclass(frozen=True)
class TokenArc:
    """An arc for one token of a phrase; with a gate, it is there only while that filter says so."""

    token: int
    gate: int | None
    to: Node
    is_offered: bool = True


@dataclass(frozen=True)
class Free:
    """An arc without a token.

    It is there only after a token of one class, or before one of another (None: always).
    """

    to: Node
    after: int | None = None
    before: int | None = None
    may_open: bool = True
    """Whether no token at all will do as well as one of the first class."""


@dataclass(frozen=True)
class Window:
    """A gap of `least` to `most` tokens: after n of them, a match is at the n-th of its places."""

    places: tuple[Node, ...]
    least: int
    most: int

    def kept(self, places: Iterable[int]) -> list[int]:
        """Those of some places that are needed to tell where the gap may end, from now on.

        A match at place n may end the gap between `least` - n and `most` - n tokens from now. Where
        two of these stretches of time overlap or meet, any that begins between them adds nothing.
        """
        found: list[int] = []
        for place in sorted(places, reverse=True):
            while len(found) > 1 and found[-2] - place <= self.most - self.least + 1:
                found.pop()
            found.append(place)
        return found


@dataclass
class Nfa:
    """Nodes and three kinds of arcs: a token of a phrase, any token (a gap), no token (`free`).

    A node with an `anything` arc to itself waits there for ever.
    """

    literal: list[list[TokenArc]] = field(default_factory=list)
    anything: list[set[Node]] = field(default_factory=list)
    free: list[set[Free]] = field(default_factory=list)
    inside: set[Node] = field(default_factory=set)
    """Nodes between two tokens of one phrase."""
    beginnings: set[Node] = field(default_factory=set)
    """Nodes where spelled texts begin."""
    openings: dict[Node, Node] = field(default_factory=dict)
    """For such nodes, one that is there only before the first token, and waits for a token that
    opens the text."""
    silent: int | None = None
    """The class of tokens without text, which are no neighbours of anything."""
    lingers: set[Node] = field(default_factory=set)
    """Nodes that a token without text leaves as they are."""
    gates: list[Filter] = field(default_factory=list)
    classes: list[frozenset[int]] = field(default_factory=list)
    needless: dict[Node, range] = field(default_factory=dict)
    """For a node, others that can do no more than it: beside it they are not needed."""
    windows: list[Window] = field(default_factory=list)
    """The gaps with an upper limit."""
    start: Node = 0
    end: Node = 0

    def node(self) -> Node:
        """A new node."""
        if len(self.literal) >= _MOST_NODES:
            raise UserError(
                f"a constraint has more than {_MOST_NODES} tokens and places in gaps: shorten or"
                " split it"
            )
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

    def after_class(self, source: Node, tokens: frozenset[int] | None, *, may_open: bool) -> Node:
        """The node that is reached from `source` after a token of a class.

        Alternatives share it.
        """
        arcs = [
            arc
            for arc in self.free[source]
            if arc.after == self.class_of(tokens) and arc.may_open == may_open
        ]
        begins = [arc.to for arc in arcs if arc.to in self.beginnings]
        if begins:
            return begins[0]
        node = self.node()
        self.beginnings.add(node)
        self.free[source].add(Free(node, after=self.class_of(tokens), may_open=may_open))
        return node

    def class_of(self, tokens: frozenset[int] | None) -> int | None:
        """The number of a class of tokens; equal classes share one."""
        if tokens is None:
            return None
        if tokens not in self.classes:
            if len(self.classes) == _MOST_CLASSES:
                raise UserError(
                    f"a constraint has more than {_MOST_CLASSES} classes of tokens before or after"
                    " its phrases"
                )
            self.classes.append(tokens)
        return self.classes.index(tokens)


def build(pattern: Pattern, *, anchored: bool, last_before: frozenset[int] | None = None) -> Nfa:
    """The automaton of a pattern that may begin anywhere, or at the first token only.

    With `last_before` it must be the last of the text: only one of these tokens may follow it.
    """
    nfa = Nfa()
    nfa.start = nfa.node()
    if not anchored:
        nfa.anything[nfa.start].add(nfa.start)
    if isinstance(pattern, InOrder):
        nfa.end = _add_in_order(nfa, pattern, nfa.start, first_node=nfa.start)
    else:
        nfa.end = _add(nfa, pattern, nfa.start)
    if last_before is not None:
        nfa.end = _add_end_of_text(nfa, nfa.end, last_before)
    return nfa


def _add_end_of_text(nfa: Nfa, source: Node, ends: frozenset[int]) -> Node:
    """Adds that the text is over after `source`; the node where it is."""
    end = nfa.node()
    nfa.free[source].add(Free(end, before=nfa.class_of(ends)))
    return end


def states_at_most(pattern: Pattern) -> int:
    """About how many sets of places a pattern can be in, but for those within its phrases.

    Alternatives are under way independently of each other. Beyond a gap without an upper limit
    whoever is further is better off, so what is before it no longer counts.
    """
    match pattern:
        case Phrase() | Spellings():
            return 1
        case AnyOf(alternatives):
            return prod(map(states_at_most, alternatives))
        case InOrder():
            total, stretch = 0, 1
            for gap, part in _flat(pattern):
                if gap.max is None:
                    total, stretch = total + stretch, 1
                else:
                    stretch *= _sets_of_places(gap.min, gap.max)
                stretch *= states_at_most(part)
            return total + stretch


def _sets_of_places(least: int, most: int) -> int:
    """No more sets of places in a gap are told apart: see `Window.kept`."""
    width = most - least + 1
    kept = min(2 * -(-least // width), _PLENTY)
    waiting = min(1 << min(least, _PLENTY), prod([least + 1] * kept))
    return waiting * (width + 1)


def _add(nfa: Nfa, pattern: Pattern, source: Node) -> Node:
    """Adds the pattern after `source`; the node where it ends."""
    match pattern:
        case Phrase(_, when):
            return _add_phrase(nfa, pattern.tokens, nfa.gate(when), source)
        case Spellings():
            return _add_spellings(nfa, pattern, source)
        case AnyOf(alternatives):
            end = nfa.node()
            for alternative in alternatives:
                nfa.free[_add(nfa, alternative, source)].add(Free(end))
            return end
        case InOrder():
            return _add_in_order(nfa, pattern, source, first_node=len(nfa.literal))


def _add_in_order(nfa: Nfa, pattern: InOrder, source: Node, *, first_node: Node) -> Node:
    """Adds the parts and the gaps between; nodes from `first_node` on lead only to the end."""
    (_, first), *rest = _flat(pattern)
    end = _add(nfa, first, source)
    for gap, part in rest:
        end = _add(nfa, part, _add_gap(nfa, gap, end, first_node))
    return end


def _flat(pattern: InOrder) -> list[tuple[Gap, Pattern]]:
    """The gaps and patterns of an `InOrder`, those of one inside it among them."""
    pairs: list[tuple[Gap, Pattern]] = []
    for gap, part in pattern.gaps_and_patterns():
        if isinstance(part, InOrder):
            (_, first), *rest = _flat(part)
            pairs += [(gap, first), *rest]
        else:
            pairs.append((gap, part))
    return pairs


def _add_phrase(nfa: Nfa, tokens: tuple[int, ...], gate: int | None, source: Node) -> Node:
    for position, token in enumerate(tokens):
        target = nfa.node()
        nfa.literal[source].append(TokenArc(token, gate if position == 0 else None, target))
        if position < len(tokens) - 1:
            nfa.inside.add(target)
        source = target
    return source


def _add_spellings(nfa: Nfa, spellings: Spellings, source: Node) -> Node:
    """Adds the graph of a spelled text.

    There is a way in for tokens that need the right token before them, and a way out for those that
    need the right one after.
    """
    gate = nfa.gate(spellings.when)
    begins = nfa.after_class(source, spellings.before, may_open=spellings.may_open)
    nodes = [begins, *(nfa.node() for _ in range(spellings.end))]
    done = nfa.node()
    if (
        spellings.opening is not None
        and source in nfa.anything[nfa.start]
        and begins not in nfa.openings
    ):
        nfa.openings[begins] = nfa.node()
        opened = _after_anything(nfa, nfa.openings[begins])
        opening = nfa.class_of(frozenset({spellings.opening}))
        nfa.free[opened].add(Free(begins, after=opening, may_open=False))
    if spellings.skipped:
        nfa.silent = nfa.class_of(spellings.skipped)
        nfa.lingers.update(nodes[:-1])
    nfa.free[nodes[-1]].add(Free(done, before=nfa.class_of(spellings.after)))
    nfa.inside.update(nodes[1:-1])
    targets = [*nodes, done]
    for arc in spellings.leading:
        nfa.literal[source].append(TokenArc(arc.token, gate, targets[arc.to], arc.is_offered))
    for number, (node, arcs) in enumerate(zip(nodes, spellings.arcs, strict=False)):
        here = gate if number == 0 else None
        nfa.literal[node] += [
            TokenArc(arc.token, here, targets[arc.to], arc.is_offered) for arc in arcs
        ]
    return done


def _add_gap(nfa: Nfa, gap: Gap, source: Node, first_node: Node) -> Node:
    """Adds a gap after `source`; the node where it may end.

    Without an upper limit, whoever is further is better off than all before it, back to
    `first_node`. With one, of those that may end the last to come has the most time left.
    """
    waiting = [source]
    for _ in range(gap.min):
        waiting.append(_after_anything(nfa, waiting[-1]))
    if gap.max is None:
        end = nfa.node()
        nfa.free[waiting[-1]].add(Free(end))
        nfa.anything[end].add(end)
        for node in (*waiting, end):
            nfa.needless[node] = range(first_node, node)
        return end
    ready = [waiting[-1]]
    for _ in range(gap.max - gap.min):
        ready.append(_after_anything(nfa, ready[-1]))
    nfa.windows.append(Window((*waiting, *ready[1:]), gap.min, gap.max))
    end = nfa.node()
    for node, later in zip(ready, (*ready[1:], end), strict=True):
        nfa.free[node].add(Free(end))
        nfa.needless[node] = range(later, end)
    return end


def _after_anything(nfa: Nfa, source: Node) -> Node:
    target = nfa.node()
    nfa.anything[source].add(target)
    return target
