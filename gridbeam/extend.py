"""Every way a column may go on: the paper's generate, start and continue, for all hypotheses at once.

Nothing here loops over hypotheses, but for filters of the user's own, which are Python functions.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from gridbeam.errors import ModelError, UserError
from gridbeam.grid import GENERATED, Beams, Candidates, Limits
from gridbeam.hypothesis import Origin
from gridbeam.scoring import Extension, Score
from gridbeam.tables import DEAD, FilterPlace, Tables

_SPARE_TOKENS = 32
"""How many forbidden tokens are skipped before the best tokens are asked for anew."""
_ROUNDING = 1e-2
"""How far above 0 a log-probability may be by rounding, in half precision too."""


def with_filters(
    progress: Int[Tensor, "hyp machine"],
    sentence: Int[Tensor, "hyp"],
    places: tuple[FilterPlace, ...],
    prefixes: list[tuple[int, ...]],
) -> Int[Tensor, "hyp machine"]:
    """The progress with the filters switched on that hold after each prefix: Python functions, one call for each."""
    progress = progress.clone()
    for place in places:
        for row in (sentence == place.sentence).nonzero().flatten().tolist():
            open_ = sum(1 << bit for bit, holds in enumerate(place.filters) if holds(prefixes[row]))
            progress[row, place.machine] += open_
    return progress


def extend(
    beams: Beams, log_probs: Float[Tensor, "hyp vocab"], tables: Tables, limits: Limits, *, eos: int, length: int, score: Score
) -> Candidates:
    """Every candidate of the next column that the model and the constraints allow, and that can still finish."""
    drafts = _ended(beams, log_probs, eos)
    if limits.tokens_left or not limits.end_costs:
        wanted = _wanted(beams, log_probs, tables)
        drafts = _joined(drafts, wanted, _generated(beams, log_probs, tables, limits.widest, eos))
    _refuse_impossible(drafts.log_prob, drafts.token)
    progress = _progress_after(beams.progress[drafts.parent], drafts, tables)
    owed, sentence, before = tables.owed_after(progress), beams.sentence[drafts.parent], beams.score[drafts.parent]
    is_end = drafts.token == eos
    fits = is_end | (tables.needs_after(progress, owed, sentence) + limits.end_costs <= limits.tokens_left)
    return Candidates(
        sentence=sentence,
        parent=drafts.parent,
        token=drafts.token,
        machine=drafts.machine,
        origin=drafts.origin,
        is_end=is_end,
        log_prob=drafts.log_prob,
        progress=progress,
        owed=owed,
        score=_scored(score, Extension(before, drafts.log_prob.to(before.dtype), drafts.origin, drafts.token, length)),
    )[(progress != DEAD).all(1) & fits & (drafts.log_prob != -torch.inf)]


@dataclass(frozen=True)
class _Drafts:
    """Candidates before their progress is known."""

    parent: Int[Tensor, "cand"]
    token: Int[Tensor, "cand"]
    machine: Int[Tensor, "cand"]
    next_state: Int[Tensor, "cand"]
    """Where a placed token leads its machine."""
    origin: Int[Tensor, "cand"]
    log_prob: Float[Tensor, "cand"]


def _wanted(beams: Beams, log_probs: Float[Tensor, "hyp vocab"], tables: Tables) -> _Drafts:
    """The paper's *start* and *continue*: the tokens that the constraints of each hypothesis wait for."""
    states = beams.progress.flatten()
    counts = tables.wanted_count[states]
    place = torch.repeat_interleave(counts)
    nth = torch.arange(len(place), device=place.device) - (counts.cumsum(0) - counts)[place]
    arc = tables.wanted_first[states[place]] + nth
    parent = place // beams.progress.shape[1]
    token = tables.wanted_token[arc]
    inside = tables.inside[states[place]]
    return _Drafts(
        parent=parent,
        token=token,
        machine=place % beams.progress.shape[1],
        next_state=tables.wanted_next[arc],
        origin=torch.where(inside, int(Origin.CONTINUED), int(Origin.STARTED)),
        log_prob=log_probs[parent, token],
    )


