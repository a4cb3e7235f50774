"""The text of tokens made fit for a picture: nothing breaks a line or is wider than its place."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

# What XML does not allow, and what moves the cursor of a terminal or turns the direction of
# writing.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_SPACE_MARKS = ("▁", "Ġ", " ")


def visible(text: str) -> str:
    r"""The text on one line, with a sign for each character that has none.

    >>> visible("a\n"), visible(" "), visible("\x1b[0m")
    ('a␊', '␣', '␛[0m')
    """
    return _UNSEEN.sub(_sign, text) if text.strip(" ") else "␣" * len(text)


def cells(text: str) -> int:
    """How many columns of a terminal the text takes.

    >>> cells("Haus"), cells("東京"), cells("e\u0301")
    (4, 4, 1)
    """
    return sum(_cells_of(character) for character in text)


def fitted(text: str, most: int) -> str:
    """The text, cut off with an ellipsis where it is wider than `most`.

    >>> fitted("Gaststätten", 6), fitted("Rauchen", 7)
    ('Gasts…', 'Rauchen')
    """
    if cells(text) <= most:
        return text
    while text and cells(text) >= most:
        text = text[:-1]
    return text + "…"


def spaced(words: Iterable[str]) -> dict[str, str]:
    """For each token what it adds to a text, with spaces where they belong.

    Pieces that mark spaces, or parts within a word, are joined accordingly; others get a space.

    >>> "".join(map(spaced(["▁das", "▁Haus", "boot"]).get, ["▁das", "▁Haus", "boot"]))
    ' das Hausboot'
    >>> "".join(map(spaced(["das", "Haus", "##boot"]).get, ["das", "Haus", "##boot"]))
    ' das Hausboot'
    """
    words = set(words)
    if any(word.startswith(_SPACE_MARKS) for word in words):
        return {
            word: (
                visible(word.replace("▁", " ").replace("Ġ", " "))
                if word.strip("▁Ġ ") or not word
                else " "
            )
            for word in words
        }
    return {
        word: visible(word[2:]) if word.startswith("##") else " " + visible(word) for word in words
    }


def _cells_of(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _sign(unseen: re.Match[str]) -> str:
    code = ord(unseen[0])
    return chr(0x2400 + code) if code < 0x20 else "␡" if code == 0x7F else "\ufffd"
