r"""PO, the files of GNU gettext: each `msgstr` is a segment, one for every plural form.

Comments stay as they are.

An entry whose translation is there is translated, or a draft where it is flagged fuzzy, as a
translation from here is unless it is settled; obsolete ones are locked. A file in another charset
than UTF-8 stays in it if that can hold all translations, or else becomes UTF-8.
"""

from __future__ import annotations

import codecs
import gettext
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from gridbeam.documents.format import Format, Languages
from gridbeam.documents.limit import limit_of
from gridbeam.documents.lines import LONGEST, Line, lines_of
from gridbeam.documents.segment import Segment
from gridbeam.documents.splice import Edit, Spliced, Translations, Unit, opened, stamp
from gridbeam.documents.xml import check_language
from gridbeam.errors import UserError
from gridbeam.markup.inline import Marked, as_marked

_STRING = r'"(?P<text>(?:[^"\\]|\\.)*)"'
_LINE = re.compile(
    r"\s*(?P<obsolete>#~\s*)?"
    r"(?:(?P<key>msgctxt|msgid_plural|msgid|msgstr(?:\[(?P<form>[0-9]{1,3})\])?)\s*)?"
    rf"{_STRING}\s*"
)
_ESCAPE = re.compile(r"\\(?:([abfnrtv\\\"'?])|([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|(.))", re.S)
_MEANT = dict(zip("abfnrtv\\\"'?", "\a\b\f\n\r\t\v\\\"'?", strict=True))
_WRITTEN = {meant: f"\\{letter}" for letter, meant in _MEANT.items() if letter not in "'?"}
_HEADER = re.compile(
    rb"(?:\A(?:\xef\xbb\xbf)?|^[ \t]*(?:#.*)?\r?\n)["
    rb' \t]*msgid\s*(?:""\s*)+msgstr\s*(?P<text>(?:".*"\s*)+)',
    re.M,
)
_CHARSET = re.compile(rb"Content-Type:[^\n]*charset=([\w.:-]+)", re.I)
_PLAIN = r'msgid "..\n"'
"""What every charset of a PO file writes as ASCII does."""
_LANGUAGE = re.compile(r"^Language:[ \t]*([a-z]{2,3})(?:[-_@]\w+)*[ \t]*$", re.I | re.M)
_ACCELERATOR = re.compile(r"^X-Accelerator-Marker:[ \t]*([_&~])[ \t]*$", re.I | re.M)
_MAX_LENGTH = re.compile(r"[,\s]max-length:(\d+)\s*(?:,|$)")
_PLURAL = re.compile(r"Plural-Forms:.*?plural\s*=\s*([^;\n]+)", re.I | re.S)


def document(path: Path, languages: Languages) -> Spliced | _InCharset:
    """A PO file, or the template of one."""
    with opened(path) as file:
        head = file.read(LONGEST)
    named = _named(head)
    charset = _known(path, head[slice(*named)].decode("ascii")) if named else "utf8"
    source = _CatalogueFile(
        path, partial(opened, path), charset, "\r\n" if b"\r\n" in head else "\n", languages.target
    )
    return (
        source.document()
        if named is None or charset == "utf8"
        else _InCharset(source.document(), source, named)
    )


def _named(head: bytes) -> tuple[int, int] | None:
    """Where the header names a charset; that of a template, "CHARSET", is none."""
    header = _HEADER.search(head)
    found = header and _CHARSET.search(head, *header.span("text"))
    return None if not found or found[1] == b"CHARSET" else found.span(1)


def _known(path: Path, charset: str) -> str:
    """A charset as Python calls it."""
    try:
        if _PLAIN.encode(charset) == _PLAIN.encode("ascii"):
            return codecs.lookup(charset).name.replace("utf-8", "utf8")
    except (LookupError, UnicodeError):
        pass
    raise UserError(
        f'{path}: charset "{charset}" in its header is unknown here. Convert the file to UTF-8.'
    )


@dataclass(frozen=True)
class _CatalogueFile:
    """The bytes of a PO file, and how they are read."""

    path: Path
    original: Callable[[], BinaryIO]
    charset: str
    newline: str
    target_language: str | None

    def document(self) -> Spliced:
        """The document whose translations are in the same charset."""
        return Spliced(
            self.path, FORMAT.name, partial(_units, self), self.original, stamp(self.path)
        )

    def lines(self) -> Iterator[Line]:
        """Its lines."""
        with self.original() as file:
            yield from lines_of(file, self.path, self.charset)

    def in_utf8(self, named: tuple[int, int]) -> _CatalogueFile:
        """The same in UTF-8, which also stands where its charset was named."""
        with self.original() as file:
            data = file.read()
        data = data[: named[0]] + b"UTF-8" + data[named[1] :]
        lines = lines_of(BytesIO(data), self.path, self.charset)
        copy = b"".join(
            line.text.encode() + line.raw[len(line.raw.rstrip(b"\r\n")) :] for line in lines
        )
        return replace(self, original=partial(BytesIO, copy), charset="utf8")


