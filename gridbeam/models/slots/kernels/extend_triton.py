"""All candidates of a column in one kernel: what `_candidates` in decoding/slots/column.py gives.

One program a slot. It lists what its hypothesis may become, ends, wanted tokens and the best of the
others, follows each through the machines of its sentence, and says what each owes and scores.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

from gridbeam.models.slots.kernels.best import Best

_NUMBERS = [
    "vocab", "lanes", "end_count", "wanted_each", "arcs", "places", "guards", "machines",
    "fetched_count", "kinds", "edges", "steps", "detours", "end_costs", "never",
]  # fmt: skip
"""Of these no value has a program of its own, which takes seconds to compile."""
_LOST = tl.constexpr(0)
_LARGE = tl.constexpr(1 << 50)


def extend_at_once(
    memory: Any, ends: Tensor, logits: Tensor, best: Best, never: int
) -> dict[str, Tensor]:
    """The fields of `Candidates`, by their names; `never` is a debt that cannot be paid."""
    shape, slots, tables = memory.shape, memory.slots, memory.tables
    limits, course = memory.limits, memory.course
    size = (shape.sentences, shape.candidates)
    found = {
        "token": logits.new_empty(size, dtype=torch.int64),
        "log_prob": logits.new_empty(size, dtype=torch.float64),
        "score": logits.new_empty(size, dtype=torch.float64),
        "progress": logits.new_empty((*size, shape.machines), dtype=torch.int64),
        "owed": logits.new_empty(size, dtype=torch.int64),
        "beam": logits.new_empty(size, dtype=torch.int64),
    }
    power = triton.next_power_of_2
    _extend[(shape.slots,)](
        logits, logits.stride(0), _bytes(slots.is_live), slots.owed, slots.score, slots.progress,
        best.value, best.token, best.log_sum,
        tables.kind, tables.default, tables.base, tables.needs, tables.needs_if_broken,
        _bytes(tables.pending), tables.detour, _bytes(tables.is_last), tables.arc_key,
        tables.arc_next, tables.wanted_first, tables.wanted_count, tables.wanted_token,
        tables.wanted_next, _bytes(tables.pays_singly), _bytes(memory.may_generate),
        _bytes(memory.is_muted), memory.of_kind, ends, limits.longest, limits.number,
        limits.no_end_before, _bytes(course.is_given_up), *found.values(),
        tables.vocab_size, shape.lanes, len(shape.ends), shape.wanted, shape.arcs, shape.places,
        shape.guards, shape.machines, shape.fetched, shape.kinds, shape.edges,
        max(0, shape.edges.bit_length() - 1), shape.detours, int(shape.force_end), never,
        HAS_EDGES=shape.edges > 0, HAS_WANTED=shape.wanted > 0, IS_PLACED=shape.is_placed,
        ASKS_ALL=shape.is_selective and not shape.is_placed and shape.required > 0,
        IS_MUTE=shape.is_mute, HAS_LAST=shape.has_last, HAS_MORE=shape.fetched < shape.vocab,
        PADDED_ENDS=power(len(shape.ends)), PADDED_WANTED=power(max(1, shape.wanted)),
        PADDED_FETCHED=power(shape.fetched), PADDED_PLACES=power(shape.places),
        PADDED_KINDS=power(shape.kinds), num_warps=1,
    )  # fmt: skip
    return found


def _bytes(flags: Tensor) -> Tensor:
    return flags.view(torch.uint8)


@triton.jit  # type: ignore[untyped-decorator]
def _arc(
    state: tl.tensor,
    token: tl.tensor,
    arc_key: tl.tensor,
    vocab: tl.tensor,
    edges: tl.tensor,
    steps: tl.tensor,
) -> tl.tensor:
    """Where the arc of a state for a token stands, or some other."""
    key = state * vocab + token
    place = tl.zeros_like(token)
    for step in range(0, steps):
        half = edges >> (step + 1)
        place = tl.where(tl.load(arc_key + place + half - 1) < key, place + half, place)
    return place, tl.load(arc_key + place) == key


@triton.jit  # type: ignore[untyped-decorator]
def _after(
    state: tl.tensor,
    token: tl.tensor,
    kind: tl.tensor,
    default: tl.tensor,
    base: tl.tensor,
    arc_key: tl.tensor,
    arc_next: tl.tensor,
    vocab: tl.tensor,
    kinds: tl.tensor,
    edges: tl.tensor,
    steps: tl.tensor,
    HAS_EDGES: tl.constexpr,  # noqa: N803
) -> tl.tensor:
    """`Tables.read` of one machine's state."""
    found = tl.load(default + state * kinds + kind)
    if HAS_EDGES:
        below, is_below = _arc(tl.load(base + state), token, arc_key, vocab, edges, steps)
        found = tl.where(is_below, tl.load(arc_next + below), found)
        own, is_own = _arc(state, token, arc_key, vocab, edges, steps)
        found = tl.where(is_own, tl.load(arc_next + own), found)
    return found


