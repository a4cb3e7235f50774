"""TERm: the translation edit rate where mistakes in terms cost more (Alam et al., 2021).

The edits that turn a text into its reference: a word put in, taken out or replaced, and a stretch
of words shifted elsewhere. As in pyter, shifts are searched greedily: of all stretches that the
reference has elsewhere, the one whose shift saves most. All shifts are tried at once, as rows of
arrays.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

TERM_COST = 2
"""What it costs to leave out or replace a word of a term in the reference; any other edit costs
1."""


def term_edit_rate(
    said: Sequence[str], reference: Sequence[str], of_terms: Collection[int] = ()
) -> float:
    """The cost of all edits per word of the reference; `of_terms` are its words in terms.

    >>> said, meant = "die Platte voll ist".split(), "die Festplatte ist voll".split()
    >>> term_edit_rate(said, meant, of_terms={1})
    0.75
    """
    costs = np.array([TERM_COST if place in of_terms else 1 for place in range(len(reference))])
    words = list(said)
    shifts = 0
    edits = _edits([words], reference, costs)[0]
    while candidates := list(_shifted(words, reference)):
        found = _edits(candidates, reference, costs)
        # Among equals, the last in the order of the alphabet, as in pyter.
        fewest, best = (
            min(found),
            max(candidates[place] for place in np.flatnonzero(found == found.min())),
        )
        if fewest >= edits:
            break
        words, edits, shifts = best, fewest, shifts + 1
    return float(shifts + edits) / len(reference)


def _shifted(words: Sequence[str], reference: Sequence[str]) -> Iterator[list[str]]:
    """The words with a stretch moved to where the reference has it, for each such stretch."""
    for start, word in enumerate(words):
        for place, other in enumerate(reference):
            if word != other or start == place:
                continue
            size = _common(words[start:], reference[place:])
            rest = [*words[:start], *words[start + size :]]
            yield [*rest[:place], *words[start : start + size], *rest[place:]]


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    """How many words two sequences have in common from their beginning on."""
    same = 0
    for own, other in zip(left, right, strict=False):
        if own != other:
            break
        same += 1
    return same


def _edits(
    texts: Sequence[Sequence[str]], reference: Sequence[str], costs: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The least cost to turn each of some texts of equal length into the reference, unshifted."""
    numbers = {word: number for number, word in enumerate(dict.fromkeys(reference))}
    wanted = np.array([numbers[word] for word in reference])
    said = np.array([[numbers.get(word, -1) for word in text] for text in texts])  # text, place
    missing = np.concatenate(
        [[0], np.cumsum(costs)]
    )  # to leave out the first words of the reference
    row = np.tile(missing, (len(texts), 1))
    for place in range(said.shape[1]):
        replaced = row[:, :-1] + np.where(said[:, place, None] == wanted, 0, costs)
        row = row + 1
        row[:, 1:] = np.minimum(row[:, 1:], replaced)
        # Words of the reference left out after this one: a running minimum, once the cost so far is
        # taken off.
        row = np.minimum.accumulate(row - missing, axis=1) + missing
    found: NDArray[np.int64] = row[:, -1]
    return found
