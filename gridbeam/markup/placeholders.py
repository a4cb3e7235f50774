"""What in a text is not language: placeholders, tags, entities, addresses, names to keep."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias, cast

from gridbeam.errors import UserError
from gridbeam.text.letters import whole

PlaceholderKind: TypeAlias = Literal[
    "printf",
    "brace",
    "message",
    "dollar",
    "name",
    "tag",
    "entity",
    "escape",
    "address",
    "term",
    "own",
]
"""The syntax that something belongs to; an escape is a line break or tab written with a backslash,
own is that of a user."""

_ADDRESS = r"""
    (?:https?|ftp|file|mailto):[^\s<>"'“”„«»{}|\\^`]*[^\s<>"'“”„«»{}|\\^`.,;:!?()\[\]…]
  | www\.[\w-]+(?:\.[\w-]+)+(?:/[^\s<>"'“”„«»{}|\\^`]*[^\s<>"'“”„«»{}|\\^`.,;:!?()\[\]…])?
  | (?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+
  | (?<![\w/<.~])(?:~|\.{1,2})?(?:/[\w.+@-]*[\w+@-]){2,}/?
  | (?<!\w)[A-Za-z]:\\[^\s"'<>|*?:]*[^\s"'<>|*?:.,;!)]
"""
_TAG = r"""
    <!--.{0,2000}?-->
  | </?[A-Za-z0-9][\w:.-]*(?:\s+[\w:.@-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'|[^\s"'<>=]+))*\s*/?>
"""
_PRINTF = r"""
    %\([\w.\ -]+\)[-+\#0]*\d*(?:\.\d+)?[diouxXeEfFgGcrsa]
  | (?<![\w%])%[A-Za-z_][\w.-]+%(?![\w%])
  | %%
  | (?<![\d%])%(?:\d+\$)?[-+\#0,]*(?:\d+|\*)?(?:\.(?:\d+|\*))?
    (?:hh|h|ll|l|L|q|j|z|t)?[diouxXeEfFgGcsaApn@]
  | (?<![\w%])%L?[1-9]\d?(?![\w$%.])
"""
_BRACE = r"""
    \{\{[^{}]*\}\}
  | [$\#%]\{[^{}\s]+\}
  | \{[\w.\[\]-]*(?:![rsa])?(?::[^{}\s]*)?\}
  | \{\ +[\w.-]+\ +\}
  | \[\[[^\[\]]+\]\]
  | (?<!\w)__\w+?__(?!\w)
"""
_NAME = r"""
    (?<![\w.])[A-Za-z][^\W_]*(?:_[^\W_]+)+(?:\.\w+)*(?!\w)
  | (?<![\w:/]):[a-z][a-z0-9_]+\b:?
"""
_MESSAGE = r"""
    \{\s*[\w.-]+\s*,\s*
    (?:plural|select|selectordinal|choice|number|date|time|duration|spellout|ordinal)\b
"""
_ALL = (
    rf"(?P<message>{_MESSAGE})|(?P<address>{_ADDRESS})|(?P<tag>{_TAG})|(?P<brace>{_BRACE})"
    rf"|(?P<printf>{_PRINTF})|(?P<name>{_NAME})|(?P<dollar>(?<![\w$])\$[A-Za-z_]\w*\$?)"
    r"|(?P<entity>&(?:[A-Za-z][A-Za-z0-9]+|\#\d+|\#[xX][0-9A-Fa-f]+);)"
    r"|(?P<escape>\\[ntr])"
)
_HINT = re.compile(r"[<&{%$\\@/:]|\[\[|_|www\.")
"""Without one of these there is nothing to find, which is soon known."""
_QUOTES = frozenset("\"'‘’“”„‚«»‹›")
_VOID = frozenset(
    ("area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)
_ONE_BY_ONE = re.compile(
    r"%[-+#0,]*(?:\d+|\*)?(?:\.(?:\d+|\*))?[a-zA-Z@]+|\{(?:![rsa])?(?::[^{}]*)?\}"
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
        return self.kind in ("printf", "brace") and _ONE_BY_ONE.fullmatch(self.raw) is not None


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
    patterns, ends = [*own, _pattern(tuple(do_not_translate))], _closed(text) if "," in text else {}
    found, waiting = [], [match for pattern in patterns if (match := _next(pattern, text, 0))]
    while waiting:
        match = min(waiting, key=re.Match.start)
        kind = cast(PlaceholderKind, match.lastgroup if match.re is patterns[-1] else "own")
        start, end = match.span()
        if kind == "message":
            end = ends.get(start, start)
        if end > start:
            found.append(FoundPlaceholder(start, end, kind, text[start:end]))
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
    """The name of a tag, whether it closes and whether it stands alone."""
    name = re.match(r"</?([\w:.-]*)", tag)
    label = name[1] if name else ""
    closes = tag.startswith("</")
    return label, closes, not label or tag.endswith("/>") or (not closes and label.lower() in _VOID)


def character(entity: str) -> str | None:
    """The character that an entity stands for, if it is known and visible."""
    found = html.unescape(entity)
    return (
        found
        if found != entity and len(found) == 1 and not found.isspace() and found.isprintable()
        else None
    )


def is_language(found: FoundPlaceholder) -> bool:
    """Whether this is an entity for a letter or a quotation mark.

    Such an entity belongs to its language as if written plainly.
    """
    meant = character(found.raw) if found.kind == "entity" else None
    return meant is not None and (meant.isalpha() or meant in _QUOTES)


def _closed(text: str) -> dict[int, int]:
    """For each opening brace that is closed, where."""
    ends, waiting = {}, []
    for match in re.finditer(r"[{}]", text):
        if match[0] == "{":
            waiting.append(match.start())
        elif waiting:
            ends[waiting.pop()] = match.end()
    return ends


@cache
def _pattern(terms: tuple[str, ...]) -> re.Pattern[str]:
    """Everything at once; of two at one place the first in the pattern, of two terms the longer."""
    words = "|".join(map(re.escape, sorted(filter(None, terms), key=len, reverse=True)))
    named = f"|(?P<term>{whole(words)})" if words else ""
    return re.compile(_ALL + named, re.VERBOSE | re.DOTALL)
