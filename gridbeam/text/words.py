"""A text as words: letters that belong together, and each other character by itself.

White space belongs to no word. What counts as a letter is what `gridbeam.tokens.vocabulary` counts,
so that a term is found in a source on the same terms on which it is required of a translation. In
scripts without spaces every character is a word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain

from gridbeam.text.letters import UNSPACED, is_of_a_word

_OPENING = frozenset("\"'“”„‘’‚«»‹›([{¿¡-–—•*")
"""Marks that may stand between the end of a sentence and the first word of the next."""
_CLOSING = frozenset("\"'”’»)]")
_ENDING = frozenset(".!?…。！？")
_TYPED = str.maketrans("’‘“”„‐\u2011", '\'\'"""--')
"""Marks as a keyboard has them, for those that are set in print."""
_WITH_MARKS = [
    range(0x300, 0x3400), range(0xA600, 0xAC00), range(0xFB00, 0x12000), range(0x16000, 0x17000),
    range(0x1B000, 0x1F000), range(0xE0100, 0xE01F0),
]  # fmt: skip
"""Where Unicode has marks that join the letter before them; ideographs and syllables, which have
none, take long to ask."""


def words(text: str) -> list[str]:
    """The words of a text, in order.

    >>> words("E-mail: naïve C++ 日本")
    ['E', '-', 'mail', ':', 'naïve', 'C', '+', '+', '日', '本']
    """
    return _pattern_for(text).findall(text)


def spans(text: str, found: Iterable[str]) -> list[tuple[int, int]]:
    """Where each of the words of a text begins and ends.

    >>> spans("C++ is", words("C++ is"))
    [(0, 1), (1, 2), (2, 3), (4, 6)]
    """
    places, end = [], 0
    for word in found:
        start = text.index(word, end)  # nothing but white space is in between
        end = start + len(word)
        places.append((start, end))
    return places


def typed(word: str) -> str:
    """The word with accents composed, and with the apostrophes and hyphens of a keyboard.

    >>> typed("cafe\u0301"), typed("’")
    ('café', "'")
    """
    return word if word.isascii() else unicodedata.normalize("NFC", word).translate(_TYPED)


def folded(word: str) -> str:
    """The word without capitals, as `typed`."""
    return (
        word.casefold() if word.isascii() else unicodedata.normalize("NFC", typed(word).casefold())
    )


def begins_sentence(text: str, start: int) -> bool:
    """Whether what begins at `start` may be the first word of a sentence.

    >>> [begins_sentence("Full. “Disk full.” Or disk.", place) for place in (0, 7, 12, 19, 22)]
    [True, True, False, True, False]
    """
    place = start - 1
    while place >= 0 and (text[place].isspace() or text[place] in _OPENING):
        if text[place] == "\n":
            return True
        place -= 1
    while place >= 0 and text[place] in _CLOSING:
        place -= 1
    return place < 0 or (text[place] in _ENDING and any(map(str.isspace, text[place:start])))


def capitalised(text: str) -> str:
    """The text as a sentence would begin with it."""
    return text[:1].upper() + text[1:]


def contains(whole: Sequence[str], part: Sequence[str]) -> bool:
    """Whether these words hold those, one after the other."""
    size = len(part)
    return any(
        list(whole[start : start + size]) == list(part) for start in range(len(whole) - size + 1)
    )


def _pattern_for(text: str) -> re.Pattern[str]:
    return _full_pattern() if _RARE.search(text) else _PLAIN


_PLAIN = re.compile(r"\w+|\S")
_RARE = re.compile("[^\0-\u02ff\u0370-\u0482\u048a-\u0530\u2000-\u206f]")
"""What the plain pattern, ten times as fast, may take for something else: all but Latin, Greek and
Cyrillic without marks."""


@cache
def _full_pattern() -> re.Pattern[str]:
    unspaced = "".join(f"{chr(low)}-{chr(high)}" for low, high in UNSPACED)
    marks = "".join(
        c
        for c in map(chr, chain.from_iterable(_WITH_MARKS))
        if unicodedata.category(c)[0] == "M" and is_of_a_word(c)
    )
    letter = rf"[^\W{unspaced}]"
    return re.compile(rf"{letter}+(?:[{marks}]+{letter}*)*|(?:[{marks}]+{letter}*)+|\S")
