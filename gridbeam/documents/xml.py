"""XML with the position of everything in it: elements as small trees, editable as text.

The reader is expat, which tells the byte that each event begins at, reads in chunks, and fetches
nothing from anywhere. A file that declares entities is refused, so none can grow.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple, TypeAlias
from xml.parsers import expat

from gridbeam.documents.lines import LONGEST, charset_of
from gridbeam.documents.splice import Spliced, Unit, opened, stamp
from gridbeam.errors import UserError
from gridbeam.markup.inline import Code, Marked, Piece
from gridbeam.markup.kinds import KIND
from gridbeam.markup.placeholders import placeholders
from gridbeam.text.languages import is_same

_CHUNK = 1 << 16
_MOST_LEVELS = 100
"""How many elements may be within each other in one that is read whole."""
_BEGINNINGS = (
    (codecs.BOM_UTF8, "utf8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (b"<\0", "utf-16-le"),
    (b"\0<", "utf-16-be"),
)
"""What a file begins with, and the encoding that it is then in, whatever it declares."""
_WIDE = ("utf-16", "utf-32")
"""Encodings that need not write ASCII as it is."""
_DECLARED = re.compile(rb"""^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']""")
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LINE_BREAK = re.compile("&#(?:0*10|x0*[aA]);")
_WRAPPED = re.compile(r"[ \t]*\n[ \t\n]*")


@dataclass(frozen=True)
class XmlFile:
    """The bytes of an XML file, in UTF-8: those of the file itself, or a copy in memory."""

    path: Path
    encoding: str
    copy: bytes | None = None

    def open(self) -> BinaryIO:
        """The bytes, to be read."""
        return opened(self.path) if self.copy is None else io.BytesIO(self.copy)

    def encoded(self, data: bytes) -> bytes:
        """Some of the bytes as the file has them."""
        return data.decode("utf8").encode(self.encoding, "xmlcharrefreplace")

    def document(self, format: str, units: Callable[[XmlFile], Iterator[Unit]]) -> Spliced:
        """The document with these units."""
        encoded = bytes if self.copy is None else self.encoded
        return Spliced(
            self.path, format, partial(units, self), self.open, stamp(self.path), encoded
        )


def source_of(path: Path) -> XmlFile:
    """The bytes of an XML file, whatever its encoding."""
    with opened(path) as file:
        head = file.read(1024)
        encoding = next((name for mark, name in _BEGINNINGS if head.startswith(mark)), None)
        if encoding is None:
            declared = _DECLARED.match(head)
            encoding = declared[1].decode("ascii").lower() if declared else "utf8"
        known = encoding if encoding.startswith(_WIDE) else charset_of(encoding)
        if known in ("utf8", "ascii"):
            return XmlFile(path, "utf8")
        try:
            text = (head + file.read()).decode(known or "")
            return XmlFile(path, codecs.lookup(encoding).name, text.encode("utf8"))
        except LookupError:
            raise UserError(
                f'{path} line 1: encoding "{encoding}" is unknown here. Convert the file to UTF-8.'
            ) from None
        except UnicodeDecodeError as error:
            line = error.object[: error.start].count("\n".encode(encoding)) + 1
            raise UserError(
                f"{path} line {line}: byte {error.start + 1} of the file is not {encoding}. Convert"
                " the file to UTF-8."
            ) from None


@dataclass
class Node:
    """An element, and the bytes where it and its tags begin and end."""

    name: str
    """Without the prefix of its namespace."""
    prefix: str
    attributes: Mapping[str, str]
    line: int
    start: int
    inner: int = 0
    """Where its start tag ends."""
    outer: int = 0
    """Where its end tag begins; the end of the start tag for an empty element."""
    end: int = 0
    children: list[Node | Piece] = field(default_factory=list)

    @property
    def nodes(self) -> list[Node]:
        """The elements among its children."""
        return [child for child in self.children if isinstance(child, Node)]

    def child(self, name: str) -> Node | None:
        """The first element of that name within it."""
        return next((node for node in self.nodes if node.name == name), None)

    @property
    def text(self) -> str:
        """All text within it."""
        return "".join(each.text if isinstance(each, Node) else str(each) for each in self.children)


