"""From constraints to hypotheses: `search` checks its input, decodes, and finds the matches.

It says where each constraint was met.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from gridbeam.constraints.automaton import Automaton, check_tokens, compile_constraints
from gridbeam.constraints.encode import Encode, spell
from gridbeam.constraints.feasibility import require_satisfiable, within
from gridbeam.constraints.occurrences import Spans, locate
from gridbeam.constraints.terms import Constraint, Constraints, as_constraints
from gridbeam.constraints.walk import phrases
from gridbeam.decoding.fallback import fall_back
from gridbeam.decoding.history import Path
from gridbeam.decoding.hypothesis import Hypothesis, origins_of
from gridbeam.decoding.loop import decode
from gridbeam.decoding.options import SEARCH, SearchKeywords, SearchOptions
from gridbeam.errors import MessagePart, ModelError, Option, Unsatisfiable, UserError
from gridbeam.models import Model, ends_of


def search(
    model: Model[Any],
    sources: Sequence[Any],
    constraints: Sequence[Constraints],
    *,
    encode: Encode | None = None,
    options: SearchOptions = SEARCH,
    **changes: Unpack[SearchKeywords],
) -> list[list[Hypothesis]]:
    """For each source its best hypotheses, each of which meets all constraints of that source.

    `constraints` has one entry for each source: a list of terms or strings, perhaps empty. `encode`
    turns the texts in them into token ids: a function, or `gridbeam.Subwords(tokenizer)`, which
    knows every spelling.

    Options are given as keywords, as `beam=5`, or as one `options=SearchOptions(beam=5)`, or both;
    docs/search.md says what each means. `beam` hypotheses stay in each row of the grid; with
    `budget`, so many in each column in all, shared out as `share` says. `max_length` counts
    generated tokens, the end token included; without it, 100. A finished score gets
    `length_reward` for each token, and is divided by length ** `length_penalty`; 0 and 0 rank
    by the plain sum.
    """
    options = options.but(**changes)
    _check_model(model)
    _check_sources(sources, constraints)
    compiled = [
        _compiled(number, given, encode, options, model) for number, given in enumerate(constraints)
    ]
    if not compiled:
        return []
    automata = [automaton for _, automaton in compiled]
    found, traces, works = decode(model, sources, automata, options)
    results = []
    for number, ((terms, automaton), paths, recorded, work) in enumerate(
        zip(compiled, found, traces, works, strict=True)
    ):
        fell_back = not paths
        paths = paths or fall_back(model, sources[number], automaton, options)
        if not paths:
            raise Unsatisfiable(*_why_none(terms, options)).within(f"constraints[{number}]")
        found_here = [
            _hypothesis(path, terms, automaton, ends_of(model), fell_back) for path in paths
        ]
        results.append(
            [replace(hypothesis, trace=recorded, work=work) for hypothesis in found_here]
        )
    return results


def _check_model(model: Model[Any]) -> None:
    if hasattr(model, "prepare_inputs_for_generation"):
        name = type(model).__name__
        raise UserError(
            f"{name} is a model of transformers: wrap it in"
            " gridbeam.models.huggingface.HuggingFace(model)"
        )
    missing = [
        name
        for name in ("vocab_size", "bos", "eos", "start", "step", "select")
        if not hasattr(model, name)
    ]
    if missing:
        raise ModelError(
            f"{type(model).__name__} has no {missing[0]}: a model has vocab_size, bos, eos, start,"
            " step and select"
        )
    for name, tokens in (
        ("bos", (model.bos,)),
        ("eos", model.eos if isinstance(model.eos, tuple) else (model.eos,)),
    ):
        if not tokens or not all(
            isinstance(token, int) and 0 <= token < model.vocab_size for token in tokens
        ):
            raise ModelError(
                f"model.{name} is {getattr(model, name)!r}: expected a token id from 0 to"
                f" {model.vocab_size - 1}"
            )


def _check_sources(sources: Sequence[Any], constraints: Sequence[Constraints]) -> None:
    if isinstance(sources, str | Mapping) or not hasattr(sources, "__len__"):
        raise UserError(
            f"sources is a {type(sources).__name__}: give a list with one source for each text"
        )
    if isinstance(constraints, str) or not isinstance(constraints, Sequence):
        raise UserError(
            f"constraints is a {type(constraints).__name__}: give a list with one list of"
            " constraints for each source"
        )
    if len(constraints) != len(sources):
        raise UserError(
            f"{len(sources)} sources, but constraints for {len(constraints)}: give one list for"
            " each source"
        )
    for number, source in enumerate(sources):
        if hasattr(source, "__len__") and len(source) == 0:
            raise UserError(f"sources[{number}] is empty: there is nothing to work from")


def _compiled(
    number: int,
    given: Constraints,
    encode: Encode | None,
    options: SearchOptions,
    model: Model[Any],
) -> tuple[tuple[Constraint, ...], Automaton]:
    """The constraints of one source over token ids, and their automaton.

    Raises where the model lacks a token, or where the constraints cannot be met.
    """
    try:
        shown = as_constraints(given)
        ends = ends_of(model)
        terms = (
            shown
            if encode is None
            else tuple(spell(term, encode, ends, model.vocab_size) for term in shown)
        )
        check_tokens(terms, model.vocab_size, ends)
        bounded = within(terms, options.room)
        automaton = compile_constraints(bounded, options.coverage, ends)
        require_satisfiable(
            automaton,
            bounded,
            vocab_size=model.vocab_size,
            ends=ends,
            room=options.room,
            shown=shown,
        )
    except UserError as error:
        raise error.within(f"constraints[{number}]") from None
    return terms, automaton


def _hypothesis(
    path: Path,
    terms: Sequence[Constraint],
    automaton: Automaton,
    ends: tuple[int, ...],
    fell_back: bool,
) -> Hypothesis:
    spans = _spans(path, terms, automaton, ends)
    return Hypothesis(
        tokens=path.tokens,
        score=path.score,
        log_probs=path.log_probs,
        spans=spans,
        origins=origins_of(spans, len(path.tokens)),
        finished=path.tokens[-1] in ends,
        fell_back=fell_back,
    )


def _spans(
    path: Path, terms: Sequence[Constraint], automaton: Automaton, ends: tuple[int, ...]
) -> tuple[Spans, ...]:
    """Where each constraint was met: as placed, or where it occurs first."""
    text = path.tokens[:-1] if path.tokens[-1] in ends else path.tokens
    spans: list[Spans] = [()] * len(terms)
    for owner, copies in enumerate(automaton.copies):
        placed = {
            position for position, placed_for in enumerate(path.placed_for) if placed_for == owner
        }
        start = 0
        for copy in copies:
            usable = placed if automaton.coverage == "placed" else None
            found = locate(terms[copy], text, start=start, usable=usable)
            assert found is not None, "a constraint that was met must occur"
            spans[copy] = found
            start = found[-1][1] if terms[copy].role.counts_copies else 0
    return tuple(spans)


def _why_none(terms: Sequence[Constraint], options: SearchOptions) -> tuple[MessagePart, ...]:
    none = f"no text of at most {options.longest} tokens was found that meets them. "
    if not terms:
        return (
            f"the model (or score=) gives every text of at most {options.longest} tokens"
            " probability zero.",
        )
    if options.cut_off is not None:
        return (
            none
            + "Every text was cut off, by cut_off= or a stopping criterion, before it met them; or"
            " see ",
            Option("max_length"),
            ".",
        )
    if any(phrase.when for term in terms for phrase in phrases(term)):
        return (none + "Their when= filters may never hold together.",)
    ruled_out = (
        "The model (or score=, or a logits processor) rules out tokens they need, or has no room"
        " for them, or they are too entangled: raise "
    )
    return none + ruled_out, Option("beam"), " or ", Option("max_length"), "."
