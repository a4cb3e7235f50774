"""What can go wrong, and whose turn it is to act.

An error says what is wrong, where, and what to do. It is made of pieces, so that whoever passes it
on can say where else it is (`within`), or what an option is called there (`in_words_of`), without
reading its text:

>>> error = UserError("needs 6 tokens, but ", Limit("max_length", 5), " shorten it.")
>>> print(error.within("constraints[0]"))
constraints[0]: needs 6 tokens, but max_length is 5. Raise max_length or shorten it.
>>> print(error.in_words_of(lambda name: f"--{name.replace('_', '-')}"))
needs 6 tokens, but --max-length is 5. Raise --max-length or shorten it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self, TypeAlias


@dataclass(frozen=True)
class Option:
    """The name of an option in a message: `max_length`, or what a door calls it."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Limit:
    """The value of an option that is too small, and that raising it is one remedy.

    What follows is another remedy. One that nobody can raise is the model's own.
    """

    name: str
    value: int
    is_fixed: bool = False

    def __str__(self) -> str:
        if self.is_fixed:
            return f"the model writes no more than {self.value}:"
        return f"{self.name} is {self.value}. Raise {self.name} or"


@dataclass(frozen=True)
class Given:
    """An option with the value that it was given: `beam=0`, or `--beam 0` where it is a flag."""

    name: str
    value: object

    def __str__(self) -> str:
        is_flag = self.name.startswith("--")
        return f"{self.name} {self.value}" if is_flag else f"{self.name}={self.value!r}"


_LONGEST = 4_000
"""Characters of a line of a message: what somebody's input holds may be of any length."""
_UNSEEN = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)

Named: TypeAlias = Option | Limit | Given
"""A piece that names an option."""
MessagePart: TypeAlias = str | Named


class UserError(ValueError):
    """Wrong input: the message says what is wrong, where, and what to do."""

    def __init__(self, *pieces: MessagePart) -> None:
        super().__init__(*pieces)
        self.pieces = pieces
        """The message, in which the names of options are pieces of their own."""
        self.where: tuple[str, ...] = ()
        """The places that it is about, outermost first: requests[3], constraints[0]."""

    def __str__(self) -> str:
        return ": ".join([*map(_shown, self.where), self.what])

    @property
    def what(self) -> str:
        """The message without the places."""
        return _shown("".join(map(str, self.pieces)))

    @property
    def options(self) -> tuple[str, ...]:
        """The options that the message names, each once."""
        named = [piece.name for piece in self.pieces if not isinstance(piece, str)]
        return tuple(dict.fromkeys(named))

    def within(self, place: str) -> Self:
        """The same error, of something at that place."""
        return self._of(self.pieces, (place, *self.where))

    def without_place(self) -> Self:
        """The same error without its outermost place, which tells its reader nothing."""
        return self._of(self.pieces, self.where[1:])

    def in_words_of(self, name: Callable[[str], str]) -> Self:
        """The same error with the names that options have elsewhere."""
        return self.reworded(lambda piece: replace(piece, name=name(piece.name)))

    def reworded(self, words: Callable[[Named], MessagePart]) -> Self:
        """The same error with other words for what it says of options."""
        pieces = (piece if isinstance(piece, str) else words(piece) for piece in self.pieces)
        return self._of(tuple(pieces), self.where)

    def _of(self, pieces: tuple[MessagePart, ...], where: tuple[str, ...]) -> Self:
        error = type(self)(*pieces)
        error.where = where
        return error


class Unsatisfiable(UserError):
    """No text within the limits can meet these constraints: the message says which, and why."""


class UserNotice(UserWarning):
    """Input that was understood, though not as it stands: the message says where and how."""


class ModelError(ValueError):
    """A model broke its contract (`gridbeam.models.Model`): the message says which clause."""


def _shown(text: str) -> str:
    """A text as a person can read it: overlong lines cut in the middle, unseen characters escaped.

    The place stands at the beginning, and the remedy at the end.

    >>> len(_shown("a" * 5_000))
    4000
    """
    escaped = _UNSEEN.sub(lambda found: ascii(found[0])[1:-1], text)
    if len(escaped) <= _LONGEST:
        return escaped
    return "\n".join(map(_cut, escaped.split("\n")))


def _cut(line: str) -> str:
    half = _LONGEST // 2
    return line if len(line) <= _LONGEST else f"{line[: half - 2]} … {line[-half + 1 :]}"
