"""Batches: every pair once an epoch, with others of like lengths, ordered by seed and epoch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridbeam import UserError
from gridbeam.training.corpus import Pairs
from gridbeam.training.minibatches import Batches

PAD = 2


def drawn(count=500, longest=60, seed=0):
    """Pairs of random lengths, whose sides are about as long."""
    chance = np.random.default_rng(seed)
    texts = []
    for _ in range(count):
        source = int(chance.integers(1, longest))
        target = max(1, source + int(chance.integers(-3, 4)))
        texts.append(
            (chance.integers(3, 99, source).tolist(), chance.integers(3, 99, target).tolist())
        )
    return texts


TEXTS = drawn()


def made(texts=TEXTS, seed=7, **sizes):
    return Batches(Pairs.of(texts), pad=PAD, seed=seed, **(sizes or {"tokens": 300}))


def numbers(epoch):
    return [batch.tolist() for batch in epoch]


@pytest.mark.parametrize(
    "sizes",
    [{"tokens": 300}, {"tokens": 10}, {"sentences": 7}, {"sentences": 500}, {"tokens": 10**6}],
)
def test_every_pair_comes_exactly_once_an_epoch(sizes):
    batches = made(**sizes)
    for epoch in range(3):
        found = [number for batch in numbers(batches.epoch(epoch)) for number in batch]
        assert sorted(found) == list(range(len(TEXTS)))


def test_the_order_follows_from_the_seed_and_the_epoch():
    epochs = [numbers(made().epoch(number)) for number in range(3)]
    assert epochs == [numbers(made().epoch(number)) for number in range(3)]
    assert epochs[0] != epochs[1] != epochs[2]
    assert {frozenset(batch) for batch in epochs[0]} != {frozenset(batch) for batch in epochs[1]}
    assert numbers(made(seed=8).epoch(0)) != epochs[0]


@given(
    st.lists(st.tuples(st.integers(1, 30), st.integers(1, 30)), min_size=1, max_size=40),
    st.integers(1, 120),
    st.integers(0, 3),
)
def test_padded_tokens_stay_within_the_limit_unless_one_pair_is_longer(lengths, tokens, epoch):
    texts = [([5] * source, [6] * target) for source, target in lengths]
    batches = made(texts, tokens=tokens)
    order = batches.epoch(epoch)
    assert sorted(number for batch in numbers(order) for number in batch) == list(range(len(texts)))
    for batch in map(batches.batch, order):
        assert max(batch.source.numel(), batch.target.numel()) <= tokens or len(batch.source) == 1


def test_batches_are_as_full_as_the_limit_allows():
    sizes = [
        len(batch) for batch in numbers(made([([5] * 10, [6] * 10)] * 100, tokens=95).epoch(0))
    ]
    assert sorted(sizes, reverse=True) == [9] * 11 + [1]


def test_pairs_of_a_batch_are_of_like_lengths():
    batches = made()
    padded = sum(
        batch.source.numel() + batch.target.numel()
        for batch in map(batches.batch, batches.epoch(0))
    )
    tokens = sum(len(source) + len(target) for source, target in TEXTS)
    shuffled = np.random.default_rng(0).permutation(len(TEXTS)).reshape(-1, 10)
    unsorted = sum(
        batch.source.numel() + batch.target.numel() for batch in map(batches.batch, shuffled)
    )
    assert tokens / padded > 0.93 > 0.7 > tokens / unsorted


def test_a_batch_is_its_pairs_padded_on_the_right():
    batches = made()
    for order in batches.epoch(1)[:20]:
        batch = batches.batch(order)
        for side, rows in enumerate((batch.source, batch.target)):
            texts = [TEXTS[number][side] for number in order]
            width = max(map(len, texts))
            assert rows.tolist() == [[*text, *[PAD] * (width - len(text))] for text in texts]
        assert batch.target_tokens == sum(len(TEXTS[number][1]) for number in order)
        assert batch.source_is_padded == bool((batch.source == PAD).any())
        assert batch.target.flatten()[batch.places].tolist() == [
            token for number in order for token in TEXTS[number][1]
        ]


def test_batches_of_sentences_have_that_many_each():
    sizes = [len(batch) for batch in numbers(made(sentences=7).epoch(0))]
    assert sorted(sizes, reverse=True) == [7] * 71 + [3]


def test_no_pairs_are_a_mistake():
    with pytest.raises(UserError, match="there are no pairs to learn from"):
        made([])
