"""From constraints to hypotheses: `search` checks what it is given, has it decoded, and says where each constraint was met."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gridbeam.automaton import Automaton, Coverage, check_tokens
from gridbeam.constraints import Constraint, Constraints, Prefix, as_constraints, phrases, spell
from gridbeam.decode import Options, decode
from gridbeam.errors import ModelError, Unsatisfiable, UserError
from gridbeam.fallback import fall_back
from gridbeam.feasibility import require_satisfiable
from gridbeam.hypothesis import Hypothesis, Trace, origins_of
from gridbeam.models import Model
from gridbeam.occurrences import Spans, locate
from gridbeam.record import Path
from gridbeam.scoring import Ended, Score, sum_of_log_probs

_MOST_STATES = 400_000_000
"""How many states the candidates of one column may hold together, about: 3 GB."""
_MOST_SCORES = 20_000_000_000
"""How many log-probabilities a model may be asked for in one column: 40 GB in half precision."""


def search(
    model: Model[Any],
    sources: Sequence[Any],
    constraints: Sequence[Constraints],
    *,
    beam: int = 10,
    budget: int | None = None,
    max_length: int = 100,
    n_best: int = 1,
    coverage: Coverage = "contains",
    ended: Ended = "set_aside",
    length_penalty: float = 1.0,
    score: Score = sum_of_log_probs,
    encode: Callable[[str], Sequence[int]] | None = None,
    force_end: bool = True,
    trace: bool = False,
) -> list[list[Hypothesis]]:
    """For each source its best hypotheses, each of which meets all constraints of that source.

    `constraints` has one entry for each source: a list of terms or strings, perhaps empty. `encode` turns the texts in them
    into token ids; where they are ids already it is not needed.

    `beam` hypotheses stay in each row of the grid; with `budget`, so many in each column in all, shared out over its rows.
    `max_length` counts generated tokens, the end token included. A finished score is divided by length ** `length_penalty`;
    0 ranks by the plain sum. `coverage` and `ended` are choices explained in docs/search.md, as is `score`. With
    `force_end=False` hypotheses that owe nothing may be cut off at `max_length`. `trace` records the grid in
    `Hypothesis.trace`.
    """
    options = Options(beam, budget, max_length, n_best, coverage, ended, length_penalty, score, force_end, trace)
    _check_model(model)
    _check_sources(sources, constraints)
    compiled = [_compiled(number, given, encode, options, model) for number, given in enumerate(constraints)]
    if not compiled:
        return []
    automata = [automaton for _, automaton in compiled]
    _refuse_huge(automata, options, model.vocab_size)
    found, traces = decode(model, sources, automata, options)
    results = []
    for number, ((terms, automaton), paths, recorded) in enumerate(zip(compiled, found, traces, strict=True)):
        paths = paths or fall_back(model, sources[number], automaton, options)
        if not paths:
            raise Unsatisfiable(f"constraints[{number}]: {_why_none(terms, options)}")
        results.append([_hypothesis(path, terms, automaton, recorded, model.eos) for path in paths])
    return results


def _check_model(model: Model[Any]) -> None:
    missing = [name for name in ("vocab_size", "bos", "eos", "start", "step", "select") if not hasattr(model, name)]
    if missing:
        raise ModelError(
            f"{type(model).__name__} has no {missing[0]}: a model has vocab_size, bos, eos, start, step and select"
        )
    for name in ("bos", "eos"):
        token = getattr(model, name)
        if not isinstance(token, int) or not 0 <= token < model.vocab_size:
            raise ModelError(f"model.{name} is {token!r}: expected one token id, from 0 to {model.vocab_size - 1}")


def _check_sources(sources: Sequence[Any], constraints: Sequence[Constraints]) -> None:
    if isinstance(sources, str | Mapping) or not hasattr(sources, "__len__"):
        raise UserError(f"sources={sources!r}: give a list with one source for each text")
    if isinstance(constraints, str) or not isinstance(constraints, Sequence):
        raise UserError(f"constraints={constraints!r}: give a list with one list of constraints for each source")
    if len(constraints) != len(sources):
        raise UserError(f"{len(sources)} sources, but constraints for {len(constraints)}: give one list for each source")
    for number, source in enumerate(sources):
        if hasattr(source, "__len__") and len(source) == 0:
            raise UserError(f"sources[{number}] is empty: there is nothing to work from")


def _compiled(
    number: int, given: Constraints, encode: Callable[[str], Sequence[int]] | None, options: Options, model: Model[Any]
) -> tuple[tuple[Constraint, ...], Automaton]:
    """The constraints of one source over token ids that the model knows, and their automaton, once they can be met."""
    try:
        terms = as_constraints(given)
        if encode is not None:
            terms = tuple(spell(term, encode) for term in terms)
        check_tokens(terms, model.vocab_size, model.eos)
        automaton = require_satisfiable(terms, options.coverage, vocab_size=model.vocab_size, eos=model.eos, room=options.room)
    except UserError as error:
        raise type(error)(f"constraints[{number}]: {error}") from None
    return terms, automaton


def _refuse_huge(automata: Sequence[Automaton], options: Options, vocab_size: int) -> None:
    """A grid that cannot fit in memory is refused before it is begun."""
    columns = max(len(automaton.machines) for automaton in automata)
    hypotheses, states = 0, 0
    for automaton in automata:
        here = options.beam * (automaton.owed(automaton.start) + 1) if options.budget is None else options.budget
        wanted = sum(max(map(len, machine.wanted)) for machine in automaton.required)
        hypotheses += here
        states += here * (options.widest + wanted) * columns
    if hypotheses * vocab_size > _MOST_SCORES or states > _MOST_STATES:
        most = max(automata, key=lambda automaton: automaton.owed(automaton.start))
        raise UserError(
            f"the grid is too large: {hypotheses} hypotheses in a column, up to {len(most.required)} different constraints and "
            f"{most.owed(most.start)} tokens owed for a source. Use a smaller batch, beam or budget, or fewer constraints."
        )


def _hypothesis(path: Path, terms: Sequence[Constraint], automaton: Automaton, trace: Trace | None, eos: int) -> Hypothesis:
    spans = _spans(path, terms, automaton)
    return Hypothesis(
        tokens=path.tokens,
        score=path.score,
        log_probs=path.log_probs,
        spans=spans,
        origins=origins_of(spans, len(path.tokens)),
        finished=path.tokens[-1] == eos,
        trace=trace,
    )


def _spans(path: Path, terms: Sequence[Constraint], automaton: Automaton) -> tuple[Spans, ...]:
    """Where each constraint was met: as placed, or where it occurs first."""
    spans: list[Spans] = [()] * len(terms)
    for owner, copies in enumerate(automaton.copies):
        placed = {position for position, placed_for in enumerate(path.placed_for) if placed_for == owner}
        start = 0
        for copy in copies:
            usable = placed if automaton.coverage == "placed" else None
            found = locate(terms[copy], path.tokens, start=start, usable=usable)
            assert found is not None, "a constraint that was met must occur"
            spans[copy] = found
            start = 0 if isinstance(terms[copy], Prefix) else found[-1][1]
    return tuple(spans)


def _why_none(terms: Sequence[Constraint], options: Options) -> str:
    none = f"no text of at most {options.max_length} tokens was found that meets them. "
    if any(phrase.when for term in terms for phrase in phrases(term)):
        return none + "Their when= filters may never hold together."
    return none + "The model (or score=) rules out tokens they need, or they are too entangled: raise beam or max_length."
