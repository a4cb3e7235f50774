"""From constraints to hypotheses: `search` checks its input and runs the search to its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from gridbeam.constraints.encode import Encode
from gridbeam.constraints.terms import Constraints
from gridbeam.decoding.hypothesis import Hypothesis
from gridbeam.decoding.loop import exhausted
from gridbeam.decoding.options import SEARCH, SearchKeywords, SearchOptions
from gridbeam.decoding.quest import Quest, quest_of
from gridbeam.decoding.reached import Watch
from gridbeam.decoding.searching import searching
from gridbeam.decoding.shortage import halved_to_fit
from gridbeam.errors import ModelError, Unsatisfiable, UserError
from gridbeam.models import Model


def search(
    model: Model[Any],
    sources: Sequence[Any],
    constraints: Sequence[Constraints],
    *,
    encode: Encode | None = None,
    options: SearchOptions = SEARCH,
    watch: Watch | None = None,
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

    `watch` is called after each column with what is reached: its `best()` are the best texts so
    far, by the number of their source.
    """
    options = options.but(**changes)
    check_model(model)
    _check_sources(sources, constraints)
    quests = [
        _in_place(number, source, given, encode, options, model)
        for number, (source, given) in enumerate(zip(sources, constraints, strict=True))
    ]
    if not quests:
        return []
    if watch is None:
        found = halved_to_fit(
            quests, lambda those: exhausted(searching(model, those, is_watched=False))
        )
    else:  # who watches knows the sources by their numbers in the whole
        found = exhausted(searching(model, quests), watch)
    for number, each in enumerate(found):
        if isinstance(each, Unsatisfiable):
            raise each.within(f"constraints[{number}]")
    return [each for each in found if not isinstance(each, Unsatisfiable)]


def check_model(model: Model[Any]) -> None:
    """Refuses what is no model."""
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


def _in_place(
    number: int,
    source: Any,
    given: Constraints,
    encode: Encode | None,
    options: SearchOptions,
    model: Model[Any],
) -> Quest:
    try:
        return quest_of(source, given, encode, options, model)
    except UserError as error:
        raise error.within(f"constraints[{number}]") from None
