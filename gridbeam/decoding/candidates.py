"""All ways to extend a column: the paper's generate, start and continue, for all hypotheses.

Nothing here loops over hypotheses, but for filters of the user's own, which are Python functions.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from gridbeam.constraints.automaton import NOT_PLACED
from gridbeam.decoding.column import Beams, Candidates, Limits
from gridbeam.decoding.hypothesis import Origin
from gridbeam.decoding.scoring import Extension, Score, sum_of_log_probs
from gridbeam.decoding.tables import LOST, FilterPlace, Tables
from gridbeam.errors import ModelError, UserError

_SPARE_TOKENS = 8
"""How many forbidden or tied tokens are skipped before more of the best tokens are asked for."""
_BLOCK = 64
"""How many tokens are looked through at a time for the best."""
_ROUNDING = 1e-2
"""How far above 0 a log-probability may be by rounding, in half precision too."""


def with_filters(
    progress: Int[Tensor, "hyp machine"],
    sentence: Int[Tensor, "hyp"],
    places: tuple[FilterPlace, ...],
    prefixes: list[tuple[int, ...]],
) -> Int[Tensor, "hyp machine"]:
    """The progress with the filters switched on that hold after each prefix.

    Filters are Python functions, called once for each prefix.
    """
    progress = progress.clone()
    for place in places:
        for row in (sentence == place.sentence).nonzero().flatten().tolist():
            progress[row, place.column] = place.machine.with_filters(
                int(progress[row, place.column]), prefixes[row]
            )
    return progress


def extend(
    beams: Beams,
    log_probs: Float[Tensor, "hyp vocab"],
    tables: Tables,
    limits: Limits,
    *,
    ends: Int[Tensor, "end"],
    length: int,
    score: Score,
) -> Candidates:
    """All candidates of the next column that the model and the constraints allow.

    Those that can no longer finish are left out.
    """
    drafts = _ended(beams, log_probs, ends)
    if not (limits.is_last_of_all and limits.end_costs):
        wanted = _wanted(beams, log_probs, tables)
        drafts = _joined(drafts, wanted, _generated(beams, log_probs, tables, limits.widest, ends))
        if score is not sum_of_log_probs and not tables.is_placed:
            drafts = _without_repeats(drafts, tables.vocab_size)
    _refuse_impossible(drafts.log_prob, drafts.token)
    progress = _progress_after(beams.progress[drafts.parent], drafts, tables)
    owed, sentence, before = (
        tables.owed_after(progress),
        beams.sentence[drafts.parent],
        beams.score[drafts.parent],
    )
    is_end = torch.isin(drafts.token, ends)
    tokens_left = limits.tokens_left[sentence]
    fits = is_end | (tables.needs_after(progress, owed, sentence) + limits.end_costs <= tokens_left)
    if limits.is_last:
        is_pending = tables.pending[progress[:, : tables.guards]].any(1)
        fits &= is_end | (tokens_left > 0) | ~is_pending
    log_prob = drafts.log_prob.to(before.dtype).clamp(max=0.0)
    candidates = Candidates(
        sentence=sentence,
        parent=drafts.parent,
        token=drafts.token,
        placed_for=drafts.placed_for,
        origin=drafts.origin,
        is_end=is_end,
        log_prob=log_prob,
        progress=progress,
        owed=owed,
        score=_scored(score, Extension(before, log_prob, drafts.origin, drafts.token, length)),
    )
    is_possible = (
        (progress != LOST).all(1) & (log_prob != -torch.inf) & (candidates.score != -torch.inf)
    )
    return candidates[(is_possible & fits).nonzero().flatten()]


@dataclass(frozen=True)
class _Drafts:
    """Candidates before their progress is known."""

    parent: Int[Tensor, "cand"]
    token: Int[Tensor, "cand"]
    placed_for: Int[Tensor, "cand"]
    next_state: Int[Tensor, "cand"]
    """Where a placed token leads its machine."""
    origin: Int[Tensor, "cand"]
    log_prob: Float[Tensor, "cand"]


def _wanted(beams: Beams, log_probs: Float[Tensor, "hyp vocab"], tables: Tables) -> _Drafts:
    """The paper's *start* and *continue*: tokens that the constraints of a hypothesis wait for."""
    if not tables.wanted_token.numel():
        none = tables.wanted_token
        return _unplaced(none, none, log_probs.new_empty(0))
    required = beams.progress[:, tables.guards :]
    states = required.flatten()
    counts = tables.wanted_count[states]
    place = torch.repeat_interleave(counts)
    nth = torch.arange(len(place), device=place.device) - (counts.cumsum(0) - counts)[place]
    arc = tables.wanted_first[states[place]] + nth
    parent = place // max(1, required.shape[1])
    token = tables.wanted_token[arc]
    inside = tables.inside[states[place]]
    return _Drafts(
        parent=parent,
        token=token,
        placed_for=place % max(1, required.shape[1]),
        next_state=tables.wanted_next[arc],
        origin=torch.where(inside, int(Origin.CONTINUED), int(Origin.STARTED)),
        log_prob=log_probs[parent, token],
    )


