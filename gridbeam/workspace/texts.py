"""Texts as people see them: as the file writes them, and which of their characters are codes.

A code is a placeholder, a tag, or the syntax of a message: it is shown as one thing, and nobody
types into it. `{"text": ..., "codes": [{"start", "end", "raw"}]}` is what is stored and sent.

>>> shown(as_marked("Open {file}"))
{'text': 'Open {file}', 'codes': [{'start': 5, 'end': 11, 'raw': '{file}'}]}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from gridbeam.checks.pair import CheckedText, CodeInText
from gridbeam.constraints.occurrences import Span
from gridbeam.markup import messages
from gridbeam.markup.inline import Code, Marked, Piece, as_marked, partners
from gridbeam.markup.kinds import MESSAGE

Own = Sequence[re.Pattern[str]]
"""What else is a placeholder."""


def shown(marked: Marked, own: Own = ()) -> dict[str, Any]:
    """A text as it is stored and sent."""
    text = str(marked)
    codes = [
        {"start": start, "end": end, "raw": text[start:end]} for start, end in codes_of(marked, own)
    ]
    return {"text": text, "codes": codes}


def codes_of(marked: Marked, own: Own = ()) -> list[Span]:
    """The characters of a text that are codes, from left to right."""
    return list(_codes(CheckedText.of(marked, own).codes, own))


def marked_text(text: str, known: Iterable[Code]) -> Marked:
    """A text with the codes in it that its file knows; what else looks like one is text.

    So is one of a pair whose other is missing: the file would not be whole with it.

    >>> opens, closes = Code("<g>", "opens", "1"), Code("</g>", "closes", "1")
    >>> marked_text("Die <g>Datei</g>", [opens, closes]).codes == (opens, closes)
    True
    >>> marked_text("Die <g>Datei", [opens, closes]).codes
    ()
    """
    by_raw = {code.raw: code for code in known}
    if not by_raw:
        return as_marked(text)
    raws = "|".join(map(re.escape, sorted(by_raw, key=len, reverse=True)))
    parts = re.split(f"({raws})", text)
    return _whole(Marked.of(by_raw.get(part, part) for part in parts))


def _whole(marked: Marked) -> Marked:
    """The text with codes that lack their partner as text."""
    codes = marked.codes
    paired = partners(codes)
    if all(code.role == "alone" or number in paired for number, code in enumerate(codes)):
        return marked
    pieces, number = list[Piece](), 0
    for piece in marked.pieces:
        if isinstance(piece, Code):
            pieces.append(piece if piece.role == "alone" or number in paired else piece.raw)
            number += 1
        else:
            pieces.append(piece)
    return Marked.of(pieces)


def _codes(found: Iterable[CodeInText], own: Own) -> Iterator[Span]:
    for each in found:
        if each.kind != MESSAGE.name:
            yield each.start, each.end
            continue
        for start, end in _syntax(each.raw, own):
            yield each.start + start, each.start + end


def _syntax(raw: str, own: Own) -> Iterator[Span]:
    """The characters of a message around its texts, and the codes in these."""
    message = messages.read(raw, 0, messages.closed_braces(raw))
    if message is None:
        yield 0, len(raw)
        return
    branches = [(branch.start, branch.end) for branch in message.branches]
    for (_, start), (following, last) in pairwise([(0, 0), *branches, (len(raw), 0)]):
        yield start, following
        if last:
            inner = CheckedText.of(raw[following:last], own).codes
            yield from ((following + a, following + b) for a, b in _codes(inner, own))
