"""The recurrences of the paper's network (`network.py`), with their gradients by hand.

Step by step and over whole texts. By hand, a step backwards does only what the step before waits
for. The gradients of matrices, keys and annotations are one product each for all steps, where
autograd would add to them at every step. Gates and attention are worked out in the type of the
state, float32 or more, and products in that of what was read, bfloat16 under autocast. cuDNN's
recurrence would be float16 there, in which small gradients are zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional

_TOGETHER = 8
"""How many steps are compared with the keys at a time: more would need more memory where nothing is
compiled."""


@dataclass(frozen=True)
class Encoded:
    """What the decoder reads of each source."""

    annotations: Float[Tensor, "sentence source both"]
    """The states of both directions at each token."""
    keys: Float[Tensor, "sentence source hidden"]
    """What the query is compared with (U_a h)."""
    mask: Float[Tensor, "sentence source"]
    """0 at a token, minus infinity at padding."""

    def select(self, sentences: Int[Tensor, "kept"]) -> Encoded:
        """That of these sentences."""
        return Encoded(self.annotations[sentences], self.keys[sentences], self.mask[sentences])


@dataclass(frozen=True)
class StepWeights:
    """The matrices of a decoder step, in the type it computes in: cast once for all steps."""

    of_state: Float[Tensor, "hidden_4 hidden"]
    of_context: Float[Tensor, "hidden_3 both"]
    energy: Float[Tensor, "hidden"]


class GRUStep(NamedTuple):
    """What a decoder step makes for each row: what goes on, and what its gradient needs."""

    state: Float[Tensor, "sentence row hidden"]
    context: Float[Tensor, "sentence row both"]
    attention: Float[Tensor, "sentence row source"]
    projected: Float[Tensor, "sentence row hidden_4"]
    """What the state adds: the query, and to the gates."""
    of_context: Float[Tensor, "sentence row hidden_3"]
    """What the context adds to the gates."""


class StepGradients(NamedTuple):
    """The gradients of what a step of the decoder was made with."""

    state: Float[Tensor, "sentence 1 hidden"]
    inputs: Float[Tensor, "sentence 1 hidden_3"]
    projected: Float[Tensor, "sentence 1 hidden_4"]
    context: Float[Tensor, "sentence 1 both"]
    energies: Float[Tensor, "sentence 1 source"]


# One step.


def gated(
    state: Float[Tensor, "*rows hidden"],
    inputs: Float[Tensor, "*rows hidden_3"],
    recurrent: Float[Tensor, "*rows hidden_3"],
) -> Float[Tensor, "*rows hidden"]:
    """The next state of a GRU, from what input and state add to reset, update and proposal.

    Cho resets the state before the recurrent product, cuDNN (and here) its product after: one
    product serves all gates.
    """
    _, update, proposed, _ = _gates(inputs.to(state.dtype), recurrent.to(state.dtype))
    return torch.lerp(proposed, state, update)


def gated_backward(
    grad: Float[Tensor, "*rows hidden"],
    state: Float[Tensor, "*rows hidden"],
    inputs: Float[Tensor, "*rows hidden_3"],
    recurrent: Float[Tensor, "*rows hidden_3"],
    kind: torch.dtype,
) -> tuple[
    Float[Tensor, "*rows hidden"], Float[Tensor, "*rows hidden_3"], Float[Tensor, "*rows hidden_3"]
]:
    """The gradients of the inputs of `gated`.

    All but that of the state in the type `kind`, for the products to come.
    """
    reset, update, proposed, product = _gates(inputs.to(grad.dtype), recurrent.to(grad.dtype))
    of_proposal = grad * (1 - update) * (1 - proposed * proposed)
    of_update = grad * (state - proposed) * update * (1 - update)
    of_reset = of_proposal * product * reset * (1 - reset)
    of_inputs = torch.cat([of_reset, of_update, of_proposal], -1)
    of_recurrent = torch.cat([of_reset, of_update, of_proposal * reset], -1)
    return grad * update, of_inputs.to(kind), of_recurrent.to(kind)


def _gates(inputs: Tensor, recurrent: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Reset, update, proposal, and the product that is reset."""
    hidden = inputs.shape[-1] // 3
    reset, update = torch.sigmoid(inputs[..., : 2 * hidden] + recurrent[..., : 2 * hidden]).chunk(
        2, -1
    )
    product = recurrent[..., 2 * hidden :]
    return reset, update, torch.tanh(inputs[..., 2 * hidden :] + reset * product), product


