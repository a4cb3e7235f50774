"""TMX, translation memories: a `tu` is a segment, its translation a `tuv` in the target language.

The source language is what the header says (`srclang`), or what the caller does. TMX has no states,
so a translation has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from gridbeam.documents.format import Format, Languages
from gridbeam.documents.segment import Segment
from gridbeam.documents.splice import Edit, Spliced, Unit
from gridbeam.documents.xml import (
    Node,
    Shape,
    XmlFile,
    XmlRecord,
    as_open,
    escaped,
    is_empty,
    marked,
    records,
    source_of,
    written,
)
from gridbeam.errors import UserError
from gridbeam.markup.inline import Marked
from gridbeam.text.languages import varieties


def document(path: Path, languages: Languages) -> Spliced:
    """A TMX file, to be filled in one language."""
    if languages.target is None:
        raise UserError(f"{path}: TMX holds many languages. Say the target language.")
    return source_of(path).document(
        FORMAT.name,
        partial(_units, source_language=languages.source, target_language=languages.target),
    )


def _units(source: XmlFile, source_language: str | None, target_language: str) -> Iterator[Unit]:
    number, header, seen = 0, "", set[str]()
    for record in records(source, frozenset(["header", "tu"])):
        if record.node.name == "header":
            header = record.node.attributes.get("srclang", "")
            continue
        language = source_language or record.node.attributes.get("srclang") or header
        if language in ("", "*all*"):
            raise UserError(
                f"{record.where(record.node)}: neither header nor tu says the source language"
                " (srclang). Say which it is."
            )
        seen |= {_language(each) for each in record.node.nodes if each.name == "tuv"}
        spoken = _spoken(record, language)
        seg = spoken and spoken.child("seg")
        if spoken is None or seg is None:
            continue
        yield _unit(record, spoken, seg, target_language, number)
        number += 1
    if not number and seen:
        raise UserError(
            f"{source.path}: no tuv in the source language {source_language or header}, only in"
            f" {', '.join(sorted(seen))}. Say the source language as the file has it."
        )


def _language(node: Node) -> str:
    return node.attributes.get("xml:lang") or node.attributes.get("lang") or ""


def _spoken(record: XmlRecord, language: str) -> Node | None:
    """The tuv of a language, or else of one of its regions."""
    found = [node for node in record.node.nodes if node.name == "tuv"]
    codes = varieties([_language(node) for node in found], language)
    return next((node for node in found if _language(node) in codes), None)


def _unit(record: XmlRecord, spoken: Node, seg: Node, target_language: str, number: int) -> Unit:
    target = _spoken(record, target_language)
    filled = target and target.child("seg")
    is_there = filled is not None and not is_empty(filled)
    segment = Segment(
        number,
        record.node.attributes.get("tuid") or str(number + 1),
        marked(record, seg, _shape),
        record.path,
        seg.line,
        target=marked(record, filled, _shape) if filled is not None and is_there else None,
        status=(
            "locked"
            if not seg.text.strip() or target is spoken
            else "translated"
            if is_there
            else "untranslated"
        ),
    )
    return Unit((segment,), partial(_edits, record, spoken, seg, filled, target_language))


def _edits(
    record: XmlRecord,
    spoken: Node,
    seg: Node,
    filled: Node | None,
    language: str,
    given: Sequence[Marked | None],
) -> list[Edit]:
    (text,) = given
    if text is None:
        return []
    if filled is not None:
        new = f"{as_open(record.raw(filled.start, filled.inner))}{written(text)}</{_name(filled)}>"
        return [(filled.start, filled.end, new.encode())]
    inner, outer = record.space_before(seg), record.raw(seg.end, spoken.outer)
    filling = (
        f"{inner}<{_name(seg)}>{written(text)}</{_name(seg)}>{outer if outer.isspace() else ''}"
    )
    new = (
        f"{record.space_before(spoken)}<{_name(spoken)}"
        f' xml:lang="{escaped(language)}">{filling}</{_name(spoken)}>'
    )
    return [(spoken.end, spoken.end, new.encode())]


def _name(node: Node) -> str:
    return f"{node.prefix}:{node.name}" if node.prefix else node.name


def _shape(node: Node) -> Shape:
    pair = node.attributes.get("i") or str(node.start)
    match node.name:
        case "hi":
            return "pair", f"hi {node.start}"
        case "bpt":
            return "opens", pair
        case "ept":
            return "closes", pair
        case _:
            return "alone", pair


FORMAT = Format(
    name="tmx",
    suffixes=(".tmx",),
    contents=re.compile(rb"<tmx[\s>]"),
    document=document,
    keeps_source=True,
)
