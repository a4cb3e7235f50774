"""What a search in slots can do, and the shape that a batch takes there.

Numbers are rounded up, so that few shapes serve many batches: each is recorded once.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from gridbeam.constraints.automaton import Automaton
from gridbeam.decoding.options import SearchOptions
from gridbeam.decoding.scoring import sum_of_log_probs
from gridbeam.decoding.share import MOST_BEAMS
from gridbeam.decoding.tables import Tables
from gridbeam.models.slots import SlotSources

SWITCH = "GRIDBEAM_SLOTS"
"""The environment variable that turns the search in slots `on` for GPUs, or `everywhere`.

With `unrecorded` it is on for GPUs, but nothing is recorded. Unset it is off: that it is right was
shown on CPUs, how fast it is has not been measured.
"""
_SHARES = ("rows", "bounded", "budget")
_SPARE_TOKENS = 12
"""How many forbidden tokens are skipped before a search in slots gives up on a sentence."""
_MOST_WANTED = 96
"""How many wanted tokens a hypothesis may have."""
_MOST_ENDS = 8
_MOST_COMPARED = 512
"""How many hypotheses of a sentence are compared with one another where tokens are placed."""
_MOST_SCORES = 4_000_000_000
"""How many logits a column may have: 8 GB in half precision."""
_MOST_CELLS = 600_000_000
"""How many numbers the candidates of a column may have together."""


def is_on(device: torch.device) -> bool:
    """Whether searches on this device are made in slots where they can be."""
    how = os.environ.get(SWITCH)
    return how == "everywhere" or (how in ("on", "unrecorded") and device.type == "cuda")


def is_recorded(device: torch.device) -> bool:
    """Whether columns are recorded."""
    return device.type == "cuda" and os.environ.get(SWITCH) != "unrecorded"


def can_be_searched(options: SearchOptions, automata: Sequence[Automaton]) -> bool:
    """Whether these options and constraints are known here."""
    return (
        options.share in _SHARES
        and options.score is sum_of_log_probs
        and options.cut_off is None
        and not options.trace
        and not any(machine.filters for each in automata for machine in each.machines)
    )


@dataclass(frozen=True)
class BatchShape:
    """All that a recorded column depends on but the values in its memory."""

    sentences: int
    lanes: int
    """How many slots a sentence has."""
    rows: int
    detours: int
    places: int
    """How many hypotheses a beam holds at most."""
    share: str
    is_shared_out: bool
    """Whether there are fewer places than that for all beams together."""
    has_separate_beams: bool
    guards: int
    required: int
    arcs: int
    """How many tokens a required machine waits for at most."""
    ends: tuple[int, ...]
    fetched: int
    """How many of the best tokens are looked at."""
    vocab: int
    columns: int
    states: int
    kinds: int
    edges: int
    offers: int
    finished: int
    is_placed: bool
    is_selective: bool
    has_last: bool
    is_mute: bool
    """Whether there are tokens that are never written."""
    ended_take_place: bool
    force_end: bool
    stop: str
    length_penalty: float
    length_reward: float
    score_type: torch.dtype

    @property
    def beams(self) -> int:
        """The beams of a sentence."""
        return self.rows * self.detours

    @property
    def slots(self) -> int:
        """The slots of all sentences."""
        return self.sentences * self.lanes

    @property
    def machines(self) -> int:
        """The machines of a sentence."""
        return self.guards + self.required

    @property
    def wanted(self) -> int:
        """The tokens that a hypothesis may wait for."""
        return self.required * self.arcs

    @property
    def candidates(self) -> int:
        """What the hypotheses of a sentence may become."""
        return self.lanes * (len(self.ends) + self.wanted + self.places)

    @property
    def leaving(self) -> int:
        """The places for hypotheses of a sentence that stop in a column."""
        return self.detours * self.places * (1 if self.force_end else 2)

    @property
    def is_fitting(self) -> bool:
        """Whether there is memory for it."""
        cells = self.sentences * self.candidates * (self.machines + self.beams + 8)
        is_comparable = not self.is_placed or self.lanes <= _MOST_COMPARED
        return (
            self.wanted <= _MOST_WANTED
            and len(self.ends) <= _MOST_ENDS
            and is_comparable
            and self.slots * self.vocab <= _MOST_SCORES
            and cells <= _MOST_CELLS
            and self.slots * max(1, self.wanted) ** 2 <= _MOST_CELLS
        )


def shape_of(
    tables: Tables,
    options: SearchOptions,
    asked: SlotSources,
    *,
    ends: tuple[int, ...],
    longest: int,
    score_type: torch.dtype = torch.float64,
) -> BatchShape:
    """The shape of a batch."""
    required = tables.start.shape[1] - tables.guards
    rows, places = _evened(tables.rows), options.widest
    beams = tables.rows * tables.detours
    is_shared_out = options.share == "budget" or (options.share == "bounded" and beams > MOST_BEAMS)
    vocab = tables.vocab_size
    return BatchShape(
        sentences=_upwards(len(tables.start)),
        lanes=options.strategy.most(places, rows * tables.detours),
        rows=rows,
        detours=tables.detours,
        places=places,
        share=options.share,
        is_shared_out=is_shared_out,
        has_separate_beams=options.strategy.has_separate_beams,
        guards=tables.guards,
        required=_upwards(required),
        arcs=_upwards(_most(tables.wanted_count)),
        ends=ends,
        fetched=min(vocab, places + len(ends) + _SPARE_TOKENS),
        vocab=vocab,
        columns=-(-longest // 32) * 32,
        states=_doubled(len(tables.base), 256),
        kinds=_doubled(tables.default.shape[1], 2),
        edges=0 if not len(tables.arc_key) else _doubled(len(tables.arc_key), 1024),
        offers=_doubled(len(tables.wanted_token), 256),
        finished=options.finished,
        is_placed=tables.is_placed,
        is_selective=tables.is_selective,
        has_last=tables.has_last,
        is_mute=bool(asked.muted),
        ended_take_place=options.ended == "in_beam",
        force_end=options.force_end,
        stop=options.stop,
        length_penalty=options.length_penalty,
        length_reward=options.length_reward,
        score_type=score_type,
    )  # fmt: skip


def _most(counts: Tensor) -> int:
    return int(counts.max()) if len(counts) else 0


def _upwards(count: int) -> int:
    """The next of 0, 1, 2, 3, 4, 6, 8, 12, 16, 24 and so on.

    >>> [_upwards(count) for count in (0, 1, 5, 10, 13, 64, 65)]
    [0, 1, 6, 12, 16, 64, 96]
    """
    if count <= 4:
        return count
    power = 1 << (count - 1).bit_length()
    return power * 3 // 4 if count <= power * 3 // 4 else power


def _evened(count: int) -> int:
    """The next even number, from 4 on."""
    return count if count < 4 else count + count % 2


def _doubled(count: int, least: int) -> int:
    """The next of `least`, twice that and so on."""
    return max(least, 1 << max(0, count - 1).bit_length())
