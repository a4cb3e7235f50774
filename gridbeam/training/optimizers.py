"""How far an update goes: the optimizers, and the learning rate over the updates."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from gridbeam.training.config import Training


def learning_rate(update: int, training: Training) -> float:
    """The learning rate of an update, the first of which is number 0.

    >>> training = Training(updates=100, learning_rate=1.0, warmup=10)
    >>> [learning_rate(n, training) for n in (0, 4, 9, 100)]
    [0.1, 0.5, 1.0, 0.0]
    >>> training = Training(updates=100, learning_rate=2.0, schedule="constant", cooldown=10)
    >>> [learning_rate(n, training) for n in (90, 95, 99)]
    [2.0, 1.0, 0.2]
    """
    share = min(1.0, (training.updates - update) / training.cooldown) if training.cooldown else 1.0
    return training.learning_rate * share * _scheduled(update, training)


def _scheduled(update: int, training: Training) -> float:
    if update < training.warmup:
        return (update + 1) / training.warmup
    if training.schedule == "cosine":
        done = (update - training.warmup) / max(1, training.updates - training.warmup)
        return 0.5 * (1 + math.cos(math.pi * min(1.0, done)))
    if training.schedule == "inverse_sqrt":
        return math.sqrt(max(1, training.warmup) / max(1, update))
    return 1.0


def set_learning_rate(optimizer: torch.optim.Optimizer, rate: float) -> None:
    """Lets the next update go this far."""
    for group in optimizer.param_groups:
        if isinstance(group["lr"], Tensor):
            group["lr"].fill_(rate)
        else:
            group["lr"] = rate


@torch.no_grad()
def add_l2(network: nn.Module, weight: float) -> None:
    """Adds to the gradients those of `weight` times the sum of the squares of all parameters."""
    for parameter in network.parameters():
        if parameter.grad is not None:
            parameter.grad.add_(parameter, alpha=2 * weight)


def optimizer_of(
    network: nn.Module, training: Training, device: torch.device
) -> torch.optim.Optimizer:
    """What makes the updates of a network; `learning_rate` is set before each."""
    if training.optimizer == "adadelta":
        # What is recorded or compiled reads the learning rate where it is: a number would stay as
        # it was then.
        is_fixed = (training.graphs or training.compile) and device.type == "cuda"
        rate = torch.ones((), device=device) if is_fixed else 1.0
        return torch.optim.Adadelta(
            network.parameters(), lr=rate, rho=0.95, eps=1e-6, capturable=is_fixed
        )
    return torch.optim.AdamW(
        network.parameters(),
        lr=0.0,
        betas=(0.9, 0.98),
        eps=1e-9,
        weight_decay=training.weight_decay,
        fused=True,
    )