@dataclass(frozen=True)
class _InCharset:
    """A PO file in another charset than UTF-8."""

    document: Spliced
    source: _CatalogueFile
    named: tuple[int, int]
    """Where its header names the charset."""

    @property
    def path(self) -> Path:
        """Where it is."""
        return self.document.path

    @property
    def format(self) -> str:
        """Which format it is in."""
        return self.document.format

    def segments(self) -> Iterator[Segment]:
        """The segments in the order of the file."""
        return self.document.segments()

    def write(
        self, path: str | Path, translations: Translations, settled: Container[int] = ()
    ) -> str | None:
        """Writes the document, in UTF-8 where its charset cannot hold a translation.

        The message that is returned says so then.
        """
        given = translations if isinstance(translations, Mapping | str) else list(translations)
        try:
            for _ in self.document.edits(given, settled):
                pass  # known before the first byte is written: a stream takes none back
        except UnicodeEncodeError as error:
            self.source.in_utf8(self.named).document().write(path, given, settled)
            letter, charset = error.object[error.start], self.source.charset
            return (
                f'{path} is in UTF-8, as its header now says: {charset} has no "{letter}", which a'
                " translation has."
            )
        return self.document.write(path, given, settled)


@dataclass
class _String:
    """A string of an entry, and its bytes from the first quotation mark to the last.

    It may take several lines.
    """

    text: str
    start: int
    end: int
    line: int


@dataclass
class _Flags:
    """What the comments before an entry say of it, and where."""

    is_fuzzy: bool = False
    max_length: str | None = None
    """The most characters, as Weblate writes it among the flags: max-length:20."""
    after: int | None = None
    """The byte behind the mark of its flags."""
    before: int | None = None
    """The byte that a line with flags would begin at: before the comment on what the entry was
    once."""
    clearing: list[Edit] = field(default_factory=list)
    """What takes the flag for a fuzzy entry away."""

    def read(self, line: Line) -> None:
        """Takes in a comment."""
        text = line.text.lstrip()
        if text.startswith("#,"):
            self.is_fuzzy = self.is_fuzzy or "fuzzy" in text
            if found := _MAX_LENGTH.search(text):
                self.max_length = found[1]
            self.after = line.first + line.raw.index(b"#,") + 2
            self.clearing += _without_fuzzy(line)
        elif text.startswith("#|") and self.before is None:
            self.before = line.start

    def edits(self, newline: str) -> list[Edit]:
        """What flags the entry as fuzzy."""
        if self.is_fuzzy or self.before is None:
            return []
        return (
            [(self.before, self.before, f"#, fuzzy{newline}".encode())]
            if self.after is None
            else [(self.after, self.after, b" fuzzy,")]
        )


def _without_fuzzy(line: Line) -> list[Edit]:
    """What takes the flag out of a line of flags: all of the line, where it is the only one."""
    if re.fullmatch(rb"\s*#,\s*fuzzy\s*,?\s*", line.raw):
        return [(line.first, line.first + len(line.raw), b"")]
    found = re.search(rb"\s*\bfuzzy\s*,|,\s*fuzzy\b", line.raw)
    return [(line.first + found.start(), line.first + found.end(), b"")] if found else []


@dataclass
class _Message:
    line: int
    flags: _Flags = field(default_factory=_Flags)
    is_obsolete: bool = False
    strings: dict[str, _String] = field(default_factory=dict)

    @property
    def forms(self) -> dict[int | None, _String]:
        """The translations, by plural form."""
        found = {key: text for key, text in self.strings.items() if key.startswith("msgstr")}
        return {int(key[7:-1]) if "[" in key else None: text for key, text in found.items()}

    def text(self, key: str) -> str:
        """What one of its strings says."""
        return self.strings[key].text if key in self.strings else ""


def _units(source: _CatalogueFile) -> Iterator[Unit]:
    number, singular, mark = 0, 0, None
    for entry in _entries(source.path, source.lines()):
        if not entry.text("msgid") and "msgctxt" not in entry.strings and not entry.is_obsolete:
            singular = _singular(entry.text("msgstr"))
            found = _ACCELERATOR.search(entry.text("msgstr"))
            mark = found and found[1]
            language = _LANGUAGE.search(entry.text("msgstr"))
            check_language(
                f"{source.path} line {entry.line}",
                "Language",
                language and language[1],
                source.target_language,
            )
            continue
        segments = []
        for form in entry.forms:
            segment = _segment(entry, form, source.path, number, singular)
            segments.append(replace(segment, accelerator=mark))
            number += 1
        yield Unit(
            tuple(segments), partial(_edits, entry, source), partial(_settled, entry, source)
        )


