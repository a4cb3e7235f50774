"""JSON Lines with Sockeye's keys: `text`, `constraints`, `avoid` and `prefix`.

For example `{"text": "...", "constraints": ["..."], "avoid": ["..."], "prefix": "..."}`. Besides,
`max_chars` says how many characters the translation may have.

The translation becomes the value of `translation`, as in Sockeye's output; all else stays as it is,
character by character. Constraints are those of `gridbeam.notation`: strings, or objects such as
`{"any_of": ["a", "b"]}`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from gridbeam.constraints.drawing import in_line
from gridbeam.constraints.notation import from_json
from gridbeam.constraints.roles import Role
from gridbeam.constraints.terms import Avoid, Constraint, Prefix
from gridbeam.documents.format import Format
from gridbeam.documents.limit import SizeLimit
from gridbeam.documents.lines import Line
from gridbeam.documents.segment import Segment
from gridbeam.documents.splice import Edit, Unit
from gridbeam.errors import UserError
from gridbeam.markup.inline import Marked, as_marked

_EXAMPLE = '{"text": "The disk is full.", "constraints": ["Festplatte"]}'
_KEY = "translation"


def unit(line: Line, number: int) -> Unit | None:
    """The segment of a line; None where it is blank."""
    if not line.text.strip():
        return None
    values = _object(line)
    target = values.get(_KEY)
    segment = Segment(
        number,
        str(values.get("id", line.number)),
        as_marked(values["text"]),
        line.path,
        line.number,
        target=as_marked(target) if isinstance(target, str) and target else None,
        status="translated" if isinstance(target, str) and target else "untranslated",
        constraints=(
            *_terms(line, "constraints", values.get("constraints")),
            *map(Avoid, _terms(line, "avoid", values.get("avoid"))),
            *map(Prefix, _terms(line, "prefix", values.get("prefix"))),
        ),
        values=values,
        limits=_limits(line, values.get("max_chars")),
    )
    return Unit((segment,), lambda given: [_edit(line, text) for text in given if text is not None])


def _object(line: Line) -> dict[str, Any]:
    try:
        values = json.loads(line.text)
    except RecursionError:
        raise UserError(f"{line.where}: nested too deep. Write {_EXAMPLE}") from None
    except json.JSONDecodeError as error:
        raise UserError(
            f"{line.where} column {error.colno}: not JSON: {error.msg}. Write {_EXAMPLE}"
        ) from None
    except ValueError:
        raise UserError(
            f"{line.where}: a number of thousands of digits. Write it as a string."
        ) from None
    if not isinstance(values, dict):
        raise UserError(f"{line.where}: not an object. Write {_EXAMPLE}")
    if not isinstance(values.get("text"), str):
        raise UserError(
            f'{line.where}: {"no" if "text" not in values else "not a string as"} "text". Write'
            f" {_EXAMPLE}"
        )
    if re.search("[\ud800-\udfff]", values["text"]):
        raise UserError(
            f'{line.where}: "text" holds half a character (\\ud800 to \\udfff). Write both halves,'
            " or neither."
        )
    return values


def _terms(line: Line, key: str, value: Any) -> tuple[Any, ...]:
    """The terms under a key; a single one need not be in a list."""
    if value is None or value == "":
        return ()
    try:
        found: tuple[Constraint, ...] = from_json(
            json.dumps(value if isinstance(value, list) else [value]), name=key
        )
    except RecursionError:
        raise UserError(f'{line.where}: "{key}" is nested too deep. Write {_EXAMPLE}') from None
    except UserError as error:
        raise error.within(line.where) from None
    held = [term for term in found if term.role is not Role.REQUIRED]
    if key != "constraints" and held:
        raise UserError(
            f'{line.where}: "{key}" holds {in_line(held[0])}. Write the pattern itself.'
        )
    return found


def _limits(line: Line, most: Any) -> tuple[SizeLimit, ...]:
    if most is None:
        return ()
    if not isinstance(most, int) or isinstance(most, bool) or most < 1:
        raise UserError(f'{line.where}: "max_chars" is no whole number from 1 on. Write 20, say.')
    return (SizeLimit(most),)


def _edit(line: Line, text: Marked) -> Edit:
    new = json.dumps(str(text), ensure_ascii=False)
    spans = [span for key, *span in _members(line.text) if key == _KEY]
    if spans:
        start, end = spans[-1]  # of a key that is there twice, the last one counts
    else:
        start = end = len(line.text[: line.text.rindex("}")].rstrip())
        new = f', "{_KEY}": {new}'
    first = line.start + len(line.text[:start].encode())
    return first, first + len(line.text[start:end].encode()), new.encode("utf8", "backslashreplace")


def _members(text: str) -> Iterator[tuple[str, int, int]]:
    """The keys of an object, and where their values begin and end."""
    decoder = json.JSONDecoder()
    place = text.index("{") + 1
    while True:
        place = _next(text, place)
        key, place = decoder.raw_decode(text, place)
        start = _next(text, _next(text, place) + 1)
        _, place = decoder.raw_decode(text, start)
        yield key, start, place
        place = _next(text, place)
        if text[place] == "}":
            return
        place += 1


def _next(text: str, place: int) -> int:
    while text[place] in " \t\r\n":
        place += 1
    return place


FORMAT = Format(
    name="jsonl",
    suffixes=(".jsonl", ".ndjson"),
    contents=re.compile(rb'^\s*\{\s*"'),
    unit=unit,
    keeps_source=True,
)
