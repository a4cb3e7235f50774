"""Where codes that were taken out of a text belong in its translation.

Words that both texts have in common are anchors, found as a longest common subsequence, and between
two anchors places are relative. Codes keep their order, so pairs stay nested as they were; only a
pair whose very words stand somewhere else in the translation, once, goes with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from gridbeam.markup.inline import Role
from gridbeam.text.words import is_word

_MOST_CELLS = 250_000
"""How many pairs of words are compared; longer texts are projected by length alone."""
_ENDS = frozenset(".!?…。！？")


@dataclass(frozen=True)
class Stop:
    """A code in the source, with so many words before it; `partner` is the place of the other code of its pair."""

    gap: int
    role: Role
    partner: int | None = None


def project(
    source: Sequence[str],
    target: Sequence[str],
    stops: Sequence[Stop],
    breaks: Sequence[tuple[int, int]] = (),
) -> list[tuple[int, int]]:
    """For each code, in the order in which they are to be written: how many words stand before it, and its number.

    `breaks` are places that are known to belong together, such as line breaks, by the words before
    them in both texts.

    >>> words, told = "Click OK to close .".split(), "Zum Beenden OK klicken .".split()
    >>> project(words, told, [Stop(1, "opens", 1), Stop(2, "closes", 0)])
    [(2, 0), (3, 1)]
    """
    anchors = [
        _anchors(source[a:c], target[b:d], (a, b))
        for (a, b), (c, d) in pairwise([(0, 0), *breaks, (len(source), len(target))])
    ]
    known = dict(breaks)
    places = _in_order(
        [known[stop.gap] if stop.gap in known else _place(stop, anchors) for stop in stops]
    )
    _fill_pairs(places, stops, target)
    groups = _groups(stops)
    for first, last in groups:
        _follow_words(first, last, places, stops, source, target, groups)
    ordered = sorted(groups, key=lambda group: places[group[0]])
    return [
        (places[number], number) for first, last in ordered for number in range(first, last + 1)
    ]


def _anchors(
    source: Sequence[str], target: Sequence[str], offset: tuple[int, int]
) -> list[tuple[int, int]]:
    """Pairs of words that are the same, in the order of both texts, between one before the first and one after the last."""
    a, b = offset
    edges = [(a - 1, b - 1), (a + len(source), b + len(target))]
    if not source or not target or len(source) * len(target) > _MOST_CELLS:
        return edges
    best = [[0.0] * (len(target) + 1) for _ in range(len(source) + 1)]
    for i in range(len(source) - 1, -1, -1):
        for j in range(len(target) - 1, -1, -1):
            likeness = _likeness(source[i], target[j], i / len(source) - j / len(target))
            best[i][j] = max(
                best[i + 1][j], best[i][j + 1], likeness and likeness + best[i + 1][j + 1]
            )
    found, i, j = [], 0, 0
    while i < len(source) and j < len(target):
        if best[i][j] == best[i + 1][j]:
            i += 1
        elif best[i][j] == best[i][j + 1]:
            j += 1
        else:
            found.append((a + i, b + j))
            i, j = i + 1, j + 1
    return [edges[0], *found, edges[1]]


def _likeness(one: str, other: str, shift: float) -> float:
    """How surely two words are translations of each other; 0 where nothing says so."""
    if one == other:
        sure = 1.0 if not is_word(one) else 2.0 if len(one) < 3 and one.isalpha() else 4.0
    elif one in _ENDS and other in _ENDS:
        sure = 1.0
    elif len(one) > 3 and one.casefold()[:4] == other.casefold()[:4]:
        sure = 2.0
    else:
        return 0.0
    return max(0.0, sure - 2 * abs(shift))


def _place(stop: Stop, anchors: Sequence[Sequence[tuple[int, int]]]) -> int:
    for (left, low), (right, high) in (pair for part in anchors for pair in pairwise(part)):
        if stop.gap <= right:
            words, room = right - left - 1, high - low - 1
            share = (stop.gap - left - 1) / words if words else float(stop.role == "opens")
            return low + 1 + round(share * room)
    raise AssertionError(f"{stop} lies behind the text")


def _in_order(places: Sequence[int]) -> list[int]:
    ordered = list(places)
    for number in range(1, len(ordered)):
        ordered[number] = max(ordered[number - 1 : number + 1])
    return ordered


def _fill_pairs(places: list[int], stops: Sequence[Stop], target: Sequence[str]) -> None:
    """Gives a pair that had words in it, and has none, the next one, or the one before where the next is a mark."""
    for first, stop in enumerate(stops):
        last = stop.partner
        if (
            stop.role != "opens"
            or last is None
            or stops[last].gap == stop.gap
            or places[last] > places[first]
        ):
            continue
        place = places[last]
        if place < len(target) and (
            is_word(target[place]) or not place or not is_word(target[place - 1])
        ):
            places[last:] = [max(other, place + 1) for other in places[last:]]
        elif place:
            places[: first + 1] = [min(other, place - 1) for other in places[: first + 1]]


def _groups(stops: Sequence[Stop]) -> list[tuple[int, int]]:
    """The outermost pairs with all that stands in them, and the codes that stand in none: first and last number."""
    groups: list[tuple[int, int]] = []
    for number, stop in enumerate(stops):
        if not groups or number > groups[-1][1]:
            groups.append(
                (
                    number,
                    stop.partner if stop.role == "opens" and stop.partner is not None else number,
                )
            )
    return groups


def _follow_words(
    first: int,
    last: int,
    places: list[int],
    stops: Sequence[Stop],
    source: Sequence[str],
    target: Sequence[str],
    groups: Sequence[tuple[int, int]],
) -> None:
    """Moves a pair to its words, where they stand in both texts once and in no other pair."""
    words = list(source[stops[first].gap : stops[last].gap])
    where = _only_place(words, target)
    if where is None or _only_place(words, source) is None:
        return
    end = where + len(words)
    others = [(places[a], places[b]) for a, b in groups if a != first]
    if all(b <= where or end <= a for a, b in others):
        places[first : last + 1] = [
            where + stop.gap - stops[first].gap for stop in stops[first : last + 1]
        ]


def _only_place(words: Sequence[str], text: Sequence[str]) -> int | None:
    if not any(map(is_word, words)):
        return None
    size = len(words)
    places = [
        start for start in range(len(text) - size + 1) if list(text[start : start + size]) == words
    ]
    return places[0] if len(places) == 1 else None
