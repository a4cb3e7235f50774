"""The translations of a text from those of its sentences: the best combinations, put together."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from gridbeam.constraints.occurrences import Span, Spans
from gridbeam.decoding.hypothesis import Hypothesis
from gridbeam.text.sentences import Sentences
from gridbeam.translation.request import Sentence, TokenSpan, Translation


@dataclass(frozen=True)
class Candidate:
    """A translation of one sentence."""

    text: str
    hypothesis: Hypothesis
    of_token: Sequence[Span]
    """The characters of each token."""
    spans: Mapping[int, Spans]
    """The characters that meet each of its constraints, by the constraint's number in the
    request."""
    kept: Sequence[tuple[Span, Span]] = ()
    """What the model has no letters for: its characters in the source of the sentence, and here."""


def combined(
    source: str,
    sentences: Sentences,
    rows: Sequence[Sequence[Candidate]],
    told: Sequence[tuple[int, ...]],
    constraints: int,
    n_best: int,
) -> Translation:
    """The best translation of a text, with the next best as its alternatives.

    A row has the candidates of one sentence, `told` the constraints that its source told of.
    """
    scores = [[each.hypothesis.score for each in row] for row in rows]
    chosen = [
        [row[n] for row, n in zip(rows, choice, strict=True)]
        for choice in islice(best_sums(scores), n_best)
    ]
    first, *others = (
        _put_together(source, sentences, choice, told, constraints) for choice in chosen
    )
    return replace(first, alternatives=tuple(others))


def best_sums(scores: Sequence[Sequence[float]]) -> Iterator[tuple[int, ...]]:
    """Every way to take one number from each row, the largest sum first.

    The rows fall from left to right.

    >>> list(best_sums([[-1.0, -5.0], [-2.0, -3.0]]))
    [(0, 0), (0, 1), (1, 0), (1, 1)]
    """
    first = (0,) * len(scores)
    heap, seen = [(-sum(row[0] for row in scores), first)], {first}
    while heap:
        loss, choice = heapq.heappop(heap)
        yield choice
        for number, row in enumerate(scores):
            place = choice[number]
            after = (*choice[:number], place + 1, *choice[number + 1 :])
            if place + 1 < len(row) and after not in seen:
                seen.add(after)
                heapq.heappush(heap, (loss + row[place] - row[place + 1], after))


def _put_together(
    source: str,
    sentences: Sentences,
    chosen: Sequence[Candidate],
    told: Sequence[tuple[int, ...]],
    constraints: int,
) -> Translation:
    parts, tokens = list[Sentence](), list[TokenSpan]()
    spans: list[Spans] = [()] * constraints
    kept: list[tuple[Span, Span]] = []
    begin = len(sentences.between[0])
    for text, space, each, at, own in zip(
        sentences.texts, sentences.between[1:], chosen, sentences.starts, told, strict=True
    ):
        found = each.hypothesis
        parts.append(Sentence(text, each.text, begin, found, own))
        rows = zip(each.of_token, found.origins, found.log_probs, strict=True)
        tokens += [
            TokenSpan(begin + start, begin + end, origin, log_prob)
            for (start, end), origin, log_prob in rows
        ]
        for number, stretches in each.spans.items():
            spans[number] += tuple((begin + start, begin + end) for start, end in stretches)
        kept += [
            ((at + a, at + b), (begin + start, begin + end)) for (a, b), (start, end) in each.kept
        ]
        begin += len(each.text) + len(space)
    return Translation(
        text=sentences.joined([each.text for each in chosen]),
        score=sum(each.hypothesis.score for each in chosen),
        spans=tuple(spans),
        tokens=tuple(tokens),
        source=source,
        sentences=tuple(parts),
        kept=tuple(kept),
    )
