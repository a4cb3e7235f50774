"""The automata of a batch as tensors: the tables of all machines in one, a number per state.

A hypothesis holds one state for each machine of its sentence, so a batch of hypotheses is one
matrix, and reading a token is a few look-ups whatever the constraints are.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from gridbeam.constraints.automaton import Automaton
from gridbeam.constraints.machine import NEVER, Machine

LOST = 0
"""The state of a hypothesis that broke a constraint for good."""
IDLE = 1
"""The state that fills the places of a sentence with fewer constraints than others."""
_HOPELESS = 1 << 40


@dataclass(frozen=True)
class FilterPlace:
    """Where the filters of a machine act: for one sentence, on one column of its progress."""

    sentence: int
    column: int
    machine: Machine


@dataclass(frozen=True)
class Tables:
    """Look-up tables over the states of all machines."""

    vocab_size: int
    start: Int[Tensor, "sentence machine"]
    rows: int
    """More than any hypothesis can owe."""
    own_rows: Int[Tensor, "sentence"]
    """More than any hypothesis of that sentence can owe."""
    detours: int
    """More than any hypothesis can be from paying for a longer alternative: 1 where there is
    none."""
    pays_singly: Bool[Tensor, "sentence"]
    is_placed: bool
    """Whether coverage is "placed": machines other than guards take arcs only when the search
    places a token."""
    filters: tuple[FilterPlace, ...]
    guards: int
    """How many columns of the progress are guards; the required constraints come after them."""
    mixing: Int[Tensor, "machine"]
    """A large odd number for each column, to hash a progress by."""
    mentioned: Bool[Tensor, "vocab"]
    """Tokens that some watching machine has an arc for; others take the default everywhere."""
    kind: Int[Tensor, "vocab"]
    """Tokens of one kind are in the same classes, and take the same default."""
    is_selective: bool
    """Whether a required machine may refuse some kinds of tokens and take others."""
    default: Int[Tensor, "state kind"]
    base: Int[Tensor, "state"]
    needs: Int[Tensor, "state"]
    needs_if_broken: Int[Tensor, "state"]
    pending: Bool[Tensor, "state"]
    inside: Bool[Tensor, "state"]
    detour: Int[Tensor, "state"]
    is_last: Bool[Tensor, "state"]
    """Whether the state is of a machine that must be met by the last of the text."""
    has_last: bool
    arc_key: Int[Tensor, "arc"]
    """state * vocab_size + token, in ascending order."""
    arc_next: Int[Tensor, "arc"]
    wanted_first: Int[Tensor, "state"]
    wanted_count: Int[Tensor, "state"]
    wanted_token: Int[Tensor, "wanted"]
    wanted_next: Int[Tensor, "wanted"]

    def read(
        self, states: Int[Tensor, "*shape"], tokens: Int[Tensor, "*shape"]
    ) -> Int[Tensor, "*shape"]:
        """The state that each watching machine is in after its token."""
        default = self.default[states, self.kind[tokens]]
        if not len(self.arc_key):
            return default
        own, is_own = self._arc(states, tokens)
        inherited, is_inherited = self._arc(self.base[states], tokens)
        return torch.where(is_own, own, torch.where(is_inherited, inherited, default))

    def open_kinds(self, progress: Int[Tensor, "hyp machine"]) -> Bool[Tensor, "hyp kind"]:
        """Which kinds of tokens a hypothesis may generate; a closed one may none."""
        return (self.default[progress] != LOST).all(1)

    def _arc(
        self, states: Int[Tensor, "*shape"], tokens: Int[Tensor, "*shape"]
    ) -> tuple[Int[Tensor, "*shape"], Bool[Tensor, "*shape"]]:
        key = states * self.vocab_size + tokens
        place = torch.searchsorted(self.arc_key, key).clamp_(max=len(self.arc_key) - 1)
        return self.arc_next[place], self.arc_key[place] == key

    def owed_after(self, progress: Int[Tensor, "hyp machine"]) -> Int[Tensor, "hyp"]:
        """`Automaton.owed` of many hypotheses."""
        if not progress.shape[1]:
            return progress.new_zeros(len(progress))
        if_broken = self.needs_if_broken[progress]
        covered = if_broken - self.needs[progress]
        is_last = self.is_last[progress] if self.has_last else None
        if is_last is not None:
            last, last_if_broken = self.needs[progress] * is_last, if_broken * is_last
            if_broken, covered = if_broken * ~is_last, covered * ~is_last
        together = (covered * self.pending[progress]).sum(1)
        others = if_broken.sum(1) - torch.maximum(covered.amax(1), together)
        if is_last is None:
            return others
        return others + torch.where(others > 0, last_if_broken.sum(1), last.sum(1))

    def beam_of(
        self,
        sentence: Int[Tensor, "hyp"],
        progress: Int[Tensor, "hyp machine"],
        owed: Int[Tensor, "hyp"],
    ) -> Int[Tensor, "hyp"]:
        """Which beam each hypothesis is in.

        There is one for each sentence, row, and stage of a longer alternative.
        """
        row = sentence * self.rows + owed
        return row if self.detours == 1 else row * self.detours + self.detour[progress].amax(1)

    def needs_after(
        self,
        progress: Int[Tensor, "hyp machine"],
        owed: Int[Tensor, "hyp"],
        sentence: Int[Tensor, "hyp"],
    ) -> Int[Tensor, "hyp"]:
        """`Automaton.needs` of many hypotheses, given what they owe."""
        if not progress.shape[1]:
            return owed
        is_owed = self.pays_singly[sentence] | (owed >= NEVER)
        return torch.where(is_owed, owed, self.needs[progress].amax(1))


def tables_of(automata: Sequence[Automaton], vocab_size: int, device: torch.device) -> Tables:
    """The tables of a batch, one automaton for each sentence."""
    layout = _Layout(vocab_size)
    guards = max(len(automaton.guards) for automaton in automata)
    width = guards + max(len(automaton.required) for automaton in automata)
    start = torch.full((len(automata), width), IDLE, dtype=torch.int64)
    filters = []
    for sentence, automaton in enumerate(automata):
        for column, machine in (
            *enumerate(automaton.guards),
            *enumerate(automaton.required, guards),
        ):
            start[sentence, column] = layout.add(machine) + machine.start
            if machine.filters:
                filters.append(FilterPlace(sentence, column, machine))
    arc_key, arc_next = torch.cat(layout.arc_key), torch.cat(layout.arc_next)
    kind, default = _kinds(layout, vocab_size)
    mentioned = torch.zeros(vocab_size, dtype=torch.bool)
    mentioned[arc_key % vocab_size] = True

    def numbers(values: Sequence[int]) -> Int[Tensor, "number"]:
        return torch.tensor(values, dtype=torch.int64, device=device)

    return Tables(
        vocab_size=vocab_size,
        start=start.to(device),
        rows=1 + max(automaton.most_owed for automaton in automata),
        own_rows=numbers([1 + automaton.most_owed for automaton in automata]),
        detours=1 + max(automaton.longest_detour for automaton in automata),
        pays_singly=torch.tensor([automaton.pays_singly for automaton in automata], device=device),
        is_placed=automata[0].coverage == "placed",
        filters=tuple(filters),
        guards=guards,
        mixing=torch.randint(1 << 62, (width,), generator=torch.Generator().manual_seed(0)).to(
            device
        )
        * 2
        + 1,
        mentioned=mentioned.to(device),
        kind=kind.to(device),
        is_selective=any(
            machine.is_selective for automaton in automata for machine in automaton.required
        ),
        default=default.to(device),
        base=numbers(layout.base),
        needs=numbers(layout.needs),
        needs_if_broken=numbers(layout.needs_if_broken),
        pending=torch.tensor(layout.pending, device=device),
        inside=torch.tensor(layout.inside, device=device),
        detour=numbers(layout.detour),
        is_last=torch.tensor(layout.is_last, device=device),
        has_last=any(layout.is_last),
        arc_key=arc_key.to(device),
        arc_next=arc_next.to(device),
        wanted_first=numbers(layout.wanted_first),
        wanted_count=numbers(layout.wanted_count),
        wanted_token=numbers([token for token, _ in layout.wanted]),
        wanted_next=numbers([to for _, to in layout.wanted]),
    )


def _kinds(
    layout: _Layout, vocab_size: int
) -> tuple[Int[Tensor, "vocab"], Int[Tensor, "state kind"]]:
    """The kind of each token, by the classes of all machines, and each state's defaults by kind."""
    classes = tuple(dict.fromkeys(tokens for own, _ in layout.default for tokens in own))
    present, kind = _kinds_by(classes, vocab_size)
    columns: dict[tuple[frozenset[int], ...], Tensor] = {}
    for own in dict.fromkeys(own for own, _ in layout.default):
        places = [classes.index(tokens) for tokens in own]
        columns[own] = torch.tensor(
            [sum((b >> place & 1) << n for n, place in enumerate(places)) for b in present]
        )
    return kind, torch.cat([by_kind[:, columns[own]] for own, by_kind in layout.default])


