"""The global effect of section 4.3: how good a translation is outside the words that were given.

From the reference the given words are taken out. From the constrained translation, the stretches
that meet the constraints. From the translation without constraints, the words that stand in their
place: those that an alignment of least edits pairs with a given word of the reference, the same or
another. The constraints can then gain nothing by their own words, nor by the wrong ones that they
replaced; what is left shows whether the rest got better.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gridbeam.constraints.occurrences import Span
from gridbeam.experiments.reference import ReferenceText


def without(text: ReferenceText, dropped: Collection[int]) -> str:
    """The words of a text without some of them, with spaces between."""
    return " ".join(word for number, word in enumerate(text.words) if number not in dropped)


def covered(text: ReferenceText, spans: Sequence[Span]) -> set[int]:
    """The numbers of the words that touch a stretch of the text.

    >>> sorted(covered(ReferenceText.of("Er kam gestern."), [(3, 14)]))
    [1, 2]
    """
    return {
        number
        for number, (start, end) in enumerate(text.places)
        if any(start < b and a < end for a, b in spans)
    }


def in_place_of(given: Collection[int], reference: ReferenceText, text: ReferenceText) -> set[int]:
    """The indices of the words of a text that stand where the reference has given words.

    An alignment of least edits pairs them.

    >>> came, went = map(ReferenceText.of, ("Er kam gestern.", "Er ging gestern."))
    >>> sorted(in_place_of({1}, came, went))
    [1]
    """
    return {other for number, other in _aligned(reference.words, text.words) if number in given}


def _aligned(one: Sequence[str], other: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of words, equal or substituted, by the fewest edits.

    Of such alignments, one with the most equal words.
    """
    edit = (
        len(one) + len(other) + 1
    )  # so that one edit less is worth more than any number of words that are the same
    costs = [[edit * column for column in range(len(other) + 1)]]
    for word in one:
        before, here = costs[-1], [costs[-1][0] + edit]
        for column, said in enumerate(other):
            here.append(
                min(
                    before[column] + (-1 if word == said else edit),
                    before[column + 1] + edit,
                    here[-1] + edit,
                )
            )
        costs.append(here)
    pairs, row, column = [], len(one), len(other)
    while row and column:
        is_same = one[row - 1] == other[column - 1]
        if costs[row][column] == costs[row - 1][column - 1] + (-1 if is_same else edit):
            row, column = row - 1, column - 1
            pairs.append((row, column))
        elif costs[row][column] == costs[row - 1][column] + edit:
            row -= 1
        else:
            column -= 1
    return pairs
