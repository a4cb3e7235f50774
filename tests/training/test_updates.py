"""One update: the gradient of the whole loss, clipped, and a step of the learning rate's size."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch
from torch import nn

from gridbeam.training.average import RunningAverage
from gridbeam.training.config import Training
from gridbeam.training.optimizers import add_l2, set_learning_rate
from gridbeam.training.ranks import Ranks
from gridbeam.training.updates import Updates


class Line(nn.Module):
    """Its loss is a line with a slope of 3 and one of 4: a gradient of length 5."""

    def __init__(self):
        super().__init__()
        self.network = nn.Parameter(torch.tensor([100.0, -200.0]))

    def forward(self, batch):
        loss = self.network @ torch.tensor([3.0, 4.0])
        return loss, loss.detach()


def after(training, number):
    """The norm of the gradient of an update, and where it has led."""
    network = Line()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.0)
    alone, average = Ranks(0, 1, torch.device("cpu")), RunningAverage(optimizer, 0.0)
    updates = Updates(network, optimizer, training, alone, 1, average)
    _, norm = updates.make(number, SimpleNamespace(target=[0], target_tokens=1))
    return norm, network.network.detach()


def test_l2_is_part_of_the_loss_whose_gradient_is_clipped():
    training = Training(updates=10, learning_rate=1.0, schedule="constant", l2=0.01, clip=1.0)
    norm, found = after(training, 0)
    gradient = torch.tensor([3.0, 4.0]) + 2 * 0.01 * torch.tensor([100.0, -200.0])
    assert float(norm) == pytest.approx(float(gradient.norm()))
    torch.testing.assert_close(found, torch.tensor([100.0, -200.0]) - gradient / gradient.norm())


def test_l2_has_the_gradient_that_autograd_finds():
    network = nn.Linear(3, 2)
    (
        network(torch.ones(1, 3)).sum()
        + 0.1 * sum(each.square().sum() for each in network.parameters())
    ).backward()
    expected = [each.grad.clone() for each in network.parameters()]
    network.zero_grad()
    network(torch.ones(1, 3)).sum().backward()
    add_l2(network, 0.1)
    torch.testing.assert_close([each.grad for each in network.parameters()], expected)


def test_a_learning_rate_that_is_a_tensor_stays_the_same_tensor():
    weights = [nn.Parameter(torch.zeros(1)) for _ in range(2)]
    rate = torch.ones(())
    optimizer = torch.optim.Adadelta(weights, lr=rate)
    set_learning_rate(optimizer, 0.25)
    assert optimizer.param_groups[0]["lr"] is rate and rate == 0.25
    plain = torch.optim.Adadelta(weights, lr=1.0)
    set_learning_rate(plain, 0.25)
    assert plain.param_groups[0]["lr"] == 0.25


def test_the_last_updates_cool_down():
    training = Training(updates=10, learning_rate=1.0, schedule="constant", clip=10.0, cooldown=10)
    (_, first), (_, last) = (after(training, number) for number in (0, 9))
    torch.testing.assert_close(first, torch.tensor([97.0, -204.0]))
    torch.testing.assert_close(last, torch.tensor([99.7, -200.4]))
