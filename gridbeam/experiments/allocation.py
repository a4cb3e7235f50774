"""Dynamic beam allocation (Post and Vilar, 2018) in plain Python, to compare grid beam search with.

One beam for a sentence, whatever its constraints: in each step it is divided over *banks*, one for
each number of constraint tokens that may be met. Candidates and division are theirs (`_candidates`,
`bank_sizes`). What counts as met, that a hypothesis which has ended leaves the beam, and when the
search stops (`stop="likely"`) is as in `gridbeam.search`, so that nothing else differs. It promises
nothing: where the length runs out before everything is met, what comes back does not meet it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import Any

import torch
from torch import Tensor

from gridbeam.constraints.automaton import Automaton, Progress, compile_constraints
from gridbeam.constraints.encode import spell
from gridbeam.constraints.terms import as_constraints
from gridbeam.decoding.options import SearchOptions
from gridbeam.experiments.log import Record
from gridbeam.experiments.translations import Search
from gridbeam.models import Model, ends_of
from gridbeam.tokens.offsets import read
from gridbeam.translation.request import Request
from gridbeam.translation.translator import Translator


@dataclass(frozen=True)
class Hyp:
    """A hypothesis: its tokens, what they have met, and the sum of their log-probabilities."""

    tokens: tuple[int, ...]
    progress: Progress
    score: float


@dataclass(frozen=True)
class Allocated:
    """What came of a source."""

    tokens: tuple[int, ...]
    is_met: bool
    """Whether it has ended with everything met."""
    expanded: int
    """How many hypotheses the model was asked to go on with."""


def bank_sizes(beam: int, candidates: Sequence[int]) -> list[int]:
    """How many places of the beam each bank has, by how many candidates it has.

    Banks are ordered from none met to all. The beam is divided evenly, what is left over goes to
    the last bank, and from the last to the first a bank hands to the one before it what it cannot
    fill.

    >>> bank_sizes(5, [9, 9]), bank_sizes(5, [9, 1]), bank_sizes(5, [1, 9])
    ([2, 3], [4, 1], [1, 4])
    """
    share, rest = divmod(beam, len(candidates))
    sizes = [share] * len(candidates)
    sizes[-1] += rest
    for bank in reversed(range(len(candidates))):
        spare = max(sizes[bank] - candidates[bank], 0)
        sizes[bank] -= spare
        sizes[bank - 1] += spare  # the first hands to the last
    return sizes


def by_allocation(translator: Translator, options: SearchOptions) -> Search:
    """Dynamic beam allocation with the model of a translator, each source taken as one sentence."""
    model, tokenizer, ends = translator.model, translator.tokenizer, ends_of(translator.model)

    def found(requests: Sequence[Request]) -> Iterator[Record]:
        texts = [translator.tag + " ".join(request.source.split()) for request in requests]
        sources = [
            tokenizer(text, split_special_tokens=True, verbose=False)["input_ids"] for text in texts
        ]
        terms = [as_constraints(request.constraints) for request in requests]
        spelled = [
            [spell(term, translator.subwords, ends, model.vocab_size) for term in own]
            for own in terms
        ]
        automata = [compile_constraints(own, "contains") for own in spelled]
        enough = max(
            2 * len(own) + 10 + each.owed(each.start)
            for own, each in zip(sources, automata, strict=True)
        )
        longest = min(enough, translator.positions or enough)
        for each in search(model, sources, automata, options.but(max_length=longest)):
            yield {"text": read(tokenizer, each.tokens), "expanded": each.expanded}

    return found


def search(
    model: Model[Any],
    sources: Sequence[Sequence[int]],
    automata: Sequence[Automaton],
    options: SearchOptions,
) -> list[Allocated]:
    """The best hypothesis of each source, found with one beam of `options.beam`."""
    ends, beam = ends_of(model), options.beam
    searches = [_Search(automaton, ends, beam, options.final) for automaton in automata]
    state, previous = model.start(sources), [model.bos] * len(sources)
    device = getattr(model, "device", "cpu")
    for _ in range(options.longest):
        log_probs, state = model.step(state, torch.tensor(previous, device=device))
        rows: list[int] = []
        previous = []
        before = 0
        for each in searches:
            after = before + len(each.running)
            parents = each.step(log_probs[before:after])
            rows += [before + parent for parent in parents]
            previous += [hyp.tokens[-1] for hyp in each.running]
            before = after
        if not rows:
            break
        state = model.select(state, torch.tensor(rows, device=device))
    return [each.found() for each in searches]


class _Search:
    """The search of one source: what runs and what has ended."""

    def __init__(
        self,
        constraints: Automaton,
        ends: tuple[int, ...],
        beam: int,
        value: Callable[[float, int], float],
    ) -> None:
        self.running = [Hyp((), constraints.start, 0.0)]
        self._ended: list[Hyp] = []
        self._constraints, self._ends, self._beam, self._final = constraints, ends, beam, value
        self._expanded = 0
        self._last = self.running[0]

    def step(self, log_probs: Tensor) -> list[int]:
        """Takes one step, given the next token's log-probabilities after each that runs.

        Says which of these each came from.
        """
        if not self.running:
            return []
        self._expanded += len(self.running)
        candidates = [*self._candidates(log_probs)]
        self._ended += [hyp for _, hyp in candidates if self._has_ended(hyp)]
        kept = self._allocated(
            [candidate for candidate in candidates if not self._has_ended(candidate[1])]
        )
        self.running = [] if self._is_over([hyp for _, hyp in kept]) else [hyp for _, hyp in kept]
        self._last = next(iter(self.running), self._last)
        return [parent for parent, _ in kept][: len(self.running)]

    def found(self) -> Allocated:
        """The best that has ended, or else what still runs with most of it met."""
        best = max(self._ended, key=self._value, default=None)
        return Allocated((best or self._last).tokens, best is not None, self._expanded)

    def _candidates(self, log_probs: Tensor) -> Iterator[tuple[int, Hyp]]:
        """The candidates of the next column, each once.

        The best of all, the best token of each hypothesis, and those that its constraints wait for.
        """
        best = log_probs.topk(min(self._beam + len(self._ends), log_probs.shape[1]))
        of_rows = [
            [
                (score, token)
                for score, token in zip(scores, tokens, strict=True)
                if self._may_follow(hyp, token)
            ]
            for hyp, scores, tokens in zip(
                self.running, best.values.tolist(), best.indices.tolist(), strict=True
            )
        ]
        every = [
            (self.running[row].score + score, row, token)
            for row, several in enumerate(of_rows)
            for score, token in several
        ]
        places = {(row, token) for _, row, token in nlargest(self._beam, every)}
        places |= {(row, several[0][1]) for row, several in enumerate(of_rows) if several}
        places |= {
            (row, step.token)
            for row, hyp in enumerate(self.running)
            for step in self._constraints.wanted(hyp.progress)
        }
        ordered = sorted(places)
        added = log_probs[[row for row, _ in ordered], [token for _, token in ordered]].tolist()
        for (row, token), log_prob in zip(ordered, added, strict=True):
            hyp = self.running[row]
            progress = self._constraints.accept(hyp.progress, token)
            if progress is not None:
                yield row, Hyp((*hyp.tokens, token), progress, hyp.score + log_prob)

    def _may_follow(self, hyp: Hyp, token: int) -> bool:
        return token not in self._ends or self._constraints.may_end(hyp.progress, self._ends)

    def _allocated(self, candidates: Sequence[tuple[int, Hyp]]) -> list[tuple[int, Hyp]]:
        """The candidates that stay: the best of each bank, those that have met most first."""
        all_met = max(self._constraints.most_owed, self._constraints.owed(self._constraints.start))
        banks: list[list[tuple[int, Hyp]]] = [[] for _ in range(all_met + 1)]
        for candidate in candidates:
            banks[all_met - self._constraints.owed(candidate[1].progress)].append(candidate)
        sizes = bank_sizes(self._beam, [len(bank) for bank in banks])
        chosen = [
            nlargest(size, bank, key=lambda each: each[1].score)
            for size, bank in zip(sizes, banks, strict=True)
        ]
        return [candidate for bank in reversed(chosen) for candidate in bank]

    def _is_over(self, running: Sequence[Hyp]) -> bool:
        """Whether `beam` hypotheses have ended, and none that runs is ahead of them."""
        self._ended = nlargest(self._beam, self._ended, key=self._value)
        is_full = len(self._ended) == self._beam
        return is_full and all(self._value(hyp) <= self._value(self._ended[-1]) for hyp in running)

    def _has_ended(self, hyp: Hyp) -> bool:
        return hyp.tokens[-1] in self._ends

    def _value(self, hyp: Hyp) -> float:
        return self._final(hyp.score, len(hyp.tokens))
