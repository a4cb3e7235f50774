r"""PO, the files of GNU gettext: each `msgstr` is a segment, one for every plural form.

Comments stay as they are.

An entry whose translation is there is translated, or a draft where it is flagged fuzzy, as a
translation from here is unless it is settled; obsolete ones are locked. An entry with plural forms
gets as many as the header says that there are. The header of a template (.pot) is filled in for the
target language: its code, the charset, its plural forms. A file in another charset than UTF-8 stays
in it if that can hold all translations, or else becomes UTF-8.
"""

from __future__ import annotations

import codecs
import re
import warnings
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from gridbeam.documents.format import Format, Languages
from gridbeam.documents.limit import limit_of
from gridbeam.documents.lines import LONGEST, Line, charset_of, lines_of
from gridbeam.documents.po_header import PluralForms, filled_in, is_template
from gridbeam.documents.segment import Segment
from gridbeam.documents.splice import Edit, Spliced, Translations, Unit, opened, stamp
from gridbeam.documents.xml import check_language
from gridbeam.errors import UserError, UserNotice
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
_LANGUAGE = re.compile(r"^Language:[ \t]*([a-z]{2,3})(?:[-_@]\w+)*[ \t]*$", re.I | re.M)
_ACCELERATOR = re.compile(r"^X-Accelerator-Marker:[ \t]*([_&~])[ \t]*$", re.I | re.M)
_MAX_LENGTH = re.compile(r"[,\s]max-length:(\d+)\s*(?:,|$)")


def document(path: Path, languages: Languages) -> Spliced | _InCharset:
    """A PO file, or the template of one."""
    with opened(path) as file:
        head = file.read(LONGEST)
    named = _named(head)
    charset = _known(path, head[slice(*named)].decode("ascii")) if named else "utf8"
    is_one = is_template(path, _header_text(head))
    if is_one and languages.target is None:
        warnings.warn(
            f"{path}: its header stays that of a template, as the target language is not known."
            " Fill in Language, charset and Plural-Forms, as msginit does.",
            UserNotice,
            stacklevel=3,
        )
    source = _CatalogueFile(
        path,
        partial(opened, path),
        charset,
        "\r\n" if b"\r\n" in head else "\n",
        languages.target,
        is_one and languages.target is not None,
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


def _header_text(head: bytes) -> str:
    """What its header says, as it is written; empty where there is none."""
    header = _HEADER.search(head)
    return header["text"].decode("latin1") if header else ""


def _known(path: Path, charset: str) -> str:
    """A charset as Python calls it."""
    if found := charset_of(charset):
        return found
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
    fills_in: bool
    """Whether its header is to be filled in for the target language."""

    @property
    def mark(self) -> int:
        """How many bytes of its beginning are a byte order mark."""
        with self.original() as file:
            return len(codecs.BOM_UTF8) if file.read(3) == codecs.BOM_UTF8 else 0

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
    after: int
    """The byte that the line before its first one ends at."""


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
            self.after = line.first + line.raw.index(b"#,") + 2
            if found := _MAX_LENGTH.search(text):
                self.max_length = found[1]
            if "fuzzy" in text:
                self.is_fuzzy = True
                self.clearing.append(_without_fuzzy(line))
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


def _without_fuzzy(line: Line) -> Edit:
    """What takes the flag away from a line of flags, and the line with it where it is the only."""
    flags = [each for each in line.raw.strip()[2:].split(b",") if each.strip() != b"fuzzy"]
    if not flags:
        return line.start, line.first + len(line.raw), b""
    return line.start, line.end, b"#," + b",".join(flags)


@dataclass
class _Message:
    line: int
    flags: _Flags = field(default_factory=_Flags)
    is_obsolete: bool = False
    strings: dict[str, _String] = field(default_factory=dict)

    @property
    def is_header(self) -> bool:
        """Whether it is the entry that speaks of the file."""
        return not self.text("msgid") and "msgctxt" not in self.strings and not self.is_obsolete

    @property
    def forms(self) -> dict[int | None, _String]:
        """The translations, by plural form."""
        found = {key: text for key, text in self.strings.items() if key.startswith("msgstr")}
        return {int(key[7:-1]) if "[" in key else None: text for key, text in found.items()}

    def text(self, key: str) -> str:
        """What one of its strings says."""
        return self.strings[key].text if key in self.strings else ""


def _units(source: _CatalogueFile) -> Iterator[Unit]:
    number, plurals, mark, has_header = 0, PluralForms(), None, False
    for entry in _entries(source.path, source.lines()):
        is_header = entry.is_header and not has_header
        if not has_header and (is_header or source.fills_in):
            header = _header(source, entry if is_header else None)
            plurals, has_header = PluralForms.of(header), True
            found = _ACCELERATOR.search(header)
            mark = found and found[1]
            if source.fills_in:
                edits = _header_edits(source, entry if is_header else None, header)
                yield Unit((), partial(_always, edits))
        if entry.is_header:
            continue
        _check_plurals(entry, source, plurals)
        segments = []
        for form in _forms(entry, plurals):
            segment = _segment(entry, form, source.path, number, plurals.singular)
            segments.append(replace(segment, accelerator=mark))
            number += 1
        yield Unit(
            tuple(segments),
            partial(_edits, entry, source, plurals),
            partial(_settled, entry, source, plurals),
        )


def _header(source: _CatalogueFile, entry: _Message | None) -> str:
    """What the header of a file says once it is written."""
    text = entry.text("msgstr") if entry is not None else ""
    if entry is not None:
        language = _LANGUAGE.search(text)
        check_language(
            f"{source.path} line {entry.line}",
            "Language",
            language and language[1],
            source.target_language,
        )
    if source.fills_in and source.target_language is not None:
        return filled_in(text, source.target_language)
    return text


def _header_edits(source: _CatalogueFile, entry: _Message | None, text: str) -> list[Edit]:
    """What gives a template this header: in place of its own, or before all where it has none."""
    written = _quoted(text, source.newline).encode(source.charset)
    if entry is not None:
        old = entry.strings.get("msgstr")
        if old is None:
            raise UserError(
                f"{source.path} line {entry.line}: the header has plural forms. Write msgstr in"
                " place of msgstr[0]."
            )
        return [*entry.flags.clearing, (old.start, old.end, written)]
    newline = source.newline.encode()
    new = b'msgid ""' + newline + b"msgstr " + written + 2 * newline
    return [(source.mark, source.mark, new)]


def _always(edits: list[Edit], _: Sequence[Marked | None]) -> list[Edit]:
    return edits


def _check_plurals(entry: _Message, source: _CatalogueFile, plurals: PluralForms) -> None:
    """Raises where a template has plural forms, and nobody knows those of the language."""
    if source.fills_in and plurals.count is None and "msgid_plural" in entry.strings:
        raise UserError(
            f"{source.path} line {entry.line}: the plural forms of {source.target_language} are not"
            " known here. Write them into the header of the template, such as"
            ' "Plural-Forms: nplurals=2; plural=(n != 1);\\n".'
        )


def _forms(entry: _Message, plurals: PluralForms) -> list[int | None]:
    """The forms that an entry has once it is written: as many as the language has.

    More of them stay only where they are translated.
    """
    there = entry.forms
    if plurals.count is None or None in there or entry.is_obsolete:
        return list(there)
    kept = [form for form, string in there.items() if form < plurals.count or string.text]  # type: ignore[operator]
    return [*kept, *(form for form in range(plurals.count) if form not in there)]


def _entries(path: Path, lines: Iterable[Line]) -> Iterator[_Message]:
    entry, key, flags = _Message(0), "", _Flags()
    after = end = 0
    for line in lines:
        after, end = end, line.end
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
        _add(entry, key, bool(found["key"]), _string(found, line, after), line)
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
            before.text + string.text, before.start, string.end, before.line, before.after
        )


