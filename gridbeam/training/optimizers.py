"""How far an update goes: the optimizers, and the learning rate over the updates."""

from __future__ import annotations

import math

import torch
from torch import nn

from gridbeam.training.config import Training


def learning_rate(update: int, training: Training) -> float:
    """The learning rate of an update, the first of which is number 0.

    >>> [learning_rate(n, Training(updates=100, learning_rate=1.0, warmup=10)) for n in (0, 4, 9, 100)]
    [0.1, 0.5, 1.0, 0.0]
    """
    if update < training.warmup:
        return training.learning_rate * (update + 1) / training.warmup
    if training.schedule == "cosine":
        done = (update - training.warmup) / max(1, training.updates - training.warmup)
        return training.learning_rate * 0.5 * (1 + math.cos(math.pi * min(1.0, done)))
    if training.schedule == "inverse_sqrt":
        return training.learning_rate * math.sqrt(max(1, training.warmup) / max(1, update))
    return training.learning_rate


def optimizer_of(network: nn.Module, training: Training, device: torch.device) -> torch.optim.Optimizer:
    """What makes the updates of a network; `learning_rate` is set before each."""
    if training.optimizer == "adadelta":
        # The gradient of l2 times the square of a parameter is twice l2 times the parameter.
        is_graphed = training.graphs and device.type == "cuda"
        return torch.optim.Adadelta(
            network.parameters(), lr=1.0, rho=0.95, eps=1e-6, weight_decay=2 * training.l2, capturable=is_graphed
        )
    return torch.optim.AdamW(
        network.parameters(), lr=0.0, betas=(0.9, 0.98), eps=1e-9, weight_decay=training.weight_decay, fused=True
    )
