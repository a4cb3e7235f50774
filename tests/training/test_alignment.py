"""Which tokens translate which is learned from pairs alone."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from gridbeam.training import alignment
from gridbeam.training.alignment import Aligner
from gridbeam.training.corpus import Pairs

EOS, FIRST, WORDS = 0, 1, 12
VOCABULARY = FIRST + 2 * WORDS


def made_up(number, seed=1):
    """Pairs whose targets are their sources in other words, two neighbours swapped."""
    chance = Random(seed)
    pairs, orders = [], []
    for _ in range(number):
        words = chance.sample(range(WORDS), chance.randint(3, 7))
        order = list(range(len(words)))
        swap = chance.randrange(len(words) - 1)
        order[swap : swap + 2] = reversed(order[swap : swap + 2])
        source = [FIRST + word for word in words]
        target = [FIRST + WORDS + words[place] for place in order]
        pairs.append(([*source, EOS], [*target, EOS]))
        orders.append([(there, here) for here, there in enumerate(order)])
    return Pairs.of(pairs), orders


def test_each_word_is_aligned_with_its_translation_wherever_it_stands():
    pairs, orders = made_up(300)
    found = list(Aligner.learned(pairs, VOCABULARY).links(pairs, np.arange(len(pairs))))
    right = sum(len(set(one) & set(other)) for one, other in zip(found, orders, strict=True))
    assert right / sum(map(len, orders)) > 0.97
    assert right / sum(map(len, found)) > 0.97


def test_some_of_the_pairs_are_aligned_as_they_are_among_all():
    pairs, _ = made_up(100)
    aligner = Aligner.learned(pairs, VOCABULARY)
    every = list(aligner.links(pairs, np.arange(100)))
    assert list(aligner.links(pairs, np.array([7, 3, 50]))) == [every[7], every[3], every[50]]


def test_an_empty_selection_has_no_links():
    pairs, _ = made_up(10)
    assert list(Aligner.learned(pairs, VOCABULARY).links(pairs, np.arange(0))) == []


def test_tables_that_share_their_cells_align_as_well(monkeypatch):
    monkeypatch.setattr(alignment, "_LARGEST_TABLE", 500)
    pairs, orders = made_up(300)
    found = list(Aligner.learned(pairs, VOCABULARY).links(pairs, np.arange(len(pairs))))
    right = sum(len(set(one) & set(other)) for one, other in zip(found, orders, strict=True))
    assert right / sum(map(len, orders)) > 0.9


@pytest.mark.parametrize("cells", [1, 60, 1 << 24])
def test_batches_of_any_size_give_the_same(monkeypatch, cells):
    pairs, _ = made_up(40)
    aligner = Aligner.learned(pairs, VOCABULARY)
    whole = list(aligner.links(pairs, np.arange(40)))
    monkeypatch.setattr(alignment, "_CELLS", cells)
    assert list(aligner.links(pairs, np.arange(40))) == whole
