"""How the places of a column are shared out over its beams: one `Strategy` value for each way.

- `rows` (the paper): so many places in each beam.
- `settled`: the same, but in the midst of a phrase no more than two of them. What comes next is
  settled there, so that only what came before tells such hypotheses apart.
- `budget`: so many places in the column of a sentence, shared out evenly over its beams.
- `bounded`: so many places in each beam, as long as a sentence has no more than twelve rows. One of
  more rows has fewer places the more it has, shared out evenly: rows and columns both grow with
  what is owed, so that a bound on their product bounds the time.
- `dynamic`: dynamic beam allocation (Post and Vilar, 2018): so many places in the column of a
  sentence, divided over *banks*, one for each number of constraint tokens that may be met.

Everything else of the search is the same for all of them. To add a strategy, write its value here,
put it into `STRATEGIES`, and add its name to `Share` in options.py; no other file knows of them.
tests/decoding/test_share.py holds every one of `STRATEGIES` to what the search promises.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from gridbeam.decoding.column import Candidates
from gridbeam.decoding.hypothesis import Origin
from gridbeam.decoding.ranking import rank_by_score, rank_within
from gridbeam.decoding.tables import Tables

MOST_BEAMS = 12
"""How many beams' places a sentence has at most in a column of `bounded`."""
_FEWEST_BEAMS = 3
"""How many it has at least, however many its rows are."""
FEW = 2
"""How many hypotheses of a beam are in the midst of a phrase, where places are `settled`."""


@dataclass(frozen=True)
class Ranked:
    """The candidates of a column, each once, ordered by beam and in each the best first."""

    candidates: Candidates
    beam: Int[Tensor, "cand"]
    """As the strategy numbers them: ascending, and contiguous for each sentence."""
    takes_place: Bool[Tensor, "cand"]
    """False for a candidate that has ended, where these are set aside."""


@dataclass(frozen=True)
class Strategy:
    """A way to share out places. What stays of a sentence depends on its own candidates alone."""

    beam_of: Callable[[Candidates, Tables], Int[Tensor, "cand"]]
    """The beam that each candidate competes in."""
    stays: Callable[[Ranked, Tables, int], Bool[Tensor, "cand"]]
    """Which candidates stay, given the number of places."""
    most: Callable[[int, int], int]
    """The most hypotheses of a sentence in a column, given the places and the number of beams."""
    has_separate_beams: bool
    """Whether places that a hypothesis leaves free change nothing in other beams.

    Then hypotheses that can no longer win are dropped one by one; else only all together, or the
    search would no longer find what it finds without early stopping.
    """


def _beam_of_row(candidates: Candidates, tables: Tables) -> Int[Tensor, "cand"]:
    """A beam for each row, and in it for each stage of a longer alternative."""
    return tables.beam_of(candidates.sentence, candidates.progress, candidates.owed)


def _bank(candidates: Candidates, tables: Tables) -> Int[Tensor, "cand"]:
    """A bank for each number of tokens owed; the first of a sentence has met everything."""
    return candidates.sentence * tables.rows + candidates.owed


def _each_beam_its_own(ranked: Ranked, tables: Tables, places: int) -> Bool[Tensor, "cand"]:
    return _rank(ranked) < places


def _few_within_phrases(ranked: Ranked, tables: Tables, places: int) -> Bool[Tensor, "cand"]:
    is_inside = tables.inside[ranked.candidates.progress].any(1)
    has_room = rank_within(ranked.beam, is_inside) < FEW
    return (_rank(ranked) < places) & (has_room | ~is_inside)


def _evenly(ranked: Ranked, tables: Tables, places: int) -> Bool[Tensor, "cand"]:
    return _shared_out(ranked, tables, places, places_in_all("budget", places, tables.own_rows))


def _evenly_if_many(ranked: Ranked, tables: Tables, places: int) -> Bool[Tensor, "cand"]:
    if tables.rows * tables.detours <= MOST_BEAMS:
        return _each_beam_its_own(ranked, tables, places)
    return _shared_out(ranked, tables, places, places_in_all("bounded", places, tables.own_rows))


def places_in_all(
    share: str, places: int, own_rows: Int[Tensor, "sentence"]
) -> Int[Tensor, "sentence"]:
    """How many places the beams of a sentence have together, where these are shared out."""
    if share == "budget":
        return torch.full_like(own_rows, places)
    beams = MOST_BEAMS**2 // own_rows.clamp(min=MOST_BEAMS)
    return places * beams.clamp(min=_FEWEST_BEAMS)


def _shared_out(
    ranked: Ranked, tables: Tables, each: int, in_all: Int[Tensor, "sentence"]
) -> Bool[Tensor, "cand"]:
    beams = tables.rows * tables.detours
    counts = _counts(ranked.beam, torch.ones_like(ranked.takes_place), len(tables.start), beams)
    return _rank(ranked) < shares_of(counts, each, in_all).flatten()[ranked.beam]


