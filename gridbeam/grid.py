"""The grid as tensors: all live hypotheses of all sentences and rows side by side, extended and thinned out together.

Pure functions, three for a column: `extend` makes the candidates (generate, start, continue), `keep_best` says which of them
stay in each row, `Beams.after` is the next column. Nothing here loops over hypotheses.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from gridbeam.errors import ModelError, UserError
from gridbeam.hypothesis import Origin
from gridbeam.scoring import Ended, Extension, Score
from gridbeam.tables import DEAD, FilterPlace, Tables

GENERATED = -1
"""In `Candidates.machine`: the token was placed for no constraint."""
_SPARE_TOKENS = 32


@dataclass(frozen=True)
class Beams:
    """The live hypotheses, ordered by sentence, row and rank."""

    sentence: Int[Tensor, "hyp"]
    progress: Int[Tensor, "hyp machine"]
    owed: Int[Tensor, "hyp"]
    score: Float[Tensor, "hyp"]
    token: Int[Tensor, "hyp"]
    text: Int[Tensor, "hyp"]
    """The same number for hypotheses of the same tokens."""


@dataclass(frozen=True)
class Candidates:
    """What the hypotheses of a column may become: those with a wanted token first, then generated, then ended ones."""

    sentence: Int[Tensor, "cand"]
    parent: Int[Tensor, "cand"]
    token: Int[Tensor, "cand"]
    machine: Int[Tensor, "cand"]
    """The machine that the token was placed for, or `GENERATED`."""
    origin: Int[Tensor, "cand"]
    is_end: Bool[Tensor, "cand"]
    log_prob: Float[Tensor, "cand"]
    progress: Int[Tensor, "cand machine"]
    owed: Int[Tensor, "cand"]
    score: Float[Tensor, "cand"]

    def __getitem__(self, chosen: Tensor) -> Candidates:
        return replace(self, **{name: value[chosen] for name, value in vars(self).items()})


@dataclass(frozen=True)
class Limits:
    """What a column may keep and how far it is from the end."""

    beam: int
    budget: int | None
    ended: Ended
    tokens_left: int
    """Tokens that may follow this column, the end token included."""
    end_costs: int
    """1 where a hypothesis must end within the limit, 0 where it may be cut off."""

    @property
    def widest(self) -> int:
        """The most hypotheses that a row may keep."""
        return self.beam if self.budget is None else self.budget


def first_beams(tables: Tables, bos: int, score_type: torch.dtype) -> Beams:
    """The start hypothesis of each sentence."""
    count, device = len(tables.start), tables.start.device
    return Beams(
        sentence=torch.arange(count, device=device),
        progress=tables.start,
        owed=tables.owed_after(tables.start),
        score=torch.zeros(count, dtype=score_type, device=device),
        token=torch.full((count,), bos, device=device),
        text=torch.arange(count, device=device),
    )


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
        drafts = _joined(wanted, _generated(beams, log_probs, tables, limits.widest, eos), drafts)
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


_ROUNDING = 1e-2
"""How far above 0 a log-probability may be by rounding, in half precision too."""


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


def keep_best(candidates: Candidates, beams: Beams, tables: Tables, limits: Limits) -> Int[Tensor, "kept"]:
    """The candidates that stay, the k best of each row of each sentence, ordered by sentence, row and rank."""
    rows = int(candidates.owed.max()) + 1 if len(candidates.owed) else 1
    group = candidates.sentence * rows + candidates.owed
    order = candidates.score.argsort(descending=True, stable=True)
    order = order[group[order].argsort(stable=True)]
    if beams.progress.shape[1] > 1:
        order = order[~_repeats(candidates[order], beams, tables.vocab_size)]
    group, is_end = group[order], candidates.is_end[order]
    rank = _rank(group, torch.ones_like(is_end))
    if limits.budget is None:
        width = torch.full_like(rank, limits.beam)
    else:
        width = _shares(group, len(tables.start), rows, limits.budget)
    if limits.ended == "in_beam":
        return order[rank < width]
    return order[torch.where(is_end, rank, _rank(group, ~is_end)) < width]


def _rank(group: Int[Tensor, "cand"], counted: Bool[Tensor, "cand"]) -> Int[Tensor, "cand"]:
    """How many counted candidates of the same group stand before each; groups are contiguous."""
    before = counted.cumsum(0) - counted.long()
    _, sizes = torch.unique_consecutive(group, return_counts=True)
    first = sizes.cumsum(0) - sizes
    return before - before[first].repeat_interleave(sizes) if len(group) else before


def _repeats(candidates: Candidates, beams: Beams, vocab_size: int) -> Bool[Tensor, "cand"]:
    """Whether an earlier candidate has the same tokens and the same progress.

    Sorted by a hash, equal ones lie side by side; each is then compared with its neighbour in full, so that a collision of
    hashes can hide a repeat but never invent one.
    """
    text = beams.text[candidates.parent] * vocab_size + candidates.token
    machines = candidates.progress.shape[1]
    factors = torch.arange(1, machines + 1, device=text.device) * 0x9E3779B97F4A7C1 | 1
    mixed = text * 0x2545F4914F6CDD1D + (candidates.progress * factors).sum(1)
    order = mixed.argsort(stable=True)
    text, progress = text[order], candidates.progress[order]
    same = torch.zeros_like(candidates.is_end)
    same[order[1:]] = (text[1:] == text[:-1]) & (progress[1:] == progress[:-1]).all(1)
    return same


def _shares(group: Int[Tensor, "cand"], sentences: int, rows: int, budget: int) -> Int[Tensor, "cand"]:
    """For each candidate the width of its row: the budget of its sentence shared out evenly over the rows.

    What a row cannot use goes to the others; what does not divide goes to the rows that owe least.
    """
    counts = torch.zeros(sentences * rows, dtype=torch.int64, device=group.device)
    counts = counts.index_add_(0, group, torch.ones_like(group)).view(sentences, rows)
    level = torch.zeros(sentences, 1, dtype=torch.int64, device=group.device)
    for bit in reversed(range(budget.bit_length())):
        higher = level + (1 << bit)
        level = torch.where(counts.minimum(higher).sum(1, keepdim=True) <= budget, higher, level)
    shares = counts.minimum(level)
    wants_more = counts > shares
    shares += wants_more & (wants_more.cumsum(1) <= budget - shares.sum(1, keepdim=True))
    return shares.flatten()[group]


def next_beams(kept: Candidates, beams: Beams, vocab_size: int) -> Beams:
    """The beams of the next column."""
    _, text = torch.unique(beams.text[kept.parent] * vocab_size + kept.token, return_inverse=True)
    return Beams(kept.sentence, kept.progress, kept.owed, kept.score, kept.token, text)