def _generated(
    beams: Beams,
    log_probs: Float[Tensor, "hyp vocab"],
    tables: Tables,
    width: int,
    ends: Int[Tensor, "end"],
) -> _Drafts:
    """The paper's *generate*: the best tokens of each open hypothesis.

    End tokens and forbidden tokens are not among them.
    """
    open_kinds = tables.open_kinds(beams.progress[:, tables.guards :])
    is_open = open_kinds.any(1)
    asks_all = tables.is_selective and not tables.is_placed
    asked = beams.progress[:, : None if asks_all else tables.guards, None]
    fetched = min(log_probs.shape[1], width + len(ends) + _SPARE_TOKENS)
    while True:
        values, tokens = _best(log_probs, fetched)
        allowed = is_open[:, None] if asks_all else open_kinds.gather(1, tables.kind[tokens])
        allowed = allowed & ~torch.isin(tokens, ends) & (values != -torch.inf)
        if asked.shape[1]:
            each = tokens[:, None].expand(-1, asked.shape[1], -1)
            allowed &= (tables.read(asked.expand_as(each), each) != LOST).all(1)
        chosen = allowed & (allowed.cumsum(1) <= width)
        # A tie that goes on beyond what was fetched is not settled yet: the lowest token ids among
        # equals are wanted.
        lowest = torch.where(chosen, values, torch.inf).amin(1)
        is_settled = (
            ((chosen.sum(1) == width) & (lowest > values[:, -1]))
            | (values[:, -1] == -torch.inf)
            | ~is_open
        )
        if fetched == log_probs.shape[1] or bool(is_settled.all()):
            break
        fetched = min(log_probs.shape[1], 2 * fetched)
    place = chosen.flatten().nonzero().flatten()
    return _unplaced(place // fetched, tokens.flatten()[place], values.flatten()[place])


def _best(
    log_probs: Float[Tensor, "hyp vocab"], count: int
) -> tuple[Float[Tensor, "hyp best"], Int[Tensor, "hyp best"]]:
    """The best log-probabilities of each row and their tokens; ties go to the lowest token."""
    values, tokens = _largest(log_probs, count)
    _refuse_impossible(values[:, 0], tokens[:, 0])
    tokens, by_token = tokens.sort(dim=1)
    values, by_value = values.gather(1, by_token).sort(dim=1, descending=True, stable=True)
    return values, tokens.gather(1, by_value)


def _largest(
    log_probs: Float[Tensor, "hyp vocab"], count: int
) -> tuple[Float[Tensor, "hyp best"], Int[Tensor, "hyp best"]]:
    """What `topk` gives, on a CPU in a fifth of its time.

    The largest stand in as many blocks at most, those whose largest are the largest.
    """
    rows, vocab = log_probs.shape
    blocks = vocab // _BLOCK
    if log_probs.device.type != "cpu" or blocks < 2 * count:
        return log_probs.topk(count, dim=1)
    rest = blocks * _BLOCK
    in_blocks = log_probs[:, :rest].contiguous().view(rows, blocks, _BLOCK)
    chosen = in_blocks.amax(2).topk(count, dim=1).indices
    lines = (chosen + torch.arange(0, rows * blocks, blocks)[:, None]).flatten()
    found = in_blocks.view(-1, _BLOCK).index_select(0, lines).view(rows, -1)
    if rest < vocab:
        found = torch.cat([found, log_probs[:, rest:]], 1)
        chosen = torch.cat([chosen, torch.full((rows, 1), blocks)], 1)
    values, places = found.topk(count, dim=1)
    return values, chosen.gather(1, places // _BLOCK) * _BLOCK + places % _BLOCK


def _ended(
    beams: Beams, log_probs: Float[Tensor, "hyp vocab"], ends: Int[Tensor, "end"]
) -> _Drafts:
    """The end tokens, for hypotheses that owe nothing."""
    may_end = (beams.owed == 0).nonzero().flatten()
    parent, token = may_end.repeat_interleave(len(ends)), ends.repeat(len(may_end))
    return _unplaced(parent, token, log_probs[parent, token])


def _unplaced(
    parent: Int[Tensor, "cand"], token: Int[Tensor, "cand"], log_prob: Float[Tensor, "cand"]
) -> _Drafts:
    nothing = torch.full_like(parent, NOT_PLACED)
    return _Drafts(
        parent, token, nothing, nothing, torch.full_like(parent, int(Origin.GENERATED)), log_prob
    )


def _refuse_impossible(log_prob: Float[Tensor, "any"], token: Int[Tensor, "any"]) -> None:
    """Raises where the best of a row are NaN, infinite or logits.

    These always show among the best, so it is enough to look at what is used anyway.
    """
    wrong = log_prob.isnan() | (log_prob > _ROUNDING)
    if bool(wrong.any()):
        raise ModelError(
            f"model.step returned {float(log_prob[wrong][0])} for token {int(token[wrong][0])}: "
            "log-probabilities are at most 0. Apply log_softmax to logits."
        )


def _scored(score: Score, new: Extension[Tensor]) -> Float[Tensor, "cand"]:
    scores = score(new)
    is_fitting = (
        isinstance(scores, Tensor)
        and scores.shape == new.log_prob.shape
        and scores.is_floating_point()
    )
    if not is_fitting or bool((scores.isnan() | scores.isposinf()).any()):
        raise UserError("score= must return a tensor of finite numbers, one for each candidate")
    fitting: Tensor = scores.to(new.score.dtype)
    return fitting


def _joined(*drafts: _Drafts) -> _Drafts:
    return _Drafts(
        *(
            torch.cat(column)
            for column in zip(*(vars(part).values() for part in drafts), strict=True)
        )
    )


def _without_repeats(drafts: _Drafts, vocab_size: int) -> _Drafts:
    """The drafts with one origin, the first, for each token of a hypothesis.

    So a score cannot choose between origins.
    """
    key = drafts.parent * vocab_size + drafts.token
    key, order = key.sort(stable=True)
    is_first = torch.ones_like(key, dtype=torch.bool)
    is_first[1:] = key[1:] != key[:-1]
    first = order[is_first.nonzero().flatten()].sort().values
    return _Drafts(*(column[first] for column in vars(drafts).values()))


def _progress_after(
    before: Int[Tensor, "cand machine"], drafts: _Drafts, tables: Tables
) -> Int[Tensor, "cand machine"]:
    """The progress of each candidate.

    Most tokens are mentioned by no constraint and take the default.
    """
    after = tables.default[before, tables.kind[drafts.token][:, None]]
    watching = slice(tables.guards) if tables.is_placed else slice(None)
    if tables.guards or not tables.is_placed:
        rows = tables.mentioned[drafts.token].nonzero().flatten()
        states = before[rows, watching]
        after[rows, watching] = tables.read(states, drafts.token[rows, None].expand_as(states))
    if tables.is_placed and after.shape[1] > tables.guards:
        column = tables.guards + drafts.placed_for.clamp(min=0)[:, None]
        is_placed = drafts.placed_for[:, None] != NOT_PLACED
        after.scatter_(
            1, column, torch.where(is_placed, drafts.next_state[:, None], after.gather(1, column))
        )
    return after