@triton.jit  # type: ignore[untyped-decorator]
def _complete(
    at: tl.tensor,
    mask: tl.tensor,
    token: tl.tensor,
    value: tl.tensor,
    there: tl.tensor,
    next_state: tl.tensor,
    placed_for: tl.tensor,
    before: tl.tensor,
    log_sum: tl.tensor,
    left: tl.tensor,
    pays_singly: tl.tensor,
    progress: tl.tensor,
    kind_of: tl.tensor,
    default: tl.tensor,
    base: tl.tensor,
    needs: tl.tensor,
    needs_if_broken: tl.tensor,
    pending: tl.tensor,
    detour: tl.tensor,
    is_last: tl.tensor,
    arc_key: tl.tensor,
    arc_next: tl.tensor,
    out_token: tl.tensor,
    out_log: tl.tensor,
    out_score: tl.tensor,
    out_progress: tl.tensor,
    out_owed: tl.tensor,
    out_beam: tl.tensor,
    vocab: tl.tensor,
    guards: tl.tensor,
    machines: tl.tensor,
    kinds: tl.tensor,
    edges: tl.tensor,
    steps: tl.tensor,
    detours: tl.tensor,
    end_costs: tl.tensor,
    never: tl.tensor,
    IS_END: tl.constexpr,  # noqa: N803
    IS_PLACED: tl.constexpr,  # noqa: N803
    HAS_LAST: tl.constexpr,  # noqa: N803
    HAS_EDGES: tl.constexpr,  # noqa: N803
) -> None:
    """What becomes of a hypothesis with each of some tokens, stored as candidates."""
    kind = tl.load(kind_of + token)
    nothing = tl.zeros_like(token)
    broken, covered, together = nothing, nothing - _LARGE, nothing
    last, last_if_broken, most_needs, stage = nothing, nothing, nothing, nothing
    lost, waits = nothing, nothing
    for number in range(0, machines):
        state = tl.load(progress + number)
        after = _after(
            state, token, kind, default, base, arc_key, arc_next, vocab, kinds, edges, steps,
            HAS_EDGES,
        )  # fmt: skip
        if IS_PLACED:
            placed = tl.where(
                placed_for == number - guards, next_state, tl.load(default + state * kinds + kind)
            )
            after = tl.where(number >= guards, placed, after)
        tl.store(out_progress + at * machines + number, after, mask=mask)
        lost += tl.where(after == _LOST, 1, 0)
        own_needs = tl.load(needs + after)
        if_broken = tl.load(needs_if_broken + after)
        gained = if_broken - own_needs
        is_pending = tl.load(pending + after) != 0
        most_needs = tl.maximum(most_needs, own_needs)
        stage = tl.maximum(stage, tl.load(detour + after))
        if HAS_LAST:
            of_last = tl.load(is_last + after) != 0
            last += tl.where(of_last, own_needs, 0)
            last_if_broken += tl.where(of_last, if_broken, 0)
            if_broken = tl.where(of_last, 0, if_broken)
            gained = tl.where(of_last, 0, gained)
        broken += if_broken
        covered = tl.maximum(covered, gained)
        together += tl.where(is_pending, gained, 0)
        waits += tl.where(is_pending & (number < guards), 1, 0)
    owed = broken - tl.maximum(covered, together)
    if HAS_LAST:
        owed += tl.where(owed > 0, last_if_broken, last)
    due = tl.where((pays_singly != 0) | (owed >= never), owed, most_needs)
    log_prob = tl.minimum((value - log_sum).to(tl.float64), 0.0)
    possible = there & (lost == 0) & (log_prob > float("-inf"))
    if not IS_END:
        possible = possible & (due + end_costs <= left)
        possible = possible & ((left > 0) | (waits == 0))
    tl.store(out_token + at, token, mask=mask)
    tl.store(out_log + at, log_prob, mask=mask)
    tl.store(out_score + at, tl.where(possible, before + log_prob, float("-inf")), mask=mask)
    tl.store(out_owed + at, owed, mask=mask)
    tl.store(out_beam + at, owed * detours + stage, mask=mask)


