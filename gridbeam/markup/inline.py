"""Text with inline codes: markup within a text that its translation takes over unchanged.

All of it is plain values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from gridbeam.constraints.occurrences import Span

CodeRole: TypeAlias = Literal["alone", "opens", "closes"]


@dataclass(frozen=True)
class Code:
    """A piece of markup, as the file has it."""

    raw: str
    role: CodeRole = "alone"
    pair: str = ""
    """What an opening code and the one that closes it have in common."""
    shown: str = ""
    """What stands for it in the text that is translated; without it the code is taken out."""

    def __str__(self) -> str:
        return self.raw


Piece: TypeAlias = str | Code
OBJECT = "\ufffc"
"""What Unicode has to stand for something that is no character."""


@dataclass(frozen=True)
class Marked:
    """A text in pieces, of which some are codes.

    >>> marked = Marked.of(["Press ", Code('<x id="1"/>'), " now"])
    >>> print(marked)
    Press <x id="1"/> now
    """

    pieces: tuple[Piece, ...]

    @staticmethod
    def of(pieces: Iterable[Piece]) -> Marked:
        """These pieces, with strings that stand side by side made one."""
        joined: list[Piece] = []
        for piece in pieces:
            if joined and isinstance(piece, str) and isinstance(joined[-1], str):
                joined[-1] += piece
            elif piece:
                joined.append(piece)
        return Marked(tuple(joined))

    @property
    def codes(self) -> tuple[Code, ...]:
        """The codes, in order."""
        return tuple(piece for piece in self.pieces if isinstance(piece, Code))

    @property
    def text(self) -> str:
        """The text without its codes."""
        return "".join(piece for piece in self.pieces if isinstance(piece, str))

    @property
    def flat(self) -> str:
        r"""The text with one character in place of each code, by which stretches are counted.

        >>> Marked.of(["Press ", Code('<x id="1"/>'), " now"]).flat
        'Press \ufffc now'
        """
        return "".join(piece if isinstance(piece, str) else OBJECT for piece in self.pieces)

    def part(self, start: int, end: int) -> Marked:
        """The pieces from one character of `flat` up to another.

        >>> print(Marked.of(["Press ", Code('<x id="1"/>'), " now"]).part(4, 9))
        s <x id="1"/> n
        """
        found, done = list[Piece](), 0
        for piece in self.pieces:
            if isinstance(piece, str):
                found.append(piece[max(start - done, 0) : max(end - done, 0)])
                done += len(piece)
            else:
                found += [piece] if start <= done < end else []
                done += 1
        return Marked.of(found)

    def __str__(self) -> str:
        return "".join(map(str, self.pieces))


def as_marked(text: Marked | str) -> Marked:
    """The text as pieces; a string has no codes."""
    return text if isinstance(text, Marked) else Marked.of([text])


def partners(codes: Sequence[Code]) -> dict[int, int]:
    """For each code of a pair the number of the other.

    Codes without one, or whose pair crosses another, are not there.
    """
    found: dict[int, int] = {}
    waiting: list[int] = []
    for number, code in enumerate(codes):
        if code.role == "opens":
            waiting.append(number)
        elif code.role == "closes":
            opener = next(
                (other for other in reversed(waiting) if codes[other].pair == code.pair), None
            )
            if opener is not None:
                del waiting[waiting.index(opener) :]
                found |= {opener: number, number: opener}
    return found


def stretch_among(parts: Sequence[tuple[Span, Span]], span: Span) -> Span | None:
    """The stretch of another text that stands for one of a text, given both for each part.

    None where none does.
    """
    found: list[Span] = []
    for (start, end), (first, last) in parts:
        if max(start, span[0]) < min(end, span[1]):
            is_literal = end - start == last - first
            before, after = max(span[0] - start, 0), max(end - span[1], 0)
            found.append((first + before, last - after) if is_literal else (first, last))
    return (found[0][0], found[-1][1]) if found else None
