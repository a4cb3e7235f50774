"""A small network of the paper, with weights large enough for each part to matter, and texts."""

from __future__ import annotations

import torch

from gridbeam.models.gru.network import AttentionalGRU, GRUConfig

PAD, BOS, EOS = 0, 1, 2
SMALL = GRUConfig(vocab_size=13, embedding=6, hidden=8, pad=PAD, bos=BOS, eos=EOS)
SOURCES = [[3, 4, 5, 6, 2], [7, 2], [8, 9, 9, 2]]
TARGET = [BOS, 5, 12, 7, 7, 3]


def network(config=SMALL, seed=0, scale=0.6):
    """One with random weights."""
    torch.manual_seed(seed)
    made = AttentionalGRU(config).eval()
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.copy_(scale * torch.randn_like(parameter))
    return made


def padded(sources):
    length = max(map(len, sources))
    return torch.tensor([[*source, *[PAD] * (length - len(source))] for source in sources])