def decoder_step(
    state: Float[Tensor, "sentence row hidden"],
    of_token: Float[Tensor, "sentence row hidden_3"],
    source: Encoded,
    weights: StepWeights,
) -> GRUStep:
    """The next state of each row of each sentence, and the context that it was made with.

    The state stays in float32: it is added to at every step, and so would lose what is small.
    """
    hidden, exact = state.shape[-1], state.dtype
    projected = functional.linear(state.to(source.keys.dtype), weights.of_state)
    query, recurrent = torch.split(projected, [hidden, 3 * hidden], -1)
    energies = (query.to(exact)[:, :, None] + source.keys[:, None]).tanh_() @ weights.energy.to(
        exact
    )
    attention = torch.softmax(energies + source.mask[:, None], -1)
    context = attention.to(source.annotations.dtype) @ source.annotations
    of_context = functional.linear(context, weights.of_context)
    return GRUStep(
        gated(state, of_token.to(exact) + of_context, recurrent),
        context,
        attention,
        projected,
        of_context,
    )


def decoder_step_backward(
    grad_later: Float[Tensor, "sentence 1 hidden"],
    grad_state: Float[Tensor, "sentence 1 hidden"],
    grad_context: Float[Tensor, "sentence 1 both"],
    before: Float[Tensor, "sentence 1 hidden"],
    of_token: Float[Tensor, "sentence 1 hidden_3"],
    step: GRUStep,
    source: Encoded,
    weights: StepWeights,
) -> StepGradients:
    """The gradients of a step with a row per sentence, from those of its context and state.

    That of the state comes in two parts: from the steps after it, and from what was made of all
    states. It began with `before`.
    """
    hidden, exact = before.shape[-1], before.dtype
    query, recurrent = torch.split(step.projected, [hidden, 3 * hidden], -1)
    inputs = of_token.to(exact) + step.of_context
    direct, of_inputs, of_recurrent = gated_backward(
        grad_later + grad_state, before, inputs, recurrent, recurrent.dtype
    )
    of_context = grad_context + of_inputs @ weights.of_context
    of_attention = (of_context @ source.annotations.mT).to(exact)
    of_energies = step.attention * (
        of_attention - (step.attention * of_attention).sum(-1, keepdim=True)
    )
    compared = (query.to(exact) + source.keys).tanh()
    of_query = (of_energies.mT * (1 - compared * compared)).sum(
        1, keepdim=True
    ) * weights.energy.to(exact)
    of_projected = torch.cat([of_query.to(of_recurrent.dtype), of_recurrent], -1)
    return StepGradients(
        direct + of_projected @ weights.of_state, of_inputs, of_projected, of_context, of_energies
    )


def keys_backward(
    of_energies: Float[Tensor, "step sentence source"],
    queries: Float[Tensor, "step sentence hidden"],
    keys: Float[Tensor, "sentence source hidden"],
) -> tuple[Float[Tensor, "sentence source hidden"], Float[Tensor, "sentence source hidden"]]:
    """Sums over steps of the gradients of the keys, and of the weights of the energy.

    Those of the keys are without the weights of the energy as a factor.
    """
    compared = (queries.to(of_energies.dtype)[:, :, None] + keys).tanh()
    grad = of_energies[..., None]
    return (grad * (1 - compared * compared)).sum(0), (grad * compared).sum(0)


