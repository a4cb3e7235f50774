"""One text in the pieces of a vocabulary: a lattice of its bytes with an arc for each piece.

A piece may hold more than the text: a space before it, as most first pieces of a word do, or a full
stop after it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial
from typing import TypeAlias

from gridbeam.constraints.roles import Role
from gridbeam.constraints.spelled import Arc
from gridbeam.text.letters import first_character, is_of_a_word, last_character
from gridbeam.tokens.vocabulary import Vocabulary

SpelledSoFar: TypeAlias = tuple[int, bytes]
"""How many letters are behind, and the bytes of the next one that are."""
LatticeStep: TypeAlias = tuple[int, SpelledSoFar, bytes]
"""A token, the place it leads to, and what of it goes beyond the end."""
_START: SpelledSoFar = (0, b"")


@dataclass(frozen=True)
class Letters:
    """A text letter by letter, each with the bytes that will do for it."""

    shown: str
    letters: tuple[tuple[bytes, ...], ...]
    cases: tuple[str, ...]
    """How the text is usually capitalised."""

    @staticmethod
    def of(text: str, *, any_case: bool = False) -> Letters:
        """The letters of a text, in its own case or in any."""
        if not any_case:
            return Letters(
                text, tuple((letter.encode("utf8", "replace"),) for letter in text), (text,)
            )
        cases = (text, text.lower(), text.upper(), text.title(), text[:1].upper() + text[1:])
        forms = (
            dict.fromkeys((letter, letter.lower(), letter.upper(), letter.title(), *_alike(letter)))
            for letter in text
        )
        return Letters(
            text,
            tuple(tuple(form.encode("utf8", "replace") for form in each) for each in forms),
            cases,
        )

    @property
    def end(self) -> SpelledSoFar:
        """The place after the last letter."""
        return (len(self.letters), b"")

    def onward(self, place: SpelledSoFar) -> Iterator[tuple[int, SpelledSoFar]]:
        """The bytes that may come next, and the places they lead to."""
        number, begun = place
        if number == len(self.letters):
            return
        size = len(begun)
        for byte in dict.fromkeys(
            form[size]
            for form in self.letters[number]
            if form.startswith(begun) and len(form) > size
        ):
            grown = begun + bytes([byte])
            yield byte, (number + 1, b"") if grown in self.letters[number] else (number, grown)


@cache
def _by_casefold() -> dict[str, list[str]]:
    """The letters that are the same but for their case."""
    found: dict[str, list[str]] = {}
    for letter in map(chr, range(0x80, 0x20000)):
        if letter.casefold() != letter:
            found.setdefault(letter.casefold(), []).append(letter)
    return found


def _alike(letter: str) -> list[str]:
    return (
        [] if letter.isascii() else [letter.casefold(), *_by_casefold().get(letter.casefold(), [])]
    )


class Pieces:
    """The pieces of a vocabulary in order, and the ends of those that a text may begin within."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    @cached_property
    def whole(self) -> PieceIndex:
        """The pieces themselves, but for single bytes."""
        return PieceIndex(
            (p, t) for t, p in self._known() if t not in self.vocabulary.bytes_of_characters
        )

    @cached_property
    def single_bytes(self) -> PieceIndex:
        """The tokens that stand for single bytes."""
        return PieceIndex(
            (p, t) for t, p in self._known() if t in self.vocabulary.bytes_of_characters
        )

    @cached_property
    def after_space(self) -> PieceIndex:
        """What follows the spaces that a piece begins with."""
        return self._tails(bytes.isspace)

    @cached_property
    def after_boundary(self) -> PieceIndex:
        """What follows a character within a piece that is not part of a word."""
        return self._tails(
            lambda head: not _ends_in_letter(head) and _is_boundary(last_character(head), "_")
        )

    @cached_property
    def perhaps_after_boundary(self) -> PieceIndex:
        """What follows a character within a piece that may not be part of a word."""
        return self._tails(
            lambda head: not _ends_in_letter(head) and _is_boundary(last_character(head), " ")
        )

    @cached_property
    def after_anything(self) -> PieceIndex:
        """What follows any character within a piece."""
        return self._tails(lambda head: True)

    @cached_property
    def spaces(self) -> tuple[int, ...]:
        """The tokens that are a space and nothing else."""
        single = self.vocabulary.bytes_of_characters
        return tuple(
            token for token, piece in self._known() if piece == b" " and token not in single
        )

    def _known(self) -> Iterator[tuple[int, bytes]]:
        return ((token, piece) for token, piece in enumerate(self.vocabulary.pieces) if piece)

    def _tails(self, may_begin_after: Callable[[bytes], bool]) -> PieceIndex:
        return PieceIndex(
            (piece[at:], token)
            for token, piece in self._known()
            for at in range(1, len(piece))
            if piece[at] & 0xC0 != 0x80 and may_begin_after(piece[:at])
        )


def _ends_in_letter(head: bytes) -> bool:
    """Whether a piece surely ends in a letter: the common case, settled without decoding."""
    return head[-1:].isalnum()


def _is_boundary(character: str | None, if_unknown: str) -> bool:
    return not is_of_a_word(if_unknown if character is None else character)


@lru_cache(maxsize=1 << 16)
def _begins_as_part(piece: bytes) -> bool | None:
    """Whether a piece begins with part of a word; None where it begins within a character."""
    character = first_character(piece)
    return None if character is None else is_of_a_word(character)