@lru_cache(maxsize=64)
def _kinds_by(
    classes: tuple[frozenset[int], ...], vocab_size: int
) -> tuple[list[int], Int[Tensor, "vocab"]]:
    """The kinds that there are, each with a bit for each class, and the number of each token's."""
    bits = torch.zeros(vocab_size, dtype=torch.int64)
    for number, tokens in enumerate(classes):
        bits[[token for token in tokens if token < vocab_size]] += 1 << number
    present, kind = torch.unique(bits, return_inverse=True)
    return present.tolist(), kind


class _Layout:
    """Machines laid behind each other; the same machine is laid once."""

    def __init__(self, vocab_size: int) -> None:
        self.vocab_size = vocab_size
        self.base = [LOST, IDLE]
        self.default: list[tuple[tuple[frozenset[int], ...], Int[Tensor, "state kind"]]] = [
            ((), torch.tensor([[LOST], [IDLE]]))
        ]
        self.needs, self.needs_if_broken = [_HOPELESS, 0], [_HOPELESS, 0]
        self.pending, self.inside, self.detour = [False, False], [False, False], [0, 0]
        self.is_last = [False, False]
        self.wanted_first, self.wanted_count = [0, 0], [0, 0]
        self.wanted: list[tuple[int, int]] = []
        self.arc_key = [torch.empty(0, dtype=torch.int64)]
        self.arc_next = [torch.empty(0, dtype=torch.int64)]
        self._laid: dict[int, int] = {}

    def add(self, machine: Machine) -> int:
        """The number of the machine's first state; a token that leads nowhere leads to `LOST`."""
        if id(machine) in self._laid:
            return self._laid[id(machine)]
        offset = self._laid[id(machine)] = len(self.base)
        columns = machine.columns
        by_kind = _moved_all(columns.default, offset).view(len(machine.default), -1)
        self.default.append((machine.classes, by_kind))
        if machine.watches:
            self.arc_key.append(
                (_tensor(columns.state) + offset) * self.vocab_size + _tensor(columns.token)
            )
            self.arc_next.append(_moved_all(columns.to, offset))
        self.base += [to + offset for to in machine.base]
        self.needs += machine.needs
        self.needs_if_broken += machine.needs_if_broken
        self.pending += machine.pending
        self.inside += machine.inside
        self.detour += machine.detour
        self.is_last += [machine.is_last] * len(machine.arcs)
        for wanted in machine.wanted:
            self.wanted_first.append(len(self.wanted))
            self.wanted_count.append(len(wanted))
            self.wanted += [(token, _moved(to, offset)) for token, to in wanted]
        return offset


def _moved(state: int, offset: int) -> int:
    return LOST if state < 0 else state + offset


def _moved_all(states: array[int], offset: int) -> Int[Tensor, "number"]:
    found = _tensor(states)
    return torch.where(found < 0, LOST, found + offset)


def _tensor(numbers: array[int]) -> Int[Tensor, "number"]:
    """The numbers themselves, not copied, but for none, which torch does not take."""
    if not numbers:
        return torch.empty(0, dtype=torch.int64)
    return torch.frombuffer(numbers, dtype=torch.int64)