@dataclass(frozen=True)
class XmlRecord:
    """An element with all that is in it, the elements it is in, and its bytes."""

    node: Node
    above: tuple[Node, ...]
    data: bytes
    path: Path

    def raw(self, start: int, end: int) -> str:
        """What the file says from one byte of it up to another."""
        return self.data[start - self.node.start : end - self.node.start].decode("utf8")

    def space_before(self, node: Node) -> str:
        """The white space in front of an element, with which one that follows it begins as well."""
        end = node.start - self.node.start
        before = re.search(rb"\s*\Z", self.data[max(0, end - 1000) : end])
        return before[0].decode("ascii") if before else ""

    def where(self, node: Node) -> str:
        """The place of an element, for messages."""
        return f"{self.path} line {node.line}"

    def keeps_line_breaks(self, node: Node) -> bool:
        """Whether line breaks belong to an element's text.

        By `xml:space`, or because it writes them as `&#10;`.
        """
        around = [*self.above, self.node]
        while around[-1] is not node:
            around.append(
                next(each for each in around[-1].nodes if each.start <= node.start < each.end)
            )
        said = next(
            (
                each.attributes["xml:space"]
                for each in reversed(around)
                if "xml:space" in each.attributes
            ),
            "default",
        )
        return (
            said == "preserve" or _LINE_BREAK.search(self.raw(node.inner, node.outer)) is not None
        )


_EventKind: TypeAlias = Literal["start", "end", "text", "entity", "other"]


def check_language(
    where: str,
    attribute: str,
    found: str | None,
    wanted: str | None,
    what: str = "translations are",
) -> None:
    """Raises where a file says that its translations, or `what` else, are in another language."""
    if found and wanted and not is_same(found, wanted):
        remedy = f"Take a model for {found}, or mend the attribute."
        raise UserError(f'{where}: {attribute}="{found}", and {what} in {wanted}. {remedy}')


def check_source_language(
    where: str, attribute: str, found: str | None, wanted: str | None
) -> None:
    """Raises where a file says that its texts are in another language than the model reads."""
    check_language(where, attribute, found, wanted, "what the model reads is")


class _ParserEvent(NamedTuple):
    kind: _EventKind
    at: int
    line: int
    text: str
    attributes: Mapping[str, str]


_NONE: Mapping[str, str] = {}


def records(source: XmlFile, names: frozenset[str]) -> Iterator[XmlRecord]:
    """The elements of these names that are within no other of them, in order."""
    above: list[Node] = []
    depth = 0  # how many of the elements above belong to a record
    opened_tag: Node | None = None
    closed: Node | None = None
    with source.open() as data:
        for event in _events(source):
            # Where a tag ends is told by the event that follows.
            if opened_tag is not None:
                opened_tag.inner, opened_tag = event.at, None
            if closed is not None:
                closed.end = event.at
                if closed.name in names and not depth:
                    yield _record(closed, above, data, source.path)
                closed = None
            if event.kind == "start":
                prefix, _, name = event.text.rpartition(":")
                opened_tag = Node(name, prefix, event.attributes, event.line, event.at)
                if depth:
                    above[-1].children.append(opened_tag)
                depth += bool(depth) or name in names
                if depth > _MOST_LEVELS:
                    raise UserError(
                        f"{source.path} line {event.line}: <{name}> is within {_MOST_LEVELS} other"
                        " elements of one text. Take some of them away."
                    )
                above.append(opened_tag)
            elif event.kind == "end":
                closed = above.pop()
                closed.outer = event.at
                depth -= bool(depth)
            elif depth and event.kind != "other":
                above[-1].children.append(event.text if event.kind == "text" else Code(event.text))


