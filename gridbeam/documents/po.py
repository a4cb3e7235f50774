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
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from gridbeam.documents.format import Format, Languages
from gridbeam.documents.limit import limit_of
from gridbeam.documents.lines import LONGEST, Line, charset_of, lines_of
from gridbeam.documents.po_header import PluralForms, filled_in, is_template
from gridbeam.documents.po_messages import Message, messages, quoted
from gridbeam.documents.segment import Segment
from gridbeam.documents.splice import Edit, Spliced, Translations, Unit, opened, stamp
from gridbeam.documents.xml import check_language
from gridbeam.errors import UserError, UserNotice
from gridbeam.markup.inline import Marked, as_marked

_HEADER = re.compile(
    rb"(?:\A(?:\xef\xbb\xbf)?|^[ \t]*(?:#.*)?\r?\n)["
    rb' \t]*msgid\s*(?:""\s*)+msgstr\s*(?P<text>(?:".*"\s*)+)',
    re.M,
)
_CHARSET = re.compile(rb"Content-Type:[^\n]*charset=([\w.:-]+)", re.I)
_LANGUAGE = re.compile(r"^Language:[ \t]*([a-z]{2,3})(?:[-_@]\w+)*[ \t]*$", re.I | re.M)
_ACCELERATOR = re.compile(r"^X-Accelerator-Marker:[ \t]*([_&~])[ \t]*$", re.I | re.M)


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


def _units(source: _CatalogueFile) -> Iterator[Unit]:
    number, plurals, mark, has_header = 0, PluralForms(), None, False
    for entry in messages(source.path, source.lines()):
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


def _header(source: _CatalogueFile, entry: Message | None) -> str:
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


def _header_edits(source: _CatalogueFile, entry: Message | None, text: str) -> list[Edit]:
    """What gives a template this header: in place of its own, or before all where it has none."""
    written = quoted(text, source.newline).encode(source.charset)
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


def _check_plurals(entry: Message, source: _CatalogueFile, plurals: PluralForms) -> None:
    """Raises where a template has plural forms, and nobody knows those of the language."""
    if source.fills_in and plurals.count is None and "msgid_plural" in entry.strings:
        raise UserError(
            f"{source.path} line {entry.line}: the plural forms of {source.target_language} are not"
            " known here. Write them into the header of the template, such as"
            ' "Plural-Forms: nplurals=2; plural=(n != 1);\\n".'
        )


def _forms(entry: Message, plurals: PluralForms) -> list[int | None]:
    """The forms that an entry has once it is written: as many as the language has.

    More of them stay only where they are translated.
    """
    there = entry.forms
    if plurals.count is None or None in there or entry.is_obsolete:
        return list(there)
    kept = [form for form, string in there.items() if form < plurals.count or string.text]  # type: ignore[operator]
    return [*kept, *(form for form in range(plurals.count) if form not in there)]


def _segment(entry: Message, form: int | None, path: Path, number: int, singular: int) -> Segment:
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
    entry: Message,
    source: _CatalogueFile,
    plurals: PluralForms,
    given: Sequence[Marked | None],
) -> list[Edit]:
    return [*entry.flags.edits(source.newline), *_strings(entry, source, plurals, given)]


def _settled(
    entry: Message,
    source: _CatalogueFile,
    plurals: PluralForms,
    given: Sequence[Marked | None],
) -> list[Edit]:
    return [*entry.flags.clearing, *_strings(entry, source, plurals, given)]


def _strings(
    entry: Message,
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
            new = quoted(str(text), source.newline).encode(source.charset)
            edits.append((string.start, string.end, new))
        end = string.end
    added = "".join(
        f"{source.newline}msgstr[{form}] {quoted(str(text or ''), source.newline)}"
        for form, text in wanted.items()
        if form not in entry.forms
    )
    if added:
        edits.append((end, end, added.encode(source.charset)))
    return sorted(edits)


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