def reader_step(
    state: Float[Tensor, "direction sentence hidden"],
    inputs: Float[Tensor, "direction sentence hidden_3"],
    weight: Float[Tensor, "direction hidden_3 hidden"],
    bias: Float[Tensor, "direction 1 hidden_3"],
) -> tuple[
    Float[Tensor, "direction sentence hidden"], Float[Tensor, "direction sentence hidden_3"]
]:
    """The next state of each direction of the encoder, and what the state added to its gates."""
    recurrent = state.to(weight.dtype) @ weight.mT
    return gated(state, inputs, recurrent.to(state.dtype) + bias), recurrent


def reader_step_backward(
    grad_later: Float[Tensor, "direction sentence hidden"],
    grad_state: Float[Tensor, "direction sentence hidden"],
    before: Float[Tensor, "direction sentence hidden"],
    inputs: Float[Tensor, "direction sentence hidden_3"],
    recurrent: Float[Tensor, "direction sentence hidden_3"],
    weight: Float[Tensor, "direction hidden_3 hidden"],
    bias: Float[Tensor, "direction 1 hidden_3"],
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of the state before, of the inputs, and of what the state added.

    That of the state comes in two parts.
    """
    biased = recurrent.to(before.dtype) + bias
    direct, of_inputs, of_recurrent = gated_backward(
        grad_later + grad_state, before, inputs, biased, weight.dtype
    )
    return direct + of_recurrent @ weight, of_inputs, of_recurrent


@dataclass(frozen=True)
class Steps:
    """The functions of a step, as they are or compiled."""

    decoder: Callable[..., GRUStep] = decoder_step
    decoder_backward: Callable[..., StepGradients] = decoder_step_backward
    keys_backward: Callable[..., tuple[Tensor, Tensor]] = keys_backward
    reader: Callable[..., tuple[Tensor, Tensor]] = reader_step
    reader_backward: Callable[..., tuple[Tensor, Tensor, Tensor]] = reader_step_backward

    def compiled(self, backend: str) -> Steps:
        """These functions, each compiled when it is first called."""
        # Without dynamic=True only sizes that were seen to change are left open, and kernels that
        # know the others are faster.
        return Steps(
            **{name: torch.compile(each, backend=backend) for name, each in vars(self).items()}
        )


# Whole texts.


def read(
    inputs: Float[Tensor, "direction token sentence hidden_3"],
    weight: Float[Tensor, "direction hidden_3 hidden"],
    bias: Float[Tensor, "direction hidden_3"],
    steps: Steps,
) -> Float[Tensor, "token direction sentence hidden"]:
    """The states of both directions of the encoder, each reading its inputs first to last."""
    states: Tensor = _Read.apply(steps, inputs, weight, bias)  # type: ignore[no-untyped-call]
    return states


def write(
    of_tokens: Float[Tensor, "token sentence hidden_3"],
    state: Float[Tensor, "sentence hidden"],
    source: Encoded,
    weights: StepWeights,
    steps: Steps,
) -> tuple[Float[Tensor, "token sentence hidden"], Float[Tensor, "token sentence both"]]:
    """The states of the decoder, and the contexts that they were made with."""
    given = (of_tokens, state, *vars(source).values(), *vars(weights).values())
    states, contexts = _Written.apply(steps, *given)  # type: ignore[no-untyped-call]
    return states, contexts


def _plain(tensors: Iterable[Tensor]) -> list[Tensor]:
    """The same, without a word of gradients, for each of which a step would be compiled anew."""
    return [tensor.detach() for tensor in tensors]


class _Read(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, steps: Steps, *given: Tensor) -> Tensor:
        inputs, weight, bias = _plain(given)
        exact = torch.promote_types(inputs.dtype, torch.float32)
        state = inputs.new_zeros((len(weight), inputs.shape[2], weight.shape[-1]), dtype=exact)
        states, recurrents = [state], []
        with torch.autocast(inputs.device.type, enabled=False):
            for of_token in inputs.unbind(1):
                state, recurrent = steps.reader(state, of_token, weight, bias[:, None])
                states.append(state)
                recurrents.append(recurrent)
        every = torch.stack(states)
        ctx.save_for_backward(inputs, weight, bias, every, torch.stack(recurrents))
        ctx.steps = steps
        return every[1:]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_states: Tensor) -> tuple[Tensor | None, ...]:
        inputs, weight, bias, states, recurrents = ctx.saved_tensors
        grad = torch.zeros_like(states[0])
        found = []
        for place in reversed(range(len(grad_states))):
            grad, of_inputs, of_recurrent = ctx.steps.reader_backward(
                grad,
                grad_states[place],
                states[place],
                inputs[:, place],
                recurrents[place],
                weight,
                bias[:, None],
            )
            found.append((of_inputs, of_recurrent))
        of_inputs, of_recurrents = (torch.stack(each[::-1], 1) for each in zip(*found, strict=True))
        flat = of_recurrents.flatten(1, 2)
        before = states[:-1].to(weight.dtype).transpose(0, 1).flatten(1, 2)
        return None, of_inputs, flat.mT @ before, flat.sum(1)


class _Written(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, steps: Steps, *given: Tensor) -> tuple[Tensor, Tensor]:
        of_tokens, first, *rest = _plain(given)
        source, weights = Encoded(*rest[:3]), StepWeights(*rest[3:])
        taken = []
        now = first[:, None]
        with torch.autocast(of_tokens.device.type, enabled=False):
            for of_token in of_tokens.unbind(0):
                taken.append(steps.decoder(now, of_token[:, None], source, weights))
                now = taken[-1].state
        every = GRUStep(*(torch.stack(each) for each in zip(*taken, strict=True)))
        ctx.save_for_backward(of_tokens, first, *rest, *every)
        ctx.steps = steps
        return every.state[:, :, 0], every.context[:, :, 0]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_states: Tensor, grad_contexts: Tensor) -> tuple[Tensor | None, ...]:
        of_tokens, first, *rest = ctx.saved_tensors
        source, weights, every = Encoded(*rest[:3]), StepWeights(*rest[3:6]), GRUStep(*rest[6:])
        before = torch.cat([first[None, :, None], every.state[:-1]])
        grad = torch.zeros_like(before[0])
        taken = []
        for place in reversed(range(len(of_tokens))):
            step = GRUStep(*(each[place] for each in every))
            grads = grad, grad_states[place][:, None], grad_contexts[place][:, None]
            taken.append(
                ctx.steps.decoder_backward(
                    *grads, before[place], of_tokens[place][:, None], step, source, weights
                )
            )
            grad = taken[-1].state
        of = StepGradients(*(torch.stack(each[::-1])[:, :, 0] for each in zip(*taken, strict=True)))
        queries = every.projected[:, :, 0, : first.shape[-1]]
        of_keys, of_energy = _keys(of.energies, queries, source.keys, weights.energy, ctx.steps)
        of_annotations = every.attention[:, :, 0].to(of.context.dtype).permute(
            1, 2, 0
        ) @ of.context.transpose(0, 1)
        of_state = of.projected.flatten(0, 1).mT @ before.to(of.projected.dtype).flatten(0, 2)
        of_context = of.inputs.flatten(0, 1).mT @ every.context.flatten(0, 2)
        return (
            None,
            of.inputs,
            grad[:, 0],
            of_annotations,
            of_keys,
            None,
            of_state,
            of_context,
            of_energy,
        )


def _keys(
    of_energies: Tensor, queries: Tensor, keys: Tensor, energy: Tensor, steps: Steps
) -> tuple[Tensor, Tensor]:
    """The gradients of the keys, and of the weights of the energy."""
    of_keys = of_energy = torch.zeros(keys.shape, dtype=of_energies.dtype, device=keys.device)
    for some, their_queries in zip(
        torch.split(of_energies, _TOGETHER), torch.split(queries, _TOGETHER), strict=True
    ):
        more_keys, more_energy = steps.keys_backward(some, their_queries, keys)
        of_keys, of_energy = of_keys + more_keys, of_energy + more_energy
    return (of_keys * energy).to(keys.dtype), of_energy.sum((0, 1)).to(energy.dtype)
