"""A text as words: letters in a row, and every other character but white space on its own.

What counts as a letter says `gridbeam.text.letters`, here as in the tokens of a model, so that a
term is found in a source on the same terms on which it is required of a translation. In scripts
without spaces every character is a word. For counting there is `gridbeam.text.marks`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TypeAlias

from gridbeam.text.letters import UNSPACED_CLASS, is_of_a_word, marks_class

WordRange: TypeAlias = tuple[int, int]
"""The first of some words in a row, and the one after the last."""
_OPENING = frozenset("\"'“”„‘’‚«»‹›([{¿¡-–—•*")
"""Marks that may stand between the end of a sentence and the first word of the next."""
_CLOSING = frozenset("\"'”’»)]")
_ENDING = frozenset(".!?…。！？")
_TYPED = str.maketrans("’‘“”„‐\u2011", '\'\'"""--')
"""Marks as a keyboard has them, for those that are set in print."""


def words(text: str) -> list[str]:
    """The words of a text, in order.

    >>> words("E-mail: naïve C++ 日本")
    ['E', '-', 'mail', ':', 'naïve', 'C', '+', '+', '日', '本']
    """
    return _pattern_for(text).findall(text)


def is_word(word: str) -> bool:
    """Whether one of the words of a text has letters or digits, and is no mark.

    >>> [is_word(word) for word in ("naïve", "7", "日", "+", "_")]
    [True, True, True, False, False]
    """
    return any(map(str.isalnum, word))


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


def count_of(part: Sequence[str], whole: Sequence[str]) -> int:
    """How often words hold others one after the other, each occurrence behind the one before.

    >>> count_of(["a", "a"], ["a", "a", "a", "b", "a", "a"])
    2
    """
    size, place, count = len(part), 0, 0
    while part and place + size <= len(whole):
        is_here = list(whole[place : place + size]) == list(part)
        count += is_here
        place += size if is_here else 1
    return count


def _pattern_for(text: str) -> re.Pattern[str]:
    return _full_pattern() if _RARE.search(text) else _PLAIN


_PLAIN = re.compile(r"\w+|\S")
_RARE = re.compile("[^\0-\u02ff\u0370-\u0482\u048a-\u0530\u2000-\u206f]")
"""What the plain pattern, ten times as fast, may take for something else: all but Latin, Greek and
Cyrillic without marks."""


@cache
def _full_pattern() -> re.Pattern[str]:
    marks = "".join(filter(is_of_a_word, marks_class()))
    letter = rf"[^\W{UNSPACED_CLASS}]"
    return re.compile(rf"{letter}+(?:[{marks}]+{letter}*)*|(?:[{marks}]+{letter}*)+|\S")