def _entries(path: Path, lines: Iterable[Line]) -> Iterator[_Message]:
    entry, key, flags = _Message(0), "", _Flags()
    for line in lines:
        found = _LINE.fullmatch(line.text)
        if found is None:
            if line.text.strip() and not line.text.lstrip().startswith("#"):
                raise UserError(
                    f"{line.where}: expected msgid, msgstr, a comment or a text in quotation marks,"
                    ' with \\" for one within it.'
                )
            if entry.forms:
                yield entry
                entry, flags = _Message(0), _Flags()
            flags.read(line)
            continue
        if found["key"] in ("msgctxt", "msgid") and entry.forms:
            yield entry
            entry, flags = _Message(0), _Flags()
        key = found["key"] or key
        if not entry.strings:
            flags.before = line.start if flags.before is None else flags.before
            entry = _Message(line.number, flags, found["obsolete"] is not None)
        _add(entry, key, bool(found["key"]), _string(found, line), line)
    if entry.forms:
        yield entry
    elif entry.strings:
        raise UserError(
            f"{path} line {entry.line}: the file ends before the msgstr of this entry. Add it, or"
            " remove the entry."
        )


def _add(entry: _Message, key: str, is_new: bool, string: _String, line: Line) -> None:
    if not key or (not is_new and not entry.strings):
        raise UserError(
            f"{line.where}: a text that belongs to no msgid or msgstr. Write which before it."
        )
    if is_new and key in entry.strings:
        raise UserError(
            f"{line.where}: a second {key} in the entry of line {entry.line}. Remove one of the"
            " two."
        )
    if key.startswith("msgstr") and "msgid" not in entry.strings:
        raise UserError(f"{line.where}: a msgstr without a msgid. Write the msgid before it.")
    if is_new:
        entry.strings[key] = string
    else:
        before = entry.strings[key]
        entry.strings[key] = _String(
            before.text + string.text, before.start, string.end, before.line
        )


def _string(found: re.Match[str], line: Line) -> _String:
    first, last = line.first + line.raw.index(b'"'), line.first + line.raw.rindex(b'"') + 1
    return _String(_ESCAPE.sub(_unescaped, found["text"]), first, last, line.number)


def _unescaped(found: re.Match[str]) -> str:
    letter, octal, hexadecimal, other = found.groups()
    if letter:
        return _MEANT[letter]
    return (
        chr(int(octal, 8)) if octal else chr(int(hexadecimal, 16)) if hexadecimal else f"\\{other}"
    )


def _singular(header: str) -> int:
    """Which plural form is that of one thing; -1 where there is no telling one from many."""
    found = _PLURAL.search(header)
    if not found:
        return 0
    try:
        choose = gettext.c2py(found[1].strip())
        return -1 if choose(1) == choose(2) == choose(5) else choose(1)
    except (ValueError, ZeroDivisionError, RecursionError):
        return 0


def _segment(entry: _Message, form: int | None, path: Path, number: int, singular: int) -> Segment:
    is_plural = form is not None and form != singular and "msgid_plural" in entry.strings
    source, target = entry.text("msgid_plural" if is_plural else "msgid"), entry.forms[form].text
    name = "|".join(filter(None, (entry.text("msgctxt"), entry.text("msgid")))) + (
        "" if form is None else f"[{form}]"
    )
    is_locked = entry.is_obsolete or not source.strip()
    return Segment(
        number,
        name,
        as_marked(source),
        path,
        entry.line,
        target=as_marked(target) if target else None,
        status=(
            "locked"
            if is_locked
            else "untranslated"
            if not target
            else "draft"
            if entry.flags.is_fuzzy
            else "translated"
        ),
        limits=limit_of(entry.flags.max_length, "characters"),
    )


def _edits(entry: _Message, source: _CatalogueFile, given: Sequence[Marked | None]) -> list[Edit]:
    return [*entry.flags.edits(source.newline), *_strings(entry, source, given)]


def _settled(entry: _Message, source: _CatalogueFile, given: Sequence[Marked | None]) -> list[Edit]:
    return [*entry.flags.clearing, *_strings(entry, source, given)]


def _strings(entry: _Message, source: _CatalogueFile, given: Sequence[Marked | None]) -> list[Edit]:
    return sorted(
        (string.start, string.end, _quoted(str(text), source.newline).encode(source.charset))
        for string, text in zip(entry.forms.values(), given, strict=True)
        if text is not None
    )


def _quoted(text: str, newline: str) -> str:
    """The text in quotation marks.

    One of several lines begins on a line of its own, as gettext writes it.
    """
    text = text.encode("utf8", "replace").decode(
        "utf8"
    )  # half a pair of surrogates cannot be written
    parts = re.findall(r"[^\n]*\n|[^\n]+", text) if "\n" in text[:-1] else [text]
    shown = ['"' + "".join(_WRITTEN.get(letter, letter) for letter in part) + '"' for part in parts]
    return newline.join(shown if len(shown) == 1 else ['""', *shown])


def languages(path: Path) -> Languages:
    """The target language, as the header says it."""
    with opened(path) as file:
        header = _HEADER.search(file.read(LONGEST))
    text = header["text"].decode("ascii", "replace").replace('\\n"', "\n") if header else ""
    found = _LANGUAGE.search(re.sub(r'^\s*"', "", text, flags=re.M))
    return Languages(target=found[1] if found else None)


FORMAT = Format(
    name="po",
    suffixes=(".po", ".pot"),
    contents=re.compile(rb'^\s*(?:#[^\n]*\n\s*)*(?:msgctxt|msgid) "'),
    document=document,
    said=languages,
    has_states=True,
    keeps_source=True,
)
