"""A term as people read it: a tree of its parts, or one line for messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Drawable(Protocol):
    """Whatever has a title and perhaps parts below it."""

    @property
    def title(self) -> str:
        """What it is, without its parts."""
        ...

    @property
    def branches(self) -> Sequence[Drawable]:
        """Its parts, from left to right."""
        ...


def tree(term: Drawable) -> str:
    """The term as a drawing of its parts, one line each."""
    lines = [term.title]
    for number, part in enumerate(term.branches, 1):
        is_last = number == len(term.branches)
        head, *rest = tree(part).splitlines()
        lines.append(("└─ " if is_last else "├─ ") + head)
        lines.extend(("   " if is_last else "│  ") + line for line in rest)
    return "\n".join(lines)


def in_line(term: Drawable) -> str:
    """The term on one line, for messages.

    >>> from gridbeam.constraints.terms import AnyOf, Gap, InOrder
    >>> in_line(InOrder("ask", Gap(1, 5), AnyOf("out", "over")))
    'in order ("ask", gap of 1 to 5 tokens, any of ("out", "over"))'
    """
    if not term.branches:
        return term.title
    parts = ", ".join(map(in_line, term.branches))
    return f"{term.title} {parts}" if len(term.branches) == 1 else f"{term.title} ({parts})"
