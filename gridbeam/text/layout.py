"""White space: what of it is layout, and stays, and what belongs to the language.

- Line breaks, tabs, other controls, and three spaces or more in a row set texts apart, such as
  lines and columns. They are layout: what stands beside them is translated apart, so that they
  come back character by character. So does what stands before, between and after sentences.
- A space of another kind than the plain one, such as one that does not break, comes back beside a
  neighbour that the translation keeps: the one in "10 km" does (`with_spaces_of`).
- All other white space within a sentence belongs to the language, and is as the model writes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

LAYOUT = re.compile(r"\s*[\t-\r\x1c-\x1f\x85\u2028\u2029]\s*|\s{3,}")
"""White space that sets texts apart."""
_SPECIAL = re.compile(r"(?<=\S)[\xa0\u2000-\u200a\u202f\u205f](?=\S)")
"""A space that is not the plain one, nor the wide one of Chinese and Japanese."""
_ANY = re.compile(r"\s+")
_PLAIN = re.compile(r"(?<=\S) (?=\S)")
_LEFT = re.compile(r"\S+\Z")
_RIGHT = re.compile(r"\S+")
_LONGEST_WORD = 80
"""How far to look for the end of a word."""

_Neighbours = tuple[str, str]


def set_apart(text: str) -> list[str]:
    r"""The stretches of a text that layout sets apart, each with the layout after it.

    >>> set_apart("Name:\tSize\n\n10 MB"), set_apart("Two  spaces."), set_apart("")
    (['Name:\t', 'Size\n\n', '10 MB'], ['Two  spaces.'], [''])
    """
    ends = [match.end() for match in LAYOUT.finditer(text)]
    if not ends or ends[-1] < len(text):
        ends.append(len(text))
    return [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def single_spaced(text: str) -> str:
    r"""The text with a plain space for each stretch of white space.

    >>> single_spaced("10\xa0km \t long")
    '10 km long'
    """
    return _ANY.sub(" ", text)


def is_layout(space: str) -> bool:
    r"""Whether some white space is layout.

    >>> is_layout("\t"), is_layout("  ")
    (True, False)
    """
    return LAYOUT.fullmatch(space) is not None


def with_spaces_of(source: str, text: str, fixed: Iterable[tuple[int, int]] = ()) -> str:
    r"""A translation with special spaces where the source has them, character for character.

    One comes back between the same two neighbours, in whichever order, or else beside one of them
    that is a number, a sign or a name. Nothing changes within the stretches that are fixed.

    >>> with_spaces_of("The 10\xa0km run", "Der Lauf über 10 km")
    'Der Lauf über 10\xa0km'
    >>> with_spaces_of("See page\xa05, dear\xa0reader", "Siehe Seite 5, lieber Leser")
    'Siehe Seite\xa05, lieber Leser'
    """
    wanted = [(match[0], *_around(source, match.start())) for match in _SPECIAL.finditer(source)]
    if not wanted:
        return text
    held = [*fixed]
    free = {
        match.start(): _around(text, match.start())
        for match in _PLAIN.finditer(text)
        if not any(start < match.start() < end - 1 for start, end in held)
    }
    first = next(iter(source.split()), "")
    new = list(text)
    for match_by in (_is_same_pair, _is_beside_what_is_kept):
        left = list[tuple[str, str, str]]()
        for space, before, after in wanted:
            place = next(
                (at for at, here in free.items() if match_by((before, after), here, first)), None
            )
            if place is None:
                left.append((space, before, after))
            else:
                new[place] = space
                del free[place]
        wanted = left
    return "".join(new)


def _around(text: str, place: int) -> _Neighbours:
    """The words on both sides of a space, without the marks on their far sides."""
    before = _LEFT.search(text, max(0, place - _LONGEST_WORD), place)
    after = _RIGHT.match(text, place + 1, place + 1 + _LONGEST_WORD)
    assert before is not None
    assert after is not None
    return re.sub(r"\A\W+(?=\w)", "", before[0]), re.sub(r"(?<=\w)\W+\Z", "", after[0])


def _is_same_pair(wanted: _Neighbours, here: _Neighbours, first: str) -> bool:
    return here in (wanted, wanted[::-1])


def _is_beside_what_is_kept(wanted: _Neighbours, here: _Neighbours, first: str) -> bool:
    """Whether a neighbour of the source is one here, on its side, and no word of a language."""
    return any(
        one == other and _is_kept(one, is_first=one == first)
        for one, other in zip(wanted, here, strict=True)
    )


def _is_kept(word: str, *, is_first: bool) -> bool:
    """Whether a word is a number or a sign, or a name by its capital."""
    has_digit, has_letter = any(map(str.isdigit, word)), any(map(str.isalpha, word))
    return has_digit or not has_letter or (word[:1].isupper() and not is_first)
