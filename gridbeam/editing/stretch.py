"""Stretches of a text, by characters: whole words, overlaps, and how texts are put together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gridbeam.errors import UserError
from gridbeam.text.letters import is_of_a_word
from gridbeam.text.words import spans, words


@dataclass(frozen=True, order=True)
class Stretch:
    """The characters of a text from `start` up to `end`, as code points; perhaps none."""

    start: int
    end: int

    @property
    def size(self) -> int:
        """How many characters it has."""
        return self.end - self.start

    def of(self, text: str) -> str:
        """What stands there in a text."""
        return text[self.start : self.end]

    def moved(self, by: int) -> Stretch:
        """The same, so many characters further on."""
        return Stretch(self.start + by, self.end + by)

    def overlaps(self, other: Stretch) -> bool:
        """Whether they have a character in common."""
        return max(self.start, other.start) < min(self.end, other.end)

    def holds(self, other: Stretch) -> bool:
        """Whether the other lies within this one."""
        return self.start <= other.start and other.end <= self.end

    def without(self, other: Stretch) -> list[Stretch]:
        """What is left of it beside another.

        >>> Stretch(2, 9).without(Stretch(4, 5))
        [Stretch(start=2, end=4), Stretch(start=5, end=9)]
        """
        left = Stretch(self.start, min(self.end, other.start))
        right = Stretch(max(self.start, other.end), self.end)
        return [part for part in (left, right) if part.size > 0]

    def as_json(self) -> list[int]:
        """Where it begins and ends."""
        return [self.start, self.end]


StretchLike: TypeAlias = Stretch | Sequence[int]
"""A stretch, or its two ends."""


def as_stretch(given: StretchLike, text: str) -> Stretch:
    """The stretch that is meant, which must lie within the text."""
    try:
        start, end = (given.start, given.end) if isinstance(given, Stretch) else given
    except (TypeError, ValueError):
        raise UserError(f"where={given!r}: give the two ends of a stretch") from None
    if not 0 <= start <= end <= len(text):
        raise UserError(
            f"where=[{start}, {end}], and the text has {len(text)} characters: give where the"
            " stretch begins, counted from 0, and the place after its end"
        )
    return Stretch(start, end)


def trimmed(text: str, stretch: Stretch) -> Stretch:
    """The stretch without white space at its ends.

    >>> trimmed("so  what ", Stretch(2, 9))
    Stretch(start=4, end=8)
    """
    inside = stretch.of(text)
    start = stretch.start + len(inside) - len(inside.lstrip())
    return Stretch(start, max(start, stretch.start + len(inside.rstrip())))


def whole_words(text: str, stretch: Stretch) -> Stretch:
    """The stretch without white space at its ends, with the rest of the words that it cuts.

    >>> whole_words("Das alte Haus.", Stretch(5, 11)).of("Das alte Haus.")
    'alte Haus'
    """
    start, end = (place for place in trimmed(text, stretch).as_json())
    while is_within_word(text, start):
        start -= 1
    while is_within_word(text, end):
        end += 1
    return Stretch(start, end)


def is_within_word(text: str, place: int) -> bool:
    """Whether the characters on both sides of a place belong to one word."""
    return 0 < place < len(text) and all(map(is_of_a_word, text[place - 1 : place + 1]))


def occurrences(text: str, sought: str) -> Iterator[Stretch]:
    """Where words stand in a text, as whole words.

    >>> [found.start for found in occurrences("alt, halt, alt", "alt")]
    [0, 11]
    """
    place = text.find(sought)
    while place >= 0 and sought:
        end = place + len(sought)
        is_whole = not is_within_word(text, place) and not is_within_word(text, end)
        if is_whole:
            yield Stretch(place, end)
        place = text.find(sought, end if is_whole else place + 1)


def stands_in(text: str, parts: Iterable[str]) -> bool:
    """Whether words stand in a text, these after those.

    >>> stands_in("Das alte Haus.", ["Das", "Haus"]), stands_in("Das alte Haus.", ["Haus", "Das"])
    (True, False)
    """
    place = 0
    for part in parts:
        found = text.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    return True


def word_at(text: str, place: int) -> Stretch:
    """The word or mark at a place of a text, or the nearest before it; nothing in an empty text.

    >>> text = "Das alte Haus."
    >>> [word_at(text, place).of(text) for place in (0, 5, 8, 13)]
    ['Das', 'alte', 'alte', '.']
    """
    as_stretch((place, place), text)
    placed = [Stretch(start, end) for start, end in spans(text, words(text))]
    return next(
        (each for each in reversed(placed) if each.start <= place),
        placed[0] if placed else Stretch(0, 0),
    )
