"""The reference of a sentence as words, so that a simulated user can point at some of them.

Words are those of `tokenise`: marks are words of their own, numbers and file names are whole. What
an apostrophe joins is one word here, as in the paper's third table, where `j'ai pu` is a phrase of
two.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gridbeam.constraints.occurrences import Span
from gridbeam.text import marks as tokenise
from gridbeam.text.words import WordRange, spans


@dataclass(frozen=True)
class ReferenceText:
    """A text, its words, and where they stand; white space is a single space each."""

    text: str
    words: tuple[str, ...]
    places: tuple[Span, ...]

    @staticmethod
    def of(text: str) -> ReferenceText:
        """The words of a text.

        >>> ReferenceText.of("J'ai  pu l'aimer.").words
        ("J'ai", 'pu', "l'aimer", '.')
        """
        text = " ".join(text.split())
        places: list[Span] = []
        for start, end in spans(text, tokenise.split(text)):
            joined = (
                bool(places)
                and places[-1][1] == start
                and text[start - 1] in "'’"
                and text[start].isalnum()
            )
            places[-1:] = [(places[-1][0], end)] if joined else [*places[-1:], (start, end)]
        return ReferenceText(text, tuple(text[start:end] for start, end in places), tuple(places))

    def __getitem__(self, stretch: WordRange) -> str:
        """The text of a stretch of words, as it stands there.

        >>> ReferenceText.of("Ja, er kam.")[0, 3]
        'Ja, er'
        """
        first, end = stretch
        return self.text[self.places[first][0] : self.places[end - 1][1]]

    def __len__(self) -> int:
        return len(self.words)


def stretches(numbers: Iterable[int]) -> list[WordRange]:
    """Numbers of words as stretches, each as long as can be.

    >>> stretches([7, 1, 2, 3])
    [(1, 4), (7, 8)]
    """
    found: list[WordRange] = []
    for number in sorted(numbers):
        if found and found[-1][1] == number:
            found[-1] = found[-1][0], number + 1
        else:
            found.append((number, number + 1))
    return found


def numbers(given: Iterable[WordRange]) -> set[int]:
    """The numbers of all words in these stretches."""
    return {number for stretch in given for number in range(*stretch)}
