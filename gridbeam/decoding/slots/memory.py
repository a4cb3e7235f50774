"""The memory of a search in slots: always the same tensors, with other values in each batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from gridbeam.decoding.options import SearchOptions
from gridbeam.decoding.slots.shape import BatchShape
from gridbeam.decoding.tables import IDLE, Tables
from gridbeam.models.slots import SlotSources

_NO_ARC = torch.iinfo(torch.int64).max


@dataclass(frozen=True)
class Slots:
    """The hypotheses of a column; sentence by sentence, ordered by beam and rank."""

    token: Int[Tensor, "slot"]
    parent: Int[Tensor, "slot"]
    """The slot that each goes on from."""
    score: Float[Tensor, "slot"]
    progress: Int[Tensor, "slot machine"]
    owed: Int[Tensor, "slot"]
    is_live: Bool[Tensor, "slot"]
    text: Int[Tensor, "slot"]
    """The same number for hypotheses of a sentence with the same tokens."""


@dataclass(frozen=True)
class FinishedSlots:
    """For each sentence its n best, best first, and where they stand in the record."""

    score: Float[Tensor, "sentence place"]
    column: Int[Tensor, "sentence place"]
    index: Int[Tensor, "sentence place"]


@dataclass(frozen=True)
class SlotRecord:
    """What stood in each column, and behind it what stopped there: lines of each sentence."""

    token: Int[Tensor, "column sentence line"]
    parent: Int[Tensor, "column sentence line"]
    """The slot of the column before, by its number within the sentence."""
    placed_for: Int[Tensor, "column sentence line"]
    log_prob: Float[Tensor, "column sentence line"]


@dataclass(frozen=True)
class LengthLimits:
    """What a column must know of lengths; the last four are looked up by column."""

    number: Int[Tensor, ""]
    """Which column this is, from 0."""
    longest: Int[Tensor, "sentence"]
    no_end_before: Int[Tensor, ""]
    reward_at_last: Float[Tensor, "sentence"]
    divisor_at_last: Float[Tensor, "sentence"]
    reward: Float[Tensor, "column"]
    divisor: Float[Tensor, "column"]


@dataclass(frozen=True)
class Course:
    """How a search goes."""

    expanded: Int[Tensor, "sentence"]
    columns: Int[Tensor, "sentence"]
    is_given_up: Bool[Tensor, "sentence"]
    """Whether the search in slots cannot answer for a sentence."""
    goes_on: Bool[Tensor, ""]


@dataclass(frozen=True)
class SlotMemory:
    """All of it."""

    shape: BatchShape
    tables: Tables
    may_generate: Bool[Tensor, "token"]
    is_muted: Bool[Tensor, "token"]
    of_kind: Int[Tensor, "kind"]
    """How many tokens of each kind may be generated."""
    slots: Slots
    finished: FinishedSlots
    record: SlotRecord
    limits: LengthLimits
    course: Course

    def begin(
        self,
        tables: Tables,
        options: SearchOptions,
        longest: Sequence[int],
        asked: SlotSources,
        bos: int,
    ) -> None:
        """Fills it for a batch, whose tables may be on another device."""
        _fill_tables(self.tables, tables)
        self._mute(asked)
        self._limit(options, longest, asked)
        self._stand_at_the_start(bos)
        self.finished.score.fill_(-torch.inf)
        for each in (self.course.expanded, self.course.columns, self.course.is_given_up):
            each.zero_()

    def _mute(self, asked: SlotSources) -> None:
        self.is_muted.zero_()
        self.is_muted[list(asked.muted)] = True
        torch.logical_not(self.is_muted, out=self.may_generate)
        self.may_generate[list(self.shape.ends)] = False
        self.may_generate[self.shape.vocab :] = False
        kinds = self.tables.kind[self.may_generate]
        self.of_kind.copy_(torch.bincount(kinds, minlength=self.shape.kinds))

    def _limit(self, options: SearchOptions, longest: Sequence[int], asked: SlotSources) -> None:
        limits, shape = self.limits, self.shape
        lengths = [*longest, *[1] * (shape.sentences - len(longest))]
        rewards, divisors = options.at_last(lengths)
        # A column is as long as its number and one, and looks at the next one, too.
        every = range(1, len(limits.reward) + 1)
        limits.number.zero_()
        limits.no_end_before.fill_(asked.no_end_before)
        for store, values in (
            (limits.longest, lengths),
            (limits.reward_at_last, rewards),
            (limits.divisor_at_last, divisors),
            (limits.reward, [options.length_reward * length for length in every]),
            (limits.divisor, [float(length**options.length_penalty) for length in every]),
        ):
            store.copy_(torch.tensor(values, dtype=store.dtype))

    def _stand_at_the_start(self, bos: int) -> None:
        shape, slots = self.shape, self.slots
        start = self.tables.start
        for each in (slots.parent, slots.score, slots.text):
            each.zero_()
        slots.token.fill_(bos)
        slots.progress.copy_(start.repeat_interleave(shape.lanes, 0))
        slots.owed.copy_(self.tables.owed_after(start).repeat_interleave(shape.lanes))
        is_first = torch.arange(shape.slots, device=start.device) % shape.lanes == 0
        slots.is_live.copy_(is_first)

    def end_all_but(self, sentences: int) -> None:
        """Ends the sentences that there are not."""
        self.slots.is_live.view(self.shape.sentences, -1)[sentences:] = False


def memory_of(shape: BatchShape, vocab: int, device: torch.device) -> SlotMemory:
    """Memory for batches of this shape, of a network with so many logits a slot."""
    sentences, columns = shape.sentences, shape.columns
    lines = shape.lanes + shape.leaving

    def whole(*size: int) -> Tensor:
        return torch.zeros(size, dtype=torch.int64, device=device)

    def real(*size: int) -> Tensor:
        return torch.zeros(size, dtype=shape.score_type, device=device)

    def yes_or_no(*size: int) -> Tensor:
        return torch.zeros(size, dtype=torch.bool, device=device)

    count = shape.slots
    return SlotMemory(
        shape=shape,
        tables=_empty_tables(shape, vocab, device),
        may_generate=yes_or_no(vocab),
        is_muted=yes_or_no(vocab),
        of_kind=whole(shape.kinds),
        slots=Slots(
            token=whole(count),
            parent=whole(count),
            score=real(count),
            progress=whole(count, shape.machines),
            owed=whole(count),
            is_live=yes_or_no(count),
            text=whole(count),
        ),
        finished=FinishedSlots(
            score=real(sentences, shape.finished),
            column=whole(sentences, shape.finished),
            index=whole(sentences, shape.finished),
        ),
        record=SlotRecord(
            token=whole(columns, sentences, lines),
            parent=whole(columns, sentences, lines),
            placed_for=whole(columns, sentences, lines),
            log_prob=real(columns, sentences, lines),
        ),
        limits=LengthLimits(
            number=whole(),
            longest=whole(sentences),
            no_end_before=whole(),
            reward_at_last=real(sentences),
            divisor_at_last=real(sentences),
            reward=real(columns + 1),
            divisor=real(columns + 1),
        ),
        course=Course(
            expanded=whole(sentences),
            columns=whole(sentences),
            is_given_up=yes_or_no(sentences),
            goes_on=yes_or_no(),
        ),
    )


def _empty_tables(shape: BatchShape, vocab: int, device: torch.device) -> Tables:
    """Tables of a fixed size, on which the methods of `Tables` work as on others."""

    def whole(*size: int) -> Tensor:
        return torch.zeros(size, dtype=torch.int64, device=device)

    def yes_or_no(*size: int) -> Tensor:
        return torch.zeros(size, dtype=torch.bool, device=device)

    states = shape.states
    return Tables(
        vocab_size=vocab,
        start=whole(shape.sentences, shape.machines),
        rows=shape.rows,
        own_rows=whole(shape.sentences),
        detours=shape.detours,
        pays_singly=yes_or_no(shape.sentences),
        is_placed=shape.is_placed,
        filters=(),
        guards=shape.guards,
        mixing=_mixing(shape.machines).to(device),
        mentioned=yes_or_no(vocab),
        kind=whole(vocab),
        is_selective=shape.is_selective,
        default=whole(states, shape.kinds),
        base=whole(states),
        needs=whole(states),
        needs_if_broken=whole(states),
        pending=yes_or_no(states),
        inside=yes_or_no(states),
        detour=whole(states),
        is_last=yes_or_no(states),
        has_last=shape.has_last,
        arc_key=whole(shape.edges),
        arc_next=whole(shape.edges),
        wanted_first=whole(states),
        wanted_count=whole(states),
        wanted_token=whole(shape.offers),
        wanted_next=whole(shape.offers),
    )


def _mixing(width: int) -> Int[Tensor, "machine"]:
    draw = torch.Generator().manual_seed(0)
    return torch.randint(1 << 62, (width,), generator=draw) * 2 + 1


def _fill_tables(store: Tables, tables: Tables) -> None:
    """Puts the tables of a batch into those of a fixed size."""
    tables = replace(
        tables, arc_key=_with_vocab(tables, store.vocab_size), start=_widened(store, tables)
    )
    for each in fields(tables):
        into, value = getattr(store, each.name), getattr(tables, each.name)
        if each.name == "mixing" or not isinstance(value, Tensor):
            continue
        into.fill_({"start": IDLE, "arc_key": _NO_ARC, "own_rows": 1}.get(each.name, 0))
        into[tuple(slice(size) for size in value.shape)] = value.to(into.device)


def _with_vocab(tables: Tables, vocab: int) -> Int[Tensor, "arc"]:
    """The keys of arcs for a vocabulary that has been filled up."""
    state, token = tables.arc_key // tables.vocab_size, tables.arc_key % tables.vocab_size
    return state * vocab + token


def _widened(store: Tables, tables: Tables) -> Int[Tensor, "sentence machine"]:
    """The first states, with idle ones for machines that there are not."""
    found = tables.start.new_full((len(tables.start), store.start.shape[1]), IDLE)
    found[:, : tables.start.shape[1]] = tables.start
    return found
