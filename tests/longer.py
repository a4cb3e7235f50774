"""Texts of 8 to 20 tokens, too many for the oracle, and judges for them that leave nothing out."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from drawn import EOS, TOKENS, VOCAB, constraint_lists
from hypothesis import strategies as st

import gridbeam
from gridbeam import Phrase, Unsatisfiable
from gridbeam.constraints.terms import Constraint
from gridbeam.models.toy import Bigram

lengths = st.integers(8, 20)
coverages = st.sampled_from(["placed", "contains"])
ended_rules = st.sampled_from(["set_aside", "in_beam"])
weights = st.fixed_dictionaries(
    {
        "length_penalty": st.sampled_from([0.0, 0.6, 1.0, 2.0, -0.5]),
        "length_reward": st.sampled_from([0.0, 0.2, 1.0, 2.0, -0.5]),
    }
)
beams = st.fixed_dictionaries({"beam": st.integers(1, 3)})
budgets = st.fixed_dictionaries({"budget": st.integers(1, 8)})


short_phrases = st.lists(
    st.builds(Phrase, st.lists(st.sampled_from(TOKENS), min_size=1, max_size=3)), max_size=2
)
"""Constraints of a text that fit into any of these lengths."""
wishes = st.one_of(
    constraint_lists(2).map(lambda terms: [terms]), st.lists(short_phrases, min_size=3, max_size=4)
)
"""The constraints of a batch: any for one text, or some that can be met for each of several."""


def resolute(seed: int, eagerness: float) -> Bigram:
    """A model that is fairly sure of what comes next: long texts compete with short ones."""
    logits = torch.randn(VOCAB, VOCAB, generator=torch.Generator().manual_seed(seed)) * 6
    logits[:, EOS] += eagerness
    return Bigram(logits, bos=4, eos=EOS)


resolute_models = st.builds(resolute, st.integers(0, 9999), st.sampled_from([0.0, 3.0, 6.0, -3.0]))


def table_model(rows: dict[int, dict[int, float]]) -> Bigram:
    """A model with these probabilities of what follows a token; the rest is shared out evenly."""
    table = torch.full((VOCAB, VOCAB), 1 / VOCAB)
    for token, row in rows.items():
        table[token] = (1 - sum(row.values())) / (VOCAB - len(row))
        table[token, list(row)] = torch.tensor(list(row.values()))
    return Bigram(table.log(), bos=4, eos=EOS, attention=0.0)


def search_or_none(model: Bigram, wishes: Sequence[Sequence[Constraint]], **options):
    """What is found for each text, or None where one cannot be met."""
    try:
        return gridbeam.search(model, [[2]] * len(wishes), wishes, **options)
    except Unsatisfiable:
        return None


def without_stopping(model: Bigram, wishes: Sequence[Sequence[Constraint]], **options):
    """What a search finds that never stops, since it is not told that scores never rise."""
    return search_or_none(model, wishes, **options, score=lambda new: new.score + new.log_prob)


def log_probs_of(bigram: Bigram, source: Sequence[int]):
    """The model as a function of a prefix, as `algorithm1` takes it."""
    tables = [
        bigram.step(bigram.start([source]), torch.tensor([token]))[0][0].double().tolist()
        for token in range(VOCAB)
    ]
    return lambda prefix: tables[prefix[-1] if prefix else bigram.bos]
