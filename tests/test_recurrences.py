"""The recurrences over whole texts have the values and the gradients that autograd finds for one step after the other."""

from __future__ import annotations

import pytest
import torch

from gridbeam.models.recurrences import Encoded, Steps, StepWeights, decoder_step, read, reader_step, write

SENTENCES, SOURCE, TARGET, HIDDEN = 3, 5, 11, 4


def drawn(*shape):
    return torch.randn(shape, dtype=torch.float64).requires_grad_()


def same_gradients(one, other, inputs):
    """Both are differentiated with the same random gradients."""
    grads = [torch.randn_like(each) for each in one]
    for ours, theirs in zip(torch.autograd.grad(one, inputs, grads), torch.autograd.grad(other, inputs, grads), strict=True):
        torch.testing.assert_close(ours, theirs)


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


@pytest.mark.parametrize("length", [1, SOURCE])
def test_reading_is_one_step_after_the_other(length):
    inputs = drawn(2, length, SENTENCES, 3 * HIDDEN)
    weight, bias = drawn(2, 3 * HIDDEN, HIDDEN), drawn(2, 3 * HIDDEN)
    state, states = torch.zeros(2, SENTENCES, HIDDEN, dtype=torch.float64), []
    for place in range(length):
        state, _ = reader_step(state, inputs[:, place], weight, bias[:, None])
        states.append(state)
    found, expected = read(inputs, weight, bias, Steps()), torch.stack(states)
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
    now, steps = first[:, None], []
    for of_token in of_tokens.unbind(0):
        steps.append(decoder_step(now, of_token[:, None], source, weights))
        now = steps[-1].state
    expected = [torch.cat([step.state for step in steps], 1), torch.cat([step.context for step in steps], 1)]
    found = write(of_tokens, first, source, weights, Steps())
    for ours, theirs in zip(found, expected, strict=True):
        torch.testing.assert_close(ours.transpose(0, 1), theirs)
    both = [each.transpose(0, 1) for each in found]
    same_gradients(both, expected, [of_tokens, first, keys, annotations, *matrices])
