"""What in a text is not language, found by the table of `gridbeam.markup.kinds`."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from gridbeam.errors import UserError
from gridbeam.markup.kinds import KIND, KINDS, MESSAGE, OWN, TERM, SyntaxKind
from gridbeam.markup.messages import closed_braces
from gridbeam.text.letters import whole

PlaceholderKind: TypeAlias = str
"""The name of one of `KINDS`."""
_HINT = re.compile(
    r"[^\w\s.,;!?'\"():“”‘’–—-]|[\d_]|[a-z][A-Z]|--|-[A-Za-z]|\w\.\w|\.NET|\(\)|:[\w:]"
)
"""Without one of these there is nothing to find, which is soon known."""
_ESCAPED = re.compile(r"&(?:amp;)*([lg])t;")
_QUOTES = frozenset("\"'‘’“”„‚«»‹›")
_VOID = frozenset(
    ("area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)


@dataclass(frozen=True)
class FoundPlaceholder:
    """Something that is not language, from `start` up to `end`."""

    start: int
    end: int
    kind: PlaceholderKind
    raw: str

    @property
    def keeps_its_order(self) -> bool:
        """Whether it takes the next argument, so that its order among such must stay."""
        return KIND[self.kind].keeps_its_order(self.raw)


def expressions(written: Iterable[str]) -> tuple[re.Pattern[str], ...]:
    """Regular expressions for placeholders in one's own syntax, for `own` of `placeholders`."""
    return tuple(map(_expression, written))


def _expression(written: str) -> re.Pattern[str]:
    try:
        found = re.compile(written)
    except re.error as error:
        raise UserError(
            f"--placeholder {written}: {error}. Write a regular expression, with \\ before marks."
        ) from None
    if found.fullmatch(""):
        raise UserError(
            f"--placeholder {written}: this matches nothing, which is everywhere. Require at least"
            " one character."
        )
    return found


def placeholders(
    text: str, do_not_translate: Sequence[str] = (), own: Sequence[re.Pattern[str]] = ()
) -> list[FoundPlaceholder]:
    """All that is not language in a text, from left to right.

    They do not overlap, and terms count as whole words.

    Of two that begin together, one in a syntax of one's `own` is taken.

    >>> text = "Hi {name}, <b>50%%</b> of %1$d files at https://a.org/b."
    >>> [found.raw for found in placeholders(text, ["files"])]
    ['{name}', '<b>', '%%', '</b>', '%1$d', 'files', 'https://a.org/b']
    """
    if not do_not_translate and not own and not _HINT.search(text):
        return []
    patterns, ends = (
        [*own, _pattern(tuple(do_not_translate))],
        closed_braces(text) if "," in text else {},
    )
    found, waiting = [], [match for pattern in patterns if (match := _next(pattern, text, 0))]
    while waiting:
        match = min(waiting, key=re.Match.start)
        kind = _kind_of(match) if match.re is patterns[-1] else OWN
        start, end = match.span()
        if kind is MESSAGE:
            end = ends.get(start) or start
        if end > start and not any(sign in text for sign in kind.unless):
            found.append(FoundPlaceholder(start, end, kind.name, text[start:end]))
        place = max(end, start + 1)  # a brace that is never closed is text
        waiting = [
            later
            for each in waiting
            if (later := each if each.start() >= place else _next(each.re, text, place))
        ]
    return found


def _next(pattern: re.Pattern[str], text: str, place: int) -> re.Match[str] | None:
    """The first match from a place on that is not empty."""
    return next(filter(lambda match: match[0], pattern.finditer(text, place)), None)


def element(tag: str) -> tuple[str, bool, bool]:
    """The name of a tag, whether it closes and whether it stands alone.

    >>> element("</b>"), element("&amp;lt;br /&amp;gt;")
    (('b', True, False), ('br', False, True))
    """
    tag = _ESCAPED.sub(lambda match: "<" if match[1] == "l" else ">", tag)
    name = re.match(r"</?([\w:.-]*)", tag)
    label = name[1] if name else ""
    closes = tag.startswith("</")
    return label, closes, not label or tag.endswith("/>") or (not closes and label.lower() in _VOID)


def character(raw: str) -> str | None:
    r"""The character that an entity or an escaped quotation mark stands for.

    None for one that is not known, or not visible.

    >>> character("&uuml;"), character(r"\""), character("&nbsp;")
    ('ü', '"', None)
    """
    found = raw[1:] if raw.startswith("\\") else html.unescape(raw)
    return (
        found
        if found != raw and len(found) == 1 and not found.isspace() and found.isprintable()
        else None
    )


def is_language(found: FoundPlaceholder) -> bool:
    """Whether this is a letter or a quotation mark that is written in another way.

    Such an entity belongs to its language as if written plainly.
    """
    meant = character(found.raw) if KIND[found.kind].shown == "character" else None
    return meant is not None and (meant.isalpha() or meant in _QUOTES)


def _kind_of(match: re.Match[str]) -> SyntaxKind:
    """The kind whose pattern has matched; its group is the last to be closed."""
    return _GROUPS[str(match.lastgroup)]


_GROUPS = {f"kind{number}": kind for number, kind in enumerate(KINDS)}


@cache
def _pattern(terms: tuple[str, ...]) -> re.Pattern[str]:
    """Everything at once; of two at one place the first in the table, of two terms the longer."""
    words = "|".join(map(re.escape, sorted(filter(None, terms), key=len, reverse=True)))
    patterns = {
        name: (whole(words) if words else "") if kind is TERM else kind.pattern
        for name, kind in _GROUPS.items()
    }
    alternatives = (f"(?P<{name}>{pattern})" for name, pattern in patterns.items() if pattern)
    return re.compile("|".join(alternatives), re.VERBOSE | re.DOTALL)
