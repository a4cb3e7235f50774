"""One update after the other: the gradient of a batch, clipped, and a step of the optimizer."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor, nn

from gridbeam.training.average import RunningAverage
from gridbeam.training.config import Training
from gridbeam.training.graphs import GraphedUpdates
from gridbeam.training.learners import Learner
from gridbeam.training.minibatches import Batch
from gridbeam.training.optimizers import add_l2, learning_rate, set_learning_rate
from gridbeam.training.ranks import Ranks


class Updates:
    """Makes the updates of a learner."""

    def __init__(
        self,
        learner: Learner,
        optimizer: torch.optim.Optimizer,
        training: Training,
        ranks: Ranks,
        seed: int,
        average: RunningAverage,
    ) -> None:
        self._learner, self._optimizer, self._training, self._ranks, self._seed = (
            learner,
            optimizer,
            training,
            ranks,
            seed,
        )
        self._parallel: nn.Module = ranks.parallel(learner)
        self._step: Callable[[], object] = optimizer.step
        if training.compile:
            learner.compile_steps()
            if (
                training.optimizer == "adadelta" and ranks.device.type == "cuda"
            ):  # a dozen passes over all weights become one
                self._step = torch.compile(optimizer.step)
        self._average = average
        self._graphed: GraphedUpdates | None = None
        if training.graphs and ranks.world == 1:
            self._graphed = GraphedUpdates(
                self._made, rows=training.batch_sentences, pad=learner.pad, device=ranks.device
            )

    def make(self, number: int, batch: Batch) -> tuple[Tensor, Tensor]:
        """One update; returns the negative log-probability and the norm of the gradient.

        The former is that of all processes, taken to be alike.
        """
        # What is left to chance in an update depends on its number, so no state of a generator
        # needs to be kept.
        torch.manual_seed(((self._seed << 40) + (number << 12) + self._ranks.rank) % (1 << 63))
        set_learning_rate(self._optimizer, learning_rate(number, self._training))
        self._learner.train()
        made = self._graphed(batch) if self._graphed else self._made(batch)
        self._average.follow(number)
        return made

    def precision(self) -> AbstractContextManager[None]:
        """The numbers that the learner computes in."""
        # Sums and normalisations stay in float32: with those in bfloat16 as well, an encoder was
        # seen to die.
        is_short = self._ranks.device.type == "cuda" and self._training.precision == "bf16"
        # No weight is used twice, and a graph must not find one that was cast outside of it.
        return (
            torch.autocast("cuda", torch.bfloat16, cache_enabled=False)
            if is_short
            else nullcontext()
        )

    def _made(self, batch: Batch) -> tuple[Tensor, Tensor]:
        with self.precision():
            loss, nll = self._parallel(batch)
        (
            loss
            / (batch.target_tokens if self._training.loss_per == "token" else len(batch.target))
        ).backward()
        if self._training.l2:
            add_l2(
                self._learner, self._training.l2
            )  # a part of the loss, so before its gradient is clipped
        norm = nn.utils.clip_grad_norm_(self._learner.parameters(), self._training.clip)
        self._step()
        self._optimizer.zero_grad(set_to_none=True)
        return nll.detach() * self._ranks.world, norm.detach()
