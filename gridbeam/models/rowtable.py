"""Rows of many sentences as a table, a line for each, so that no row copies its sentence."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor


@dataclass(frozen=True)
class Places:
    """Where each row stands in a table with a line per sentence, as wide as the most rows."""

    sentence: Int[Tensor, "row"]
    place: Int[Tensor, "row"]
    sentences: int
    width: int
    is_table: bool
    """Whether the rows are in the order of the table and fill it, so that nothing has to be
    moved."""

    def table(self, of_rows: Tensor) -> Tensor:
        """What belongs to each row as [sentence, place, ...]; empty places hold zeros."""
        shape = (self.sentences, self.width, *of_rows.shape[1:])
        if self.is_table:
            return of_rows.view(shape)
        table = of_rows.new_zeros(shape)
        table[self.sentence, self.place] = of_rows
        return table

    def rows(self, table: Tensor) -> Tensor:
        """What stands at the place of each row of a table."""
        return (
            table.reshape(-1, *table.shape[2:])
            if self.is_table
            else table[self.sentence, self.place]
        )


def places_of(sentence: Int[Tensor, "row"], sentences: int) -> Places:
    """The places of rows in any order."""
    counts = torch.bincount(sentence, minlength=sentences)
    order = torch.arange(len(sentence), device=sentence.device)
    by_sentence = sentence.argsort(stable=True)
    place = torch.empty_like(sentence)
    place[by_sentence] = order - (counts.cumsum(0) - counts)[sentence[by_sentence]]
    width = int(counts.max())
    is_table = sentences * width == len(sentence) and bool(
        (sentence * width + place == order).all()
    )
    return Places(sentence, place, sentences, width, is_table)
