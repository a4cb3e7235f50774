"""The loop of Algorithm 1 over tensors: one `model.step` a column for all live hypotheses.

It is a generator, which rests after each column: whoever drives it may look at what it has found so
far, let another search have its turn, drop sentences, or go away.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from gridbeam.constraints.automaton import Automaton
from gridbeam.decoding.candidates import extend, with_filters
from gridbeam.decoding.column import Beams, Candidates, Limits, first_beams, next_beams
from gridbeam.decoding.finished import Finished
from gridbeam.decoding.history import Column, Path, prefixes_of
from gridbeam.decoding.hypothesis import Trace, Work
from gridbeam.decoding.options import SearchOptions
from gridbeam.decoding.prune import keep_best
from gridbeam.decoding.reached import Decoding, Reached, Watch
from gridbeam.decoding.scoring import NeverRises, Score, may_stop_early
from gridbeam.decoding.tables import Tables, tables_of
from gridbeam.errors import ModelError, Option, UserError
from gridbeam.models import Model, ends_of
from gridbeam.models.beginning import foreknowing

Result = TypeVar("Result")
_MOST_STATES = 400_000_000
"""How many states the candidates of one column may hold together, about: 3 GB."""
_MOST_SCORES = 20_000_000_000
"""How many log-probabilities a model may be asked for in one column: 40 GB in half precision."""


def refuse_huge(automata: Sequence[Automaton], options: SearchOptions, vocab_size: int) -> None:
    """A grid that cannot fit in memory is refused before it is begun."""
    columns = max(len(automaton.machines) for automaton in automata)
    hypotheses, states = 0, 0
    for automaton in automata:
        beams = (automaton.owed(automaton.start) + 1) * (automaton.longest_detour + 1)
        here = options.strategy.most(options.widest, beams)
        wanted = sum(max(map(len, machine.wanted)) for machine in automaton.required)
        hypotheses += here
        states += here * (options.widest + wanted) * columns
    if hypotheses * vocab_size > _MOST_SCORES or states > _MOST_STATES:
        most = max(automata, key=lambda automaton: automaton.owed(automaton.start))
        raise UserError(
            f"the grid is too large: {hypotheses} hypotheses in a column, up to"
            f" {len(most.required)} different constraints and {most.owed(most.start)} tokens owed"
            " for a source. Use a smaller batch, ",
            Option("beam"),
            " or ",
            Option("budget"),
            ", or fewer constraints.",
        )


def decode(
    model: Model[Any], sources: Sequence[Any], automata: Sequence[Automaton], options: SearchOptions
) -> tuple[list[list[Path]], list[Trace | None], list[Work]]:
    """For each source its best finished paths, the grid if asked for, and how much was searched."""
    reached = exhausted(decoding(model, sources, automata, options))
    return reached.paths(), reached.traces(), reached.works()


def exhausted(steps: Generator[Reached, Any, Result], watch: Watch | None = None) -> Result:
    """What a search returns, watched as it goes."""
    while True:
        try:
            reached = next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result
        if watch is not None:
            watch(reached)


@torch.inference_mode()
def decoding(
    model: Model[Any],
    sources: Sequence[Any],
    automata: Sequence[Automaton],
    options: SearchOptions,
    longest: Sequence[int] | None = None,
) -> Decoding:
    """The search for each source, column by column; what it returns is the end of it.

    `longest` has the most tokens of each text, where these differ. What the others find does not
    depend on sentences that are dropped.
    """
    refuse_huge(automata, options, model.vocab_size)
    longest = longest or [options.longest] * len(sources)
    device = torch.device(getattr(model, "device", "cpu"))
    tables = tables_of(automata, model.vocab_size, device)
    beams = first_beams(tables, model.bos, torch.float32 if device.type == "mps" else torch.float64)
    finished = Finished.none(len(sources), options.finished, beams.score.dtype, device)
    ends = torch.tensor(ends_of(model), device=device)
    at_last = [beams.score.new_tensor(each) for each in options.at_last(longest)]
    going, dropped = torch.arange(0, device=device), frozenset[int]()
    history: list[Column] = []
    expanded: list[Tensor] = []

    def reached() -> Reached:
        return Reached(
            len(history), going, finished, tables, options, longest, dropped, history, expanded
        )

    model = foreknowing(model, [automaton.beginning for automaton in automata])
    state = model.start(sources)
    for length in range(1, max(longest) + 1):
        expanded.append(beams.sentence)
        log_probs, state = check_step(model.step(state, beams.token), beams, model)
        limits = Limits.of(length, longest, options, device)
        filtered = _with_filters(beams, tables, history)
        candidates = extend(
            filtered, log_probs, tables, limits, ends=ends, length=length, score=options.score
        )
        check_never_rises(candidates, beams, options.score)
        candidates = _cut_off(candidates, beams, tables, history, options)
        kept = keep_best(
            candidates,
            beams,
            tables,
            strategy=options.strategy,
            places=options.widest,
            ended=options.ended,
        )
        if not len(kept.token):
            going = going[:0]
            break
        has_stopped = kept.is_end | (limits.tokens_left[kept.sentence] == 0)
        finished = _with_stopped(finished, kept, has_stopped, length, options)
        can_win = _can_win(kept, finished, length, options, at_last)
        going = (~has_stopped & can_win).nonzero().flatten()
        history.append(Column(kept, beams.place[kept.parent]))
        dropped |= frozenset((yield reached()) or ())
        if dropped:
            going = going[
                ~torch.isin(kept.sentence[going], torch.tensor([*dropped], device=device))
            ]
        if not len(going):
            break
        state = model.select(state, kept.parent[going])
        beams = next_beams(kept, going, beams, model.vocab_size)
    return reached()


def _with_filters(beams: Beams, tables: Tables, history: Sequence[Column]) -> Beams:
    if not tables.filters:
        return beams
    prefixes = [tuple(tokens) for tokens in prefixes_of(history, beams.place).tolist()]
    return replace(
        beams, progress=with_filters(beams.progress, beams.sentence, tables.filters, prefixes)
    )


def _cut_off(
    candidates: Candidates,
    beams: Beams,
    tables: Tables,
    history: Sequence[Column],
    options: SearchOptions,
) -> Candidates:
    """The candidates, those ended that the user cuts off here.

    What still owes something cannot be cut off, and is dropped.
    """
    if options.cut_off is None:
        return candidates
    before = prefixes_of(history, beams.place)
    tokens = torch.cat([before[candidates.parent], candidates.token[:, None]], 1)
    is_cut = options.cut_off(candidates.sentence, tokens)
    if not (
        isinstance(is_cut, Tensor)
        and is_cut.dtype == torch.bool
        and is_cut.shape == candidates.is_end.shape
    ):
        raise UserError("cut_off= must return a tensor of booleans, one for each text")
    is_cut = is_cut & ~candidates.is_end
    may_end = (candidates.owed == 0) & ~tables.pending[candidates.progress[:, : tables.guards]].any(
        1
    )
    return replace(candidates, is_end=candidates.is_end | is_cut)[
        (~is_cut | may_end).nonzero().flatten()
    ]


def _with_stopped(
    finished: Finished,
    kept: Candidates,
    has_stopped: Bool[Tensor, "kept"],
    length: int,
    options: SearchOptions,
) -> Finished:
    """The finished hypotheses with those of this column: ended, or cut off in the last one."""
    rows = (has_stopped & (kept.owed == 0)).nonzero().flatten()
    score = options.final(kept.score[rows], length)
    return finished.add(kept.sentence[rows], score, length - 1, rows)


def _can_win(
    kept: Candidates,
    finished: Finished,
    length: int,
    options: SearchOptions,
    at_last: Sequence[Float[Tensor, "sentence"]],
) -> Bool[Tensor, "kept"]:
    """Whether a hypothesis may still end among the best.

    Of one length, whatever scores less than a hypothesis that cannot win cannot win either, so
    dropping those changes no beam that matters. Where beams are not separate that does not hold:
    there a sentence stops as a whole.
    """
    if options.stop != "exact":
        running = options.final(kept.score.masked_fill(kept.is_end, -torch.inf), length)
        is_settled = finished.is_settled(
            running, kept.sentence, options.widest, is_full_enough=options.stop == "first"
        )
        return ~is_settled[kept.sentence]
    if not may_stop_early(options.score):
        return torch.ones_like(kept.is_end)
    most = options.most(kept.score, length, *(each[kept.sentence] for each in at_last))
    can_win = finished.can_be_beaten(most, kept.sentence)
    if options.strategy.has_separate_beams:
        return can_win
    undecided = torch.zeros(len(finished.score), dtype=torch.bool, device=can_win.device)
    undecided[kept.sentence[can_win & ~kept.is_end]] = True
    return undecided[kept.sentence]


def check_step(answer: Any, beams: Beams, model: Model[Any]) -> tuple[Tensor, Any]:
    """What `model.step` returned, if it has the shape of log-probabilities.

    `extend` checks their values.
    """
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        raise ModelError(
            f"model.step returned {type(answer).__name__}: expected two things, log-probabilities"
            " and a state"
        )
    log_probs, state = answer
    expected = (len(beams.token), model.vocab_size)
    if not isinstance(log_probs, Tensor) or not log_probs.is_floating_point():
        raise ModelError(
            f"model.step returned {type(log_probs).__name__}, not a tensor of log-probabilities"
        )
    if tuple(log_probs.shape) != expected:
        raise ModelError(
            f"model.step returned log-probabilities of shape {list(log_probs.shape)} for"
            f" {expected[0]} rows and a vocabulary of {expected[1]}: expected {list(expected)}"
        )
    if log_probs.device != beams.token.device:
        raise ModelError(
            f"model.step returned log-probabilities on {log_probs.device}, but the search works on"
            f" {beams.token.device}: give the model a `device` attribute that says where they are"
        )
    return log_probs, state


def check_never_rises(candidates: Candidates, beams: Beams, score: Score) -> None:
    """Refuses a score that rises though it was said not to."""
    if isinstance(score, NeverRises) and bool(
        (candidates.score > beams.score[candidates.parent]).any()
    ):
        raise UserError(
            "score= is marked never_rises, and rose: take the mark off, or early stopping would"
            " lose results"
        )
