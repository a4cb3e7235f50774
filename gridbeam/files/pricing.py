"""A score by which each character that is written costs something, for texts that must be short."""

from __future__ import annotations

from typing import Any

import torch

from gridbeam.decoding.scoring import Extension, Score, never_rises
from gridbeam.documents.limit import SizeLimit
from gridbeam.translation.translator import Translates


def priced(translator: Translates, limit: SizeLimit, price: float) -> Score:
    """The sum of log-probabilities less the price of what each token writes."""
    model, vocabulary = translator.model, translator.subwords.vocabulary
    known = [
        limit.size((piece or b"").decode("utf8", "ignore")) or 0 for piece in vocabulary.pieces
    ]
    sizes = [*known, *[0] * (model.vocab_size - len(known))]
    device = torch.device(getattr(model, "device", "cpu"))
    costs = price * torch.tensor(sizes, dtype=torch.float32, device=device)

    def score(new: Extension[Any]) -> Any:
        return new.score + new.log_prob - costs[new.token].to(new.log_prob.dtype)

    return never_rises(score)
