"""What computes gradients in bfloat16 stays close to the network in float32 that it works for."""

from __future__ import annotations

import pytest
import torch

from gridbeam.training.config import Network
from gridbeam.training.learners import build
from gridbeam.training.minibatches import Batch
from gridbeam.training.ranks import Ranks
from gridbeam.training.worker import Worker

ALONE = Ranks(0, 1, torch.device("cpu"))
SIZES = {
    "marian": Network(
        kind="marian", encoder_layers=2, decoder_layers=1, width=32, heads=2, feed_forward=64, dropout=0.0, positions=64
    ),
    "gru": Network(kind="gru", embedding=16, hidden=24, dropout=0.0),
}


def batch():
    chance = torch.Generator().manual_seed(1)
    source, target = (torch.randint(3, 50, (6, length), generator=chance) for length in (9, 7))
    return Batch(source, target, False, torch.arange(6 * 7), 6 * 7)


def gradients(kind, dtype):
    torch.manual_seed(0)
    learner = build(SIZES[kind], 50, 0.1)
    nll = Worker(learner, ALONE, dtype).add_gradients(batch(), per_sentence=False)
    return float(nll), {name: each.grad for name, each in learner.named_parameters() if each.grad is not None}


@pytest.mark.parametrize("kind", SIZES)
def test_gradients_in_bfloat16_are_close_to_the_exact_ones(kind):
    (exact_nll, exact), (short_nll, short) = gradients(kind, torch.float32), gradients(kind, torch.bfloat16)
    assert short_nll == pytest.approx(exact_nll, rel=0.01)
    assert exact.keys() == short.keys()
    together = [torch.cat([each.flatten() for each in found.values()]) for found in (exact, short)]
    assert all(each.dtype == torch.float32 for each in short.values())
    assert (together[0] - together[1]).norm() < 0.05 * together[0].norm()


@pytest.mark.parametrize("kind", SIZES)
def test_a_worker_follows_the_exact_network(kind):
    learner = build(SIZES[kind], 50, 0.1)
    worker = Worker(learner, ALONE, torch.bfloat16)
    with torch.no_grad():
        for each in learner.parameters():
            each.add_(0.1)
    worker.follow()
    for exact, own in zip(learner.parameters(), worker.learner.parameters(), strict=True):
        assert torch.equal(own, exact.to(torch.bfloat16))


@pytest.mark.parametrize("kind", SIZES)
def test_in_float32_there_is_no_copy(kind):
    learner = build(SIZES[kind], 50, 0.1)
    assert Worker(learner, ALONE, torch.float32).learner is learner
