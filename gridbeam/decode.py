"""The loop of Algorithm 1 over tensors: one `model.step` a column for all live hypotheses of all sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import index
from typing import Any

import torch
from jaxtyping import Bool
from torch import Tensor

from gridbeam.automaton import Automaton, Coverage
from gridbeam.errors import ModelError, UserError
from gridbeam.extend import extend, with_filters
from gridbeam.feasibility import Room
from gridbeam.finished import Finished
from gridbeam.grid import Beams, Candidates, Limits, first_beams, next_beams
from gridbeam.hypothesis import Trace
from gridbeam.keep import keep_best
from gridbeam.models import Model
from gridbeam.record import Column, Path, paths_to, prefixes_of, traces_of
from gridbeam.scoring import Ended, NeverRises, Score, may_stop_early
from gridbeam.tables import Tables, tables_of


@dataclass(frozen=True)
class Options:
    """How to search; `gridbeam.search` says what each means."""

    beam: int
    budget: int | None
    max_length: int
    n_best: int
    coverage: Coverage
    ended: Ended
    length_penalty: float
    score: Score
    force_end: bool
    trace: bool

    def __post_init__(self) -> None:
        for name in ("beam", "max_length", "n_best", "budget"):
            if name != "budget" or self.budget is not None:
                object.__setattr__(self, name, _at_least_one(name, getattr(self, name)))
        for name, choices in (("coverage", ("contains", "placed")), ("ended", ("set_aside", "in_beam"))):
            if getattr(self, name) not in choices:
                raise UserError(f'{name}={getattr(self, name)!r}: must be "{choices[0]}" or "{choices[1]}"')
        if not isinstance(self.length_penalty, int | float) or not abs(self.length_penalty) <= _STEEPEST:
            raise UserError(f"length_penalty={self.length_penalty!r}: must be a number from -{_STEEPEST} to {_STEEPEST}")
        object.__setattr__(self, "length_penalty", float(self.length_penalty))

    @property
    def widest(self) -> int:
        """The most hypotheses that a row may keep."""
        return self.beam if self.budget is None else self.budget

    @property
    def room(self) -> Room:
        """How long a text may be."""
        return Room(self.max_length, int(self.force_end))


_STEEPEST = 20


def _at_least_one(name: str, value: Any) -> int:
    try:
        number = index(value)
    except TypeError:
        raise UserError(f"{name}={value!r}: must be a whole number") from None
    if number < 1:
        raise UserError(f"{name}={number}: must be at least 1" + (", or None for no budget" if name == "budget" else ""))
    return number


@torch.inference_mode()
def decode(
    model: Model[Any], sources: Sequence[Any], automata: Sequence[Automaton], options: Options
) -> tuple[list[list[Path]], list[Trace | None]]:
    """For each source the paths of its best finished hypotheses, and the grid that was searched if it was asked for."""
    device = torch.device(getattr(model, "device", "cpu"))
    tables = tables_of(automata, model.vocab_size, device)
    beams = first_beams(tables, model.bos, torch.float32 if device.type == "mps" else torch.float64)
    finished = Finished.none(len(sources), options.n_best, beams.score.dtype, device)
    history: list[Column] = []
    state = model.start(sources)
    for length in range(1, options.max_length + 1):
        log_probs, state = model.step(state, beams.token)
        check_log_probs(log_probs, beams, model)
        limits = Limits(options.widest, options.budget, options.ended, options.max_length - length, options.room.end_costs)
        filtered = _with_filters(beams, tables, history)
        candidates = extend(filtered, log_probs, tables, limits, eos=model.eos, length=length, score=options.score)
        check_scores(candidates, beams, options)
        kept = candidates[keep_best(candidates, beams, tables, limits)]
        if not len(kept.token):
            break
        has_stopped = kept.is_end if limits.tokens_left else torch.ones_like(kept.is_end)
        finished = _with_stopped(finished, kept, has_stopped, len(history), options)
        went_on = (~has_stopped & _can_win(kept, finished, length, options)).nonzero().flatten()
        history.append(Column(kept, went_on))
        if not len(went_on):
            break
        state = model.select(state, kept.parent[went_on])
        beams = next_beams(kept, went_on, beams, model.vocab_size)
    traces = traces_of(history, tables) if options.trace else [None] * len(sources)
    return paths_to(finished, history), list(traces)


def _with_filters(beams: Beams, tables: Tables, history: Sequence[Column]) -> Beams:
    if not tables.filters:
        return beams
    prefixes = prefixes_of(history, len(beams.sentence))
    return replace(beams, progress=with_filters(beams.progress, beams.sentence, tables.filters, prefixes))


def _with_stopped(
    finished: Finished, kept: Candidates, has_stopped: Bool[Tensor, "kept"], column: int, options: Options
) -> Finished:
    """The finished hypotheses with those that ended in this column, or were cut off by its being the last."""
    rows = (has_stopped & (kept.owed == 0)).nonzero().flatten()
    score = kept.score[rows] / (column + 1) ** options.length_penalty
    return finished.add(kept.sentence[rows], score, column, rows)


def _can_win(kept: Candidates, finished: Finished, length: int, options: Options) -> Bool[Tensor, "kept"]:
    """Whether a hypothesis may still end among the best: exact where scores never rise, else always.

    Of one length, whatever scores less than a hypothesis that cannot win cannot win either, so dropping those changes no
    beam that matters. A budget is shared out over rows, where that does not hold: there a sentence stops as a whole.
    """
    if not may_stop_early(options.score):
        return torch.ones_like(kept.is_end)
    can_win = finished.can_be_beaten(
        kept.score, kept.sentence, length=length, max_length=options.max_length, length_penalty=options.length_penalty
    )
    if options.budget is None:
        return can_win
    undecided = torch.zeros(len(finished.score), dtype=torch.bool, device=can_win.device)
    undecided[kept.sentence[can_win & ~kept.is_end]] = True
    return undecided[kept.sentence]


def check_log_probs(log_probs: Any, beams: Beams, model: Model[Any]) -> None:
    """Refuses what has not the shape of log-probabilities; `extend` refuses what has not their values."""
    expected = (len(beams.token), model.vocab_size)
    if not isinstance(log_probs, Tensor) or not log_probs.is_floating_point():
        raise ModelError(f"model.step returned {type(log_probs).__name__}, not a tensor of log-probabilities")
    if tuple(log_probs.shape) != expected:
        raise ModelError(
            f"model.step returned log-probabilities of shape {list(log_probs.shape)} for {expected[0]} rows and "
            f"a vocabulary of {expected[1]}: expected {list(expected)}"
        )
    if log_probs.device != beams.token.device:
        raise ModelError(
            f"model.step returned log-probabilities on {log_probs.device}, but the search works on {beams.token.device}: "
            "give the model a `device` attribute that says where they are"
        )


def check_scores(candidates: Candidates, beams: Beams, options: Options) -> None:
    """Refuses scores that cannot be compared, and those that rise though they were said not to."""
    score = candidates.score
    if bool((score.isnan() | score.isposinf()).any()):
        raise UserError("score= must return a tensor of finite numbers, one for each candidate")
    if isinstance(options.score, NeverRises) and bool((score > beams.score[candidates.parent]).any()):
        raise UserError("score= is marked never_rises, and rose: take the mark off, or early stopping would lose results")