def root_of(source: XmlFile) -> Node:
    """The outermost element, of which only the name and the attributes are known."""
    return next(tags(source))  # expat accepts no file without an element


def tags(source: XmlFile) -> Iterator[Node]:
    """All elements as they open, of which only the names and the attributes are known."""
    for event in _events(source):
        if event.kind == "start":
            prefix, _, name = event.text.rpartition(":")
            yield Node(name, prefix, event.attributes, event.line, event.at)


def _record(node: Node, above: list[Node], data: BinaryIO, path: Path) -> XmlRecord:
    if node.end - node.start > LONGEST:
        raise UserError(
            f"{path} line {node.line}: <{node.name}> is longer than {LONGEST:,} bytes. Break it up."
        )
    data.seek(node.start)
    return XmlRecord(node, tuple(above), data.read(node.end - node.start), path)


def _events(source: XmlFile) -> Iterator[_ParserEvent]:
    """All that is in a file, in order, so that each thing ends where the next begins."""
    found: list[_ParserEvent] = []
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = False

    def note(kind: _EventKind, text: str = "", attributes: Mapping[str, str] = _NONE) -> None:
        found.append(
            _ParserEvent(kind, parser.CurrentByteIndex, parser.CurrentLineNumber, text, attributes)
        )

    def refuse(name: str, *_: object) -> None:
        raise UserError(
            f"{source.path} line {parser.CurrentLineNumber}: declares the entity {name}, which is"
            " refused: such files can grow without bounds or read other files. Write out what it"
            " stands for, and remove the declaration."
        )

    parser.StartElementHandler = lambda name, attributes: note("start", name, attributes)
    parser.EndElementHandler = lambda name: note("end", name)
    parser.CharacterDataHandler = lambda text: note("text", text)
    parser.StartCdataSectionHandler = parser.EndCdataSectionHandler = lambda: note("other")
    parser.DefaultHandler = lambda text: note(
        "entity" if re.fullmatch(r"&[^;\s]+;", text) else "other", text
    )
    parser.EntityDeclHandler = refuse
    fed = 0
    with source.open() as file:
        is_last = False
        while not is_last:
            chunk = file.read(_CHUNK)
            is_last = not chunk
            _parse(parser, chunk, is_last, source)
            fed += len(chunk)
            if fed - max(parser.CurrentByteIndex, 0) > 4 * LONGEST:
                line = parser.CurrentLineNumber
                raise UserError(
                    f"{source.path} line {line}: a tag longer than {4 * LONGEST:,} bytes. Check"
                    " that the file is whole."
                )
            yield from found
            found.clear()
    yield _ParserEvent("other", fed, parser.CurrentLineNumber, "", _NONE)


def _parse(parser: expat.XMLParserType, chunk: bytes, is_last: bool, source: XmlFile) -> None:
    try:
        parser.Parse(chunk, is_last)
    except expat.ExpatError as error:
        where = f"{source.path} line {error.lineno}, column {error.offset + 1}"
        if bad := _undecodable(source, parser.ErrorByteIndex):
            raise UserError(
                f"{where}: byte {bad[0] + 1} of the file (0x{bad[1]:02X}) is not UTF-8. Convert the"
                " file to UTF-8."
            ) from None
        said = expat.ErrorString(error.code) or "broken"
        raise UserError(
            f"{where}: broken XML: {said}. Mend it there, or export the file anew."
        ) from None


def _undecodable(source: XmlFile, place: int) -> tuple[int, int] | None:
    """The first byte around this place that is not UTF-8, and its offset."""
    if source.copy is not None:
        return None
    with source.open() as file:
        start = max(0, place - 16)
        file.seek(start)
        around = file.read(1024)
    skipped = next((n for n, byte in enumerate(around) if byte & 0xC0 != 0x80), 0) if start else 0
    try:
        codecs.getincrementaldecoder("utf8")().decode(around[skipped:])
    except UnicodeDecodeError as error:
        at = start + skipped + error.start
        return (at, around[skipped + error.start]) if at <= place + 16 else None
    return None


