"""The search for many sources at once, as something that rests after each column.

It finds hypotheses by the loop, or by other means where that has lost them, and says where each
constraint was met.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from gridbeam.constraints.automaton import Automaton
from gridbeam.constraints.occurrences import Spans, locate
from gridbeam.constraints.terms import Constraint
from gridbeam.constraints.walk import phrases
from gridbeam.decoding.fallback import falling_back
from gridbeam.decoding.history import Path
from gridbeam.decoding.hypothesis import Hypothesis, Trace, Work, origins_of
from gridbeam.decoding.loop import decoding
from gridbeam.decoding.options import SearchOptions
from gridbeam.decoding.quest import Quest, options_of_all
from gridbeam.decoding.reached import Dropped, Reached
from gridbeam.decoding.slots.found import Found
from gridbeam.decoding.slots.grid import search_in_slots
from gridbeam.errors import MessagePart, Option, Unsatisfiable
from gridbeam.models import Model, ends_of

SearchResult: TypeAlias = list[Hypothesis] | Unsatisfiable
"""The hypotheses of a source, best first, or why there are none."""
Searching: TypeAlias = Generator[Reached, Dropped | None, list[SearchResult]]
"""A search that rests after each column; it can be told which sources nobody wants any more."""


def searching(model: Model[Any], quests: Sequence[Quest], *, is_watched: bool = True) -> Searching:
    """The search of `search`, column by column, for quests of the same company.

    One that cannot be met spoils no other. Those that are dropped come to nothing: their list is
    empty. Where nobody watches, it may be made in slots, and then does not rest at all.
    """
    options = options_of_all(quests)
    sources = [quest.source for quest in quests]
    automata = [quest.automaton for quest in quests]
    longest = [quest.options.longest for quest in quests]
    if not is_watched:
        in_slots = search_in_slots(model, sources, automata, options, longest)
        if in_slots is not None:
            return (yield from _completed(in_slots, model, quests))
    reached = yield from decoding(model, sources, automata, options, longest)
    results: list[SearchResult] = []
    dropped = set(reached.dropped)
    for number, quest in enumerate(quests):
        found: SearchResult = outcome(reached, number, quest, model)
        if not found and number not in dropped:
            found = yield from _fallen_back(reached, number, quest, model, dropped)
        results.append(found)
    return results


def _completed(found: Found, model: Model[Any], quests: Sequence[Quest]) -> Searching:
    """What was found in slots; where the search there gave up, or lost all, it is done again."""
    results: dict[int, SearchResult] = {}
    for number, (quest, paths) in enumerate(zip(quests, found.paths, strict=True)):
        if paths and number not in found.given_up:
            best, work = paths[: quest.options.n_best], found.works[number]
            results[number] = _hypotheses(best, quest, model, work, fell_back=False)
    missing = [number for number in range(len(quests)) if number not in results]
    if missing:
        again = yield from searching(model, [quests[number] for number in missing])
        results |= zip(missing, again, strict=True)
    return [results[number] for number in range(len(quests))]


def outcome(reached: Reached, number: int, quest: Quest, model: Model[Any]) -> list[Hypothesis]:
    """The finished hypotheses of one source, best first: all that will be once it is over.

    None where it is dropped, or every beam lost them.
    """
    if number in reached.dropped:
        return []
    paths = reached.paths_of(number)[: quest.options.n_best]
    if not paths:
        return []
    trace, work = reached.traces()[number], reached.works()[number]
    return _hypotheses(paths, quest, model, work, trace, fell_back=False)


def _hypotheses(
    paths: Sequence[Path],
    quest: Quest,
    model: Model[Any],
    work: Work,
    trace: Trace | None = None,
    *,
    fell_back: bool,
) -> list[Hypothesis]:
    found = (
        _hypothesis(path, quest.terms, quest.automaton, ends_of(model), fell_back) for path in paths
    )
    return [replace(each, trace=trace, work=work) for each in found]


def _fallen_back(
    reached: Reached, number: int, quest: Quest, model: Model[Any], dropped: set[int]
) -> Generator[Reached, Dropped | None, SearchResult]:
    """What is found by other means, as long as nobody drops the source."""
    steps = falling_back(model, quest.source, quest.automaton, quest.options)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            paths: list[Path] = end.value
            break
        dropped |= set((yield reached) or ())
        if number in dropped:
            return []
    if paths:
        trace, work = reached.traces()[number], reached.works()[number]
        return _hypotheses(paths, quest, model, work, trace, fell_back=True)
    return Unsatisfiable(*_why_none(quest.terms, quest.options))


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
