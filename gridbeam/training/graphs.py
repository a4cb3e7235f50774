"""Updates as CUDA graphs: all kernels of an update, recorded once per batch shape.

From then on they are launched as one. An update of the paper's network is some thousand small
kernels, and a GPU is done with one before the next is launched. Batches are padded, so that they
have few shapes; padding counts for nothing. With or without a GPU, whether recorded or not, an
update of a padded batch is the same, so a run that was killed and goes on is the run it would have
been.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import torch
from jaxtyping import Float, Int
from torch import Tensor

from gridbeam.training.minibatches import Batch

Update: TypeAlias = Callable[[Batch], tuple[Tensor, Tensor]]
"""Learns from a batch; gives the negative log-probability and the norm of the gradient. Nothing in
it waits for the GPU."""

_STEP = 4
"""Widths are padded to multiples of it."""
_WIDEST = 96
"""Wider batches are rare, and are left as they are."""
_BEFORE = 10
"""How many updates are made before any is recorded: the optimizer and the libraries of CUDA make
their state in them."""


class GraphedUpdates:
    """Updates with batches of `rows` pairs; others are made one kernel at a time."""

    def __init__(self, update: Update, *, rows: int, pad: int, device: torch.device) -> None:
        self._update, self._rows, self._pad = update, rows, pad
        self._seen: Counter[tuple[int, int]] = Counter()
        self._recorded: dict[tuple[int, int], _RecordedGraph] = {}
        self._recorder = _Recorder(device) if device.type == "cuda" else None

    def __call__(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Learns from a batch."""
        shape = _up(batch.source.shape[1]), _up(batch.target.shape[1])
        if len(batch.target) != self._rows or max(shape) > _WIDEST:
            return self._update(batch)
        batch = padded(batch, *shape, self._pad)
        if shape in self._recorded:
            return self._recorded[shape].replay(batch)
        found = self._update(batch)
        self._seen[shape] += 1
        if self._recorder and self._seen[shape] > 1 and self._seen.total() > _BEFORE:
            self._recorded[shape] = self._recorder.record(self._update, batch)
        return found


@dataclass(frozen=True)
class _RecordedGraph:
    """An update as a graph: what it reads from, and what it writes to."""

    graph: torch.cuda.CUDAGraph
    batch: Batch
    found: Float[Tensor, "2"]

    def replay(self, batch: Batch) -> tuple[Tensor, Tensor]:
        self.batch.source.copy_(batch.source)
        self.batch.target.copy_(batch.target)
        self.graph.replay()
        nll, norm = self.found.clone()
        return nll, norm


class _Recorder:
    """Records graphs that take turns in one piece of memory.

    Everything runs on one stream from here on, recorded or not: gradients and the workspaces of
    cuBLAS belong to the stream on which they were first made, and a graph must not wait for
    another.
    """

    def __init__(self, device: torch.device) -> None:
        self._stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
        self._stream.wait_stream(torch.cuda.current_stream(device))
        torch.cuda.set_stream(self._stream)
        self._memory = torch.cuda.graph_pool_handle()
        # Outside of that memory, which the next graph writes over.
        self._found = torch.zeros(2, device=device)

    def record(self, update: Update, batch: Batch) -> _RecordedGraph:
        """The update of a batch, which is not made."""
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(
            graph, pool=self._memory, stream=self._stream, capture_error_mode="thread_local"
        ):
            self._found.copy_(torch.stack(update(batch)))
        return _RecordedGraph(graph, batch, self._found)


def padded(batch: Batch, source: int, target: int, pad: int) -> Batch:
    """A batch with sides of these widths, in which the places of tokens are left to be found."""
    wide_source, wide_target = (
        _widened(batch.source, source, pad),
        _widened(batch.target, target, pad),
    )
    return replace(
        batch, source=wide_source, target=wide_target, source_is_padded=True, places=None
    )


def _widened(tokens: Int[Tensor, "pair width"], width: int, pad: int) -> Int[Tensor, "pair wider"]:
    return torch.nn.functional.pad(tokens, (0, width - tokens.shape[1]), value=pad)


def _up(width: int) -> int:
    return -(-width // _STEP) * _STEP
