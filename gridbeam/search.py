"""From constraints to hypotheses: `search` checks what it is given, has it decoded, and says where each constraint was met."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from gridbeam.automaton import Automaton, Coverage, check_tokens, compile_constraints
from gridbeam.constraints import Avoid, Constraint, Constraints, Prefix, as_constraints, phrases, spell
from gridbeam.decode import Options, decode
from gridbeam.errors import Unsatisfiable, UserError
from gridbeam.feasibility import Undecided, holds, require_satisfiable, witness
from gridbeam.hypothesis import Hypothesis, Trace, origins_of
from gridbeam.models import Model
from gridbeam.occurrences import Spans, check, locate
from gridbeam.record import Path
from gridbeam.scoring import Ended, Score, sum_of_log_probs

_MOST_NUMBERS = 200_000_000
"""How many states the candidates of one column may hold together, about; more would not fit in memory."""


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
    _check_sources(sources, constraints)
    terms = [_prepared(i, given, encode, model) for i, given in enumerate(constraints)]
    automata = [_satisfiable(i, each, options, model) for i, each in enumerate(terms)]
    if not automata:
        return []
    _refuse_huge(automata, options)
    found, traces = decode(model, sources, automata, options)
    results = []
    for number, (each, automaton, paths, recorded) in enumerate(zip(terms, automata, found, traces, strict=True)):
        paths = paths or [_fall_back(model, sources[number], number, each, automaton, options)]
        results.append([_hypothesis(path, each, automaton, recorded, model.eos) for path in paths])
    return results


def _check_sources(sources: Sequence[Any], constraints: Sequence[Constraints]) -> None:
    if isinstance(constraints, str) or not isinstance(constraints, Sequence):
        raise UserError(f"constraints={constraints!r}: give a list with one list of constraints for each source")
    if len(constraints) != len(sources):
        raise UserError(f"{len(sources)} sources, but constraints for {len(constraints)}: give one list for each source")
    for number, source in enumerate(sources):
        if hasattr(source, "__len__") and len(source) == 0:
            raise UserError(f"sources[{number}] is empty: there is nothing to work from")


def _prepared(
    number: int, given: Constraints, encode: Callable[[str], Sequence[int]] | None, model: Model[Any]
) -> tuple[Constraint, ...]:
    """The constraints of one source over token ids that the model knows."""
    try:
        terms = as_constraints(given)
        if encode is not None:
            terms = tuple(spell(term, encode) for term in terms)
        check_tokens(terms, model.vocab_size, model.eos)
    except UserError as error:
        raise UserError(f"constraints[{number}]: {error}") from None
    return terms


def _satisfiable(number: int, terms: Sequence[Constraint], options: Options, model: Model[Any]) -> Automaton:
    try:
        return require_satisfiable(
            terms,
            options.coverage,
            vocab_size=model.vocab_size,
            eos=model.eos,
            max_length=options.max_length,
            end_costs=int(options.force_end),
        )
    except Unsatisfiable as error:
        raise Unsatisfiable(f"constraints[{number}]: {error}") from None


def _refuse_huge(automata: Sequence[Automaton], options: Options) -> None:
    """A grid that cannot fit in memory is refused before it is begun."""
    numbers = 0
    width = max(len(automaton.machines) for automaton in automata)
    for automaton in automata:
        rows = automaton.owed(automaton.start) + 1
        hyps = min(rows * options.beam, options.max_length * rows) if options.budget is None else options.budget
        wanted = sum(max(map(len, machine.wanted)) for machine in automaton.machines)
        numbers += hyps * (options.beam + wanted) * width
    if numbers > _MOST_NUMBERS:
        most = max(automata, key=lambda automaton: len(automaton.machines))
        raise UserError(
            f"the grid is too large: up to {len(most.machines) - 1} different constraints for a source, "
            f"{most.owed(most.start)} tokens owed. Use fewer constraints, smaller batches, or budget= for a fixed cost."
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
    if automaton.coverage == "contains":
        return tuple(() if isinstance(v.constraint, Avoid) else v.spans for v in check(terms, path.tokens))
    spans: list[Spans] = [()] * len(terms)
    for machine, copies in enumerate(automaton.copies[1:], 1):
        placed = {position for position, owner in enumerate(path.machines) if owner == machine}
        start = 0
        for copy in copies:
            found = locate(terms[copy], path.tokens, start=start, usable=placed)
            assert found is not None, "a placed constraint must occur where it was placed"
            spans[copy] = found
            start = 0 if isinstance(terms[copy], Prefix) else found[-1][1]
    return tuple(spans)


def _fall_back(
    model: Model[Any], source: Any, number: int, terms: Sequence[Constraint], automaton: Automaton, options: Options
) -> Path:
    """A text known to meet the constraints, scored by the model: for when every beam has dropped all that could.

    It takes constraints that exclude or overlap each other near `max_length`, or a model that forbids tokens.
    """
    room = options.max_length - int(options.force_end)
    try:
        known = witness(automaton, vocab_size=model.vocab_size, eos=model.eos, room=room)
    except Undecided:
        known = None
    if known is not None and holds(automaton, known):
        only = compile_constraints([Prefix(known.tokens)] if known.tokens else [], "placed")
        forced = replace(options, beam=1, budget=None, n_best=1, max_length=len(known.tokens) + 1, trace=False)
        [paths], _ = decode(model, [source], [only], forced)
        if paths:
            machines = (*known.machines, *paths[0].machines[len(known.machines) :])
            return replace(paths[0], machines=machines)
    has_filters = any(phrase.when for term in terms for phrase in phrases(term))
    raise Unsatisfiable(
        f"constraints[{number}]: no text of at most {options.max_length} tokens was found that meets them. "
        + (
            "Their when= filters may never hold together."
            if has_filters
            else "The model gives tokens they need no probability."
        )
        + " Raise max_length or beam, or drop a constraint."
    )
