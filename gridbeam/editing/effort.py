"""What corrections cost a user: words typed, keystrokes and mouse actions.

The measure is KSMR (Barrachina et al., 2009): keystrokes and mouse actions divided by the
characters of the reference. A keystroke is a character typed. A mouse action is a click: one to say
where a correction belongs, one to mark a word as right, two for a longer stretch (its ends). That
the last click accepts the sentence is the same for all and not counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Effort:
    """So many words typed, characters typed, and mouse actions."""

    words: int = 0
    keystrokes: int = 0
    clicks: int = 0

    def __add__(self, other: Effort) -> Effort:
        return Effort(
            self.words + other.words, self.keystrokes + other.keystrokes, self.clicks + other.clicks
        )

    @staticmethod
    def of_typing(words: int, text: str) -> Effort:
        """A click where the text belongs, and the text.

        >>> Effort.of_typing(2, "das Haus")
        Effort(words=2, keystrokes=8, clicks=1)
        """
        return Effort(words, len(text), 1)

    @staticmethod
    def of_marking(sizes: Sequence[int]) -> Effort:
        """The clicks for stretches of so many words.

        >>> Effort.of_marking([1, 4]).clicks
        3
        """
        return Effort(clicks=sum(1 if size == 1 else 2 for size in sizes))

    def ksmr(self, characters: int) -> float:
        """Keystrokes and mouse actions in percent of the characters of the references.

        >>> Effort(2, 8, 1).ksmr(90)
        10.0
        """
        return 100 * (self.keystrokes + self.clicks) / max(characters, 1)
