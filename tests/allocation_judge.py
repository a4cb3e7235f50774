"""Dynamic beam allocation (Post and Vilar, 2018) in plain Python, one hypothesis at a time.

It judges `share="dynamic"`.

One beam for a sentence, whatever its constraints: in each step it is divided over *banks*, one for
each number of constraint tokens that may be met. Candidates and division are theirs (`_offered`,
`bank_sizes`). What may follow a hypothesis is what `generate`, `start` and `end` of `algorithm1`
say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from gridbeam.constraints.automaton import Automaton
from gridbeam.decoding.algorithm1 import Hyp, PaperModel
from gridbeam.decoding.scoring import Ended, final_score, sum_of_log_probs


@dataclass(frozen=True)
class Allocated:
    """What came of a source."""

    ended: list[Hyp]
    """The best first."""
    expanded: int
    """How many hypotheses the model was asked to go on with."""
    columns: list[list[Hyp]]
    """What stayed in each step."""


@dataclass(frozen=True)
class Candidate:
    """A hypothesis with one more token."""

    parent: Hyp
    hyp: Hyp
    is_wanted: bool


def bank_sizes(beam: int, candidates: Sequence[int]) -> list[int]:
    """How many places of the beam each bank has, given its candidates, from none met to all.

    The beam is divided evenly, what is left over goes to the last bank, and from the last to the
    first a bank hands to the one before it what it cannot fill.

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


def allocated_search(
    log_probs_after: Callable[[tuple[int, ...]], Sequence[float]],
    constraints: Automaton,
    *,
    eos: int,
    max_len: int,
    k: int,
    length_penalty: float = 1.0,
    length_reward: float = 0.0,
    ended: Ended = "set_aside",
    stop: Literal["never", "likely"] = "never",
) -> Allocated:
    """All that ends in a beam of k, with everything met."""
    model = PaperModel(log_probs_after, constraints, eos, k, sum_of_log_probs)
    value = partial(_value, penalty=length_penalty, reward=length_reward)
    running, finished, expanded = [Hyp((), constraints.start, 0.0)], list[Hyp](), 0
    columns = list[list[Hyp]]()
    for _ in range(max_len):
        expanded += len(running)
        offered = _offered(_candidates(running, model, max_len), k)
        kept = _allocated(offered, model, k, ended)
        columns.append(kept)
        finished = sorted(
            finished + [hyp for hyp in kept if model.has_eos(hyp)], key=value, reverse=True
        )
        running = [hyp for hyp in kept if not model.has_eos(hyp)]
        is_full = stop == "likely" and len(finished) >= k
        if not running or (is_full and max(map(value, running)) <= value(finished[k - 1])):
            break
    return Allocated(finished, expanded, columns)


def _candidates(running: Sequence[Hyp], model: PaperModel, max_len: int) -> list[Candidate]:
    """Every candidate that can still finish, each once; by what is owed, then by score."""
    ended, wanted, generated = list[Candidate](), list[Candidate](), list[Candidate]()
    for hyp in running:
        ended += [Candidate(hyp, new, False) for new in model.end(hyp)]
        wanted += [Candidate(hyp, new, True) for new in model.start(hyp)]
        if model.is_open(hyp):
            generated += [Candidate(hyp, new, False) for new in model.generate(hyp)]
    found = [new for new in ended + wanted + generated if model.can_finish(new.hyp, max_len)]
    found.sort(key=lambda new: (model.constraints.owed(new.hyp.progress), -new.hyp.score))
    union = dict[tuple[object, object], Candidate]()
    for new in found:
        union.setdefault((new.hyp.tokens, new.hyp.progress), new)
    return list(union.values())


def _offered(candidates: Sequence[Candidate], k: int) -> list[Candidate]:
    """The k best of all, the best of each hypothesis, and the tokens that constraints wait for."""
    best_first = sorted(candidates, key=lambda new: -new.hyp.score)
    best_of_all = {id(new) for new in best_first[:k]}
    best_of_each = dict[int, int]()
    for new in best_first:
        best_of_each.setdefault(id(new.parent), id(new))
    chosen = best_of_all | set(best_of_each.values())
    return [new for new in candidates if new.is_wanted or id(new) in chosen]


def _allocated(offered: Sequence[Candidate], model: PaperModel, k: int, ended: Ended) -> list[Hyp]:
    """What stays: the best of each bank, those that have met most first, and what is set aside."""
    most = model.constraints.most_owed
    banks: list[list[Hyp]] = [[] for _ in range(most + 1)]
    aside = [new.hyp for new in offered if ended == "set_aside" and model.has_eos(new.hyp)]
    for new in offered:
        if ended == "in_beam" or not model.has_eos(new.hyp):
            banks[most - model.constraints.owed(new.hyp.progress)].append(new.hyp)
    sizes = bank_sizes(k, [len(bank) for bank in banks])
    chosen = [bank[:size] for size, bank in zip(sizes, banks, strict=True)]
    return aside + [hyp for bank in reversed(chosen) for hyp in bank]


def _value(hyp: Hyp, *, penalty: float, reward: float) -> float:
    return float(final_score(hyp.score, len(hyp.tokens), penalty=penalty, reward=reward))
