"""A text in parts that are translated each on its own, and the syntax and signs around them.

The branches of a message are texts of their own, and in the text that the message stands in a code
stands for it. So are the parts of a menu path, and what is in the blocks of a template.

>>> from gridbeam.markup.inline import Marked
>>> division = divide(Marked.of(["{n, plural, one {# file} other {# files}} in File → Open"]), "de")
>>> for text in division.texts:
...     print(str(text.source).strip())
{n, plural, one {# file} other {# files}} in File
# file
# files
Open
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, count, pairwise
from typing import Literal, TypeAlias

from gridbeam.constraints.occurrences import Span
from gridbeam.markup import messages
from gridbeam.markup.inline import Code, Marked, Piece, stretch_among
from gridbeam.markup.kinds import KIND, ShownAs
from gridbeam.markup.messages import IcuMessage
from gridbeam.markup.placeholders import is_language, placeholders


@dataclass(frozen=True)
class PartText:
    """A text that is translated on its own."""

    number: int
    source: Marked
    held: Mapping[Code, Structure] = field(default_factory=dict, hash=False)
    """What some of its codes stand for."""
    doubles: bool | None = None
    """Whether all apostrophes in it are doubled, as a part of a message; None outside of one."""


@dataclass(frozen=True)
class Structure:
    """Texts, and what stands between them as it is."""

    pieces: tuple[PartText | Piece, ...]
    source: Marked
    message: IcuMessage | None = None
    """The message that it is, as it is to be in the target language."""

    @property
    def texts(self) -> list[PartText]:
        """The texts, each once, by their numbers."""
        found = {text.number: text for text in self._texts()}
        return [found[number] for number in sorted(found)]

    def _texts(self) -> Iterator[PartText]:
        for piece in self.pieces:
            if isinstance(piece, PartText):
                yield piece
                for structure in piece.held.values():
                    yield from structure._texts()


@dataclass(frozen=True)
class Division(Structure):
    """A text in parts, with what in it was not understood and stays as it is."""

    unread: tuple[str, ...] = ()


Cuts: TypeAlias = Literal["signs", "nothing", "everything"]
"""Where a text is cut: at signs and tags between texts, nowhere, or at all that is not language."""


def divide(
    source: Marked,
    language: str | None,
    *,
    cuts: Cuts = "signs",
) -> Division:
    """The parts of a text, with the plural forms of the language that it is translated to."""
    reader = _Divider(language, cuts)
    pieces = reader.cut(source, None)
    return Division(tuple(pieces), source, None, tuple(reader.unread))


_DEEPEST = 20
"""Messages that lie within more others are not understood."""
_MOST_COPIES = 1_000
"""Nor those whose branches would make more copies of what lies within: a language with six plural
forms has six of each."""


@dataclass(frozen=True)
class _FoundMessage:
    """A message, its source, and where that begins in the text that its places are counted in."""

    message: IcuMessage
    source: Marked
    start: int


class _Divider:
    """Reads texts, and numbers them."""

    def __init__(self, language: str | None, cuts: Cuts) -> None:
        self._language, self._cuts = language, cuts
        self._numbers, self._depth, self._copies = count(), 0, 1
        self.unread: list[str] = []

    def cut(self, source: Marked, around: IcuMessage | None) -> list[PartText | Piece]:
        """The parts of a text, which may be a branch of the message around it."""
        held, found = self._held(source, is_within=around is not None)
        doubles = None if around is None else "''" in held.flat
        held = held if around is None else _unquoted(held, around)
        flat = held.flat
        edges = [(0, 0), *self._signs(held), (len(flat), len(flat))]
        pieces: list[PartText | Piece] = []
        for (start, end), (following, _) in pairwise(edges):
            pieces += held.part(start, end).pieces
            pieces.append(self._text(held.part(end, following), found, doubles))
        return pieces

    def _signs(self, text: Marked) -> list[Span]:
        """Where a text is cut."""
        signs = [
            (each.start, each.end)
            for each in (placeholders(text.flat) if self._cuts != "nothing" else ())
            if KIND[each.kind].shown in _CUT_AT[self._cuts] and not is_language(each)
        ]
        if self._cuts != "everything":
            return signs
        edges = pairwise([*accumulate(map(_size, text.pieces), initial=0)])
        codes = [
            edge
            for piece, edge in zip(text.pieces, edges, strict=True)
            if isinstance(piece, Code) and piece.role == "alone"
        ]
        kept: list[Span] = []
        for each in sorted(signs + codes):  # an address may run over a code behind it
            if not kept or each[0] >= kept[-1][1]:
                kept.append(each)
        return kept

    def _text(
        self, source: Marked, found: Mapping[Code, _FoundMessage], doubles: bool | None
    ) -> PartText:
        number = next(self._numbers)
        within = dict.fromkeys(code for code in source.codes if code in found)
        held = {code: self._structure(found[code]) for code in within}
        return PartText(number, source, held, doubles)

    def _held(self, source: Marked, *, is_within: bool) -> tuple[Marked, dict[Code, _FoundMessage]]:
        """The text with a code for each message, and these."""
        flat = source.flat
        if "{" not in flat or "," not in flat:
            return source, {}
        ends = messages.closed_braces(flat, is_within=is_within)
        pieces, done = list[Piece](), 0
        found: dict[Code, _FoundMessage] = {}
        for start in messages.starts(flat):
            if start < done or start not in ends:
                continue
            message, end = messages.read(flat, start, ends), ends[start] or len(flat)
            part = source.part(start, end)
            code = Code(str(part))
            is_too_much = self._depth == _DEEPEST or self._copies > _MOST_COPIES
            if message is None or not _is_balanced(part) or is_too_much:
                self.unread.append(code.raw)
            else:
                found[code] = _FoundMessage(message, part, start)
            pieces += [*source.part(done, start).pieces, code]
            done = end
        return Marked.of([*pieces, *source.part(done, len(flat)).pieces]), found

    def _structure(self, found: _FoundMessage) -> Structure:
        """A message as texts, its syntax around them; a branch that is there twice is one text."""
        wanted = found.message.in_language(self._language)
        known: dict[int, list[PartText | Piece]] = {}
        pieces: list[PartText | Piece] = [wanted.head]
        before, self._copies = self._copies, self._copies * len(wanted.branches)
        for branch in wanted.branches:
            if branch.start not in known:
                inner = found.source.part(branch.start - found.start, branch.end - found.start)
                self._depth += 1
                known[branch.start] = self.cut(inner, found.message)
                self._depth -= 1
            pieces += [branch.opened, *known[branch.start], wanted.closed]
        self._copies = before
        return Structure((*pieces, wanted.tail), found.source, wanted)


_CUT_AT: Mapping[Cuts, tuple[ShownAs, ...]] = {
    "signs": ("cut",),
    "everything": ("cut", "as it is", "stood for", "message", "character"),
}


def _size(piece: Piece) -> int:
    return len(piece) if isinstance(piece, str) else 1


def _is_balanced(part: Marked) -> bool:
    """Whether each pair of codes that has one of its two in a part has the other there as well."""
    opened = sorted(code.pair for code in part.codes if code.role == "opens")
    return opened == sorted(code.pair for code in part.codes if code.role == "closes")


def _unquoted(text: Marked, message: IcuMessage) -> Marked:
    """The text of a branch with codes for what must be left in it."""
    pieces: list[Piece] = []
    for piece in text.pieces:
        if isinstance(piece, Code):
            pieces.append(piece)
            continue
        for part, is_left in messages.unquoted(piece, is_counted=message.is_counted):
            pieces.append(Code(part) if is_left else part)
    return Marked.of(pieces)


@dataclass(frozen=True)
class Assembled:
    """A text put together from translations of its parts."""

    text: Marked
    unread: tuple[str, ...]
    """Messages that a translation would have broken, and that stay as they are."""
    moves: Mapping[int, Sequence[tuple[Span, Span]]] = field(repr=False)

    def place(self, number: int, span: Span) -> Span | None:
        """Where a stretch of the translation of a text is in the whole, if it is there."""
        return stretch_among(self.moves.get(number, ()), span)


def assembled(division: Division, translations: Sequence[Marked]) -> Assembled:
    """The whole with a translation for each of `division.texts`."""
    by_number = {
        text.number: found for text, found in zip(division.texts, translations, strict=True)
    }
    writer = _Writer(by_number)
    writer.write(division)
    own = set(division.source.codes)
    pieces = (each if isinstance(each, str) or each in own else each.raw for each in writer.pieces)
    return Assembled(Marked.of(pieces), tuple(writer.unread), writer.moves)


class _Writer:
    def __init__(self, translations: Mapping[int, Marked]) -> None:
        self._translations = translations
        self.pieces: list[Piece] = []
        self.moves: dict[int, list[tuple[Span, Span]]] = {}
        self.unread: list[str] = []
        self._size = 0

    def write(self, structure: Structure) -> None:
        begin, size = len(self.pieces), self._size
        for piece in structure.pieces:
            if isinstance(piece, PartText):
                self._write_text(piece)
            else:
                self._add(piece)
        if structure.message and not _is_whole(self.pieces[begin:], structure.message):
            self.unread.append(str(structure.source))
            del self.pieces[begin:]
            self._size = size
            for piece in structure.source.pieces:
                self._add(piece)

    def _write_text(self, text: PartText) -> None:
        done = 0
        for piece in self._translations[text.number].pieces:
            if isinstance(piece, Code) and piece in text.held:
                self.write(text.held[piece])
            elif isinstance(piece, Code) or text.doubles is None:
                size = len(str(piece))
                there = (self._size, self._size + size)
                self.moves.setdefault(text.number, []).append(((done, done + size), there))
                self._add(piece)
            else:
                self._add(messages.quoted(piece, doubles=text.doubles))
            done += len(str(piece))

    def _add(self, piece: Piece) -> None:
        self.pieces.append(piece)
        self._size += len(str(piece))


def _is_whole(pieces: Sequence[Piece], message: IcuMessage) -> bool:
    """Whether what was written is that message."""
    flat = Marked.of(pieces).flat
    found = messages.read(flat, 0)
    return found is not None and found.shape == message.shape
