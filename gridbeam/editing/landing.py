"""The rule: whether words that a person put in stand where they were put, and what else changed.

The words and marks outside are compared on each side of the place. The new words stand in place if
no more words could be matched by letting them cross from one side to the other: where the words had
landed elsewhere, some words of the left would now be found on the right. The old words must not be
said again between the nearest words on both sides that stayed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from gridbeam.editing.stretch import Stretch
from gridbeam.text.words import contains, folded, words


@dataclass(frozen=True)
class Landing:
    """How a text with words put in compares with the text before."""

    is_in_place: bool
    kept: int
    """How many of the words outside stand as they did, on their side of the place."""
    changed: int
    """How many of them do not, or how many stand there now that did not, whichever is more."""
    reworded: int
    """How many of those are not only other forms of the words that stood there."""
    crossed: int
    """How many words have gone over to the other side."""


def landing(
    before: str,
    old: Stretch,
    after: str,
    new: Stretch,
    lemma: Callable[[str], str] = folded,
) -> Landing:
    """How the text after compares, in which `new` is what was put in for `old`.

    `lemma` tells which words are forms of one; without it none are.

    >>> before, after = "Das Treffen war der Anfang.", "Die Besprechung war der Anfang."
    >>> landing(before, Stretch(4, 11), after, Stretch(4, 15))
    Landing(is_in_place=True, kept=4, changed=1, reworded=1, crossed=0)
    >>> from gridbeam.text.lemmas import lemmatizer
    >>> landing(before, Stretch(4, 11), after, Stretch(4, 15), lemmatizer("de", "target")).reworded
    0
    >>> after = "Das war der Anfang der Besprechung."
    >>> landing(before, Stretch(4, 11), after, Stretch(23, 34))
    Landing(is_in_place=False, kept=2, changed=4, reworded=4, crossed=3)
    """
    (left, right), (now_left, now_right) = _sides(before, old), _sides(after, new)
    kept = common(left, now_left) + common(right, now_right)
    forms = zip(_sides(before, old, lemma), _sides(after, new, lemma), strict=True)
    same = sum(common(one, other) for one, other in forms)
    most = common([*left, *right], [*now_left, *now_right])
    beside = _between(left, now_left, right, now_right)
    gone = _words(old.of(before))
    is_again = bool(gone) and contains(beside, gone)
    outside = max(len(left) + len(right), len(now_left) + len(now_right))
    return Landing(
        kept == most and not is_again, kept, outside - kept, outside - max(kept, same), most - kept
    )


def common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many words two texts have in common in the same order, at most.

    The bits of one number hold a row of the usual table (Hyyrö, 2004).

    >>> common(["a", "b", "c", "d"], ["b", "x", "d", "a"])
    2
    """
    places: dict[str, int] = {}
    for number, word in enumerate(one):
        places[word] = places.get(word, 0) | 1 << number
    everywhere = (1 << len(one)) - 1
    row = everywhere
    for word in other:
        matched = row & places.get(word, 0)
        row = (row + matched | row - matched) & everywhere
    return len(one) - row.bit_count()


def _between(
    left: Sequence[str], now_left: Sequence[str], right: Sequence[str], now_right: Sequence[str]
) -> list[str]:
    """The words between the nearest on both sides that stayed."""
    last = _matching(left, now_left)[-1]
    first = _matching(right, now_right)[0]
    return [*now_left[last[1] :], "", *now_right[: first[0]]]


def _matching(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """Where words after stand in a row as before: their first, and the one after their last."""
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    found = [(block.b, block.b + block.size) for block in blocks if block.size]
    return found or [(len(after), 0)]


def _sides(
    text: str, where: Stretch, shown: Callable[[str], str] = folded
) -> tuple[list[str], list[str]]:
    """The words on both sides of a place."""
    return _words(text[: where.start], shown), _words(text[where.end :], shown)


def _words(text: str, shown: Callable[[str], str] = folded) -> list[str]:
    return [shown(word) for word in words(text)]
