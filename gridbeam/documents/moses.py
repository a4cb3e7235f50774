"""Moses XML: plain text, a segment a line, in which tags hold translations.

Like this: `<np translation="das Haus">the house</np>`. A `translation` becomes a constraint,
several of them (`a||b`) alternatives. Tags without one (`<wall/>`, `<zone>`) say how Moses is to
reorder, and are left out. As everywhere in Moses, `&`, `<` and `>` are written as entities.
"""

from __future__ import annotations

import html
import re

from gridbeam.constraints.terms import AnyOf, Pattern, Phrase
from gridbeam.documents.format import Format
from gridbeam.documents.lines import Line, on_one_line
from gridbeam.documents.segment import Segment
from gridbeam.documents.splice import Unit
from gridbeam.errors import UserError
from gridbeam.markup.inline import Marked, as_marked

_TAG = re.compile(
    r"<(?P<closes>/?)(?P<name>[A-Za-z_][\w.-]*)"
    r"""(?P<attributes>(?:\s+[\w.:-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(?P<empty>/?)>"""
)
_TRANSLATION = re.compile(r"""\stranslation\s*=\s*(?:"([^"]*)"|'([^']*)')""")


def unit(line: Line, number: int) -> Unit:
    """The segment of a line."""
    text, constraints = _read(line)
    segment = Segment(
        number, str(line.number), as_marked(text), line.path, line.number, constraints=constraints
    )
    return Unit(
        (segment,),
        lambda given: [
            (line.start, line.end, _written(found).encode()) for found in given if found is not None
        ],
    )


def _read(line: Line) -> tuple[str, tuple[Pattern, ...]]:
    """The text of a line without its tags, and what they require."""
    text, done, waiting = "", 0, list[str]()
    constraints: list[Pattern] = []
    for tag in _TAG.finditer(line.text):
        text += _plain(line, done, tag.start())
        done = tag.end()
        if tag["closes"]:
            if not waiting or waiting.pop() != tag["name"]:
                raise UserError(
                    f"{line.where} column {tag.start() + 1}: {tag[0]} closes nothing. Write the tag"
                    " that opens it."
                )
        elif not tag["empty"]:
            waiting.append(tag["name"])
        if given := _TRANSLATION.search(tag["attributes"]):
            constraints += _required(html.unescape(given[1] or given[2] or ""))
    if waiting:
        raise UserError(
            f"{line.where}: <{waiting[-1]}> is not closed. Write </{waiting[-1]}> on the same line."
        )
    return text + _plain(line, done, len(line.text)), tuple(constraints)


def _plain(line: Line, start: int, end: int) -> str:
    if "<" in line.text[start:end]:
        column = line.text.index("<", start) + 1
        raise UserError(
            f"{line.where} column {column}: a < that begins no tag. Write &lt;, or close the tag."
        )
    return html.unescape(line.text[start:end])


def _required(translations: str) -> list[Pattern]:
    found = [Phrase(each.strip()) for each in translations.split("||") if each.strip()]
    return [AnyOf(*found)] if len(found) > 1 else list(found)


def _written(text: Marked) -> str:
    return html.escape(on_one_line(text), quote=False)


FORMAT = Format(name="moses", suffixes=(".moses",), unit=unit)
