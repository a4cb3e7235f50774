"""Terms put into a finished translation without any model, to see if their place matters.

Section 4.2 of the paper compares grid beam search with these two. A translation is taken as words
between white space; each term goes between two of them, before the first or behind the last, and no
term into another.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random


def at_random(text: str, terms: Sequence[str], random: Random) -> str:
    """The text with each term somewhere in it; terms that meet in one place keep their order.

    >>> at_random("Wählen Sie die aus.", ["Ebene"], Random(1))
    'Wählen Ebene Sie die aus.'
    """
    words = text.split()
    places = [random.randint(0, len(words)) for _ in terms]
    parts = [
        part
        for place in range(len(words) + 1)
        for part in [
            *(term for term, own in zip(terms, places, strict=True) if own == place),
            *words[place : place + 1],
        ]
    ]
    return " ".join(parts)


def at_beginning(text: str, terms: Sequence[str]) -> str:
    """The terms, in their order, and then the text.

    >>> at_beginning("Wählen Sie die aus.", ["Ebene", "Maske"])
    'Ebene Maske Wählen Sie die aus.'
    """
    return " ".join([*terms, *text.split()])
