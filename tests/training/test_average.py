"""The running average of the weights: what it is, and where it stands."""

from __future__ import annotations

from copy import deepcopy

import torch
from torch import nn

from gridbeam.training.average import RunningAverage


def learned(decay, updates):
    """A layer after some updates, its average, and the weights after each."""
    torch.manual_seed(0)
    layer = nn.Linear(3, 2)
    optimizer = torch.optim.AdamW(layer.parameters(), lr=0.1)
    average, seen = RunningAverage(optimizer, decay), []
    for number in range(updates):
        layer(torch.ones(4, 3)).square().sum().backward()
        optimizer.step()
        optimizer.zero_grad()
        average.follow(number)
        seen.append(layer.weight.detach().clone())
    return layer, optimizer, average, seen


def test_the_average_follows_the_weights_ever_more_slowly():
    layer, _, average, seen = learned(0.5, 30)
    expected = seen[0]
    for number, weight in enumerate(seen[1:], 1):
        share = 1 - min(0.5, (1 + number) / (10 + number))
        expected = expected + share * (weight - expected)
    with average.in_place():
        assert torch.allclose(layer.weight, expected, atol=1e-6)
    assert torch.equal(layer.weight, seen[-1]), "afterwards the weights are what they were"


def test_without_a_decay_it_is_the_weights():
    layer, optimizer, average, seen = learned(0.0, 3)
    with average.in_place():
        assert torch.equal(layer.weight, seen[-1])
    assert all("average" not in state for state in optimizer.state.values())


def test_the_state_of_the_optimizer_has_the_average():
    layer, optimizer, average, _ = learned(0.9, 4)
    kept = deepcopy(optimizer.state_dict())
    other, others, following, _ = learned(0.9, 1)
    others.load_state_dict(kept)
    other.load_state_dict(layer.state_dict())
    with average.in_place(), following.in_place():
        assert torch.equal(other.weight, layer.weight)