class PieceIndex:
    """Pieces in alphabetical order, to be walked along a text."""

    def __init__(self, entries: Iterable[tuple[bytes, int]]) -> None:
        ordered = sorted(entries)
        self.keys = [key for key, _ in ordered]
        self.tokens = [token for _, token in ordered]

    def along(self, letters: Letters, place: SpelledSoFar) -> Iterator[LatticeStep]:
        """The pieces that agree with the text from this place on."""
        waiting = [(place, b"", 0, len(self.keys))]
        while waiting:
            here, key, low, high = waiting.pop()
            if here == letters.end:
                yield from (
                    (self.tokens[i], here, self.keys[i][len(key) :]) for i in range(low, high)
                )
                continue
            for byte, there in letters.onward(here):
                grown = key + bytes([byte])
                first = bisect_left(self.keys, grown, low, high)
                last = (
                    high
                    if byte == 0xFF
                    else bisect_left(self.keys, key + bytes([byte + 1]), first, high)
                )
                if first < last:
                    if there != letters.end:
                        exact = bisect_left(self.keys, grown + b"\0", first, last)
                        yield from ((self.tokens[i], there, b"") for i in range(first, exact))
                    waiting.append((there, grown, first, last))


@dataclass(frozen=True)
class Graph:
    """The arcs of a text as `Spellings` has them."""

    leading: tuple[Arc, ...]
    arcs: tuple[tuple[Arc, ...], ...]
    is_complete: bool
    """Whether there is a way from the beginning to the end."""
    reached: int
    """How many letters can be written from the beginning on."""
    begins_with_byte: bool
    ends_with_byte: bool


def graph_of(
    letters: Letters, pieces: Pieces, begins_word: bool, ends_word: bool, role: Role
) -> Graph:
    """The graph of a text: avoided texts in every disguise, required ones only for certain."""
    if not role.must_occur:
        first = pieces.perhaps_after_boundary if begins_word else pieces.after_anything
        return _Drawing(
            letters, [pieces.whole, pieces.single_bytes], first, pieces, ends_word, is_certain=False
        ).graph()
    first = (
        pieces.after_space
        if role is Role.FIRST
        else pieces.after_boundary
        if begins_word
        else pieces.after_anything
    )
    draw = partial(_Drawing, letters, first=first, pieces=pieces, ends_word=ends_word)
    is_last = role is Role.LAST
    graph = draw([pieces.whole], is_certain=True, is_last=is_last).graph()
    if not graph.is_complete and pieces.single_bytes.keys:
        both = [pieces.whole, pieces.single_bytes]
        graph = draw(both, is_certain=True, is_last=is_last).graph()
    return graph


class _Drawing:
    """The places of a text that tokens lead to, numbered as they are found."""

    def __init__(
        self,
        letters: Letters,
        indexes: list[PieceIndex],
        first: PieceIndex,
        pieces: Pieces,
        ends_word: bool,
        *,
        is_certain: bool,
        is_last: bool = False,
    ) -> None:
        self.letters, self.indexes, self.first, self.pieces = letters, indexes, first, pieces
        self.ends_word, self.is_certain, self.is_last = ends_word, is_certain, is_last

    def graph(self) -> Graph:
        leading = list(self._steps([self.first], _START))
        found: dict[SpelledSoFar, list[LatticeStep]] = {}
        waiting = [_START, *(place for _, place, _ in leading)]
        while waiting:
            place = waiting.pop()
            if place not in found and place != self.letters.end:
                found[place] = list(self._steps(self.indexes, place))
                waiting += [there for _, there, _ in found[place]]
        useful = self._useful(found)
        places = [_START, *sorted(place for place in found if place in useful and place != _START)]
        number = {place: n for n, place in enumerate(places)} | {self.letters.end: len(places)}

        def arcs(steps: Iterable[LatticeStep]) -> tuple[Arc, ...]:
            kept = (step for step in steps if step[1] in useful)
            return tuple(
                dict.fromkeys(Arc(token, number[place] + bool(rest)) for token, place, rest in kept)
            )

        spaces = (
            tuple(Arc(token, 0) for token in self.pieces.spaces)
            if self.is_certain and _START in useful
            else ()
        )
        in_order = [arcs(found[place]) for place in places]
        single, last = self.pieces.vocabulary.bytes_of_characters, number[self.letters.end]
        return Graph(
            leading=(*arcs(leading), *spaces),
            arcs=tuple(in_order),
            is_complete=_START in useful or any(place in useful for _, place, _ in leading),
            reached=max(letter for letter, _ in found),
            begins_with_byte=any(arc.token in single for arc in in_order[0]),
            ends_with_byte=any(
                arc.token in single and arc.to == last for here in in_order for arc in here
            ),
        )

    def _steps(self, indexes: list[PieceIndex], place: SpelledSoFar) -> Iterator[LatticeStep]:
        for index in indexes:
            for token, there, rest in index.along(self.letters, place):
                if not rest or (not self.is_last and self._may_go_on(rest)):
                    yield token, there, rest

    def _may_go_on(self, rest: bytes) -> bool:
        """Whether a token may hold this after the text: what ends a word, if the text does."""
        if not self.ends_word:
            return True
        is_part = _begins_as_part(rest)
        return not self.is_certain if is_part is None else not is_part

    def _useful(self, found: dict[SpelledSoFar, list[LatticeStep]]) -> set[SpelledSoFar]:
        """The places from which the end can be reached."""
        into: dict[SpelledSoFar, list[SpelledSoFar]] = {}
        for place, steps in found.items():
            for _, there, _ in steps:
                into.setdefault(there, []).append(place)
        useful, waiting = {self.letters.end}, [self.letters.end]
        while waiting:
            for place in into.get(waiting.pop(), ()):
                if place not in useful:
                    useful.add(place)
                    waiting.append(place)
        return useful
