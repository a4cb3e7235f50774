"""XLIFF 1.2: each `trans-unit` is a segment, or each of those that its `seg-source` is cut into.

A translation has the state `needs-review-translation`, or `translated` where it is settled, and the
qualifier `mt-suggestion`. Units that
are approved, final, signed off or not to be translated are locked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from gridbeam.documents.format import Languages
from gridbeam.documents.limit import SizeLimit, limit_of
from gridbeam.documents.segment import Segment, Status
from gridbeam.documents.splice import Edit, Spliced, Unit
from gridbeam.documents.xml import (
    Node,
    Shape,
    XmlFile,
    XmlRecord,
    as_open,
    check_language,
    check_source_language,
    is_empty,
    marked,
    records,
    source_of,
    with_attributes,
    written,
)
from gridbeam.errors import UserError
from gridbeam.markup.inline import Marked

_TO_REVIEW = {"state": "needs-review-translation", "state-qualifier": "mt-suggestion"}
_SETTLED = {"state": "translated", "state-qualifier": "mt-suggestion"}
_STATUS: dict[str, Status] = {
    "new": "untranslated",
    "needs-translation": "untranslated",
    "final": "locked",
    "signed-off": "locked",
}


def document(path: Path, languages: Languages) -> Spliced:
    """An XLIFF 1.2 file."""
    return source_of(path).document("xliff 1.2", partial(_units, languages=languages))


def _units(source: XmlFile, languages: Languages) -> Iterator[Unit]:
    number = 0
    for record in records(source, frozenset(["trans-unit"])):
        for file in record.above:
            check_source_language(
                record.where(file),
                "source-language",
                file.attributes.get("source-language"),
                languages.source,
            )
            check_language(
                record.where(file),
                "target-language",
                file.attributes.get("target-language"),
                languages.target,
            )
        unit = _unit(record, number)
        number += len(unit.segments)
        yield unit


def _unit(record: XmlRecord, number: int) -> Unit:
    node = record.node
    source, cut, target = (node.child(name) for name in ("source", "seg-source", "target"))
    if source is None:
        raise UserError(
            f"{record.where(node)}: <trans-unit> without <source>. Export the file anew."
        )
    parts = [] if cut is None else list(_parts(cut))
    drafted = (
        {} if target is None else {part.attributes.get("mid"): part for part in _parts(target)}
    )
    file = next(
        (each.attributes.get("original", "") for each in record.above if each.name == "file"), ""
    )
    name = ":".join(filter(None, (file, node.attributes.get("id", ""))))
    segments = [
        _segment(
            record,
            part,
            drafted.get(part.attributes.get("mid")),
            f"{name}:{part.attributes.get('mid', '')}",
            number + place,
        )
        for place, part in enumerate(parts)
    ] or [_segment(record, source, target, name, number)]

    def content(given: Sequence[Marked | None]) -> str:
        if cut is None or not parts:
            (text,) = given
            return "" if text is None else written(text)
        return _assembled(record, cut, parts, drafted, given)

    edits = partial(_edits, record, cut or source, target, content)
    return Unit(tuple(segments), partial(edits, _TO_REVIEW), partial(edits, _SETTLED))


def _segment(
    record: XmlRecord, source: Node, target: Node | None, name: str, number: int
) -> Segment:
    is_there = target is not None and not is_empty(target)
    return Segment(
        number,
        name,
        marked(record, source, _shape),
        record.path,
        source.line,
        target=marked(record, target, _shape) if target is not None and is_there else None,
        status=_status(record, source, is_there),
        limits=tuple(_limits(record, source)),
    )


def _limits(record: XmlRecord, source: Node) -> Iterator[SizeLimit]:
    """The limits of the unit; of one that is cut, each part has the share that its source has."""
    given, whole = record.node.attributes, record.node.child("source")
    unit = given.get("size-unit", "pixel")
    width = limit_of(given.get("maxwidth"), "characters" if unit == "char" else unit)
    for limit in (*width, *limit_of(given.get("maxbytes"), "bytes")):
        is_part = whole is not None and source is not whole and source.text != whole.text
        yield limit.share(len(source.text), len(whole.text)) if whole and is_part else limit


def _status(record: XmlRecord, source: Node, is_there: bool) -> Status:
    node, target = record.node, record.node.child("target")
    translate = next(
        (
            each.attributes["translate"]
            for each in (node, *reversed(record.above))
            if "translate" in each.attributes
        ),
        "yes",
    )
    if translate == "no" or node.attributes.get("approved") == "yes" or not source.text.strip():
        return "locked"
    state = "" if target is None else target.attributes.get("state", "")
    if _STATUS.get(state) == "locked":
        return "locked"
    return (
        "untranslated"
        if not is_there
        else _STATUS.get(state, "draft" if state.startswith("needs-") else "translated")
    )


def _edits(
    record: XmlRecord,
    source: Node,
    target: Node | None,
    content: Callable[[Sequence[Marked | None]], str],
    state: Mapping[str, str],
    given: Sequence[Marked | None],
) -> list[Edit]:
    if target is not None:
        tag = as_open(with_attributes(record.raw(target.start, target.inner), state))
        name = f"{target.prefix}:target" if target.prefix else "target"
        return [(target.start, target.end, f"{tag}{content(given)}</{name}>".encode())]
    name = f"{source.prefix}:target" if source.prefix else "target"
    tag = with_attributes(f"<{name}>", state)
    new = f"{record.space_before(source)}{tag}{content(given)}</{name}>"
    return [(source.end, source.end, new.encode())]


def _parts(node: Node) -> Iterator[Node]:
    """The segments that an element is cut into."""
    for child in node.nodes:
        if child.name == "mrk" and child.attributes.get("mtype") == "seg":
            yield child
        else:
            yield from _parts(child)


def _assembled(
    record: XmlRecord,
    cut: Node,
    parts: Sequence[Node],
    drafted: dict[str | None, Node],
    given: Sequence[Marked | None],
) -> str:
    """What the element that is cut holds, with translations in its parts.

    One that has none keeps what it had.
    """
    text, done = "", cut.inner
    for part, new in zip(parts, given, strict=True):
        old = drafted.get(part.attributes.get("mid"))
        inside = (
            written(new)
            if new is not None
            else record.raw(old.inner, old.outer)
            if old is not None
            else ""
        )
        text += record.raw(done, part.start) + as_open(record.raw(part.start, part.inner)) + inside
        text += (
            record.raw(part.outer, part.end) or f"</{part.prefix + ':' if part.prefix else ''}mrk>"
        )
        done = part.end
    return text + record.raw(done, cut.outer)


def _shape(node: Node) -> Shape:
    pair = node.attributes.get("rid") or node.attributes.get("id") or str(node.start)
    match node.name:
        case "mrk" if node.attributes.get("mtype") == "protected":
            return "kept", pair
        case "g" | "mrk":
            return "pair", f"{node.name} {node.start}"
        case "bpt" | "bx":
            return "opens", f"{node.name[0]} {pair}"
        case "ept" | "ex":
            return "closes", f"b {pair}"
        case _:
            return "alone", pair
