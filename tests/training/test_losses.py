"""The loss and its gradients, worked out by hand some tokens at a time, are those of torch."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

import gridbeam.training.losses
from gridbeam.training.losses import judged, judged_in_one, losses

TOKENS, VOCAB = 13, 11


def drawn(has_bias, scale=1.0, width=8):
    torch.manual_seed(0)
    hidden, weight, bias = (
        torch.randn(TOKENS, width),
        scale * torch.randn(VOCAB, width),
        torch.randn(VOCAB),
    )
    made = [hidden, weight, bias] if has_bias else [hidden, weight]
    return [tensor.requires_grad_() for tensor in made], torch.randint(VOCAB, (TOKENS,))


@pytest.fixture(params=[5, 13, 8192])
def _chunk(request, monkeypatch):
    monkeypatch.setattr(gridbeam.training.losses, "_CHUNK", request.param)


@pytest.mark.usefixtures("_chunk")
@pytest.mark.parametrize("has_bias", [True, False])
@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.7])
@pytest.mark.parametrize("width", [8, 6])
def test_the_loss_and_its_gradients_are_those_of_torch(has_bias, smoothing, width):
    inputs, target = drawn(has_bias, width=width)
    logits = functional.linear(*inputs)
    expected = functional.cross_entropy(logits, target, label_smoothing=smoothing, reduction="sum")
    loss, nll = losses(*inputs, *([] if has_bias else [None]), target, smoothing)
    torch.testing.assert_close(loss, expected)
    torch.testing.assert_close(
        nll, functional.cross_entropy(logits, target, reduction="sum"), check_stride=False
    )
    # A loss is divided before it is differentiated, so gradients are scaled too.
    ours, theirs = torch.autograd.grad(loss / 7, inputs), torch.autograd.grad(expected / 7, inputs)
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.usefixtures("_chunk")
@pytest.mark.parametrize("has_bias", [True, False])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16])
def test_tokens_that_do_not_count_are_as_if_they_were_not_there(has_bias, smoothing, kind):
    inputs, target = drawn(has_bias)
    counted = torch.arange(TOKENS) % 3 != 1

    def found(hidden, *others):
        with torch.autocast("cpu", kind, enabled=kind != torch.float32):
            loss, nll = losses(hidden, *inputs[1:], *([] if has_bias else [None]), *others)
        return loss.detach(), nll, *torch.autograd.grad(loss, inputs)

    some = found(inputs[0], target, smoothing, counted.float())
    less = found(inputs[0][counted], target[counted], smoothing)
    for one, other in zip(some, less, strict=True):
        torch.testing.assert_close(
            one,
            other,
            rtol=1e-5 if kind == torch.float32 else 0.02,
            atol=1e-5 if kind == torch.float32 else 0.02,
        )


def test_in_short_numbers_the_loss_is_close():
    inputs, target = drawn(True)
    expected = functional.cross_entropy(
        functional.linear(*inputs), target, label_smoothing=0.1, reduction="sum"
    )
    theirs = torch.autograd.grad(expected, inputs)
    with torch.autocast("cpu", torch.bfloat16):
        loss, _ = losses(*inputs, target, 0.1)
    assert loss.dtype == torch.float32
    assert loss.item() == pytest.approx(expected.item(), rel=0.02)
    for one, other in zip(torch.autograd.grad(loss, inputs), theirs, strict=True):
        assert one.dtype == torch.float32
        assert functional.cosine_similarity(one.flatten(), other.flatten(), 0) > 0.999


def test_a_token_that_is_next_to_impossible_has_a_finite_loss():
    inputs, target = drawn(True, scale=200.0)
    loss, nll = losses(*inputs, target, 0.1)
    assert torch.isfinite(loss) and torch.isfinite(nll)
    assert all(torch.isfinite(gradient).all() for gradient in torch.autograd.grad(loss, inputs))


def test_nothing_is_differentiated_in_evaluation():
    inputs, target = drawn(True)
    with torch.no_grad():
        loss, nll = losses(*inputs, target, 0.0)
    assert loss == nll and not loss.requires_grad


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_both_ways_to_judge_scores_find_the_same(smoothing):
    torch.manual_seed(0)
    given = (
        torch.randn(TOKENS, VOCAB),
        torch.randint(VOCAB, (TOKENS, 1)),
        torch.randint(2, (TOKENS, 1)).float(),
        smoothing,
    )
    for one, other in zip(judged(*given), judged_in_one(*given), strict=True):
        torch.testing.assert_close(one, other)
