"""Which of several processes this is: alone, or one of those that torchrun has started."""

from __future__ import annotations

import gc
import os
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

import torch
from torch import distributed, nn

Value = TypeVar("Value")


@dataclass(frozen=True)
class Ranks:
    """A process among its fellows."""

    rank: int
    world: int
    device: torch.device

    @staticmethod
    def start() -> Ranks:
        """Joins the processes of torchrun, each with a GPU of its own where there are any."""
        rank, world, local = (int(os.environ.get(name, default)) for name, default in _VARIABLES)
        has_gpu = torch.cuda.is_available()
        device = torch.device("cuda", local) if has_gpu else torch.device("cpu")
        if has_gpu:
            torch.cuda.set_device(device)
            torch.set_float32_matmul_precision("high")
            # cuDNN makes a plan for every new shape, which takes it 12 ms, and shapes are new all
            # the time.
            torch.backends.cuda.enable_cudnn_sdp(False)
        if world > 1:
            # The first process prepares text and validates while the others wait.
            distributed.init_process_group(
                "nccl" if has_gpu else "gloo", timeout=timedelta(hours=6)
            )
        return Ranks(rank, world, device)

    @property
    def is_first(self) -> bool:
        """Whether this process writes, reports and validates for all."""
        return self.rank == 0

    def parallel(self, module: nn.Module) -> nn.Module:
        """The module, with gradients averaged over all processes."""
        if self.world == 1:
            return module
        return nn.parallel.DistributedDataParallel(
            module, device_ids=[self.device] if self.device.type == "cuda" else None
        )

    def agreed(self, value: Value | None) -> Value:
        """What the first process has found, for all."""
        values = [value]
        if self.world > 1:
            distributed.broadcast_object_list(values, src=0)
        assert values[0] is not None
        return values[0]

    def end(self) -> None:
        """Leaves the others."""
        if self.world > 1:
            # a network that outlived the group would end its threads when the process ends, which
            # aborts it
            gc.collect()
            distributed.destroy_process_group()


_VARIABLES = (("RANK", "0"), ("WORLD_SIZE", "1"), ("LOCAL_RANK", "0"))
