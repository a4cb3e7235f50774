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
from gridbeam.decoding.hypothesis import Hypothesis, origins_of
from gridbeam.decoding.loop import decoding
from gridbeam.decoding.options import SearchOptions
from gridbeam.decoding.quest import Quest, options_of_all
from gridbeam.decoding.reached import Dropped, Reached
from gridbeam.errors import MessagePart, Option, Unsatisfiable
from gridbeam.models import Model, ends_of

SearchResult: TypeAlias = list[Hypothesis] | Unsatisfiable
"""The hypotheses of a source, best first, or why there are none."""
Searching: TypeAlias = Generator[Reached, Dropped | None, list[SearchResult]]
"""A search that rests after each column; it can be told which sources nobody wants any more."""


def searching(model: Model[Any], quests: Sequence[Quest]) -> Searching:
    """The search of `search`, column by column, for quests of the same company.

    One that cannot be met spoils no other. Those that are dropped come to nothing: their list is
    empty.
    """
    options = options_of_all(quests)
    reached = yield from decoding(
        model,
        [quest.source for quest in quests],
        [quest.automaton for quest in quests],
        options,
        [quest.options.longest for quest in quests],
    )
    results: list[SearchResult] = []
    dropped = set(reached.dropped)
    for number, quest in enumerate(quests):
        found: SearchResult = outcome(reached, number, quest, model)
        if not found and number not in dropped:
            found = yield from _fallen_back(reached, number, quest, model, dropped)
        results.append(found)
    return results


def outcome(reached: Reached, number: int, quest: Quest, model: Model[Any]) -> list[Hypothesis]:
    """The finished hypotheses of one source, best first: all that will be once it is over.

    None where it is dropped, or every beam lost them.
    """
    if number in reached.dropped:
        return []
    paths = reached.paths_of(number)[: quest.options.n_best]
    return _hypotheses(paths, reached, number, quest, model, fell_back=False)


def _hypotheses(
    paths: Sequence[Path],
    reached: Reached,
    number: int,
    quest: Quest,
    model: Model[Any],
    *,
    fell_back: bool,
) -> list[Hypothesis]:
    found = [
        _hypothesis(path, quest.terms, quest.automaton, ends_of(model), fell_back) for path in paths
    ]
    if not found:
        return []
    trace, work = reached.traces()[number], reached.works()[number]
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
    found = _hypotheses(paths, reached, number, quest, model, fell_back=True)
    return found or Unsatisfiable(*_why_none(quest.terms, quest.options))


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
