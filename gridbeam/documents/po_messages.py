"""The messages of a PO file: their strings and flags, and where these stand in its bytes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from gridbeam.documents.lines import Line
from gridbeam.documents.splice import Edit
from gridbeam.errors import UserError

_STRING = r'"(?P<text>(?:[^"\\]|\\.)*)"'
_LINE = re.compile(
    r"\s*(?P<obsolete>#~\s*)?"
    r"(?:(?P<key>msgctxt|msgid_plural|msgid|msgstr(?:\[(?P<form>[0-9]{1,3})\])?)\s*)?"
    rf"{_STRING}\s*"
)
_ESCAPE = re.compile(r"\\(?:([abfnrtv\\\"'?])|([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|(.))", re.S)
_MEANT = dict(zip("abfnrtv\\\"'?", "\a\b\f\n\r\t\v\\\"'?", strict=True))
_WRITTEN = {meant: f"\\{letter}" for letter, meant in _MEANT.items() if letter not in "'?"}
_MAX_LENGTH = re.compile(r"[,\s]max-length:(\d+)\s*(?:,|$)")


def messages(path: Path, lines: Iterable[Line]) -> Iterator[Message]:
    """The entries of a file, one after the other; an error where a line is of none."""
    entry, key, flags = Message(0), "", Flags()
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
                entry, flags = Message(0), Flags()
            flags.read(line)
            continue
        if found["key"] in ("msgctxt", "msgid") and entry.forms:
            yield entry
            entry, flags = Message(0), Flags()
        key = found["key"] or key
        if not entry.strings:
            flags.before = line.start if flags.before is None else flags.before
            entry = Message(line.number, flags, found["obsolete"] is not None)
        _add(entry, key, bool(found["key"]), _string(found, line, after), line)
    if entry.forms:
        yield entry
    elif entry.strings:
        raise UserError(
            f"{path} line {entry.line}: the file ends before the msgstr of this entry. Add it, or"
            " remove the entry."
        )


@dataclass
class MessageString:
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
class Flags:
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
class Message:
    """An entry: what stands from its first string to its last."""

    line: int
    flags: Flags = field(default_factory=Flags)
    is_obsolete: bool = False
    strings: dict[str, MessageString] = field(default_factory=dict)

    @property
    def is_header(self) -> bool:
        """Whether it is the entry that speaks of the file."""
        return not self.text("msgid") and "msgctxt" not in self.strings and not self.is_obsolete

    @property
    def forms(self) -> dict[int | None, MessageString]:
        """The translations, by plural form."""
        found = {key: text for key, text in self.strings.items() if key.startswith("msgstr")}
        return {int(key[7:-1]) if "[" in key else None: text for key, text in found.items()}

    def text(self, key: str) -> str:
        """What one of its strings says."""
        return self.strings[key].text if key in self.strings else ""


def _add(entry: Message, key: str, is_new: bool, string: MessageString, line: Line) -> None:
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
        entry.strings[key] = MessageString(
            before.text + string.text, before.start, string.end, before.line, before.after
        )


def _string(found: re.Match[str], line: Line, after: int) -> MessageString:
    first, last = line.first + line.raw.index(b'"'), line.first + line.raw.rindex(b'"') + 1
    return MessageString(_ESCAPE.sub(_unescaped, found["text"]), first, last, line.number, after)


def _unescaped(found: re.Match[str]) -> str:
    letter, octal, hexadecimal, other = found.groups()
    if letter:
        return _MEANT[letter]
    return (
        chr(int(octal, 8)) if octal else chr(int(hexadecimal, 16)) if hexadecimal else f"\\{other}"
    )


def quoted(text: str, newline: str) -> str:
    """The text in quotation marks.

    One of several lines begins on a line of its own, as gettext writes it.
    """
    text = text.encode("utf8", "replace").decode(
        "utf8"
    )  # half a pair of surrogates cannot be written
    parts = re.findall(r"[^\n]*\n|[^\n]+", text) if "\n" in text[:-1] else [text]
    shown = ['"' + "".join(_WRITTEN.get(letter, letter) for letter in part) + '"' for part in parts]
    return newline.join(shown if len(shown) == 1 else ['""', *shown])
