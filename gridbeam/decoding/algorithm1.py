"""Algorithm 1 of the paper, line by line, in plain Python: slow, and easy to trust.

`search` does the same in tensors for many sentences at once and is judged by this page. The paper's
words are kept: `grid[t][c]` is the beam at time step `t` whose hypotheses cover `c` constraint
tokens, and the model implements *generate*, *start* and *continue*. What differs from the
pseudo-code, or is settled where it is silent:

- A token may pay two debts at once, or break a match and owe again; so the candidates of a column
  are made once, from all rows to the left, and each is put into the row it has reached, instead of
  row `c` fetching them from `c` and `c - 1`. A longer alternative of `AnyOf` owes more than the
  shortest, so rows may begin below 0; where a phrase counts whoever wrote it, it owes the same
  until it is nearly said, and has beams of its own (`detour`), or a narrow one would drop it.
- A phrase that is listed n times must occur n times, apart from each other. Its copies are one
  constraint that owes n times its tokens: which of two equal phrases a hypothesis has begun makes
  no difference, and the paper's coverage vector would keep it twice.
- `max_len` counts tokens, the end token included. It is offered beside the k best others, and only
  where nothing is owed.
- The rows that line 6 leaves out are those that cannot finish in time (`can_finish`).
- Whether a hypothesis that has ended takes a place in its beam (`in_beam`, the paper) or not
  (`set_aside`, as most toolkits do), and how length is weighed at the end, are arguments.

>>> from gridbeam.constraints.automaton import compile_constraints
>>> from gridbeam.constraints.terms import Phrase
>>> constraints = compile_constraints([Phrase([3, 4])], "placed")
>>> uniform = lambda prefix: [-1.6] * 5
>>> constrained_search(uniform, constraints, eos=0, max_len=4, k=2, length_penalty=0.0)[0].tokens
(3, 4, 0)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import inf

from gridbeam.constraints.automaton import Automaton, Progress
from gridbeam.decoding.hypothesis import Origin
from gridbeam.decoding.scoring import Ended, Extension, Score, final_score, sum_of_log_probs


@dataclass(frozen=True)
class Hyp:
    """A hypothesis: what it has written, what it has covered, and its score so far."""

    tokens: tuple[int, ...]
    progress: Progress
    score: float


def constrained_search(
    log_probs_after: Callable[[tuple[int, ...]], Sequence[float]],
    constraints: Automaton,
    *,
    eos: int,
    max_len: int,
    k: int,
    n_best: int = 1,
    length_penalty: float = 1.0,
    length_reward: float = 0.0,
    ended: Ended = "set_aside",
    score: Score = sum_of_log_probs,
) -> list[Hyp]:
    """The best finished hypotheses that cover all constraints.

    The model gives log-probabilities of the next token after a prefix.
    """
    if constraints.needs(constraints.start) > max_len:
        return []
    model = PaperModel(log_probs_after, constraints, eos, k, score)
    num_c = constraints.owed(constraints.start)
    rows = range(num_c - max(num_c, constraints.most_owed), num_c + 1)

    # fmt: off
    start_hyp = Hyp((), constraints.start, 0.0)                                # line 2
    grid = [{c: list[Hyp]() for c in rows} for _ in range(max_len + 1)]        # line 3
    grid[0][0] = [start_hyp]                                                   # line 4
    for t in range(1, max_len + 1):                                            # line 5
        e, n_s, g = list[Hyp](), list[Hyp](), list[Hyp]()                      # line 7
        for c in reversed(rows):
            for hyp in grid[t - 1][c]:                                         # lines 8, 14
                if model.has_eos(hyp):
                    continue
                e += model.end(hyp)
                if model.is_open(hyp):                                         # lines 9, 15
                    g += model.generate(hyp)                                   # line 10
                    n_s += model.start(hyp)                                    # line 16
                else:                                                          # line 17
                    n_s += model.continue_(hyp)                                # line 18
        column = [hyp for hyp in e + n_s + g if model.can_finish(hyp, max_len)]
        for c, d in product(rows, range(constraints.longest_detour + 1)):      # line 6
            row = [hyp for hyp in column if model.place(hyp) == (c, d)]
            grid[t][c] += k_argmax(row, k, model.has_eos, ended)               # line 22
    top_level_hyps = [hyp for beams in grid for hyp in beams[num_c]]           # line 25
    finished_hyps = [hyp for hyp in top_level_hyps if model.has_eos(hyp)]      # line 26
    lengths = {"penalty": length_penalty, "reward": length_reward}
    finished_hyps.sort(
        key=lambda hyp: final_score(hyp.score, len(hyp.tokens), **lengths), reverse=True
    )
    return finished_hyps[:n_best]                                              # lines 27, 28
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


@dataclass(frozen=True)
class PaperModel:
    """The paper's interface of a model: three ways to read one distribution over the next token."""

    log_probs_after: Callable[[tuple[int, ...]], Sequence[float]]
    constraints: Automaton
    eos: int
    k: int
    score: Score

    def generate(self, hyp: Hyp) -> Iterator[Hyp]:
        """The k best tokens that are allowed here, the end token aside."""
        log_probs, progress = self.log_probs_after(hyp.tokens), self._progress(hyp)
        after = {
            token: self.constraints.accept(progress, token)
            for token in range(len(log_probs))
            if token != self.eos
        }
        allowed = [token for token in after if after[token] is not None]
        taken = (
            {new.tokens[-1] for new in self.start(hyp)}
            if self.constraints.coverage == "contains"
            else set()
        )
        for token in sorted(allowed, key=lambda token: -log_probs[token])[: self.k]:
            if token not in taken:
                yield from self._extended(hyp, token, after[token], Origin.GENERATED)

    def start(self, hyp: Hyp) -> Iterator[Hyp]:
        """The first token of each constraint that is not covered.

        Where a phrase counts whoever wrote it, an open hypothesis may be in the midst of several:
        these it may continue.
        """
        taken = set()
        for step in self.constraints.wanted(self._progress(hyp)):
            if self.constraints.coverage == "placed" or step.token not in taken:
                yield from self._extended(
                    hyp,
                    step.token,
                    step.progress,
                    Origin.CONTINUED if step.is_inside else Origin.STARTED,
                )
            taken.add(step.token)

    def continue_(self, hyp: Hyp) -> Iterator[Hyp]:
        """The next token of the constraint that a closed hypothesis is in; all others must wait."""
        return self.start(hyp)

    def end(self, hyp: Hyp) -> Iterator[Hyp]:
        """The end token, where nothing is owed."""
        if self.constraints.owed(hyp.progress) == 0:
            progress = self.constraints.accept(hyp.progress, self.eos)
            yield from self._extended(hyp, self.eos, progress, Origin.GENERATED)

    def is_open(self, hyp: Hyp) -> bool:
        """Whether the hypothesis may generate."""
        return self.constraints.is_open(hyp.progress)

    def place(self, hyp: Hyp) -> tuple[int, int]:
        """The row of a hypothesis, and in which stage of a longer alternative it is there."""
        covered = self.constraints.owed(self.constraints.start) - self.constraints.owed(
            hyp.progress
        )
        return covered, self.constraints.detour(hyp.progress)

    def has_eos(self, hyp: Hyp) -> bool:
        """Whether the hypothesis has ended."""
        return hyp.tokens[-1:] == (self.eos,)

    def can_finish(self, hyp: Hyp, max_len: int) -> bool:
        """Whether what is owed, and the end token, still fit: the lower bound of line 6."""
        return (
            self.has_eos(hyp)
            or len(hyp.tokens) + self.constraints.needs(hyp.progress) + 1 <= max_len
        )

    def _progress(self, hyp: Hyp) -> Progress:
        return self.constraints.with_filters(hyp.progress, hyp.tokens)

    def _extended(
        self, hyp: Hyp, token: int, progress: Progress | None, origin: Origin
    ) -> Iterator[Hyp]:
        """The hypothesis with one more token, unless that is impossible."""
        log_prob = self.log_probs_after(hyp.tokens)[token]
        if progress is not None and log_prob > -inf:
            score = self.score(Extension(hyp.score, log_prob, origin, token, len(hyp.tokens) + 1))
            if score > -inf:
                yield Hyp((*hyp.tokens, token), progress, score)
