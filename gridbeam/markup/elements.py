"""A text of XML or HTML, cut into elements, text and what else there is; nothing is lost.

It is read as it comes: a sign that opens no tag is text, and a tag without its other half stands
alone. `gridbeam.markup.blocks` says which of it is translated together.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

PartRole: TypeAlias = Literal["text", "opens", "closes", "alone", "entity", "kept"]
"""Text; a tag; a character that has no letter; or an element that stays as it is, with all in
it."""

_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param"]
).union(["source", "track", "wbr"])
_VERBATIM = frozenset(("script", "style"))
"""Elements of HTML in which nothing is a tag, and nothing is translated."""
_NAME = r"[A-Za-z_][\w:.-]*"
_LONGEST = 4000
"""Characters of a comment; without a limit, many that are never closed would take for ever."""
_MARKUP = re.compile(
    rf"""(?P<other>
      <!--.{{0,{_LONGEST}}}?--> | <!\[CDATA\[.{{0,{_LONGEST}}}?\]\]> | <\?.{{0,{_LONGEST}}}?\?>
      | <![A-Za-z][^<>]*>)
    | <(?P<slash>/?)(?P<name>{_NAME})
      (?:\s+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"<]*"|'[^'<]*'|[^\s"'<>]+))?)*
      \s*(?P<empty>/?)>
    | (?P<entity>&(?:\#\d+|\#[xX][0-9A-Fa-f]+|[A-Za-z][A-Za-z0-9]*);)""",
    re.VERBOSE | re.DOTALL,
)
_NOT_TRANSLATED = re.compile(
    r"""\stranslate\s*=\s*["']?no\b|\sclass\s*=\s*["'][^"']*\bnotranslate\b""", re.IGNORECASE
)


@dataclass(frozen=True)
class MarkupPart:
    """A stretch of a marked-up text, as it is written."""

    raw: str
    role: PartRole
    name: str = ""
    """The name of a tag, without capitals in HTML."""
    pair: int | None = None
    """What both tags of an element have in common; None for one without its other half."""

    @property
    def text(self) -> str:
        """What a reader sees of a text."""
        return html.unescape(self.raw) if self.role == "text" else ""


def parts_of(text: str, *, is_html: bool, kept: Iterable[str] = ()) -> list[MarkupPart]:
    """The parts of a text, in order; elements of the names in `kept` stay whole.

    >>> [part.role for part in parts_of('Open <b>it</b> at <x id="1">now</x>', is_html=False,
    ...                                 kept=["x"])]
    ['text', 'opens', 'text', 'closes', 'text', 'kept']
    """
    parts = _paired(_read(text, is_html))
    names = {name.lower() if is_html else name for name in kept}
    return _with_kept(parts, names, is_html)


def has_half_elements(text: str) -> bool:
    """Whether a text of XML has a tag without its other half.

    >>> has_half_elements("Press <b>Enter"), has_half_elements("<b>a<br/></b> < 3")
    (True, False)
    """
    parts = _paired(_read(text, is_html=False))
    return any(part.role in ("opens", "closes") and part.pair is None for part in parts)


def _read(text: str, is_html: bool) -> list[MarkupPart]:
    parts: list[MarkupPart] = []
    done = 0
    while found := _MARKUP.search(text, done):
        _add_text(parts, text[done : found.start()])
        part, done = _part(found, is_html), found.end()
        if part.role == "text":
            _add_text(parts, part.raw)
        else:
            parts.append(part)
        if is_html and part.role == "opens" and part.name in _VERBATIM:
            closing = re.compile(rf"</{part.name}\s*>", re.IGNORECASE).search(text, done)
            end = closing.start() if closing else len(text)
            parts.append(MarkupPart(text[done:end], "kept"))
            done = end
    _add_text(parts, text[done:])
    return [part for part in parts if part.raw]


def _add_text(parts: list[MarkupPart], raw: str) -> None:
    """Adds a text, to the one before it where there is one."""
    if parts and parts[-1].role == "text":
        parts[-1] = replace(parts[-1], raw=parts[-1].raw + raw)
    elif raw:
        parts.append(MarkupPart(raw, "text"))


def _part(found: re.Match[str], is_html: bool) -> MarkupPart:
    if found["entity"]:
        is_known = html.unescape(found[0]) != found[0]
        return MarkupPart(found[0], "text" if is_known else "entity")
    if found["other"]:
        return MarkupPart(found[0], "alone")
    name = found["name"].lower() if is_html else found["name"]
    if found["slash"]:
        return MarkupPart(found[0], "closes", name)
    is_alone = bool(found["empty"]) or (is_html and name in _VOID)
    return MarkupPart(found[0], "alone" if is_alone else "opens", name)


def _paired(parts: Sequence[MarkupPart]) -> list[MarkupPart]:
    """The parts, with a number for each pair of tags; what is open within a pair has none."""
    paired, waiting = list(parts), list[int]()
    for place, part in enumerate(parts):
        if part.role == "opens":
            waiting.append(place)
        elif part.role == "closes":
            opener = next((each for each in reversed(waiting) if parts[each].name == part.name), -1)
            if opener >= 0:
                del waiting[waiting.index(opener) :]
                paired[opener] = replace(parts[opener], pair=opener)
                paired[place] = replace(part, pair=opener)
    return paired


def _with_kept(parts: Sequence[MarkupPart], names: set[str], is_html: bool) -> list[MarkupPart]:
    """The parts, with one for each element that stays as it is; an empty one does, too."""
    ends = {part.pair: place for place, part in enumerate(parts) if part.role == "closes"}
    found: list[MarkupPart] = []
    place = 0
    while place < len(parts):
        part, end = parts[place], ends.get(place, place)
        is_asked = part.name in names or (is_html and _is_not_translated(part))
        if part.role == "opens" and end > place and (is_asked or end == place + 1):
            raw = "".join(each.raw for each in parts[place : end + 1])
            found.append(MarkupPart(raw, "kept", part.name))
            place = end + 1
        else:
            found.append(part)
            place += 1
    return found


def _is_not_translated(part: MarkupPart) -> bool:
    return part.name in _VERBATIM or _NOT_TRANSLATED.search(part.raw) is not None
