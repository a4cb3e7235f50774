"""One column of the search, for slots: the candidates of all hypotheses, and which of them stay.

Every step is an operation on whole tensors, whose shapes never change, and the device is never
waited for. What does not exist, an empty slot or a token that nobody wants, is there with a score
of minus infinity. What comes out is what `candidates.extend`, `prune.keep_best` and `Finished.add`
give; in their order, so that ties are settled alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from gridbeam.constraints.automaton import NOT_PLACED
from gridbeam.constraints.machine import NEVER
from gridbeam.decoding.share import places_in_all, shares_of
from gridbeam.decoding.slots.memory import SlotMemory
from gridbeam.decoding.slots.shape import BatchShape
from gridbeam.decoding.tables import LOST
from gridbeam.models.slots.kernels import are_fast
from gridbeam.models.slots.kernels.best import Best, best_tokens

_Drafted: TypeAlias = tuple[Tensor, Tensor, Tensor, Tensor]
"""Of some candidates, those of each slot in a line: their tokens, logits, whether they are there at
all, and where placed tokens lead."""
_LARGE = 0x2545F4914F6CDD1D


@dataclass(frozen=True)
class ColumnLayout:
    """What is the same in every column: how the candidates of a sentence are laid out.

    First all ends, then all wanted tokens, then all generated ones, each by slot.
    """

    shape: BatchShape
    device: torch.device

    def _numbers(self, count: int) -> Int[Tensor, "number"]:
        return torch.arange(count, device=self.device)

    @property
    def ended(self) -> int:
        """How many candidates end."""
        return self.shape.lanes * len(self.shape.ends)

    @cached_property
    def ends(self) -> Int[Tensor, "end"]:
        """The tokens that end a text."""
        return torch.tensor(self.shape.ends, device=self.device)

    @cached_property
    def lane(self) -> Int[Tensor, "cand"]:
        """The slot that each candidate goes on from, within its sentence."""
        lanes, shape = self._numbers(self.shape.lanes), self.shape
        kinds = (len(shape.ends), shape.wanted, shape.places)
        return torch.cat([lanes.repeat_interleave(count) for count in kinds])

    @cached_property
    def placed_for(self) -> Int[Tensor, "cand"]:
        """The required machine that each token is placed for."""
        shape = self.shape
        machine = self._numbers(shape.required).repeat_interleave(shape.arcs).repeat(shape.lanes)
        generated = machine.new_full((shape.lanes * shape.places,), NOT_PLACED)
        return torch.cat([machine.new_full((self.ended,), NOT_PLACED), machine, generated])

    @cached_property
    def is_end(self) -> Bool[Tensor, "cand"]:
        """Whether the text has ended."""
        return self._numbers(self.shape.candidates) < self.ended

    @cached_property
    def is_wanted_of(self) -> Bool[Tensor, "cand required"]:
        """Which machine each token is placed for, a column for each."""
        return self.placed_for[:, None] == self._numbers(self.shape.required)

    @cached_property
    def sentence(self) -> Int[Tensor, "sentence cand"]:
        """The sentence of each candidate."""
        sentences = self._numbers(self.shape.sentences)
        return sentences[:, None].expand(-1, self.shape.candidates).reshape(-1)

    @cached_property
    def arc(self) -> Int[Tensor, "arc"]:
        """Numbers for the tokens that a machine waits for."""
        return self._numbers(self.shape.arcs)

    @cached_property
    def beam(self) -> Int[Tensor, "beam"]:
        """Numbers for the beams of a sentence."""
        return self._numbers(self.shape.beams)

    @cached_property
    def place(self) -> Int[Tensor, "place"]:
        """Numbers for the places of a beam, from 1."""
        return self._numbers(self.shape.places).to(torch.int32) + 1

    @cached_property
    def slot(self) -> Int[Tensor, "lane"]:
        """Numbers for the slots of a sentence."""
        return self._numbers(self.shape.lanes)

    @cached_property
    def first_slot(self) -> Int[Tensor, "sentence"]:
        """The first slot of each sentence."""
        return self._numbers(self.shape.sentences) * self.shape.lanes

    def laid_out(self) -> ColumnLayout:
        """The same with everything worked out, so that nothing is while a column is recorded."""
        for name, value in vars(type(self)).items():
            if isinstance(value, cached_property):
                getattr(self, name)
        return self


@dataclass(frozen=True)
class SlotCandidates:
    """What the hypotheses of each sentence may become; impossible ones score minus infinity."""

    token: Int[Tensor, "sentence cand"]
    log_prob: Float[Tensor, "sentence cand"]
    score: Float[Tensor, "sentence cand"]
    progress: Int[Tensor, "sentence cand machine"]
    owed: Int[Tensor, "sentence cand"]
    beam: Int[Tensor, "sentence cand"]
    """Which beam of its sentence each competes in."""


def advance(memory: SlotMemory, layout: ColumnLayout, logits: Float[Tensor, "slot vocab"]) -> None:
    """One column: the slots of `memory` become those of the next."""
    _count(memory)
    found = _candidates(memory, layout, logits)
    ranked = _ranked(memory, layout, found)
    running, stopped = _kept(memory, layout, ranked)
    _finish(memory, running, stopped)
    _go_on(memory, layout, ranked, running, stopped)


def _count(memory: SlotMemory) -> None:
    live = memory.slots.is_live.view(memory.shape.sentences, -1).sum(1)
    memory.course.expanded.add_(live)
    memory.course.columns.add_(live > 0)


# SlotCandidates: the paper's generate, start and continue


def _candidates(
    memory: SlotMemory, layout: ColumnLayout, logits: Float[Tensor, "slot vocab"]
) -> SlotCandidates:
    """All candidates of the next column, those that can no longer finish among the impossible."""
    shape, slots, tables = memory.shape, memory.slots, memory.tables
    best = best_tokens(logits, slots.is_live, shape.fetched)
    if best.settles_ties and are_fast(logits) and logits.dtype != torch.float64:
        from gridbeam.models.slots.kernels.extend_triton import extend_at_once

        return SlotCandidates(**extend_at_once(memory, layout.ends, logits, best, NEVER))
    _give_up(memory, slots.is_live & best.log_sum.isnan())
    parts = [_ended(memory, layout, logits)]
    if shape.wanted:
        parts.append(_wanted(memory, layout, logits))
    parts.append(_generated(memory, layout, best))
    if shape.wanted and not shape.is_placed:
        parts[1:] = _without_repeats(*parts[1:])
    sentences = shape.sentences
    token, value, there, next_state = (
        torch.cat([part[i].view(sentences, -1) for part in parts], 1) for i in range(4)
    )
    log_sum = best.log_sum.view(sentences, -1)[:, layout.lane]
    log_prob = (value - log_sum).to(shape.score_type).clamp(max=0.0)
    before = slots.progress.view(sentences, shape.lanes, shape.machines)[:, layout.lane]
    progress = _progress_after(memory, layout, before, token, next_state)
    flat = progress.flatten(0, 1)
    owed = tables.owed_after(flat)
    needs = tables.needs_after(flat, owed, layout.sentence).view(sentences, -1)
    owed = owed.view(sentences, -1)
    left = (memory.limits.longest - 1 - memory.limits.number)[:, None]
    fits = layout.is_end | (needs + int(shape.force_end) <= left)
    if shape.guards:
        is_pending = tables.pending[progress[..., : shape.guards]].any(2)
        fits = fits & (layout.is_end | (left > 0) | ~is_pending)
    is_live = slots.is_live.view(sentences, -1)[:, layout.lane]
    is_possible = there & fits & is_live & (log_prob > -torch.inf)
    if shape.machines:
        is_possible = is_possible & (progress != LOST).all(2)
    score = slots.score.view(sentences, -1)[:, layout.lane] + log_prob
    score = score.masked_fill(~is_possible, -torch.inf)
    beam = owed
    if shape.detours > 1:
        beam = owed * shape.detours + tables.detour[progress].amax(2)
    return SlotCandidates(token, log_prob, score, progress, owed, beam)


def _ended(
    memory: SlotMemory, layout: ColumnLayout, logits: Float[Tensor, "slot vocab"]
) -> _Drafted:
    """The end tokens, for hypotheses that owe nothing."""
    value = _precise(logits.index_select(1, layout.ends))
    may_end = (memory.slots.owed == 0) & (memory.limits.number >= memory.limits.no_end_before)
    token = layout.ends.expand(value.shape)
    return token, value, may_end[:, None].expand(value.shape), torch.zeros_like(token)


def _wanted(
    memory: SlotMemory, layout: ColumnLayout, logits: Float[Tensor, "slot vocab"]
) -> _Drafted:
    """The tokens that the constraints of a hypothesis wait for, and where they lead."""
    tables, shape = memory.tables, memory.shape
    states = memory.slots.progress[:, shape.guards :]
    there = (layout.arc < tables.wanted_count[states][..., None]).view(shape.slots, -1)
    arcs = tables.wanted_first[states][..., None] + layout.arc
    arcs = arcs.clamp(max=shape.offers - 1).view(shape.slots, -1)
    token = tables.wanted_token[arcs]
    if shape.is_mute:
        there = there & ~memory.is_muted[token]
    return token, _precise(logits.gather(1, token)), there, tables.wanted_next[arcs]


def _generated(memory: SlotMemory, layout: ColumnLayout, best: Best) -> _Drafted:
    """The best tokens of each open hypothesis, neither ends nor forbidden ones among them."""
    tables, shape = memory.tables, memory.shape
    progress = memory.slots.progress
    value, token = best.value, best.token
    allowed = memory.may_generate[token] & (value > -torch.inf)
    is_open = memory.slots.is_live
    most = memory.of_kind.sum()
    if shape.required:
        open_kinds = tables.open_kinds(progress[:, shape.guards :])
        is_open = is_open & open_kinds.any(1)
        most = (open_kinds * memory.of_kind).sum(1)
        asks_all = shape.is_selective and not shape.is_placed
        of_kind = is_open[:, None] if asks_all else open_kinds.gather(1, tables.kind[token])
        allowed = allowed & of_kind
    else:
        asks_all = False
    asked = progress[:, : None if asks_all else shape.guards, None]
    if asked.shape[1]:
        states = asked.expand(-1, -1, shape.fetched)
        each = token[:, None].expand_as(states)
        allowed = allowed & (tables.read(states, each) != LOST).all(1)
    counts = allowed.cumsum(1, dtype=torch.int32)
    place = torch.searchsorted(counts, layout.place.expand(shape.slots, -1).contiguous())
    there, place = place < shape.fetched, place.clamp(max=shape.fetched - 1)
    chosen, value_of = token.gather(1, place), value.gather(1, place)
    if shape.fetched < shape.vocab:
        is_settled = (value[:, -1] == -torch.inf) | ~is_open | (counts[:, -1] >= most)
        is_enough = there[:, -1]
        if not best.settles_ties:
            is_enough = is_enough & (value_of[:, -1] > value[:, -1])
        _give_up(memory, ~is_settled & ~is_enough)
    return chosen, value_of, there, torch.zeros_like(chosen)


def _without_repeats(wanted: _Drafted, generated: _Drafted) -> list[_Drafted]:
    """Each token of a hypothesis once: where progress is read off the text, all others repeat it.

    Texts of other hypotheses are others, so nothing else can.
    """
    token, value, there, next_state = wanted
    other, other_value, other_there, other_state = generated
    same = (token[:, :, None] == token[:, None, :]) & there[:, None, :]
    there_first = there & ~same.tril(-1).any(2)
    is_wanted = ((other[:, :, None] == token[:, None, :]) & there[:, None, :]).any(2)
    return [
        (token, value, there_first, next_state),
        (other, other_value, other_there & ~is_wanted, other_state),
    ]


def _progress_after(
    memory: SlotMemory,
    layout: ColumnLayout,
    before: Int[Tensor, "sentence cand machine"],
    token: Int[Tensor, "sentence cand"],
    next_state: Int[Tensor, "sentence cand"],
) -> Int[Tensor, "sentence cand machine"]:
    """The progress of each candidate."""
    tables, shape = memory.tables, memory.shape
    if not shape.is_placed or not shape.required:
        return tables.read(before, token[..., None].expand_as(before))
    guards, required = before[..., : shape.guards], before[..., shape.guards :]
    kind = tables.kind[token][..., None]
    required = torch.where(
        layout.is_wanted_of, next_state[..., None], tables.default[required, kind]
    )
    if not shape.guards:
        return required
    guards = tables.read(guards, token[..., None].expand_as(guards))
    return torch.cat([guards, required], 2)


def _give_up(memory: SlotMemory, where: Bool[Tensor, "slot"]) -> None:
    """Sentences that cannot be searched in slots: loop.py will."""
    memory.course.is_given_up.logical_or_(where.view(memory.shape.sentences, -1).any(1))


def _precise(logits: Tensor) -> Tensor:
    return logits if logits.dtype == torch.float64 else logits.float()


# Pruning: the paper's k-argmax


@dataclass(frozen=True)
class RankedSlots:
    """Candidates, the best of each sentence first."""

    found: SlotCandidates
    order: Int[Tensor, "sentence rank"]
    """The number of each candidate."""
    score: Float[Tensor, "sentence rank"]
    in_beam: Bool[Tensor, "sentence beam rank"]
    """Whether it is of this beam, possible, and no repeat."""


@dataclass(frozen=True)
class KeptPlaces:
    """Candidates that stay, by beam and rank; where there is none it is not `there`."""

    number: Int[Tensor, "sentence place"]
    score: Float[Tensor, "sentence place"]
    there: Bool[Tensor, "sentence place"]


def _ranked(memory: SlotMemory, layout: ColumnLayout, found: SlotCandidates) -> RankedSlots:
    shape = memory.shape
    score, order = found.score.sort(dim=1, descending=True, stable=True)
    counts = score > -torch.inf
    if shape.is_placed and shape.required:
        counts = counts & ~_repeats(memory, layout, found, order)
    in_beam = (found.beam.gather(1, order)[:, None, :] == layout.beam[:, None]) & counts[:, None, :]
    return RankedSlots(found, order, score, in_beam)


def _repeats(
    memory: SlotMemory,
    layout: ColumnLayout,
    found: SlotCandidates,
    order: Int[Tensor, "sentence rank"],
) -> Bool[Tensor, "sentence rank"]:
    """Whether a candidate ranked earlier has the same tokens and the same progress.

    As in prune.py; a collision of hashes can hide a repeat but never invent one.
    """
    shape, tables = memory.shape, memory.tables
    text = memory.slots.text.view(shape.sentences, -1)[:, layout.lane]
    text = (text * tables.vocab_size + found.token).gather(1, order)
    progress = found.progress.gather(1, order[..., None].expand(-1, -1, shape.machines))
    mixed = text * _LARGE + (progress * tables.mixing).sum(2)
    near = mixed.sort(dim=1, stable=True).indices
    text = text.gather(1, near)
    progress = progress.gather(1, near[..., None].expand_as(progress))
    same = (text[:, 1:] == text[:, :-1]) & (progress[:, 1:] == progress[:, :-1]).all(2)
    repeats = torch.zeros_like(order, dtype=torch.bool)
    return repeats.scatter(1, near[:, 1:], same)


def _kept(
    memory: SlotMemory, layout: ColumnLayout, ranked: RankedSlots
) -> tuple[KeptPlaces, KeptPlaces]:
    """The hypotheses that run on or are cut off, and those that end here."""
    shape = memory.shape
    is_end = ranked.order < layout.ended
    of_all = ranked.in_beam.cumsum(2, dtype=torch.int32)
    places = layout.place.expand(shape.sentences, shape.beams, -1)
    is_shared = None
    if shape.is_shared_out:
        in_all = places_in_all(shape.share, shape.places, memory.tables.own_rows)
        shares = shares_of(of_all[..., -1].long(), shape.places, in_all)
        is_shared = places <= shares[..., None]
    of_running = of_all
    if not shape.ended_take_place:
        of_running = (ranked.in_beam & ~is_end[:, None, :]).cumsum(2, dtype=torch.int32)
    running = _picked(ranked, of_running, places, is_shared, is_end, ended=False)
    first = slice(shape.detours)
    stopped = _picked(
        ranked,
        of_all[:, first].contiguous(),
        places[:, first],
        None if is_shared is None else is_shared[:, first],
        is_end,
        ended=True,
    )
    return running, stopped


def _picked(
    ranked: RankedSlots,
    counts: Int[Tensor, "sentence beam rank"],
    places: Int[Tensor, "sentence beam place"],
    is_shared: Bool[Tensor, "sentence beam place"] | None,
    is_end: Bool[Tensor, "sentence rank"],
    *,
    ended: bool,
) -> KeptPlaces:
    """The candidates that take the places of beams, given how many stand up to each rank."""
    most = counts.shape[2]
    rank = torch.searchsorted(counts, places.contiguous())
    there = rank < most
    if is_shared is not None:
        there = there & is_shared
    there, rank = there.flatten(1), rank.flatten(1).clamp(max=most - 1)
    there = there & (is_end.gather(1, rank) == ended)
    return KeptPlaces(ranked.order.gather(1, rank), ranked.score.gather(1, rank), there)


# FinishedSlots hypotheses, and what can still win


def _finish(memory: SlotMemory, running: KeptPlaces, stopped: KeptPlaces) -> None:
    """The finished hypotheses with those of this column: ended, or cut off in the last one."""
    shape, finished = memory.shape, memory.finished
    score = stopped.score.masked_fill(~stopped.there, -torch.inf)
    line = torch.arange(shape.lanes, shape.lanes + shape.leaving, device=score.device)
    if not shape.force_end:
        cut = _cut_off(memory, running)
        by_beam = (len(score), shape.detours, -1)
        score = torch.cat([score.view(by_beam), cut.view(by_beam)], 2).flatten(1)
        line = line.view(2, shape.detours, -1).transpose(0, 1).flatten()
    both = torch.cat([finished.score, _final(memory, score)], 1)
    column = torch.cat([finished.column, memory.limits.number.expand(score.shape)], 1)
    index = torch.cat([finished.index, line.expand(score.shape)], 1)
    value, order = both.sort(dim=1, descending=True, stable=True)
    best = order[:, : shape.finished]
    finished.score.copy_(value[:, : shape.finished])
    finished.column.copy_(column.gather(1, best))
    finished.index.copy_(index.gather(1, best))


def _cut_off(memory: SlotMemory, running: KeptPlaces) -> Float[Tensor, "sentence place"]:
    """The scores of those that owe nothing where no more tokens fit."""
    count = memory.shape.detours * memory.shape.places
    is_last = (memory.limits.longest - 1 == memory.limits.number)[:, None]
    return running.score[:, :count].masked_fill(~(running.there[:, :count] & is_last), -torch.inf)


def _final(memory: SlotMemory, score: Tensor) -> Tensor:
    """The score by which finished texts are compared."""
    at, limits = memory.limits.number.view(1), memory.limits
    return (score + limits.reward.index_select(0, at)) / limits.divisor.index_select(0, at)


def _can_win(memory: SlotMemory, running: KeptPlaces) -> Bool[Tensor, "sentence place"]:
    """Whether a hypothesis may still end among the best, as in loop.py."""
    shape, limits, worst = memory.shape, memory.limits, memory.finished.score
    score = running.score.masked_fill(~running.there, -torch.inf)
    if shape.stop != "exact":
        last = worst[:, shape.places - 1]
        is_settled = last > -torch.inf
        if shape.stop == "likely":
            is_settled = is_settled & (_final(memory, score).amax(1) <= last)
        return ~is_settled[:, None]
    next_ = limits.number.view(1) + 1
    reward = limits.reward.index_select(0, next_)
    kept = score + limits.reward_at_last[:, None].maximum(reward)
    most = (kept / limits.divisor.index_select(0, next_)).maximum(
        kept / limits.divisor_at_last[:, None]
    )
    can_win = running.there & (most > worst[:, -1:])
    return can_win if shape.has_separate_beams else can_win.any(1, keepdim=True)


# The next column


def _go_on(
    memory: SlotMemory,
    layout: ColumnLayout,
    ranked: RankedSlots,
    running: KeptPlaces,
    stopped: KeptPlaces,
) -> None:
    """Those that run on take the slots, and what stands in them or stops is recorded."""
    shape, slots, found = memory.shape, memory.slots, ranked.found
    is_over = (memory.limits.longest - 1 <= memory.limits.number)[:, None]
    is_lost = is_over | memory.course.is_given_up[:, None]
    goes_on = running.there & _can_win(memory, running) & ~is_lost
    number, score, is_live = running.number, running.score, goes_on
    if shape.lanes < shape.beams * shape.places:
        counts = goes_on.cumsum(1, dtype=torch.int32)
        nth = (layout.slot + 1).to(torch.int32).expand(shape.sentences, -1).contiguous()
        place = torch.searchsorted(counts, nth)
        is_live = place < counts.shape[1]
        place = place.clamp(max=counts.shape[1] - 1)
        number, score = number.gather(1, place), score.gather(1, place)
    leaving = [stopped.number]
    if not shape.force_end:
        leaving.append(running.number[:, : shape.detours * shape.places])
    _write(memory, layout, found, torch.cat([number, *leaving], 1))
    token, lane = found.token.gather(1, number), layout.lane[number]
    if shape.is_placed and shape.required:
        slots.text.copy_(_texts(memory, token, lane, is_live))
    slots.parent.copy_((layout.first_slot[:, None] + lane).flatten())
    slots.token.copy_(token.flatten())
    slots.score.copy_(score.flatten())
    slots.owed.copy_(found.owed.gather(1, number).flatten())
    slots.is_live.copy_(is_live.flatten())
    each = number[..., None].expand(-1, -1, shape.machines)
    slots.progress.copy_(found.progress.gather(1, each).flatten(0, 1))
    memory.course.goes_on.copy_(is_live.any())
    memory.limits.number.add_(1)


def _write(
    memory: SlotMemory,
    layout: ColumnLayout,
    found: SlotCandidates,
    number: Int[Tensor, "sentence line"],
) -> None:
    """Records the candidates of these numbers as what stands in this column."""
    at, record = memory.limits.number.view(1), memory.record
    record.token.index_copy_(0, at, found.token.gather(1, number)[None])
    record.log_prob.index_copy_(0, at, found.log_prob.gather(1, number)[None])
    record.parent.index_copy_(0, at, layout.lane[number][None])
    record.placed_for.index_copy_(0, at, layout.placed_for[number][None])


def _texts(
    memory: SlotMemory,
    token: Int[Tensor, "sentence lane"],
    lane: Int[Tensor, "sentence lane"],
    is_live: Bool[Tensor, "sentence lane"],
) -> Int[Tensor, "slot"]:
    """A number for each text: that of the first slot with the same."""
    shape = memory.shape
    before = memory.slots.text.view(shape.sentences, -1).gather(1, lane)
    text = (before * memory.tables.vocab_size + token).masked_fill(~is_live, -1)
    same = text[:, :, None] == text[:, None, :]
    return same.int().argmax(2).flatten()
