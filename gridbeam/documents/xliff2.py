"""XLIFF 2.0 and 2.1: each `segment` of a `unit` is a segment; `ignorable` text stays as it is.

The standard has four states: initial, translated, reviewed, final. A machine's translation that
nobody has looked at is `translated`, as only a reviewer makes it `reviewed`;
`subState="gridbeam:needs-review"` says that it came from here, and `gridbeam:settled` that nobody
need look at it. Reviewed and final segments, and
those not to be translated, are locked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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

_REVIEW = "gridbeam:needs-review"
_ENCODINGS = {"xliff:utf8": "utf8", "xliff:utf16": "utf-16-le", "xliff:utf32": "utf-32-le"}
_TO_REVIEW = {"state": "translated", "subState": _REVIEW}
_SETTLED = {"state": "translated", "subState": "gridbeam:settled"}


def document(path: Path, languages: Languages) -> Spliced:
    """An XLIFF 2.x file, which must name a target language once it has a translation."""
    return source_of(path).document("xliff 2", partial(_units, languages=languages))


def _units(source: XmlFile, languages: Languages) -> Iterator[Unit]:
    number, is_first, profiles = 0, True, dict[int, Mapping[str, str]]()
    for record in records(source, frozenset(["unit", "profiles"])):
        if is_first:
            root = record.above[0]
            check_source_language(
                record.where(root), "srcLang", root.attributes.get("srcLang"), languages.source
            )
            yield from _root(source, record, languages.target)
            is_first = False
        file = next((each.start for each in record.above if each.name == "file"), 0)
        if record.node.name == "profiles":
            profiles[file] = record.node.attributes
            continue
        limits = [*_limits(record.node.attributes, profiles.get(file, {}))]
        for node in record.node.nodes:
            if node.name == "segment":
                yield _unit(record, node, number, limits)
                number += 1


def _root(source: XmlFile, record: XmlRecord, target_language: str | None) -> Iterator[Unit]:
    """The target language, where the file has none yet."""
    root = record.above[0]
    check_language(record.where(root), "trgLang", root.attributes.get("trgLang"), target_language)
    if "trgLang" in root.attributes:
        return
    if target_language is None:
        raise UserError(
            f"{record.where(root)}: <xliff> has no trgLang, which a file with translations must"
            " have. Say the target language."
        )
    with source.open() as data:
        data.seek(root.start)
        tag = data.read(root.inner - root.start).decode("utf8")
    edit = (root.start, root.inner, with_attributes(tag, {"trgLang": target_language}).encode())
    yield Unit((), lambda given: [edit])


def _limits(unit: Mapping[str, str], profiles: Mapping[str, str]) -> Iterator[SizeLimit]:
    """What the module of sizes says of a unit: `slr:sizeRestriction="20"`, or `"5,20"`."""
    given = {name.rpartition(":")[2]: value for name, value in unit.items() if ":" in name}
    general = profiles.get("generalProfile", "an unnamed profile")
    storage = profiles.get("storageProfile", "an unnamed profile")
    of_size = "characters" if general == "xliff:codepoints" else general
    of_storage = "bytes" if storage in _ENCODINGS else storage
    yield from limit_of(_most(given.get("sizeRestriction")), of_size)
    encoding = _ENCODINGS.get(storage, "utf8")
    yield from limit_of(_most(given.get("storageRestriction")), of_storage, encoding)


def _most(restriction: str | None) -> str | None:
    """The larger of two numbers, or the only one; a star is none."""
    return None if restriction is None else restriction.rpartition(",")[2]


def _share(limits: Sequence[SizeLimit], record: XmlRecord, source: Node) -> Iterator[SizeLimit]:
    """The limits of a unit for one of its segments, which has the share that its source has."""
    sources = [node.child("source") for node in record.node.nodes]
    sizes = [len(each.text) for each in sources if each is not None]
    for limit in limits:
        yield limit if len(sizes) == 1 else limit.share(len(source.text), sum(sizes))


def _unit(record: XmlRecord, node: Node, number: int, limits: Sequence[SizeLimit]) -> Unit:
    source, target = node.child("source"), node.child("target")
    if source is None:
        raise UserError(f"{record.where(node)}: <segment> without <source>. Export the file anew.")
    is_there = target is not None and not is_empty(target)
    file = next((each.attributes.get("id", "") for each in record.above if each.name == "file"), "")
    segment = Segment(
        number,
        ":".join(
            filter(
                None, (file, record.node.attributes.get("id", ""), node.attributes.get("id", ""))
            )
        ),
        marked(record, source, _shape),
        record.path,
        source.line,
        target=marked(record, target, _shape) if target is not None and is_there else None,
        status=_status(record, node, source, is_there),
        limits=tuple(_share(limits, record, source)),
    )
    edits = partial(_edits, record, node, source, target)
    return Unit((segment,), partial(edits, _TO_REVIEW), partial(edits, _SETTLED))


def _status(record: XmlRecord, node: Node, source: Node, is_there: bool) -> Status:
    chain = (record.node, *reversed(record.above))
    translate = next(
        (each.attributes["translate"] for each in chain if "translate" in each.attributes), "yes"
    )
    state, sub_state = node.attributes.get("state"), node.attributes.get("subState")
    if translate == "no" or state in ("reviewed", "final") or not source.text.strip():
        return "locked"
    if not is_there or state == "initial":
        return "untranslated"
    return "translated" if state == "translated" and sub_state != _REVIEW else "draft"


def _edits(
    record: XmlRecord,
    node: Node,
    source: Node,
    target: Node | None,
    state: Mapping[str, str],
    given: Sequence[Marked | None],
) -> list[Edit]:
    (text,) = given
    if text is None:
        return []
    name = f"{source.prefix}:target" if source.prefix else "target"
    marking = (
        node.start,
        node.inner,
        with_attributes(record.raw(node.start, node.inner), state).encode(),
    )
    if target is None:
        new = f"{record.space_before(source)}<{name}>{written(text)}</{name}>"
        return [marking, (source.end, source.end, new.encode())]
    new = f"{as_open(record.raw(target.start, target.inner))}{written(text)}</{name}>"
    return [marking, (target.start, target.end, new.encode())]


def _shape(node: Node) -> Shape:
    name, own = node.name, node.attributes.get("id", str(node.start))
    match name:
        case "mrk" if node.attributes.get("translate") == "no":
            return "kept", own
        case "pc" | "mrk":
            return "pair", f"{name} {own}"
        case "sc" | "sm" if node.attributes.get("isolated") != "yes":
            return "opens", f"{name} {own}"
        case "ec" | "em" if "startRef" in node.attributes:
            return "closes", f"s{name[1]} {node.attributes['startRef']}"
        case _:
            return "alone", own
