"""The recurrences over whole texts have the values and gradients of autograd, step by step."""

from __future__ import annotations

import pytest
import torch
from updates import read_by_autograd, write_by_autograd

from gridbeam.models.gru.recurrences import Encoded, Steps, StepWeights, read, write

SENTENCES, SOURCE, TARGET, HIDDEN = 3, 5, 11, 4


def drawn(*shape):
    return torch.randn(shape, dtype=torch.float64).requires_grad_()


def same_gradients(one, other, inputs):
    """Both are differentiated with the same random gradients."""
    grads = [torch.randn_like(each) for each in one]
    for ours, theirs in zip(
        torch.autograd.grad(one, inputs, grads),
        torch.autograd.grad(other, inputs, grads),
        strict=True,
    ):
        torch.testing.assert_close(ours, theirs)


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


@pytest.mark.parametrize("length", [1, SOURCE])
def test_reading_is_one_step_after_the_other(length):
    inputs = drawn(2, length, SENTENCES, 3 * HIDDEN)
    weight, bias = drawn(2, 3 * HIDDEN, HIDDEN), drawn(2, 3 * HIDDEN)
    found, expected = (each(inputs, weight, bias, Steps()) for each in (read, read_by_autograd))
    torch.testing.assert_close(found, expected)
    same_gradients([found], [expected], [inputs, weight, bias])


@pytest.mark.parametrize("length", [1, 8, TARGET])
def test_writing_is_one_step_after_the_other(length):
    of_tokens, first = drawn(length, SENTENCES, 3 * HIDDEN), drawn(SENTENCES, HIDDEN)
    keys, annotations = drawn(SENTENCES, SOURCE, HIDDEN), drawn(SENTENCES, SOURCE, 2 * HIDDEN)
    mask = torch.zeros(SENTENCES, SOURCE, dtype=torch.float64)
    mask[1, 3:] = -torch.inf
    matrices = drawn(4 * HIDDEN, HIDDEN), drawn(3 * HIDDEN, 2 * HIDDEN), drawn(HIDDEN)
    source, weights = Encoded(annotations, keys, mask), StepWeights(*matrices)
    found, expected = (
        each(of_tokens, first, source, weights, Steps()) for each in (write, write_by_autograd)
    )
    for ours, theirs in zip(found, expected, strict=True):
        torch.testing.assert_close(ours, theirs)
    same_gradients(found, expected, [of_tokens, first, keys, annotations, *matrices])
