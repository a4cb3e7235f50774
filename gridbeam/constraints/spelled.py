"""A text in token ids: every way to write it, as a graph of tokens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from gridbeam.constraints.drawing import tree
from gridbeam.constraints.roles import Role

Filter: TypeAlias = Callable[[tuple[int, ...]], bool]
"""A user's own condition on the tokens written before a phrase begins."""


@dataclass(frozen=True)
class Spellings:
    """All ways to write one text in tokens: the paths of a graph from a first token to the end.

    `gridbeam.Subwords` makes these from phrases of text; nobody writes them by hand.
    """

    role: ClassVar[Literal[Role.REQUIRED]] = Role.REQUIRED
    text: str
    leading: tuple[Arc, ...]
    """First tokens that may follow anything: they bring a space along, or whatever else must stand
    before the text."""
    arcs: tuple[tuple[Arc, ...], ...]
    """The tokens that lead on from each node. Node 0 is the beginning of the text.

    First tokens that hold nothing but the text begin there.

    The node after the last is the end of the text, and the one after that the end within a longer
    token.
    """
    before: frozenset[int] | None = None
    """What may come right before the tokens of node 0, unless they begin the text; None:
    anything."""
    after: frozenset[int] | None = None
    """What may come right after the end, the end token among it; None: anything."""
    when: Filter | None = None
    may_open: bool = True
    """Whether the tokens of node 0 may be the first of the text; not so where a prompt ends in the
    midst of a word."""
    opening: int | None = None
    """A token without text, such as a language tag, that may be the first of all: after it a text
    begins as if at the start."""
    skipped: frozenset[int] = frozenset()
    """Tokens without text: where this is sought in every disguise, they may stand anywhere within
    it."""

    @property
    def end(self) -> int:
        """The node of the end of the text."""
        return len(self.arcs)

    @property
    def tokens(self) -> frozenset[int]:
        """Every token that some spelling holds."""
        return frozenset(arc.token for arcs in (self.leading, *self.arcs) for arc in arcs)

    @property
    def offered(self) -> frozenset[int]:
        """Those of them that the search may place."""
        return frozenset(
            arc.token for arcs in (self.leading, *self.arcs) for arc in arcs if arc.is_offered
        )

    @property
    def title(self) -> str:
        """The text, as a phrase of it is drawn."""
        return quoted(self.text, self.when)

    @property
    def branches(self) -> tuple[Spellings, ...]:
        """None: a phrase is drawn on one line."""
        return ()

    def __repr__(self) -> str:
        return f"Spellings({self.text!r})"

    def __str__(self) -> str:
        return tree(self)


@dataclass(frozen=True)
class Arc:
    """A token of a spelling, and the node it leads to."""

    token: int
    to: int
    is_offered: bool = True
    """Whether the search may place it; spellings that no tokenizer would choose are only
    recognised."""


def quoted(content: str | tuple[int, ...], when: Filter | None) -> str:
    """What a phrase says, with its filter: "a text", or [5 7] when late."""
    is_text = isinstance(content, str)
    shown = f'"{content}"' if is_text else "[" + " ".join(map(str, content)) + "]"
    return shown if when is None else f"{shown} when {getattr(when, '__name__', repr(when))}"
