"""Algorithm 1 of the paper, line by line, in plain Python, one hypothesis at a time: slow, and easy to trust.

`search.py` does the same in tensors for many sentences at once and is judged by this page. The paper's words are kept:
`Grid[t][c]` is the beam at time step `t` whose hypotheses cover `c` constraint tokens. Three things are said here that the
pseudo-code leaves open. A token may pay two debts at once, or break a match and owe again, so a candidate is put into the row
it has reached instead of being fetched from row `c` or `c - 1`. The end token is offered beside the k best others, and only
where nothing is owed. And whether a hypothesis that has ended takes a place in its beam (`in_beam`, the paper) or not
(`set_aside`, as most toolkits do) is an argument.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from gridbeam.automaton import Automaton, Progress
from gridbeam.hypothesis import Origin
from gridbeam.scoring import Ended, Extension, sum_of_log_probs


@dataclass(frozen=True)
class Hyp:
    """A hypothesis: what it has written, what it has covered, and its score so far."""

    tokens: tuple[int, ...]
    progress: Progress
    score: float


def constrained_search(
    model: Callable[[tuple[int, ...]], Sequence[float]],
    constraints: Automaton,
    *,
    eos: int,
    max_len: int,
    k: int,
    n_best: int = 1,
    length_penalty: float = 1.0,
    ended: Ended = "set_aside",
    score: Callable[[Extension[Any]], Any] = sum_of_log_probs,
) -> list[Hyp]:
    """The best finished hypotheses that cover all constraints; `model` gives the log-probabilities after a prefix."""

    def generate(hyp: Hyp) -> Iterator[Hyp]:
        """The k best tokens that are allowed here, the end token aside."""
        scores, progress = model(hyp.tokens), constraints.with_filters(hyp.progress, hyp.tokens)
        after = {token: constraints.accept(progress, token) for token in range(len(scores)) if token != eos}
        allowed = [token for token in after if after[token] is not None]
        for token in sorted(allowed, key=lambda token: -scores[token])[:k]:
            yield extended(hyp, token, after[token], scores[token], Origin.GENERATED)

    def end(hyp: Hyp) -> Iterator[Hyp]:
        """The end token, where nothing is owed."""
        if constraints.owed(hyp.progress) == 0:
            yield extended(hyp, eos, hyp.progress, model(hyp.tokens)[eos], Origin.GENERATED)

    def start_or_continue(hyp: Hyp) -> Iterator[Hyp]:
        """The next token of each constraint: an open hypothesis starts one, a closed one continues its own."""
        scores, progress = model(hyp.tokens), constraints.with_filters(hyp.progress, hyp.tokens)
        for step in constraints.wanted(progress):
            is_inside = constraints.required[step.placed_for].inside[progress[len(constraints.guards) + step.placed_for]]
            origin = Origin.CONTINUED if is_inside else Origin.STARTED
            yield extended(hyp, step.token, step.progress, scores[step.token], origin)

    def extended(hyp: Hyp, token: int, progress: Progress | None, log_prob: float, origin: Origin) -> Hyp:
        assert progress is not None
        new = Extension(hyp.score, log_prob, origin, token, len(hyp.tokens) + 1)
        return Hyp((*hyp.tokens, token), progress, score(new) if log_prob > -inf else -inf)

    def covered(hyp: Hyp) -> int:
        return num_c - constraints.owed(hyp.progress)

    def has_eos(hyp: Hyp) -> bool:
        return hyp.tokens[-1:] == (eos,)

    def can_finish(hyp: Hyp) -> bool:
        return has_eos(hyp) or len(hyp.tokens) + constraints.needs(hyp.progress) + 1 <= max_len

    def final_score(hyp: Hyp) -> float:
        return float(hyp.score / len(hyp.tokens) ** length_penalty)

    # fmt: off
    num_c = constraints.owed(constraints.start)
    start_hyp = Hyp((), constraints.start, 0.0)                                                    # line 2
    grid: list[dict[int, list[Hyp]]] = [{0: [start_hyp]}]                                          # lines 3, 4
    for t in range(1, max_len + 1):                                                                # line 5
        left = [hyp for c in sorted(grid[t - 1], reverse=True) for hyp in grid[t - 1][c] if not has_eos(hyp)]
        ends = [new for hyp in left for new in end(hyp)]
        g = [new for hyp in left if constraints.is_open(hyp.progress) for new in generate(hyp)]    # lines 8 to 12
        n_and_s = [new for hyp in left for new in start_or_continue(hyp)]                          # lines 13 to 21
        column = [hyp for hyp in ends + n_and_s + g if hyp.score > -inf and can_finish(hyp)]
        grid.append({})
        for c in {covered(hyp) for hyp in column}:                                                 # line 6
            row = sorted((hyp for hyp in column if covered(hyp) == c), key=lambda hyp: -hyp.score)
            grid[t][c] = k_argmax(union(row), k, has_eos, ended)                                   # line 22
    top_level_hyps = [hyp for beams in grid for hyp in beams.get(num_c, [])]                       # line 25
    finished_hyps = [hyp for hyp in top_level_hyps if has_eos(hyp)]                                # line 26
    return sorted(finished_hyps, key=final_score, reverse=True)[:n_best]                           # lines 27, 28
    # fmt: on


def k_argmax(row: list[Hyp], k: int, has_eos: Callable[[Hyp], bool], ended: Ended) -> list[Hyp]:
    """The hypotheses of a sorted row that stay."""
    if ended == "in_beam":
        return row[:k]
    return [hyp for hyp in row if not has_eos(hyp)][:k] + [hyp for hyp in row[:k] if has_eos(hyp)]


def union(hyps: list[Hyp]) -> list[Hyp]:
    """In a set, the same tokens with the same progress are one hypothesis: the first of them, as the best."""
    found: dict[tuple[tuple[int, ...], Progress], Hyp] = {}
    for hyp in hyps:
        found.setdefault((hyp.tokens, hyp.progress), hyp)
    return list(found.values())
