"""What every model must satisfy. A test file names its models and holds them to `ALL`.

See test_models.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from gridbeam.models import Model
from gridbeam.models.beginning import Beginner, stepwise

TOLERANCE = 1e-4


def rows_are_normalised(model: Model, sources: Sequence[Any], tokens: Sequence[int]) -> None:
    log_probs, _ = model.step(model.start(sources), _first(model, sources))
    assert log_probs.shape == (len(sources), model.vocab_size)
    assert torch.allclose(log_probs.exp().sum(1), torch.ones(len(sources)), atol=TOLERANCE)


def stepping_equals_scoring_the_whole_prefix_anew(
    model: Model, sources: Sequence[Any], tokens: Sequence[int]
) -> None:
    """Two states that were fed the same tokens, one of them by way of a detour, agree."""
    direct, detour = model.start(sources), model.start(sources)
    feed = _first(model, sources)
    everyone = torch.arange(len(sources))
    for token in tokens:
        a, direct = model.step(direct, feed)
        b, detour = model.step(model.select(detour, everyone), feed)
        assert torch.allclose(a, b, atol=TOLERANCE)
        feed = torch.full_like(feed, token)


def select_then_step_equals_step_on_reordered_prefixes(
    model: Model, sources: Sequence[Any], tokens: Sequence[int]
) -> None:
    order = torch.tensor([len(sources) - 1, 0, 0])
    _, state = model.step(model.start(sources), _first(model, sources))
    selected, _ = model.step(model.select(state, order), torch.tensor([tokens[0]] * 3))
    _, state = model.step(model.start([sources[i] for i in order]), _first(model, order))
    anew, _ = model.step(state, torch.tensor([tokens[0]] * 3))
    assert torch.allclose(selected, anew, atol=TOLERANCE)


def a_batch_equals_its_sentences_one_by_one(
    model: Model, sources: Sequence[Any], tokens: Sequence[int]
) -> None:
    together = _scores(model, sources, tokens)
    for row, source in enumerate(sources):
        assert torch.allclose(
            together[:, row], _scores(model, [source], tokens)[:, 0], atol=TOLERANCE
        )


def to_begin_equals_to_step(model: Model, sources: Sequence[Any], tokens: Sequence[int]) -> None:
    """Of models that read several tokens at once."""
    if not isinstance(model, Beginner):
        return
    beginnings = torch.tensor([tokens] * len(sources))
    found, state = model.begin(sources, beginnings)
    expected, plain = stepwise(model, sources, beginnings)
    assert torch.allclose(found, expected, atol=TOLERANCE)
    feed, order = torch.full((3,), tokens[0]), torch.tensor([len(sources) - 1, 0, 0])
    after, _ = model.step(model.select(state, order), feed)
    expected, _ = model.step(model.select(plain, order), feed)
    assert torch.allclose(after, expected, atol=TOLERANCE)


ALL = [
    rows_are_normalised,
    stepping_equals_scoring_the_whole_prefix_anew,
    select_then_step_equals_step_on_reordered_prefixes,
    a_batch_equals_its_sentences_one_by_one,
    to_begin_equals_to_step,
]


def _scores(model: Model, sources: Sequence[Any], tokens: Sequence[int]) -> torch.Tensor:
    state, feed, rows = model.start(sources), _first(model, sources), []
    for token in (*tokens, model.bos):
        log_probs, state = model.step(state, feed)
        rows.append(log_probs)
        feed = torch.full_like(feed, token)
    return torch.stack(rows)


def _first(model: Model, sources: Sequence[Any]) -> torch.Tensor:
    return torch.full((len(sources),), model.bos)