@triton.jit  # type: ignore[untyped-decorator]
def _none(
    at: tl.tensor,
    mask: tl.tensor,
    out_token: tl.tensor,
    out_log: tl.tensor,
    out_score: tl.tensor,
    out_progress: tl.tensor,
    out_owed: tl.tensor,
    out_beam: tl.tensor,
    machines: tl.tensor,
) -> None:
    """Candidates that there are not."""
    tl.store(out_token + at, 0, mask=mask)
    tl.store(out_log + at, 0.0, mask=mask)
    tl.store(out_score + at, float("-inf"), mask=mask)
    tl.store(out_owed + at, 0, mask=mask)
    tl.store(out_beam + at, 0, mask=mask)
    for number in range(0, machines):
        tl.store(out_progress + at * machines + number, 0, mask=mask)


@triton.jit(do_not_specialize=_NUMBERS)  # type: ignore[untyped-decorator]
def _extend(
    logits: tl.tensor,
    stride: tl.tensor,
    live: tl.tensor,
    owes: tl.tensor,
    scores: tl.tensor,
    all_progress: tl.tensor,
    best_value: tl.tensor,
    best_token: tl.tensor,
    log_sums: tl.tensor,
    kind_of: tl.tensor,
    default: tl.tensor,
    base: tl.tensor,
    needs: tl.tensor,
    needs_if_broken: tl.tensor,
    pending: tl.tensor,
    detour: tl.tensor,
    is_last: tl.tensor,
    arc_key: tl.tensor,
    arc_next: tl.tensor,
    wanted_first: tl.tensor,
    wanted_count: tl.tensor,
    wanted_token: tl.tensor,
    wanted_next: tl.tensor,
    singly: tl.tensor,
    may_generate: tl.tensor,
    is_muted: tl.tensor,
    of_kind: tl.tensor,
    ends: tl.tensor,
    longest: tl.tensor,
    number: tl.tensor,
    no_end_before: tl.tensor,
    given_up: tl.tensor,
    out_token: tl.tensor,
    out_log: tl.tensor,
    out_score: tl.tensor,
    out_progress: tl.tensor,
    out_owed: tl.tensor,
    out_beam: tl.tensor,
    vocab: tl.tensor,
    lanes: tl.tensor,
    end_count: tl.tensor,
    wanted_each: tl.tensor,
    arcs: tl.tensor,
    places: tl.tensor,
    guards: tl.tensor,
    machines: tl.tensor,
    fetched_count: tl.tensor,
    kinds: tl.tensor,
    edges: tl.tensor,
    steps: tl.tensor,
    detours: tl.tensor,
    end_costs: tl.tensor,
    never: tl.tensor,
    HAS_EDGES: tl.constexpr,  # noqa: N803
    HAS_WANTED: tl.constexpr,  # noqa: N803
    IS_PLACED: tl.constexpr,  # noqa: N803
    ASKS_ALL: tl.constexpr,  # noqa: N803
    IS_MUTE: tl.constexpr,  # noqa: N803
    HAS_LAST: tl.constexpr,  # noqa: N803
    HAS_MORE: tl.constexpr,  # noqa: N803
    PADDED_ENDS: tl.constexpr,  # noqa: N803
    PADDED_WANTED: tl.constexpr,  # noqa: N803
    PADDED_FETCHED: tl.constexpr,  # noqa: N803
    PADDED_PLACES: tl.constexpr,  # noqa: N803
    PADDED_KINDS: tl.constexpr,  # noqa: N803
) -> None:
    slot = tl.program_id(0).to(tl.int64)
    sentence, lane = slot // lanes, slot % lanes
    whole = lanes * (end_count + wanted_each + places)
    end = tl.arange(0, PADDED_ENDS).to(tl.int64)
    wanted = tl.arange(0, PADDED_WANTED).to(tl.int64)
    place = tl.arange(0, PADDED_PLACES).to(tl.int64)
    at_end = sentence * whole + lane * end_count + end
    at_wanted = sentence * whole + lanes * end_count + lane * wanted_each + wanted
    at_place = sentence * whole + lanes * (end_count + wanted_each) + lane * places + place
    if tl.load(live + slot) == 0:
        _none(
            at_end, end < end_count, out_token, out_log, out_score, out_progress, out_owed,
            out_beam, machines,
        )  # fmt: skip
        _none(
            at_wanted, wanted < wanted_each, out_token, out_log, out_score, out_progress, out_owed,
            out_beam, machines,
        )  # fmt: skip
        _none(
            at_place, place < places, out_token, out_log, out_score, out_progress, out_owed,
            out_beam, machines,
        )  # fmt: skip
    else:
        progress = all_progress + slot * machines
        row = logits + slot * stride
        before, log_sum = tl.load(scores + slot), tl.load(log_sums + slot)
        now = tl.load(number)
        left = tl.load(longest + sentence) - 1 - now
        pays_singly = tl.load(singly + sentence)
        is_wrong = log_sum != log_sum

        # The end tokens, for a hypothesis that owes nothing
        ending = tl.load(ends + end, mask=end < end_count, other=0)
        may_end = (tl.load(owes + slot) == 0) & (now >= tl.load(no_end_before))
        _complete(
            at_end, end < end_count, ending, tl.load(row + ending).to(tl.float32),
            may_end & (end < end_count), ending, tl.zeros_like(ending) - 1,
            before, log_sum, left, pays_singly, progress, kind_of, default, base, needs,
            needs_if_broken, pending, detour, is_last, arc_key, arc_next,
            out_token, out_log, out_score, out_progress, out_owed, out_beam,
            vocab, guards, machines, kinds, edges, steps, detours, end_costs, never,
            True, IS_PLACED, HAS_LAST, HAS_EDGES,
        )  # fmt: skip

        # The tokens that its constraints wait for
        wished = tl.zeros_like(wanted)
        offered = wanted < 0
        if HAS_WANTED:
            machine = wanted // arcs
            nth = wanted - machine * arcs
            at_state = tl.load(progress + guards + machine, mask=wanted < wanted_each, other=0)
            offered = (wanted < wanted_each) & (nth < tl.load(wanted_count + at_state))
            arc = tl.where(offered, tl.load(wanted_first + at_state) + nth, 0)
            wished = tl.load(wanted_token + arc)
            if IS_MUTE:
                offered = offered & (tl.load(is_muted + wished) == 0)
            is_first = offered
            if not IS_PLACED:
                same = (wished[:, None] == wished[None, :]) & (wanted[:, None] > wanted[None, :])
                same = same & offered[None, :]
                is_first = offered & (tl.sum(tl.where(same, 1, 0), axis=1) == 0)
            _complete(
                at_wanted, wanted < wanted_each, wished, tl.load(row + wished).to(tl.float32),
                is_first, tl.load(wanted_next + arc), machine,
                before, log_sum, left, pays_singly, progress, kind_of, default, base, needs,
                needs_if_broken, pending, detour, is_last, arc_key, arc_next,
                out_token, out_log, out_score, out_progress, out_owed, out_beam,
                vocab, guards, machines, kinds, edges, steps, detours, end_costs, never,
                False, IS_PLACED, HAS_LAST, HAS_EDGES,
            )  # fmt: skip

        # The best of the others
        fetched = tl.arange(0, PADDED_FETCHED).to(tl.int64)
        is_in = fetched < fetched_count
        value = tl.load(
            best_value + slot * fetched_count + fetched, mask=is_in, other=float("-inf")
        )
        token = tl.load(best_token + slot * fetched_count + fetched, mask=is_in, other=0)
        kind = tl.load(kind_of + token)
        allowed = is_in & (value > float("-inf")) & (tl.load(may_generate + token) != 0)
        each_kind = tl.arange(0, PADDED_KINDS).to(tl.int64)
        is_open = each_kind < kinds
        for number_of in range(guards, machines):
            own = default + tl.load(progress + number_of) * kinds
            is_open = is_open & (tl.load(own + each_kind, mask=each_kind < kinds, other=0) != _LOST)
            if not ASKS_ALL:
                allowed = allowed & (tl.load(own + kind) != _LOST)
        open_kinds = tl.sum(tl.where(is_open, 1, 0), axis=0)
        many = tl.load(of_kind + each_kind, mask=each_kind < kinds, other=0)
        most = tl.sum(tl.where(is_open, many, 0), axis=0)
        allowed = allowed & (open_kinds > 0)
        asked = guards
        if ASKS_ALL:
            asked = machines
        for number_of in range(0, asked):
            to = _after(
                tl.load(progress + number_of), token, kind, default, base, arc_key, arc_next,
                vocab, kinds, edges, steps, HAS_EDGES,
            )  # fmt: skip
            allowed = allowed & (to != _LOST)
        rank = tl.cumsum(tl.where(allowed, 1, 0), axis=0).to(tl.int64)
        count = tl.max(rank, axis=0)
        if HAS_MORE:
            final = tl.min(tl.where(is_in, value, float("inf")), axis=0)
            is_settled = (final == float("-inf")) | (open_kinds == 0)
            is_settled = is_settled | (count >= most) | (count >= places)
            is_wrong = is_wrong | (is_settled == 0)
        tl.store(given_up + sentence, 1, mask=is_wrong)
        chosen = allowed & (rank <= places)
        is_new = chosen
        if not IS_PLACED and HAS_WANTED:
            again = (token[:, None] == wished[None, :]) & offered[None, :]
            is_new = chosen & (tl.sum(tl.where(again, 1, 0), axis=1) == 0)
        first_place = sentence * whole + lanes * (end_count + wanted_each) + lane * places
        _none(
            at_place, (place < places) & (place >= count), out_token, out_log, out_score,
            out_progress, out_owed, out_beam, machines,
        )  # fmt: skip
        _complete(
            first_place + rank - 1, chosen, token, value, is_new, token, tl.zeros_like(token) - 1,
            before, log_sum, left, pays_singly, progress, kind_of, default, base, needs,
            needs_if_broken, pending, detour, is_last, arc_key, arc_next,
            out_token, out_log, out_score, out_progress, out_owed, out_beam,
            vocab, guards, machines, kinds, edges, steps, detours, end_costs, never,
            False, IS_PLACED, HAS_LAST, HAS_EDGES,
        )  # fmt: skip
