"""What a search in slots has found, read off its record in one go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from gridbeam.decoding.history import Path
from gridbeam.decoding.hypothesis import Work
from gridbeam.decoding.slots.memory import SlotMemory


@dataclass(frozen=True)
class Found:
    """For each sentence what a search has come to."""

    paths: list[list[Path]]
    """All finished paths that are kept in mind, best first."""
    works: list[Work]
    given_up: frozenset[int]
    """Sentences that must be searched in the other way."""


def found_in(memory: SlotMemory, columns: int, longest: Sequence[int]) -> Found:
    """What stands in the memory after so many columns."""
    count, course = len(longest), memory.course
    expanded, worked = course.expanded[:count].tolist(), course.columns[:count].tolist()
    works = [Work(*each) for each in zip(expanded, worked, longest, strict=True)]
    given_up = course.is_given_up[:count].nonzero().flatten().tolist()
    return Found(_paths(memory, columns, count), works, frozenset(given_up))


def _paths(memory: SlotMemory, columns: int, count: int) -> list[list[Path]]:
    """The finished paths of the first sentences."""
    finished, record = memory.finished, memory.record
    score = finished.score[:count].cpu()
    sentence, place = (score > -torch.inf).nonzero(as_tuple=True)
    last = finished.column[:count].cpu()[sentence, place]
    line = finished.index[:count].cpu()[sentence, place]
    token, parent, placed_for, log_prob = (
        each[:columns, :count].cpu()
        for each in (record.token, record.parent, record.placed_for, record.log_prob)
    )
    steps: list[tuple[Tensor, Tensor, Tensor]] = []
    for number in reversed(range(columns)):
        here = (number, sentence, line)
        steps.append((token[here], log_prob[here], placed_for[here]))
        line = torch.where(last >= number, parent[here], line)
    paths: list[list[Path]] = [[] for _ in range(count)]
    if not steps:
        return paths
    tokens, log_probs, places = (
        torch.stack([step[i] for step in reversed(steps)], 1).tolist() for i in range(3)
    )
    scores = score[sentence, place].tolist()
    for number, (owner, length) in enumerate(
        zip(sentence.tolist(), (last + 1).tolist(), strict=True)
    ):
        text, parts, placed = (tuple(each[number][:length]) for each in (tokens, log_probs, places))
        paths[owner].append(Path(text, parts, placed, scores[number]))
    return paths
