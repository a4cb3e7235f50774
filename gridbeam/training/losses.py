"""The loss of a model with a large vocabulary, computed for some tokens at a time.

So probabilities of all words are never all in memory. The gradient is worked out along with the
loss, by hand: what autograd would do reads and writes the scores of every word for every token some
fifteen times, which takes a third of the training of a small model.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional

_CHUNK = 8192
"""Tokens at a time."""
_EVEN = 8
"""The width of a layer is filled up to a multiple of it: the products of others take a GPU about
twice as long."""

Judge: TypeAlias = Callable[[Tensor, Tensor, Tensor, float], tuple[Tensor, Tensor]]


def judged(
    logits: Float[Tensor, "token vocab"],
    wanted: Int[Tensor, "token 1"],
    counts: Float[Tensor, "token 1"],
    label_smoothing: float,
) -> tuple[Float[Tensor, "token 1"], Float[Tensor, "token vocab"]]:
    """The negative log-probability of each token, and the gradient of its scores.

    The gradient is the probabilities less the smoothed target.
    """
    probs = torch.softmax(logits, -1, dtype=torch.float32)
    missing = -probs.gather(1, wanted).clamp_min(1e-30).log_()
    probs.scatter_add_(1, wanted, torch.full_like(missing, label_smoothing - 1))
    # Rounded and weighed in one go, as this is much the largest tensor.
    return missing, torch.mul(probs, counts, out=torch.empty_like(logits))


def judged_in_one(
    logits: Float[Tensor, "token vocab"],
    wanted: Int[Tensor, "token 1"],
    counts: Float[Tensor, "token 1"],
    label_smoothing: float,
) -> tuple[Float[Tensor, "token 1"], Float[Tensor, "token vocab"]]:
    """`judged` in a form of which torch's compiler makes two passes over the scores.

    By itself it is slower.
    """
    scores = logits.float()
    total = scores.logsumexp(-1, keepdim=True)
    is_wanted = torch.arange(logits.shape[1], device=logits.device) == wanted
    wrong = (scores - total).exp() - (1 - label_smoothing) * is_wanted
    return total - scores.gather(1, wanted), (wrong * counts).to(logits.dtype)


def losses(
    hidden: Float[Tensor, "token width"],
    weight: Float[Tensor, "vocab width"],
    bias: Float[Tensor, "vocab"] | None,
    target: Int[Tensor, "token"],
    label_smoothing: float,
    counted: Float[Tensor, "token"] | None = None,
    judge: Judge = judged,
) -> tuple[Float[Tensor, ""], Float[Tensor, ""]]:
    """The sums over all tokens of the smoothed loss, and of the negative log-probability.

    Only the first has a gradient.

    Of the tokens, those with a 1 in `counted` count, and those with a 0 do not.
    """
    if torch.is_autocast_enabled(hidden.device.type):
        hidden = hidden.to(torch.get_autocast_dtype(hidden.device.type))
    loss, nll = _Losses.apply(hidden, weight, bias, target, label_smoothing, counted, judge)  # type: ignore[no-untyped-call]
    return loss, nll


class _Losses(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, hidden: Tensor, *others: Any) -> tuple[Tensor, Tensor]:
        with torch.autocast(hidden.device.type, enabled=False):
            loss, nll, *gradients = _with_gradients(hidden, *others)
        ctx.save_for_backward(*gradients)
        ctx.mark_non_differentiable(nll)
        return loss, nll

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        grad_hidden, grad_weight, grad_bias = ctx.saved_tensors
        return (
            grad_hidden * grad,
            grad_weight * grad,
            None if grad_bias is None else grad_bias * grad,
            None,
            None,
            None,
            None,
        )


def _with_gradients(
    hidden: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    target: Tensor,
    label_smoothing: float,
    counted: Tensor | None,
    judge: Judge,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor | None]:
    """Both losses, and the gradients of the first by what the scores are made of."""
    kind, width = hidden.dtype, hidden.shape[1]
    matrix = weight.to(kind)
    if width % _EVEN:
        hidden, matrix = (functional.pad(each, (0, -width % _EVEN)) for each in (hidden, matrix))
    if label_smoothing:
        mean = matrix.float().mean(0)
        mean_bias = 0.0 if bias is None else bias.float().mean()
    grad_hidden, grad_weight = (
        torch.empty_like(hidden),
        torch.zeros_like(matrix, dtype=torch.float32),
    )
    grad_bias = None if bias is None else torch.zeros_like(bias, dtype=torch.float32)
    nll, distance = (
        hidden.new_zeros((), dtype=torch.float32),
        hidden.new_zeros((), dtype=torch.float32),
    )
    weights = (
        hidden.new_ones((len(hidden), 1), dtype=torch.float32)
        if counted is None
        else counted[:, None]
    )
    for start in range(0, len(hidden), _CHUNK):
        here = slice(start, start + _CHUNK)
        part, wanted, counts = hidden[here], target[here, None], weights[here]
        logits = part @ matrix.T if bias is None else torch.addmm(bias.to(kind), part, matrix.T)
        missing, wrong = judge(logits, wanted, counts, label_smoothing)
        nll += (missing * counts).sum()
        of_part = wrong @ matrix
        if label_smoothing:
            total = (
                missing + logits.gather(1, wanted).float()
            )  # the logarithm of the sum of exponentials
            distance += ((total - (part.float() @ mean)[:, None] - mean_bias) * counts).sum()
            of_part = of_part.float() - label_smoothing * mean * counts
        grad_hidden[here] = of_part
        grad_weight += wrong.T @ part
        if grad_bias is not None:
            grad_bias += wrong.sum(0, dtype=torch.float32)
    if label_smoothing:
        spread = label_smoothing / len(weight)
        grad_weight -= spread * (hidden * weights).sum(0, dtype=torch.float32)
        if grad_bias is not None:
            grad_bias -= spread * weights.sum()
    loss = (1 - label_smoothing) * nll + label_smoothing * distance
    return loss, nll, grad_hidden[:, :width], grad_weight[:, :width], grad_bias
