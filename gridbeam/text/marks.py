"""Text as words and marks, for counting: a placeholder, tag, number or file name is one word.

So words are longer here than in `gridbeam.text.words`: don't, file-name.txt and 10,000 are one.
They are built of the same letters, and joiners of Persian and Indic scripts stand within them.
"""

from __future__ import annotations

import re
from functools import lru_cache

from gridbeam.text.letters import UNSPACED_CLASS, marks_class

_TAG = r"</?[A-Za-z][^<>]*>"
_PIECE = re.compile(rf"(?:{_TAG}|\S)+")
_ENDING = frozenset(".!?…。！？")


def split(text: str) -> list[str]:
    """The words and punctuation marks of a text, in order.

    >>> split("Can't open “%s” (install.rc): 3.5&nbsp;MB!")
    ["Can't", 'open', '“', '%s', '”', '(', 'install.rc', ')', ':', '3.5', '&nbsp;', 'MB', '!']
    """
    return [token for piece in pieces(text) for token in tokens(piece)]


def pieces(text: str) -> list[str]:
    """The stretches of a text between white space; that within a tag separates nothing."""
    return _PIECE.findall(text) if "<" in text else text.split()


def tokens(piece: str) -> list[str]:
    """The words and marks of one of the `pieces`."""
    return [" ".join(found[0].split()) for found in _pattern().finditer(piece)]


def is_mark(token: str) -> bool:
    """Whether a token is punctuation, and no word.

    >>> [is_mark(token) for token in ("...", "(", "%", "%s", "x")]
    [True, True, True, False, False]
    """
    found = _pattern().fullmatch(token)
    return found is not None and found["mark"] is not None


def ends_sentence(token: str) -> bool:
    """Whether a token is a mark that a sentence ends with."""
    return _ENDING.issuperset(token)


@lru_cache(1)
def _pattern() -> re.Pattern[str]:
    signs, unspaced = marks_class(), UNSPACED_CLASS
    word = rf"[^\W{unspaced}]+(?:[{signs}\u200c\u200d]+[^\W{unspaced}]*)*"
    return re.compile(
        rf"""
          {_TAG}                                                # <x id="1"/>
        | &(?:\#\d+|\#[xX][0-9a-fA-F]+|[A-Za-z]\w*);            # &amp;
        | [$\#]?\{{\{{?[^{{}}]*\}}?\}}           # 0, name or nothing in one or two braces
        | (?<!\d)%(?:\(\w+\)|\d+\$)?[-+\#0]*\d*(?:\.\d+)?
          (?:hh|ll|[hlLzjt])?[diouxXeEfFgGaAcspn]               # %s %1$d %(name)s %.2f
        | %L?\d+ | %%                                           # %1
        | (?i:[cdjlmnst]|\w*qu|(?:d[ae]|ne|su|a)ll)['’](?=\w)   # the l' of l'image; dell'
        | (?:(?<![^\s("'\[])(?:[.~]{{0,2}}/|\.|--?))?           # /usr .png --help -5
          {word}(?:
            (?:://|::|[-.'’/\\@+‐‑]|&(?!\w+;)|(?<=\d)[,:](?=\d)){word}
          )*                                                    # file-name.txt 10,000 don't R&D
        | (?=\w)[{unspaced}][{signs}]*           # in scripts without spaces, a character
        | (?P<mark>(?P<first>\S)(?P=first)*)                    # ... is one mark
        """,
        re.X,
    )
