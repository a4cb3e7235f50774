"""What hypotheses have read, each token once: hypotheses that share a past share its keys.

The tokens of a sentence are a tree. A row of a search is a leaf, and `sees` says which nodes are on
its way from the root; so to select rows is to select lines of `sees`, and no key moves. Nodes that
no row sees any more are swept out now and then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby

import torch
from jaxtyping import Float, Int
from torch import Tensor

_ROOM = 64
"""How many nodes there is room for at first, and how many more before the next sweeping."""
KeysAndValues = tuple[Tensor, Tensor]
"""[head, dim, node] and [head, node, dim]."""


@dataclass
class Nodes:
    """The keys and values of all nodes, which several trees may have in common."""

    kept: Float[Tensor, "layer node width"]
    filled: int

    def with_room(self, used: int, more: int) -> Nodes:
        """These nodes with room for more after the first so many; copied where others use it."""
        is_free = self.filled == used and used + more <= self.kept.shape[1]
        if is_free:
            return self
        layers, _, width = self.kept.shape
        kept = self.kept.new_empty(layers, max(_ROOM, 2 * (used + more)), width)
        kept[:, :used] = self.kept[:, :used]
        return Nodes(kept, used)

    def swept(self, alive: Int[Tensor, "node"]) -> Nodes:
        """Only these nodes."""
        return Nodes(self.kept[:, alive], len(alive))


@dataclass(frozen=True)
class RowTree:
    """The tree of one sentence, and the rows of a search that are its leaves."""

    source: tuple[KeysAndValues, ...]
    """For each layer the keys and values of the source."""
    nodes: Nodes
    sees: Float[Tensor, "row node"]
    """What is added to the scores of attention: 0 for the nodes on a row's way, else -inf."""
    sweep_at: int = _ROOM
    """With so many nodes it is time to look which of them are needed."""

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self.sees.shape[0]

    def select(self, rows: Sequence[int]) -> RowTree:
        """The tree with these rows."""
        return replace(self, sees=self.sees[list(rows)])

    def grown(self, counts: Sequence[int]) -> RowTree:
        """The tree with so many more tokens of each row, one behind the other.

        Its rows are then these tokens, and the last of `nodes` are theirs, to be filled.
        """
        swept = self._swept() if self.sees.shape[1] >= self.sweep_at else self
        used, more = swept.sees.shape[1], sum(counts)
        nodes = swept.nodes.with_room(used, more)
        nodes.filled = used + more
        if more == len(counts):
            sees = torch.cat([swept.sees, _alone(more)], 1)
        else:
            each = torch.tensor(counts)
            sees = torch.cat([swept.sees.repeat_interleave(each, 0), _in_turn(each)], 1)
        return replace(swept, nodes=nodes, sees=sees)

    def remember(self, layer: int, both: Float[Tensor, "row width"]) -> Tensor:
        """The keys and values of all nodes of a layer, those of the last rows put in."""
        used = self.sees.shape[1]
        self.nodes.kept[layer, used - both.shape[0] : used] = both
        return self.nodes.kept[layer, :used]

    def _swept(self) -> RowTree:
        alive = (self.sees == 0).any(0).nonzero().flatten()
        due = 2 * len(alive) + _ROOM
        if len(alive) == self.sees.shape[1]:
            return replace(self, sweep_at=due)
        return replace(self, nodes=self.nodes.swept(alive), sees=self.sees[:, alive], sweep_at=due)


def seedling(source: tuple[KeysAndValues, ...], width: int) -> RowTree:
    """A tree of one row that has read nothing."""
    return RowTree(source, Nodes(torch.empty(len(source), _ROOM, width), 0), torch.empty(1, 0))


def selected(trees: Sequence[RowTree], rows: Sequence[int]) -> tuple[RowTree, ...]:
    """The trees with these of all their rows, in this order."""
    owner = [(number, row) for number, tree in enumerate(trees) for row in range(tree.rows)]
    chosen = [owner[row] for row in rows]
    return tuple(
        trees[number].select([row for _, row in group])
        for number, group in groupby(chosen, key=lambda each: each[0])
    )


@cache
def _alone(count: int) -> Float[Tensor, "token token"]:
    """Each token sees itself and no other."""
    return torch.full((count, count), -torch.inf).fill_diagonal_(0.0)


def _in_turn(counts: Int[Tensor, "row"]) -> Float[Tensor, "token token"]:
    """Each token sees those of its row up to itself."""
    row = torch.arange(len(counts)).repeat_interleave(counts)
    place = torch.arange(len(row))
    is_seen = (row[:, None] == row) & (place <= place[:, None])
    return torch.zeros(is_seen.shape).masked_fill_(~is_seen, -torch.inf)
