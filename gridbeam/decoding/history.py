"""What stayed in each column, to trace back a hypothesis from its last token, or the grid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from gridbeam.decoding.column import Candidates
from gridbeam.decoding.finished import Finished
from gridbeam.decoding.hypothesis import Origin, Trace, Traced, Work
from gridbeam.decoding.tables import Tables


@dataclass(frozen=True)
class Column:
    """The candidates that stayed, and for each its place in the column before."""

    kept: Candidates
    parent: Int[Tensor, "kept"]


@dataclass(frozen=True)
class Path:
    """A finished hypothesis: its tokens, and the required machine that each was placed for."""

    tokens: tuple[int, ...]
    log_probs: tuple[float, ...]
    placed_for: tuple[int, ...]
    score: float


def paths_to(finished: Finished, history: Sequence[Column]) -> list[list[Path]]:
    """For each sentence the paths of its finished hypotheses, best first."""
    sentence, place = (finished.score > -torch.inf).nonzero(as_tuple=True)
    last, index = finished.column[sentence, place], finished.index[sentence, place]
    steps: list[tuple[Bool[Tensor, "path"], Int[Tensor, "path"], Tensor, Int[Tensor, "path"]]] = []
    for number in reversed(range(len(history))):
        kept = history[number].kept
        is_on_path = last >= number
        here = torch.where(is_on_path, index, 0)
        steps.append((is_on_path, kept.token[here], kept.log_prob[here], kept.placed_for[here]))
        index = torch.where(is_on_path, history[number].parent[here], index)
    columns = (
        [torch.stack([step[i] for step in reversed(steps)], 1).tolist() for i in range(4)]
        if steps
        else [[]] * 4
    )
    paths: list[list[Path]] = [[] for _ in range(len(finished.score))]
    scores = finished.score[sentence, place].tolist()
    for number, (owner, score) in enumerate(zip(sentence.tolist(), scores, strict=True)):
        length = sum(columns[0][number])
        tokens, log_probs, placed_for = (tuple(columns[i][number][:length]) for i in (1, 2, 3))
        paths[owner].append(Path(tokens, log_probs, placed_for, score))
    return paths


def work_of(expanded: Sequence[Tensor], longest: Sequence[int]) -> list[Work]:
    """How much was done for each sentence, whose text may have so many tokens.

    `expanded` has, for each column, the sentences of the hypotheses that were expanded there.
    """
    counts = torch.stack([torch.bincount(column, minlength=len(longest)) for column in expanded])
    totals, columns = counts.sum(0).tolist(), (counts > 0).sum(0).tolist()
    return [Work(*each) for each in zip(totals, columns, longest, strict=True)]


def prefixes_of(history: Sequence[Column], place: Int[Tensor, "hyp"]) -> Int[Tensor, "hyp length"]:
    """The tokens of hypotheses, given their places in the last column."""
    steps = []
    for column in reversed(history):
        steps.append(column.kept.token[place])
        place = column.parent[place]
    return torch.stack(steps[::-1], 1) if steps else place.new_zeros(len(place), 0)


def traces_of(history: Sequence[Column], tables: Tables) -> list[Trace]:
    """For each sentence the grid that was searched."""
    owed_at_start = tables.owed_after(tables.start).tolist()
    grids: list[list[tuple[Traced, ...]]] = [[] for _ in owed_at_start]
    for number in range(len(history)):
        for sentence, traced in traced_in(history, number, tables).items():
            grids[sentence].append(traced)
    return [Trace(tuple(grid), owed) for grid, owed in zip(grids, owed_at_start, strict=True)]


def traced_in(
    history: Sequence[Column], number: int, tables: Tables
) -> dict[int, tuple[Traced, ...]]:
    """By sentence the hypotheses of the column of this number."""
    column, kept = history[number], history[number].kept
    places_before = _places(history[number - 1]) if number else None
    is_open = tables.open_kinds(kept.progress).any(1).tolist()
    rows = zip(
        kept.sentence.tolist(),
        kept.token.tolist(),
        kept.log_prob.tolist(),
        kept.score.tolist(),
        kept.owed.tolist(),
        kept.origin.tolist(),
        is_open,
        kept.is_end.tolist(),
        column.parent.tolist(),
        strict=True,
    )
    hyps: dict[int, list[Traced]] = {}
    for sentence, token, log_prob, score, owed, origin, may_generate, is_end, parent in rows:
        from_ = places_before[parent] if places_before is not None else None
        hyps.setdefault(sentence, []).append(
            Traced(token, log_prob, score, owed, Origin(origin), may_generate, is_end, from_)
        )
    return {sentence: tuple(traced) for sentence, traced in hyps.items()}


def _places(column: Column) -> list[int]:
    """The place of each hypothesis of a column within its sentence."""
    counts: Counter[int] = Counter()
    places = []
    for sentence in column.kept.sentence.tolist():
        places.append(counts[sentence])
        counts[sentence] += 1
    return places
