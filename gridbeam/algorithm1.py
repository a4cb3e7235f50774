"""Algorithm 1 of the paper, line by line, in plain Python, one hypothesis at a time: slow, and easy to trust.

`search` does the same in tensors for many sentences at once and is judged by this page. The paper's words are kept:
`grid[t][c]` is the beam at time step `t` whose hypotheses cover `c` constraint tokens, and the model implements *generate*,
*start* and *continue*. Three things are settled here that the pseudo-code leaves open. A token may pay two debts at once, or
break a match and owe again, so the candidates for row `c` come from all rows of the column to the left, not only from `c` and
`c - 1`. The end token is offered beside the k best others, and only where nothing is owed. And whether a hypothesis that has
ended takes a place in its beam (`in_beam`, the paper) or not (`set_aside`, as most toolkits do) is an argument.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import inf

from gridbeam.automaton import Automaton, Progress
from gridbeam.hypothesis import Origin
from gridbeam.scoring import Ended, Extension, Score, sum_of_log_probs


@dataclass(frozen=True)
class Hyp:
    """A hypothesis: what it has written, what it has covered, and its score so far."""

    tokens: tuple[int, ...]
    progress: Progress
    score: float


def constrained_search(
    next_scores: Callable[[tuple[int, ...]], Sequence[float]],
    constraints: Automaton,
    *,
    eos: int,
    max_len: int,
    k: int,
    n_best: int = 1,
    length_penalty: float = 1.0,
    ended: Ended = "set_aside",
    score: Score = sum_of_log_probs,
) -> list[Hyp]:
    """The best finished hypotheses that cover all constraints; `next_scores` gives the log-probabilities after a prefix."""
    model = PaperModel(next_scores, constraints, eos, k, score)
    num_c = constraints.owed(constraints.start)
    rows = range(num_c - max(num_c, constraints.most_owed), num_c + 1)

    # fmt: off
    start_hyp = Hyp((), constraints.start, 0.0)                            # line 2
    grid = [{c: list[Hyp]() for c in rows} for _ in range(max_len + 1)]    # line 3
    grid[0][0] = [start_hyp]                                               # line 4
    for t in range(1, max_len + 1):                                        # line 5
        left = [hyp for c in reversed(rows) for hyp in grid[t - 1][c] if not model.has_eos(hyp)]
        for c in rows:                                                     # line 6
            def in_row(hyps: list[Hyp], c: int = c) -> list[Hyp]:
                return [hyp for hyp in hyps if num_c - constraints.owed(hyp.progress) == c and model.can_finish(hyp, max_len)]

            e, n, g = list[Hyp](), list[Hyp](), list[Hyp]()                # line 7
            for hyp in left:                                               # lines 8, 14
                if constraints.is_open(hyp.progress):                      # line 9
                    g += in_row(model.generate(hyp))                       # line 10
                n += in_row(model.start_or_continue(hyp))                  # lines 15 to 19
                e += in_row(model.end(hyp))
            grid[t][c] = k_argmax(e + n + g, k, model.has_eos, ended)      # line 22
    top_level_hyps = [hyp for beams in grid for hyp in beams[num_c]]       # line 25
    finished_hyps = [hyp for hyp in top_level_hyps if model.has_eos(hyp)]  # line 26
    finished_hyps.sort(key=lambda hyp: hyp.score / len(hyp.tokens) ** length_penalty, reverse=True)
    return finished_hyps[:n_best]                                          # lines 27, 28
    # fmt: on


def k_argmax(hyps: list[Hyp], k: int, has_eos: Callable[[Hyp], bool], ended: Ended) -> list[Hyp]:
    """The k best; in a union of sets, the same tokens with the same progress are one hypothesis."""
    union: dict[tuple[tuple[int, ...], Progress], Hyp] = {}
    for hyp in sorted(hyps, key=lambda hyp: -hyp.score):
        union.setdefault((hyp.tokens, hyp.progress), hyp)
    row = list(union.values())
    if ended == "in_beam":
        return row[:k]
    return [hyp for hyp in row if not has_eos(hyp)][:k] + [hyp for hyp in row[:k] if has_eos(hyp)]


class PaperModel:
    """The interface that the paper asks of a model: three ways to read one distribution over the next token."""

    def __init__(
        self,
        next_scores: Callable[[tuple[int, ...]], Sequence[float]],
        constraints: Automaton,
        eos: int,
        k: int,
        score: Score,
    ) -> None:
        self.next_scores, self.constraints, self.eos, self.k, self.score = next_scores, constraints, eos, k, score
        self.generate = cache(lambda hyp: list(self._generate(hyp)))
        self.start_or_continue = cache(lambda hyp: list(self._start_or_continue(hyp)))

    def _generate(self, hyp: Hyp) -> Iterator[Hyp]:
        """The k best tokens that are allowed here, the end token aside."""
        scores, progress = self.next_scores(hyp.tokens), self.constraints.with_filters(hyp.progress, hyp.tokens)
        allowed = {}
        for token in range(len(scores)):
            after = self.constraints.accept(progress, token)
            if token != self.eos and after is not None:
                allowed[token] = after
        for token in sorted(allowed, key=lambda token: -scores[token])[: self.k]:
            yield from self._extended(hyp, token, allowed[token], Origin.GENERATED)

    def _start_or_continue(self, hyp: Hyp) -> Iterator[Hyp]:
        """The next token of each constraint: an open hypothesis starts one, a closed one continues its own."""
        for step in self.constraints.wanted(self.constraints.with_filters(hyp.progress, hyp.tokens)):
            yield from self._extended(hyp, step.token, step.progress, Origin.CONTINUED if step.is_inside else Origin.STARTED)

    def end(self, hyp: Hyp) -> list[Hyp]:
        """The end token, where nothing is owed."""
        if self.constraints.owed(hyp.progress) > 0:
            return []
        return list(self._extended(hyp, self.eos, hyp.progress, Origin.GENERATED))

    def _extended(self, hyp: Hyp, token: int, progress: Progress, origin: Origin) -> Iterator[Hyp]:
        """The hypothesis with one more token, unless that is impossible."""
        log_prob = self.next_scores(hyp.tokens)[token]
        score = self.score(Extension(hyp.score, log_prob, origin, token, len(hyp.tokens) + 1)) if log_prob > -inf else -inf
        if score > -inf:
            yield Hyp((*hyp.tokens, token), progress, score)

    def has_eos(self, hyp: Hyp) -> bool:
        """Whether the hypothesis has ended."""
        return hyp.tokens[-1:] == (self.eos,)

    def can_finish(self, hyp: Hyp, max_len: int) -> bool:
        """Whether what is owed, and the end token, still fit: the lower bound of line 6."""
        return self.has_eos(hyp) or len(hyp.tokens) + self.constraints.needs(hyp.progress) + 1 <= max_len