def _string(found: re.Match[str], line: Line, after: int) -> _String:
    first, last = line.first + line.raw.index(b'"'), line.first + line.raw.rindex(b'"') + 1
    return _String(_ESCAPE.sub(_unescaped, found["text"]), first, last, line.number, after)


def _unescaped(found: re.Match[str]) -> str:
    letter, octal, hexadecimal, other = found.groups()
    if letter:
        return _MEANT[letter]
    return (
        chr(int(octal, 8)) if octal else chr(int(hexadecimal, 16)) if hexadecimal else f"\\{other}"
    )


def _segment(entry: _Message, form: int | None, path: Path, number: int, singular: int) -> Segment:
    is_plural = form is not None and form != singular and "msgid_plural" in entry.strings
    source = entry.text("msgid_plural" if is_plural else "msgid")
    target = entry.forms[form].text if form in entry.forms else ""
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


def _edits(
    entry: _Message,
    source: _CatalogueFile,
    plurals: PluralForms,
    given: Sequence[Marked | None],
) -> list[Edit]:
    return [*entry.flags.edits(source.newline), *_strings(entry, source, plurals, given)]


def _settled(
    entry: _Message,
    source: _CatalogueFile,
    plurals: PluralForms,
    given: Sequence[Marked | None],
) -> list[Edit]:
    return [*entry.flags.clearing, *_strings(entry, source, plurals, given)]


def _strings(
    entry: _Message,
    source: _CatalogueFile,
    plurals: PluralForms,
    given: Sequence[Marked | None],
) -> list[Edit]:
    wanted = dict(zip(_forms(entry, plurals), given, strict=True))
    edits, end = [], 0
    for form, string in entry.forms.items():
        if form not in wanted:
            edits.append((string.after, string.end, b""))
        elif (text := wanted[form]) is not None:
            new = _quoted(str(text), source.newline).encode(source.charset)
            edits.append((string.start, string.end, new))
        end = string.end
    added = "".join(
        f"{source.newline}msgstr[{form}] {_quoted(str(text or ''), source.newline)}"
        for form, text in wanted.items()
        if form not in entry.forms
    )
    if added:
        edits.append((end, end, added.encode(source.charset)))
    return sorted(edits)


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
