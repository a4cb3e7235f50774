"""A batch in slots, from its sources to what was found, column by column on the device.

A column, the network's step and the search's, is recorded as a CUDA graph when a shape of batch is
met for the first time, and played back from then on. The host only looks now and then whether
anything still goes on; columns beyond the end change nothing.
"""

from __future__ import annotations

import threading
import warnings
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from gridbeam.constraints.automaton import Automaton
from gridbeam.decoding.options import SearchOptions
from gridbeam.decoding.shortage import is_shortage, let_go
from gridbeam.decoding.slots.column import ColumnLayout, advance
from gridbeam.decoding.slots.found import Found, found_in
from gridbeam.decoding.slots.memory import SlotMemory, memory_of
from gridbeam.decoding.slots.shape import (
    BatchShape,
    can_be_searched,
    is_on,
    is_recorded,
    shape_of,
)
from gridbeam.decoding.tables import tables_of
from gridbeam.errors import UserNotice
from gridbeam.models import Model, ends_of
from gridbeam.models.slots import InSlots, Seats, SlotNetwork

_AHEAD = 3
"""How many columns the device is told to make before it is known whether they are needed."""
_MOST_GRIDS = 12
"""How many shapes are kept for a network."""
_WIDTHS = 16
"""Sources are as wide as a multiple of this."""


@torch.inference_mode()
def search_in_slots(
    model: Model[Any],
    sources: Sequence[Any],
    automata: Sequence[Automaton],
    options: SearchOptions,
    longest: Sequence[int],
) -> Found | None:
    """What is found for each source; None where a search in slots cannot find it."""
    device = torch.device(getattr(model, "device", "cpu"))
    if not isinstance(model, InSlots) or not is_on(device):
        return None
    if not can_be_searched(options, automata):
        return None
    tables = tables_of(automata, model.vocab_size, torch.device("cpu"))
    asked = model.in_slots(sources, max(longest))
    if asked is None:
        return None
    shape = shape_of(tables, options, asked, ends=ends_of(model), longest=max(longest))
    if not shape.is_fitting:
        return None
    grid = _grid(asked.network, shape, -(-asked.width // _WIDTHS) * _WIDTHS, device)
    if not grid.lock.acquire(blocking=False):
        return None
    try:
        grid.memory.begin(tables, options, longest, asked, model.bos)
        grid.memory.end_all_but(len(sources))
        grid.seats.read(asked.encoded)
        columns = grid.run(max(longest))
        return found_in(grid.memory, columns, longest)
    finally:
        grid.lock.release()


@dataclass
class Grid:
    """The memory of a shape of batch, and its column, recorded perhaps."""

    memory: SlotMemory
    layout: ColumnLayout
    seats: Seats
    recorded: torch.cuda.CUDAGraph | None = None
    is_unrecordable: bool = False
    lock: Any = field(default_factory=threading.Lock)

    def column(self) -> None:
        """One column, operation by operation."""
        slots = self.memory.slots
        logits = self.seats.step(slots.token, slots.parent, self.memory.limits.number)
        advance(self.memory, self.layout, logits)

    def run(self, most: int) -> int:
        """All columns; how many there were."""
        device = self.memory.slots.token.device
        column: Callable[[], None] = self.column
        if is_recorded(device) and self.seats.can_be_recorded:
            column = self._record() or column
        if device.type != "cuda":
            return _each_looked_at(column, self.memory, most)
        return _looked_at_later(column, self.memory, most)

    def _record(self) -> Callable[[], None] | None:
        """The column recorded; None where that cannot be done."""
        if self.recorded is None and not self.is_unrecordable:
            try:
                self.recorded = recording(self.column, self.memory)
            except RuntimeError as error:
                if is_shortage(error):
                    raise
                self.is_unrecordable = True
                warnings.warn(
                    f"a column cannot be recorded, and is made step by step: {error}",
                    UserNotice,
                    stacklevel=2,
                )
        return None if self.recorded is None else self.recorded.replay


def recording(column: Callable[[], None], memory: SlotMemory) -> torch.cuda.CUDAGraph:
    """A column as a CUDA graph; the memory is left as it was."""
    before = [each.clone() for each in _changing(memory)]
    graph = torch.cuda.CUDAGraph()
    aside: Any = torch.cuda.Stream()  # type: ignore[no-untyped-call]
    aside.wait_stream(torch.cuda.current_stream())
    try:
        with torch.cuda.stream(aside):
            column()  # compiles kernels, and has libraries take the memory that they need
            graph.capture_begin(capture_error_mode="thread_local")
            try:
                column()
            finally:
                graph.capture_end()
    finally:
        torch.cuda.current_stream().wait_stream(aside)
        for store, value in zip(_changing(memory), before, strict=True):
            store.copy_(value)
    return graph


def _changing(memory: SlotMemory) -> list[torch.Tensor]:
    """What a column changes and the next one reads."""
    parts = (memory.slots, memory.finished, memory.course)
    return [memory.limits.number, *(each for part in parts for each in vars(part).values())]


def _each_looked_at(column: Callable[[], None], memory: SlotMemory, most: int) -> int:
    """Columns until nothing goes on."""
    for number in range(most):
        column()
        if not bool(memory.course.goes_on):
            return number + 1
    return most


def _looked_at_later(column: Callable[[], None], memory: SlotMemory, most: int) -> int:
    """Columns until nothing goes on, as is seen some columns later: so nobody waits."""
    seen = torch.ones(most, dtype=torch.bool, pin_memory=True)
    passed: list[Any] = [torch.cuda.Event() for _ in range(most)]  # type: ignore[no-untyped-call]
    for number in range(most):
        if number >= _AHEAD:
            passed[number - _AHEAD].synchronize()
            if not bool(seen[number - _AHEAD]):
                return number
        column()
        seen[number].copy_(memory.course.goes_on, non_blocking=True)
        passed[number].record()
    return most


def _grid(network: SlotNetwork, shape: BatchShape, width: int, device: torch.device) -> Grid:
    """The grid of this shape, new or kept."""
    kept: OrderedDict[Any, Grid] = network.workspace.setdefault(device, OrderedDict())
    key = (shape, width)
    if key not in kept:
        while len(kept) >= _MOST_GRIDS or (kept and _is_crowded(device)):
            kept.popitem(last=False)
            let_go()
        kept[key] = _new_grid(network, shape, width, device)
    kept.move_to_end(key)
    return kept[key]


def _is_crowded(device: torch.device) -> bool:
    """Whether less than half of a GPU's memory is free."""
    if device.type != "cuda":
        return False
    free, whole = torch.cuda.mem_get_info(device)
    return free < whole // 2


def _new_grid(network: SlotNetwork, shape: BatchShape, width: int, device: torch.device) -> Grid:
    seats = network.seats(shape.sentences, shape.lanes, shape.columns, width)
    memory = memory_of(shape, seats.vocab, device)
    return Grid(memory, ColumnLayout(shape, device).laid_out(), seats)