def shares_of(
    counts: Int[Tensor, "sentence beam"], each: int, in_all: Int[Tensor, "sentence"]
) -> Int[Tensor, "sentence beam"]:
    """The places of a sentence shared out evenly over its beams, no more than so many to each.

    `counts` are the candidates of each beam. What a beam cannot use goes to the others; what does
    not divide goes to those that owe least.
    """
    counts, most = counts.clamp(max=each), in_all[:, None]
    level = torch.zeros_like(most)
    for bit in reversed(range(each.bit_length())):
        higher = level + (1 << bit)
        level = torch.where(counts.minimum(higher).sum(1, keepdim=True) <= most, higher, level)
    shares = counts.minimum(level)
    wants_more = counts > shares
    return shares + (wants_more & (wants_more.cumsum(1) <= most - shares.sum(1, keepdim=True)))


def _in_banks(ranked: Ranked, tables: Tables, places: int) -> Bool[Tensor, "cand"]:
    """The best of each bank, of those that are offered; what has ended and is offered stays too.

    Offered are the best of the whole column, as many as there are places, the best of each
    hypothesis, and all tokens that constraints wait for.
    """
    found = ranked.candidates
    is_offered = (
        (rank_by_score(found.score, found.sentence) < places)
        | (rank_by_score(found.score, found.parent) == 0)
        | (found.origin != int(Origin.GENERATED))
    )
    competes = is_offered & ranked.takes_place
    counts = _counts(ranked.beam, competes, len(tables.start), tables.rows)
    sizes = bank_sizes(places, counts, tables.own_rows).flatten()[ranked.beam]
    return is_offered & (~ranked.takes_place | (rank_within(ranked.beam, competes) < sizes))


def bank_sizes(
    places: int, candidates: Int[Tensor, "sentence bank"], banks: Int[Tensor, "sentence"]
) -> Int[Tensor, "sentence bank"]:
    """How many places each bank has, given how many candidates, from all met to none met.

    The places are divided evenly over the banks of a sentence and what is left over goes to the
    first. Then each bank hands to the next what it cannot fill, and the last to the first.

    >>> counts = torch.tensor([[9, 9, 0], [1, 9, 0], [9, 1, 0], [0, 5, 20]])
    >>> bank_sizes(5, counts, torch.tensor([2, 2, 2, 3])).tolist()
    [[3, 2, 0], [1, 4, 0], [4, 1, 0], [0, 4, 1]]
    """
    is_own = torch.arange(candidates.shape[1], device=candidates.device) < banks[:, None]
    sizes = is_own * (places // banks)[:, None]
    sizes[:, 0] += places % banks
    # A bank hands on max(received + size - candidates, 0): a running sum that is held at zero.
    surplus = (sizes - candidates).cumsum(1)
    handed_on = surplus - surplus.cummin(1).values.clamp(max=0)
    return sizes + handed_on.roll(1, dims=1) - handed_on


def _rank(ranked: Ranked) -> Int[Tensor, "cand"]:
    """Which place of its beam each would take; one that is set aside is ranked among all."""
    among_all = rank_within(ranked.beam, torch.ones_like(ranked.takes_place))
    among_its_like = rank_within(ranked.beam, ranked.takes_place)
    return torch.where(ranked.takes_place, among_its_like, among_all)


def _counts(
    beam: Int[Tensor, "cand"], counted: Bool[Tensor, "cand"], sentences: int, beams: int
) -> Int[Tensor, "sentence beam"]:
    """How many counted candidates each beam of each sentence has."""
    counts = torch.zeros(sentences * beams, dtype=torch.int64, device=beam.device)
    return counts.index_add_(0, beam, counted.long()).view(sentences, beams)


STRATEGIES: dict[str, Strategy] = {
    "rows": Strategy(
        beam_of=_beam_of_row,
        stays=_each_beam_its_own,
        most=lambda places, beams: places * beams,
        has_separate_beams=True,
    ),
    "settled": Strategy(
        beam_of=_beam_of_row,
        stays=_few_within_phrases,
        most=lambda places, beams: places * beams,
        has_separate_beams=True,
    ),
    "budget": Strategy(
        beam_of=_beam_of_row,
        stays=_evenly,
        most=lambda places, beams: places,
        has_separate_beams=False,
    ),
    "bounded": Strategy(
        beam_of=_beam_of_row,
        stays=_evenly_if_many,
        most=lambda places, beams: places * min(beams, MOST_BEAMS),
        has_separate_beams=False,
    ),
    "dynamic": Strategy(
        beam_of=_bank,
        stays=_in_banks,
        most=lambda places, beams: places,
        has_separate_beams=False,
    ),
}
