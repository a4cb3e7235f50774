"""Marked-up text in blocks: what is translated together, and the markup that stands around it.

A block of HTML is told by the names of its tags. In XML an element splits the text where its parent
has no text of its own beside it, such as the paragraphs of a chapter; elsewhere it is a stretch of
a sentence. Both can be said by name.

>>> found = marked_up("<p>Open <b>it</b>.</p><p>Now &amp; here</p>", MarkupRules(is_html=True))
>>> [str(block) for block in found.texts]
['Open <b>it</b>.', 'Now & here']
>>> found.joined([block.part(0, 5) for block in found.texts])
'<p>Open </p><p>Now &amp;</p>'
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gridbeam.markup.elements import MarkupPart, parts_of
from gridbeam.markup.inline import Code, Marked, Piece

_BLOCKS_OF_HTML = """
address article aside blockquote body br button caption center dd details dialog dir div dl dt
fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe
legend li main menu nav noscript ol optgroup option p pre section select summary table tbody td
template textarea tfoot th thead title tr ul video
"""
_SPLITTING_IN_HTML = frozenset(_BLOCKS_OF_HTML.split())
_LINES = re.compile(r"[^\S\n]*\n\s*")


@dataclass(frozen=True)
class MarkupRules:
    """How a marked-up text is cut."""

    is_html: bool = False
    splitting: frozenset[str] = frozenset()
    """Elements that part sentences, besides those that are known to."""
    non_splitting: frozenset[str] = frozenset()
    """Elements that part no sentence."""
    kept: frozenset[str] = frozenset()
    """Elements whose text is not translated."""
    outline: bool = True
    """Whether elements of XML that part sentences are told by what stands beside them."""
    joins_lines: bool = False
    """Whether a line break in a text is a space, as in HTML."""


@dataclass(frozen=True)
class MarkedUp:
    """A marked-up text: pieces that stay as they are written, and texts to translate."""

    pieces: tuple[str | Marked, ...]

    @property
    def texts(self) -> list[Marked]:
        """The texts to translate, unescaped; their tags are codes."""
        return [piece for piece in self.pieces if isinstance(piece, Marked)]

    def joined(self, translations: Sequence[Marked]) -> str:
        """The whole again, with a translation in place of each text, escaped."""
        waiting = iter(translations)
        return "".join(
            piece if isinstance(piece, str) else escaped(next(waiting)) for piece in self.pieces
        )


def marked_up(text: str, rules: MarkupRules) -> MarkedUp:
    """The text in blocks."""
    parts = parts_of(text, is_html=rules.is_html, kept=rules.kept)
    is_splitting = _Splitting(parts, rules)
    pieces: list[str | Marked] = []
    run: list[MarkupPart] = []
    for part in parts:
        if is_splitting(part):
            pieces += _block(run, rules)
            pieces.append(part.raw)
            run = []
        else:
            run.append(part)
    return MarkedUp(tuple(piece for piece in [*pieces, *_block(run, rules)] if piece))


def escaped(text: Marked) -> str:
    """A text with codes as XML, what is text of it escaped."""
    return "".join(
        html.escape(piece, quote=False) if isinstance(piece, str) else piece.raw
        for piece in text.pieces
    )


class _Splitting:
    """Tells which tags part sentences."""

    def __init__(self, parts: Sequence[MarkupPart], rules: MarkupRules) -> None:
        self._rules = rules
        seeks = rules.outline and not rules.is_html
        self._structure = _structure(parts) if seeks else frozenset()

    def __call__(self, part: MarkupPart) -> bool:
        rules = self._rules
        if part.role not in ("opens", "closes", "alone") or part.name in rules.non_splitting:
            return False
        if part.name in rules.splitting or part.pair in self._structure:
            return True
        return rules.is_html and (part.name in _SPLITTING_IN_HTML or not part.name)


def _structure(parts: Sequence[MarkupPart]) -> frozenset[int | None]:
    """The pairs of tags that stand in a parent without text of its own."""
    parents: list[int | None] = [None]
    children: dict[int | None, list[int]] = {None: []}
    mixed: set[int | None] = set()
    for part in parts:
        if part.role == "text" and not part.text.isspace():
            mixed.add(parents[-1])
        elif part.role == "opens" and part.pair is not None:
            children[parents[-1]].append(part.pair)
            parents.append(part.pair)
            children[part.pair] = []
        elif part.role == "closes" and part.pair is not None:
            parents.pop()
    return frozenset(
        child for parent, found in children.items() if parent not in mixed for child in found
    )


def _block(run: Sequence[MarkupPart], rules: MarkupRules) -> Iterator[str | Marked]:
    """The text of a run of parts, and before and after it what stays as it is."""
    first, last = _edges(run)
    if not any(part.text.strip() for part in run[first:last]):
        yield "".join(part.raw for part in run)
        return
    yield "".join(part.raw for part in run[:first])
    inside = {part.pair for part in run[first:last] if part.role == "closes"}
    yield Marked.of(_piece(part, inside, rules) for part in run[first:last])
    yield "".join(part.raw for part in run[last:])


def _edges(run: Sequence[MarkupPart]) -> tuple[int, int]:
    """The stretch of a run without the tags and white space around all of its text."""
    first, last = 0, len(run)
    while first < last:
        part, end = run[first], run[last - 1]
        is_around = part.role == "opens" and end.role == "closes" and part.pair == end.pair
        if is_around and part.pair is not None:
            first, last = first + 1, last - 1
        elif _is_loose(part, run[first:last]):
            first += 1
        elif _is_loose(end, run[first:last]):
            last -= 1
        else:
            break
    return first, last


def _is_loose(part: MarkupPart, run: Sequence[MarkupPart]) -> bool:
    """Whether a part has nothing to do with the rest of a run: white space, or half of a pair."""
    if part.role == "text":
        return part.text.isspace()
    if part.role in ("opens", "closes"):
        return part.pair is None or sum(each.pair == part.pair for each in run) < 2
    return part.role == "alone" and not part.name  # a comment, or a declaration


def _piece(part: MarkupPart, inside: set[int | None], rules: MarkupRules) -> Piece:
    if part.role == "text":
        return _LINES.sub(" ", part.text) if rules.joins_lines else part.text
    if part.role in ("opens", "closes") and part.pair in inside and part.pair is not None:
        return Code(part.raw, "opens" if part.role == "opens" else "closes", str(part.pair))
    return Code(part.raw)
