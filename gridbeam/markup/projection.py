"""Where codes that were taken out of a text belong in its translation.

What is known to be translated by what, such as the terms of a glossary, is given as anchors. An
anchored stretch counts as one word, the same in both texts, so nothing is ever put into it:

- A pair around exactly one anchored stretch encloses exactly its translation.
- A pair around several, or around one and other words, encloses all of theirs at least.
- A code that stands alone right beside one, stands right beside its translation, on the same side.

Everything else is a guess. Words that both texts have in common are found as a longest common
subsequence, and between two of them places are relative. There codes keep their order; only a pair
whose very words stand somewhere else in the translation, once, goes with them. Pairs stay nested as
they were, unless anchors have changed places so that one pair must hold another.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

from gridbeam.markup.inline import CodeRole
from gridbeam.text.words import WordRange, is_word

_MOST_CELLS = 250_000
"""How many pairs of words are compared; longer texts are projected by length alone."""
_ENDS = frozenset(".!?…。！？")
_LONGEST = 1.5
"""A guess that has more words than this for each of the source is not trusted beside an anchor."""


@dataclass(frozen=True)
class Anchor:
    """A stretch of the source, and the stretch of the translation that says it.

    Each is its first character and the one after its last, in `gridbeam.markup.restore.restore`;
    here they are counted in words.
    """

    source: WordRange
    target: WordRange


_WordOrAnchor: TypeAlias = str | Anchor
"""A word, or all words of an anchored stretch."""


@dataclass(frozen=True)
class CodeStop:
    """A code in the source, the number of words before it, and the index of its `partner`.

    The partner is the other code of its pair.
    """

    gap: int
    role: CodeRole
    partner: int | None = None


def project(
    source: Sequence[str],
    target: Sequence[str],
    stops: Sequence[CodeStop],
    breaks: Sequence[tuple[int, int]] = (),
    anchors: Iterable[Anchor] = (),
) -> list[tuple[int, int]]:
    """For each code, in the order to write them: the words before it, and its number.

    `breaks` are places that are known to belong together, such as line breaks, by the words before
    them in both texts. Of anchors whose sources overlap the first holds, as of those whose targets
    overlap in part.

    >>> words, told = "Click OK to close .".split(), "Zum Beenden OK klicken .".split()
    >>> project(words, told, [CodeStop(1, "opens", 1), CodeStop(2, "closes", 0)])
    [(2, 0), (3, 1)]
    >>> pair = [CodeStop(3, "opens", 1), CodeStop(4, "closes", 0)]
    >>> project(words, told, pair, anchors=[Anchor((3, 4), (1, 2))])
    [(1, 0), (2, 1)]
    """
    known = _compatible(anchors)
    said = _Text.of(source, {each.source: each for each in known})
    told = _Text.of(target, {each.target: each for each in reversed(known)})
    if not told.units:
        return [(0, number) for number in range(len(stops))]
    moved = [replace(stop, gap=said.gap(stop, stops)) for stop in stops]
    edges = [(a, b) for a, b in breaks if a in said.edges and b in told.edges]
    pinned = [(said.edges.index(a), told.edges.index(b)) for a, b in edges]
    places = _guessed(said.units, told.units, moved, pinned)
    return list(_CodeLayout(moved, places, said, told, dict(pinned)).written())


def _compatible(anchors: Iterable[Anchor]) -> list[Anchor]:
    """Those that can hold together, the first ones of those that cannot.

    Targets may be parts of others.
    """
    kept: list[Anchor] = []
    for each in anchors:
        is_free = all(_are_apart(each.source, other.source) for other in kept)
        if is_free and not any(_cross(each.target, other.target) for other in kept):
            kept.append(each)
    return kept


def _are_apart(one: WordRange, other: WordRange) -> bool:
    return one[1] <= other[0] or other[1] <= one[0]


def _holds(one: WordRange, other: WordRange) -> bool:
    return one[0] <= other[0] and other[1] <= one[1]


def _cross(one: WordRange, other: WordRange) -> bool:
    """Whether two stretches overlap, and neither is part of the other."""
    return not (_are_apart(one, other) or _holds(one, other) or _holds(other, one))


def _hull(stretches: Iterable[WordRange]) -> WordRange:
    starts, ends = zip(*stretches, strict=True)
    return min(starts), max(ends)


@dataclass(frozen=True)
class _Text:
    """A text in units, and how many words stand before each of them, and in all."""

    units: tuple[_WordOrAnchor, ...]
    edges: tuple[int, ...]

    @staticmethod
    def of(words: Sequence[str], anchored: Mapping[WordRange, Anchor]) -> _Text:
        """These words, with each anchored stretch as one unit unless it is part of another."""
        units, edges = list[_WordOrAnchor](), [0]
        for (start, end), anchor in sorted(
            anchored.items(), key=lambda item: (item[0][0], -item[0][1])
        ):
            if start >= edges[-1]:
                units += [*words[edges[-1] : start], anchor]
                edges += [*range(edges[-1] + 1, start + 1), end]
        units += words[edges[-1] :]
        edges += range(edges[-1] + 1, len(words) + 1)
        return _Text(tuple(units), tuple(edges))

    def around(self, words: WordRange) -> WordRange:
        """The units that hold these words."""
        return bisect_right(self.edges, words[0]) - 1, bisect_left(self.edges, words[1])

    def words(self, units: WordRange) -> WordRange:
        """The words that these units hold."""
        return self.edges[units[0]], self.edges[units[1]]

    def gap(self, stop: CodeStop, stops: Sequence[CodeStop]) -> int:
        """How many units stand before a code.

        A pair within one goes around it, and any other code to the nearer side.
        """
        before, after = self.around((stop.gap, stop.gap))
        if before >= after:
            return before
        if stop.partner is not None and stops[stop.partner].gap != stop.gap:
            return before if stop.role == "opens" else after
        return before if 2 * stop.gap < self.edges[before] + self.edges[after] else after


def _guessed(
    source: Sequence[_WordOrAnchor],
    target: Sequence[_WordOrAnchor],
    stops: Sequence[CodeStop],
    breaks: Sequence[tuple[int, int]],
) -> list[int]:
    """For each code the units before it, by what both texts share and by relative places."""
    common = [
        _in_common(source[a:c], target[b:d], (a, b))
        for (a, b), (c, d) in pairwise([(0, 0), *breaks, (len(source), len(target))])
    ]
    known = dict(breaks)
    places = _in_order(
        [known[stop.gap] if stop.gap in known else _place(stop, common) for stop in stops]
    )
    _fill_pairs(places, stops, target)
    groups = _groups(stops)
    for first, last in groups:
        _follow_words(first, last, places, stops, source, target, groups)
    return places


def _in_common(
    source: Sequence[_WordOrAnchor], target: Sequence[_WordOrAnchor], offset: tuple[int, int]
) -> list[tuple[int, int]]:
    """Pairs of equal units, in the order of both texts, from before the first to after the last."""
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


def _likeness(one: _WordOrAnchor, other: _WordOrAnchor, shift: float) -> float:
    """How surely two units are translations of each other; 0 where nothing says so."""
    if isinstance(one, Anchor) or isinstance(other, Anchor):
        sure = 8.0 if one == other else 0.0
    elif one == other:
        sure = 1.0 if not _is_word(one) else 2.0 if len(one) < 3 and one.isalpha() else 4.0
    elif one in _ENDS and other in _ENDS:
        sure = 1.0
    elif len(one) > 3 and one.casefold()[:4] == other.casefold()[:4]:
        sure = 2.0
    else:
        return 0.0
    return max(0.0, sure - 2 * abs(shift))


def _place(stop: CodeStop, common: Sequence[Sequence[tuple[int, int]]]) -> int:
    for (left, low), (right, high) in (pair for part in common for pair in pairwise(part)):
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


def _fill_pairs(
    places: list[int], stops: Sequence[CodeStop], target: Sequence[_WordOrAnchor]
) -> None:
    """Gives a pair that had words and has none the next word.

    Where the next is a mark, it gets the word before.
    """
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
            _is_word(target[place]) or not place or not _is_word(target[place - 1])
        ):
            places[last:] = [max(other, place + 1) for other in places[last:]]
        elif place:
            places[: first + 1] = [min(other, place - 1) for other in places[: first + 1]]


def _is_word(unit: _WordOrAnchor) -> bool:
    return isinstance(unit, Anchor) or is_word(unit)


def _groups(stops: Sequence[CodeStop]) -> list[tuple[int, int]]:
    """The outermost pairs with all within, and the codes in none: first and last number."""
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
    stops: Sequence[CodeStop],
    source: Sequence[_WordOrAnchor],
    target: Sequence[_WordOrAnchor],
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


def _only_place(words: Sequence[_WordOrAnchor], text: Sequence[_WordOrAnchor]) -> int | None:
    if not any(map(_is_word, words)):
        return None
    size = len(words)
    places = [
        start for start in range(len(text) - size + 1) if list(text[start : start + size]) == words
    ]
    return places[0] if len(places) == 1 else None


_CodeRun: TypeAlias = tuple[int, int]
"""The numbers of the first and the last of some codes in a row: of a pair, those that open and
close it."""


@dataclass(frozen=True)
class _CodeLayout:
    """What each pair encloses and where all other codes go, given guesses and what is anchored.

    Pairs that anchors settle come first, and all others make way for them. No two pairs cross.
    """

    stops: Sequence[CodeStop]
    places: Sequence[int]
    """For each code the guess how many units of the translation stand before it."""
    source: _Text
    target: _Text
    breaks: Mapping[int, int]
    """The line breaks by the units before them, in the source and in the translation."""

    @cached_property
    def pairs(self) -> list[_CodeRun]:
        """The pairs that enclose something in both texts, left to right, outer before inner."""
        opened = [
            (first, stop.partner) for first, stop in enumerate(self.stops) if stop.role == "opens"
        ]
        filled = [
            (first, last)
            for first, last in opened
            if last is not None and self._size((first, last))
        ]
        return [
            pair
            for pair in filled
            if self._guess(pair)[0] < self._guess(pair)[1] or self._anchors(pair)
        ]

    @cached_property
    def enclosed(self) -> dict[_CodeRun, WordRange]:
        """The words of the translation that each pair encloses: one at least."""
        anchored = {pair: held for pair in self.pairs if (held := self._anchors(pair))}
        found = {pair: held[0].target for pair, held in anchored.items() if self._size(pair) == 1}
        for pair in reversed([pair for pair in anchored if pair not in found]):
            inner = [found[other] for other in found if _holds(pair, other)]
            found[pair] = _grown(
                _hull([self._around(pair, anchored[pair]), *inner]), found.values()
            )
        for pair in self.pairs:
            if pair not in anchored:
                found[pair] = self._beside(pair, found)
        return found

    def written(self) -> Iterator[tuple[int, int]]:
        """The place of each code in words, and its number, as they are to be written."""
        inside: dict[_CodeRun | None, list[tuple[int, bool, _CodeRun]]] = {}
        for pair, (start, _) in self.enclosed.items():
            inside.setdefault(self._holder(pair), []).append((start, True, pair))
        for run, place in self._places_of_others().items():
            inside.setdefault(self._holder_at(place, run), []).append((place, False, run))
        waiting = sorted(inside.get(None, []), reverse=True)
        while waiting:
            place, is_pair, (first, last) = waiting.pop()
            if is_pair:
                yield place, first
                end = self.enclosed[first, last][1]
                waiting += [
                    (end, False, (last, last)),
                    *sorted(inside.get((first, last), []), reverse=True),
                ]
            else:
                yield from ((place, number) for number in range(first, last + 1))

    def _gaps(self, run: _CodeRun) -> WordRange:
        return self.stops[run[0]].gap, self.stops[run[1]].gap

    def _guess(self, pair: _CodeRun) -> WordRange:
        return self.places[pair[0]], self.places[pair[1]]

    def _size(self, pair: _CodeRun) -> int:
        """How many units of the source a pair encloses."""
        start, end = self._gaps(pair)
        return end - start

    def _anchors(self, pair: _CodeRun) -> list[Anchor]:
        return [
            unit for unit in self.source.units[slice(*self._gaps(pair))] if isinstance(unit, Anchor)
        ]

    def _parent(self, run: _CodeRun) -> _CodeRun | None:
        """The innermost pair around a run of codes in the source."""
        return max((pair for pair in self.pairs if pair != run and _holds(pair, run)), default=None)

    def _around(self, pair: _CodeRun, held: Sequence[Anchor]) -> WordRange:
        """The translations of what a pair holds, and of the words beside them.

        The guess will do if it is not too long. Else the pair has as many words before the first of
        them and after the last as in the source, up to the next that is anchored.
        """
        guess = self._guess(pair)
        core = self.target.around(_hull(each.target for each in held))
        if _holds(guess, core) and (
            self._is_certain(pair) or self._is_likely(guess, core, self._size(pair))
        ):
            return self.target.words(guess)
        units = self.source.units[slice(*self._gaps(pair))]
        ahead, behind = units.index(held[0]), units[::-1].index(held[-1])
        before, after = self.target.units[: core[0]], self.target.units[core[1] :]
        start = core[0] - _reach(before[::-1], ahead, units)
        return self.target.words((start, core[1] + _reach(after, behind, units)))

    def _is_certain(self, pair: _CodeRun) -> bool:
        """Whether both ends of a pair are ends of lines."""
        ends = {0, len(self.source.units), *self.breaks}
        return all(gap in ends for gap in self._gaps(pair))

    def _is_likely(self, guess: WordRange, core: WordRange, size: int) -> bool:
        """Whether so many units of the source can be those of a guess without other anchors."""
        others = (*self.target.units[guess[0] : core[0]], *self.target.units[core[1] : guess[1]])
        return guess[1] - guess[0] <= _LONGEST * size and not any(
            isinstance(unit, Anchor) for unit in others
        )

    def _beside(self, pair: _CodeRun, found: Mapping[_CodeRun, WordRange]) -> WordRange:
        """The words for a pair without anchors: the longest run of its guess that is not taken."""
        parent = self._parent(pair)
        room = (0, len(self.target.units)) if parent is None else self.target.around(found[parent])
        guess = self._guess(pair)
        if parent is not None and not _holds(room, guess):
            start, end = self._share(self._gaps(pair), parent, room)
            guess = (
                (start, end)
                if start < end
                else (min(start, room[1] - 1), min(start, room[1] - 1) + 1)
            )
        others = [stretch for other, stretch in found.items() if not _holds(other, pair)]
        run = max(self._free(guess, others), key=lambda run: run[1] - run[0], default=None)
        return _grown(self.target.words(guess), others) if run is None else self.target.words(run)

    def _free(self, guess: WordRange, others: Sequence[WordRange]) -> Iterator[WordRange]:
        """The stretches of a guess less what is anchored, and less what other pairs enclose."""
        start = guess[0]
        for place in range(*guess):
            words = self.target.words((place, place + 1))
            is_free = isinstance(self.target.units[place], str) and all(
                _are_apart(words, other) for other in others
            )
            start = start if is_free else place + 1
            if is_free:
                yield start, place + 1

    def _share(self, gaps: WordRange, parent: _CodeRun, room: WordRange) -> WordRange:
        """The part of what a pair encloses that is in proportion to a part of it in the source."""
        begin, scale = self._gaps(parent)[0], (room[1] - room[0]) / self._size(parent)
        start, end = (room[0] + round((gap - begin) * scale) for gap in gaps)
        return start, end

    def _places_of_others(self) -> dict[_CodeRun, int]:
        """The places of codes without a partner, and of pairs with nothing in them.

        What closes without a partner, as where pairs cross, never comes before what opens so.
        """
        found: dict[_CodeRun, int] = {}
        ends, latest = {number for pair in self.pairs for number in pair}, 0
        for number, stop in enumerate(self.stops):
            if number in ends or (found and number <= max(found)[1]):
                continue
            run = (number, number if stop.partner is None else stop.partner)
            place = self._place_of(run, is_alone=stop.role == "alone" or stop.partner is not None)
            found[run] = max(place, latest) if stop.role == "closes" else place
            latest = max(latest, place) if stop.role == "opens" and stop.partner is None else latest
        return found

    def _place_of(self, run: _CodeRun, *, is_alone: bool) -> int:
        """Beside the anchor that it stands beside.

        Else by the guess, but in no pair that it did not stand in.
        """
        parent, gap = self._parent(run), self.stops[run[0]].gap
        low, high = (0, self.target.edges[-1]) if parent is None else self.enclosed[parent]
        beside = self._beside_anchor(gap, parent) if is_alone and gap not in self.breaks else None
        if beside is not None:
            return min(max(low, beside), high)
        place = self.target.edges[self.places[run[0]]]
        if parent is not None and not low <= place <= high:
            place = self.target.edges[
                self._share((gap, gap), parent, self.target.around((low, high)))[0]
            ]
        own = (low, high)
        strange = [
            (start - end, pair)
            for pair, (start, end) in self.enclosed.items()
            if start < place < end
            and not _holds(pair, run)
            and not (parent and _holds((start, end), own))
        ]
        if strange:
            _, pair = min(strange)
            place = self.enclosed[pair][pair < run]
        return min(max(low, place), high)

    def _beside_anchor(self, gap: int, parent: _CodeRun | None) -> int | None:
        """The place right after the translation of what precedes a code, or before what follows.

        What stands at the very beginning of a text stays there.
        """
        low, high = (0, len(self.source.units)) if parent is None else self._gaps(parent)
        before = self.source.units[gap - 1] if gap > low else None
        after = self.source.units[gap] if gap < high and (gap or parent) else None
        if isinstance(before, Anchor):
            return self.target.words(self.target.around(before.target))[1]
        return (
            self.target.words(self.target.around(after.target))[0]
            if isinstance(after, Anchor)
            else None
        )

    def _holder(self, pair: _CodeRun) -> _CodeRun | None:
        """The innermost pair around another in the translation.

        Of two around the same words the first is the outer.
        """
        own = self.enclosed[pair]
        around = [
            (end - start, -other[0], other)
            for other, (start, end) in self.enclosed.items()
            if _holds((start, end), own) and ((start, end) != own or other < pair)
        ]
        return min((each for each in around if each[2] != pair), default=(0, 0, None))[2]

    def _holder_at(self, place: int, run: _CodeRun) -> _CodeRun | None:
        """The innermost pair around other codes in the translation."""
        parent = self._parent(run)
        around = [
            (end - start, pair != parent, pair)
            for pair, (start, end) in self.enclosed.items()
            if start < place < end or pair == parent
        ]
        return min(around, default=(0, False, None))[2]


def _reach(units: Sequence[_WordOrAnchor], most: int, own: Sequence[_WordOrAnchor]) -> int:
    """How many of the next units may belong to a pair: words, and marks of its own."""
    place = 0
    while (
        place < min(most, len(units))
        and isinstance(unit := units[place], str)
        and (_is_word(unit) or unit in own)
    ):
        place += 1
    return place


def _grown(stretch: WordRange, others: Iterable[WordRange]) -> WordRange:
    """The stretch, with all of those that it would cross."""
    known = list(others)
    while crossed := [other for other in known if _cross(stretch, other)]:
        stretch = _hull([stretch, *crossed])
    return stretch