def _generated(beams: Beams, log_probs: Float[Tensor, "hyp vocab"], tables: Tables, width: int, eos: int) -> _Drafts:
    """The paper's *generate*: the best tokens of each open hypothesis, the end token and forbidden ones aside."""
    vocab_size = log_probs.shape[1]
    guard = beams.progress[:, :1]
    most_banned = int(tables.banned[guard].max()) if tables.has_guard else 0
    enough = min(vocab_size, width + 1 + most_banned)
    fetched = min(enough, width + 1 + _SPARE_TOKENS)
    while True:
        values, tokens = log_probs.topk(fetched, dim=1)
        _refuse_impossible(values[:, 0], tokens[:, 0])
        allowed = (tokens != eos) & (values > -torch.inf)
        if tables.has_guard:
            allowed &= tables.read(guard.expand_as(tokens), tokens) != DEAD
        if fetched == enough or bool((allowed.sum(1) >= width).all()):
            break
        fetched = min(enough, 2 * fetched)
    is_open = (tables.default[beams.progress] != DEAD).all(1, keepdim=True)
    chosen = allowed & (allowed.cumsum(1) <= width) & is_open
    parent = chosen.nonzero()[:, 0]
    return _unplaced(parent, tokens[chosen], values[chosen])


def _ended(beams: Beams, log_probs: Float[Tensor, "hyp vocab"], eos: int) -> _Drafts:
    """The end token, for hypotheses that owe nothing."""
    parent = (beams.owed == 0).nonzero().flatten()
    return _unplaced(parent, torch.full_like(parent, eos), log_probs[parent, eos])


def _unplaced(parent: Int[Tensor, "cand"], token: Int[Tensor, "cand"], log_prob: Float[Tensor, "cand"]) -> _Drafts:
    nothing = torch.full_like(parent, GENERATED)
    return _Drafts(parent, token, nothing, nothing, torch.full_like(parent, int(Origin.GENERATED)), log_prob)


def _refuse_impossible(log_prob: Float[Tensor, "any"], token: Int[Tensor, "any"]) -> None:
    """NaN, infinity and logits show in the best of a row, so it is enough to look at those that are used anyway."""
    wrong = log_prob.isnan() | (log_prob > _ROUNDING)
    if bool(wrong.any()):
        raise ModelError(
            f"model.step returned {float(log_prob[wrong][0])} for token {int(token[wrong][0])}: "
            "log-probabilities are at most 0. Apply log_softmax to logits."
        )


def _scored(score: Score, new: Extension[Tensor]) -> Float[Tensor, "cand"]:
    scores = score(new)
    if not isinstance(scores, Tensor) or scores.shape != new.log_prob.shape or not scores.is_floating_point():
        raise UserError("score= must return a tensor of finite numbers, one for each candidate")
    return scores.to(new.score.dtype)


def _joined(*drafts: _Drafts) -> _Drafts:
    return _Drafts(*(torch.cat(column) for column in zip(*(vars(part).values() for part in drafts), strict=True)))


def _progress_after(before: Int[Tensor, "cand machine"], drafts: _Drafts, tables: Tables) -> Int[Tensor, "cand machine"]:
    """The progress of each candidate; most tokens are mentioned by no constraint and take the default."""
    after = tables.default[before]
    watching = slice(0, 1) if tables.is_placed else slice(None)
    if tables.has_guard or not tables.is_placed:
        rows = tables.mentioned[drafts.token].nonzero().flatten()
        states = before[rows, watching]
        after[rows, watching] = tables.read(states, drafts.token[rows, None].expand_as(states))
    if tables.is_placed:
        rows = (drafts.machine != GENERATED).nonzero().flatten()
        after[rows, drafts.machine[rows]] = drafts.next_state[rows]
    return after
