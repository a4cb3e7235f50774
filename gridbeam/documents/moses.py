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
    text, given = _read(line)
    constraints, stretches = (
        tuple(each for each, _ in given),
        tuple(stretch for _, stretch in given),
    )
    segment = Segment(
        number,
        str(line.number),
        as_marked(text),
        line.path,
        line.number,
        constraints=constraints,
        stretches=stretches,
    )
    return Unit(
        (segment,),
        lambda given: [
            (line.start, line.end, _written(found).encode()) for found in given if found is not None
        ],
    )


def _read(line: Line) -> tuple[str, list[tuple[Pattern, tuple[int, int]]]]:
    """The text of a line without its tags, and what they require for which stretch of the text."""
    text, done, waiting = "", 0, list[tuple[str, int]]()
    required, stretches = list[tuple[Pattern, int]](), list[tuple[int, int]]()
    for tag in _TAG.finditer(line.text):
        text += _plain(line, done, tag.start())
        done, number = tag.end(), len(stretches)
        if tag["closes"]:
            name, number = waiting.pop() if waiting else ("", 0)
            if name != tag["name"]:
                raise UserError(
                    f"{line.where} column {tag.start() + 1}: {tag[0]} closes nothing. Write the tag"
                    " that opens it."
                )
            stretches[number] = (stretches[number][0], len(text))
        else:
            stretches.append((len(text), len(text)))
            waiting += [] if tag["empty"] else [(tag["name"], number)]
        if given := _TRANSLATION.search(tag["attributes"]):
            required += [
                (each, number) for each in _required(html.unescape(given[1] or given[2] or ""))
            ]
    if waiting:
        name, _ = waiting[-1]
        raise UserError(f"{line.where}: <{name}> is not closed. Write </{name}> on the same line.")
    return text + _plain(line, done, len(line.text)), [
        (each, stretches[number]) for each, number in required
    ]


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
