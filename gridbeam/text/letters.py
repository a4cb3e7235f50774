"""What counts as a letter of a word, and the scripts that are written without spaces.

Whatever asks where a word begins or ends is built from this: `is_of_a_word` for a character, and
for regular expressions `letter`, `whole`, and the insides of character classes.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from itertools import chain

UNSPACED = (
    (0x0E00, 0x0FFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3040, 0x312F), (0x31F0, 0x31FF),
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0xFF66, 0xFF9D), (0x20000, 0x3FFFF),
)  # fmt: skip
"""Scripts without spaces between words: Thai, Lao, Tibetan, Burmese, Khmer, Japanese, Chinese."""
UNSPACED_CLASS = "".join(f"{chr(low)}-{chr(high)}" for low, high in UNSPACED)
"""The same for a regular expression, to stand between brackets."""
_WITH_MARKS = [
    range(0x300, 0x3400), range(0xA600, 0xAC00), range(0xFB00, 0x12000), range(0x13000, 0x14000),
    range(0x16000, 0x17000), range(0x1B000, 0x1F000), range(0xE0100, 0xE01F0),
]  # fmt: skip
"""Where Unicode has marks that join the letter before them; ideographs and syllables, which have
none, take long to ask. Newer Pythons know more of them: 3.12 those of hieroglyphs."""


@cache
def is_of_a_word(character: str) -> bool:
    """Whether a letter beside this character would be part of the same word.

    >>> [is_of_a_word(c) for c in "ä7_-' 語"]
    [True, True, True, False, False, False, False]
    """
    if any(low <= ord(character) <= high for low, high in UNSPACED):
        return False
    return character.isalnum() or character == "_" or _is_mark(character)


@cache
def marks_class() -> str:
    """Accents and vowel signs, which belong to the letter before, to stand between brackets."""
    return "".join(c for c in map(chr, chain.from_iterable(_WITH_MARKS)) if _is_mark(c))


@cache
def letter() -> str:
    """A regular expression for one character that `is_of_a_word`."""
    return rf"(?![{UNSPACED_CLASS}])[\w{marks_class()}]"


def whole(pattern: str) -> str:
    """A regular expression for what `pattern` matches and is not part of a longer word.

    >>> import re
    >>> [match.span() for match in re.finditer(whole("API"), "API APIs 用API。")]
    [(0, 3), (10, 13)]
    """
    edge = f"(?:(?<!{letter()})|(?!{letter()}))"
    return f"{edge}(?:{pattern}){edge}"


def is_whole(text: str, start: int, end: int) -> bool:
    """Whether a stretch of a text is no part of a longer word: what `whole` says as a pattern.

    >>> [is_whole("API APIs 用API。", start, start + 3) for start in (0, 4, 10)]
    [True, False, True]
    """
    return not any(
        0 < at < len(text) and is_of_a_word(text[at - 1]) and is_of_a_word(text[at])
        for at in (start, end)
    )


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M"


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
