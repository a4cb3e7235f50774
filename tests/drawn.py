"""What hypothesis draws for the tests: small models and constraints over a handful of tokens."""

from __future__ import annotations

import torch
from hypothesis import strategies as st
from torch import Tensor

from gridbeam.constraints.spelled import Arc, Spellings
from gridbeam.constraints.terms import (
    AnyOf,
    AtMost,
    Avoid,
    Constraint,
    Gap,
    InOrder,
    Pattern,
    Phrase,
    Prefix,
    Suffix,
)
from gridbeam.models.toy import Bigram

VOCAB, EOS = 5, 1
TOKENS = [0, 2, 3]
"""Phrases are made of few tokens, so that they overlap, contain and break each other."""


def model(seed: int, spread: float = 2.0) -> Bigram:
    """A bigram model whose probabilities are all different."""
    return Bigram(
        torch.randn(VOCAB, VOCAB, generator=torch.Generator().manual_seed(seed)) * spread,
        bos=4,
        eos=EOS,
    )


class Counting:
    """A model that notes how many rows it is asked to score in each step."""

    def __init__(self, model: Bigram) -> None:
        self.model, self.rows = model, list[int]()
        self.vocab_size, self.bos, self.eos = model.vocab_size, model.bos, model.eos
        self.start, self.select = model.start, model.select

    def step(self, state: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        self.rows.append(len(tokens))
        return self.model.step(state, tokens)


def prefix_scores(model: Bigram, source: list[int]):
    """The model as a function from a prefix to log-probabilities, for the other judges."""
    known: dict[tuple[int, ...], list[float]] = {}

    def scores(prefix: tuple[int, ...]) -> list[float]:
        last = prefix[-1:] or (model.bos,)
        if last not in known:
            log_probs, _ = model.step(model.start([source]), torch.tensor(last))
            known[last] = log_probs[0].double().tolist()
        return known[last]

    return scores


def after_even(prefix: tuple[int, ...]) -> bool:
    """A filter: only after an even number of tokens."""
    return len(prefix) % 2 == 0


def after_a_two(prefix: tuple[int, ...]) -> bool:
    """A filter: only once a 2 has been written."""
    return 2 in prefix


phrases = st.builds(
    Phrase,
    st.lists(st.sampled_from(TOKENS), min_size=1, max_size=3),
    st.sampled_from([None] * 6 + [after_even, after_a_two]),
)
classes = st.one_of(
    st.none(), st.sets(st.sampled_from([*TOKENS, 4])).map(lambda tokens: frozenset({*tokens, EOS}))
)


@st.composite
def spellings(draw: st.DrawFn, skipped: frozenset[int] = frozenset()) -> Spellings:
    """A small graph of tokens.

    The last arc of each node is one the search may place, so that there is always a way.
    """
    nodes = draw(st.integers(1, 2))

    def arcs(node: int, least: int) -> tuple[Arc, ...]:
        tokens = draw(st.lists(st.sampled_from(TOKENS), min_size=least, max_size=2, unique=True))
        to = [draw(st.integers(node + 1, nodes + 1)) for _ in tokens]
        return tuple(
            Arc(t, n, i == 0 or draw(st.booleans()))
            for i, (t, n) in enumerate(zip(tokens, to, strict=True))
        )

    leading = arcs(0, 1)
    when = draw(st.sampled_from([None] * 6 + [after_even]))
    before, after, may_open, opening = (
        draw(classes),
        draw(classes),
        draw(st.booleans()),
        draw(st.sampled_from([None, 4])),
    )
    graph = tuple(arcs(n, n > 0) for n in range(nodes))
    return Spellings("x", leading, graph, before, after, when, may_open, opening, skipped)


gaps = st.one_of(
    st.builds(Gap, st.integers(0, 2)),
    st.integers(0, 2).flatmap(lambda low: st.builds(Gap, st.just(low), st.integers(low, low + 2))),
)


def _in_order(parts: st.SearchStrategy[Pattern]) -> st.SearchStrategy[InOrder]:
    pair = st.tuples(parts, st.one_of(st.none(), gaps), parts)
    return pair.map(lambda p: InOrder(*(part for part in p if part is not None)))


patterns: st.SearchStrategy[Pattern] = st.recursive(
    st.one_of(phrases, spellings()),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda a: AnyOf(*a)), _in_order(inner)
    ),
    max_leaves=4,
)
in_disguise = st.lists(spellings(frozenset({4})), min_size=1, max_size=2).map(
    lambda texts: AnyOf(*texts)
)
disguised = st.one_of(
    st.builds(Avoid, in_disguise), st.builds(AtMost, st.integers(0, 1), in_disguise)
)
constraints: st.SearchStrategy[Constraint] = st.one_of(
    disguised,
    patterns,
    patterns,
    patterns,
    phrases,
    spellings(),
    st.builds(Avoid, patterns),
    st.builds(Prefix, patterns),
    st.builds(Suffix, patterns),
    st.builds(AtMost, st.integers(0, 2), patterns),
    st.builds(AtMost, st.integers(0, 2), phrases),
)


@st.composite
def constraint_lists(draw: st.DrawFn, most: int = 3) -> list[Constraint]:
    """Up to three constraints, sometimes the same one twice."""
    terms = draw(st.lists(constraints, max_size=most))
    if terms and draw(st.booleans()) and draw(st.booleans()):
        terms.append(terms[0])
    return terms