Shape: TypeAlias = tuple[Literal["pair", "alone", "opens", "closes", "kept"], str]
"""What kind of code an element is, and the name of its pair; the text of one that is kept is shown,
and is not translated."""


def marked(record: XmlRecord, node: Node, shape: Callable[[Node], Shape]) -> Marked:
    """What is in an element: text, and the elements within it as codes.

    Where lines are wrapped there is a space.
    """
    text = Marked.of(_pieces(record, node, shape))
    return text if record.keeps_line_breaks(node) else _unwrapped(text)


def _unwrapped(text: Marked) -> Marked:
    """The text with a space for each line break, but for white space at its ends (layout)."""
    pieces = list(text.pieces)
    for number, piece in enumerate(pieces):
        if isinstance(piece, str):
            start = len(piece) - len(piece.lstrip()) if number == 0 else 0
            end = len(piece.rstrip()) if number == len(pieces) - 1 else len(piece)
            pieces[number] = (
                piece[:start] + _WRAPPED.sub(" ", piece[start:end]) + piece[max(start, end) :]
            )
    return Marked(tuple(pieces))


def _pieces(record: XmlRecord, node: Node, shape: Callable[[Node], Shape]) -> Iterator[Piece]:
    for child in node.children:
        if not isinstance(child, Node):
            yield child
            continue
        kind, pair = shape(child)
        whole = record.raw(child.start, child.end)
        if kind == "pair" and child.outer < child.end:
            yield Code(record.raw(child.start, child.inner), "opens", pair)
            yield from _pieces(record, child, shape)
            yield Code(record.raw(child.outer, child.end), "closes", pair)
        elif kind == "kept":
            yield Code(whole, shown=" ".join(child.text.split()))
        elif kind in ("opens", "closes"):
            yield Code(whole, kind, pair)
        else:
            yield Code(whole, shown=_stands_for(child))


def _stands_for(node: Node) -> str:
    """The placeholder of a program that a code holds, which is as good as a word."""
    texts = (node.attributes.get(name, "") for name in ("equiv-text", "disp", "equiv"))
    for text in (node.text.strip(), *texts):
        found = placeholders(text)
        if len(found) == 1 and found[0].raw == text and KIND[found[0].kind].shown == "as it is":
            return text
    return ""


def written(text: Marked) -> str:
    """The text as XML."""
    return "".join(escaped(piece) if isinstance(piece, str) else piece.raw for piece in text.pieces)


def escaped(text: str) -> str:
    """A text with entities where XML needs them, and without characters that XML cannot hold."""
    text = _FORBIDDEN.sub("", text)
    return (
        text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")
    )


def with_attributes(tag: str, values: Mapping[str, str]) -> str:
    r"""A start tag with these attributes, in place of those it has or after the last.

    >>> with_attributes("<target state='new' xml:lang='de'/>", {"state": "final"})
    '<target state="final" xml:lang=\'de\'/>'
    """
    for name, value in values.items():
        new = f'{name}="{escaped(value)}"'
        found = re.search(rf"""(?<=\s){re.escape(name)}\s*=\s*(?:"[^"]*"|'[^']*')""", tag)
        if found:
            tag = tag[: found.start()] + new + tag[found.end() :]
        else:
            tag = re.sub(r"\s*(/?>)\Z", lambda end, new=new: f" {new}{end[1]}", tag)  # type: ignore[misc]
    return tag


def as_open(tag: str) -> str:
    """A start tag that does not close its element at once."""
    return re.sub(r"\s*/>\Z", ">", tag)


def is_empty(node: Node) -> bool:
    """Whether an element holds no text and no code."""
    return not node.nodes and not node.text.strip()
