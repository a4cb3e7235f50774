"""What counts as a letter of a word, and the scripts that are written without spaces."""

from __future__ import annotations

import unicodedata

UNSPACED = (
    (0x0E00, 0x0FFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3040, 0x312F), (0x31F0, 0x31FF),
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0xFF66, 0xFF9D), (0x20000, 0x3FFFF),
)  # fmt: skip
"""Scripts without spaces between words: Thai, Lao, Tibetan, Burmese, Khmer, Japanese, Chinese."""


def is_of_a_word(character: str) -> bool:
    """Whether a letter beside this character would be part of the same word.

    >>> [is_of_a_word(c) for c in "ä7_-' 語"]
    [True, True, True, False, False, False, False]
    """
    if any(low <= ord(character) <= high for low, high in UNSPACED):
        return False
    return character.isalnum() or character == "_" or unicodedata.category(character)[0] == "M"


def first_character(piece: bytes) -> str | None:
    """The first character of a piece.

    None where it begins within one, or ends before one is complete.
    """
    for size in range(1, min(4, len(piece)) + 1):
        try:
            return piece[:size].decode("utf8")
        except UnicodeDecodeError:
            continue
    return None


def last_character(piece: bytes) -> str | None:
    """The last character of a piece; None where it ends within one."""
    for size in range(1, min(4, len(piece)) + 1):
        try:
            return piece[-size:].decode("utf8")[-1]
        except UnicodeDecodeError:
            continue
    return None
