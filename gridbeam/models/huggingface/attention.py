"""Attention to keys stored in two parts: what a sentence's rows share, what each row added.

Each part is attended to by itself, with a softmax of its own, and the two answers are joined by how
much each part weighs: the same as one softmax over all keys, but no key of a sentence is copied for
its rows.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from transformers import AttentionInterface, AttentionMaskInterface, PreTrainedModel
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

from gridbeam.models.huggingface.sharing import SharedLayer, layer_behind

_NAME = "gridbeam_shared"
_switching = threading.RLock()


@contextmanager
def attending_to_shared(model: PreTrainedModel) -> Iterator[None]:
    """Lets the model attend through this function, and sets its own attention back afterwards.

    Whoever else calls the model meanwhile gets scaled dot product attention.
    """
    with _switching:
        configs = _configs(model)
        before = [config._attn_implementation_internal for config in configs]
        try:
            for config in configs:
                config._attn_implementation_internal = _NAME
            yield
        finally:
            for config, implementation in zip(configs, before, strict=True):
                config._attn_implementation_internal = implementation


def can_attend_to_shared(model: PreTrainedModel) -> bool:
    """Whether all parts of a model say that they attend through the interface of transformers."""
    return all(
        part._can_set_attn_implementation()
        for part in model.modules()
        if isinstance(part, PreTrainedModel)
    )


def _configs(model: PreTrainedModel) -> list[Any]:
    parts = [part.config for part in model.modules() if isinstance(part, PreTrainedModel)]
    return list({id(config): config for config in parts}.values())


def shared_attention(
    module: torch.nn.Module,
    query: Float[Tensor, "row head query dim"],
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    position_bias: Tensor | None = None,
    softcap: float | None = None,
    s_aux: Tensor | None = None,
    **others: Any,
) -> tuple[Tensor, None]:
    """What each row's query attends to in its sentence's keys and its own: [row, 1, head, out]."""
    layer = layer_behind(key, value)
    if layer is None:
        others |= {
            "scaling": scaling,
            "position_bias": position_bias,
            "softcap": softcap,
            "s_aux": s_aux,
        }
        answer: tuple[Tensor, None] = sdpa_attention_forward(
            module, query, key, value, attention_mask, **others
        )
        return answer
    layer.is_read = True
    rows, heads, _, dim = query.shape
    groups = heads // key.shape[1]
    scaled = (query * (dim**-0.5 if scaling is None else scaling)).reshape(rows, -1, groups, dim)
    bias = _bias(attention_mask, position_bias, groups)
    cut = layer.shared[0].shape[2]
    parts = [_attend_to_shared(scaled, layer, None if bias is None else bias[..., :cut], softcap)]
    if layer.own is not None:
        parts.append(
            _attend(scaled, *layer.own, None if bias is None else bias[..., cut:], softcap)
        )
    if s_aux is not None:
        sink = s_aux.float().view(1, -1, groups).expand(rows, -1, -1)
        parts.append((torch.zeros_like(parts[0][0]), sink))
    return _joined(parts).to(query.dtype).reshape(rows, 1, heads, -1), None


def _joined(parts: list[tuple[Tensor, Tensor]]) -> Float[Tensor, "row head group out"]:
    """What is attended to in all parts together.

    An attention sink is a part that weighs something and says nothing.
    """
    if len(parts) == 1:
        return parts[0][0]
    outputs, weights = (torch.stack(kind) for kind in zip(*parts, strict=True))
    return (outputs * weights.softmax(0)[..., None]).sum(0)


def _bias(
    mask: Tensor | None, position_bias: Tensor | None, groups: int
) -> Float[Tensor, "some_row some_head some_group key"] | None:
    """What is added to the scores; axes that all rows, heads or groups share have length 1."""
    if mask is not None and mask.dtype == torch.bool:
        mask = torch.zeros(mask.shape, device=mask.device).masked_fill_(
            ~mask, torch.finfo(torch.float32).min
        )
    found = [bias for bias in (mask, position_bias) if bias is not None]
    if not found:
        return None
    bias = sum(found[1:], found[0])[:, :, -1]
    shape = (-1, groups) if bias.shape[1] > 1 else (1, 1)
    return bias.view(len(bias), *shape, bias.shape[-1])


def _attend_to_shared(
    query: Float[Tensor, "row head group dim"],
    layer: SharedLayer,
    bias: Tensor | None,
    softcap: float | None,
) -> tuple[Float[Tensor, "row head group out"], Float[Tensor, "row head group"]]:
    """Attention with the rows of a sentence as if they were more heads: no key is copied."""
    places = layer.places
    table = places.table(query).transpose(1, 2)  # [sentence, head, place, group, dim]
    if bias is not None:
        per_row = places.table(bias) if len(bias) > 1 else bias[None]
        bias = per_row.transpose(1, 2)
    output, weight = _attend(table, layer.shared[0], layer.shared[1], bias, softcap)
    return places.rows(output.transpose(1, 2)), places.rows(weight.transpose(1, 2))


def _attend(
    query: Float[Tensor, "batch head *query dim"],
    keys: Float[Tensor, "batch head key dim"],
    values: Float[Tensor, "batch head key out"],
    bias: Tensor | None,
    softcap: float | None,
) -> tuple[Float[Tensor, "batch head *query out"], Float[Tensor, "batch head *query"]]:
    """Attention to these keys alone, and the logarithm of how much all of them weigh together."""
    scores = (query.flatten(2, -2) @ keys.mT).float().view(*query.shape[:-1], -1)
    if softcap is not None:
        scores = scores.div_(softcap).tanh_().mul_(softcap)
    if bias is not None:
        scores += bias
    most = scores.amax(-1, keepdim=True)
    shares = scores.sub_(most).exp_()
    total = shares.sum(-1, keepdim=True)
    output = (shares.to(values.dtype).flatten(2, -2) @ values).float().view(*query.shape[:-1], -1)
    return output / total, (most + total.log()).squeeze(-1)


AttentionInterface.register(_NAME, shared_attention)
AttentionMaskInterface.register(_NAME, sdpa_mask)
