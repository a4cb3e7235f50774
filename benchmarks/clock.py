"""What time it is, for what runs on a GPU."""

from __future__ import annotations

import time

import torch


def now(device: torch.device) -> float:
    """The seconds of a clock, once the device has done all it was given."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter()
