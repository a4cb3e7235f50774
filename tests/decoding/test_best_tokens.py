"""The best tokens of a row, where a vocabulary is so large that it is looked through in blocks."""

from __future__ import annotations

import pytest
import torch

from gridbeam.decoding.candidates import _best


@pytest.mark.parametrize("vocab", [4096, 5001])
@pytest.mark.parametrize("is_tied", [False, True])
def test_the_best_of_a_large_vocabulary_are_those_of_a_full_sort(vocab, is_tied):
    draw = torch.Generator().manual_seed(vocab)
    log_probs = -torch.rand(7, vocab, generator=draw)
    if is_tied:
        log_probs = (log_probs * 20).round() / 20 - 1
    log_probs[3, 100:] = -torch.inf
    values, tokens = _best(log_probs, 14)
    assert values.equal(log_probs.sort(1, descending=True).values[:, :14])
    assert log_probs.gather(1, tokens).equal(values)
    assert all(len(set(row)) == 14 for row in tokens.tolist())
    order = values.diff(dim=1)
    assert bool(((order < 0) | (tokens.diff(dim=1) > 0)).all())
