"""Rules on white space and on characters that no text should have."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from gridbeam.checks.pair import CheckedPair
from gridbeam.checks.rule import CheckRule, Flaw

_DOUBLE = re.compile(r"(?<=\S)  +(?=\S)")
_BEFORE_MARK = re.compile(r"(?<=[^\W_])[ \u00a0\u202f]+[,.;:!?](?=\s|$)")
_FRENCH = re.compile(r"(?<=[^\W\d_])[:;!?](?=\s|$)|«(?=\w)|(?<=\w)»")


def _start(pair: CheckedPair) -> Iterator[Flaw]:
    if (before := _before(pair.source.text)) != (there := _before(pair.target.text)):
        wanted = _named(before)
        yield Flaw(f"begins with {_named(there)}, the source with {wanted}", ((0, len(there)),))


def _end(pair: CheckedPair) -> Iterator[Flaw]:
    size = len(pair.target.text)
    if (after := _after(pair.source.text)) != (there := _after(pair.target.text)):
        wanted = _named(after)
        yield Flaw(
            f"ends with {_named(there)}, the source with {wanted}", ((size - len(there), size),)
        )


def _before(text: str) -> str:
    """The white space before a text, less line breaks: these `_breaks` tells."""
    return re.sub(r"[\r\n]", "", text[: len(text) - len(text.lstrip())])


def _after(text: str) -> str:
    """The white space after a text, less line breaks."""
    return re.sub(r"[\r\n]", "", text[len(text.rstrip()) :])


def _named(space: str) -> str:
    names = {" ": "space", "\t": "tab", "\u00a0": "non-breaking space"}
    shown = [names.get(each, f"U+{ord(each):04X}") for each in dict.fromkeys(space)]
    return f"{len(space)} of {' and '.join(shown)}" if space else "none"


def _breaks(pair: CheckedPair) -> Iterator[Flaw]:
    for side, of in ("begins", str.lstrip), ("ends", str.rstrip):
        source, target = (
            "\n" in text.replace(of(text), "", 1) if of(text) else "\n" in text
            for text in (pair.source.text, pair.target.text)
        )
        if source != target:
            what = "a line break" if target else "no line break"
            yield Flaw(f"{side} with {what}, unlike the source")


def _break_count(pair: CheckedPair) -> Iterator[Flaw]:
    source, target = (
        len(re.findall(r"\r\n?|\n", text.text.strip())) for text in (pair.source, pair.target)
    )
    if source != target:
        yield Flaw(f"{target} line breaks where the source has {source}")


def _tabs(pair: CheckedPair) -> Iterator[Flaw]:
    source, target = (text.text.strip().count("\t") for text in (pair.source, pair.target))
    if source != target:
        yield Flaw(f"{target} tabs where the source has {source}")


def _doubled(pair: CheckedPair) -> Iterator[Flaw]:
    found = [each.span() for each in _DOUBLE.finditer(pair.target.text)]
    if found and not _DOUBLE.search(pair.source.text):
        yield Flaw("two spaces in a row", tuple(found))


def _before_marks(pair: CheckedPair) -> Iterator[Flaw]:
    if pair.target_language == "fr" or _BEFORE_MARK.search(pair.source.plain):
        return
    if found := tuple(each.span() for each in _BEFORE_MARK.finditer(pair.target.plain)):
        yield Flaw("white space before a mark", found)


def _french(pair: CheckedPair) -> Iterator[Flaw]:
    if pair.target_language != "fr":
        return
    if found := tuple(each.span() for each in _FRENCH.finditer(pair.target.plain)):
        marks = " ".join(dict.fromkeys(pair.target.text[start:end] for start, end in found))
        yield Flaw(f"no space beside {marks}", found)


def _bad_characters(pair: CheckedPair) -> Iterator[Flaw]:
    text = pair.target.text
    for character in dict.fromkeys(text):
        if _is_bad(character) and character not in pair.source.text:
            places = (place for place, each in enumerate(text) if each == character)
            spans = tuple((place, place + 1) for place in places)
            yield Flaw(f"holds the character U+{ord(character):04X}", spans)


def _is_bad(character: str) -> bool:
    return character == "\ufffd" or (
        unicodedata.category(character) in ("Cc", "Co", "Cs", "Cn") and character not in "\t\r\n"
    )


RULES = (
    CheckRule(
        "validchars",
        "error",
        "characters",
        "A character that stands for damage, such as U+FFFD, or that controls a terminal.",
        _bad_characters,
    ),
    CheckRule(
        "newlines",
        "error",
        "line breaks",
        "It begins or ends with a line break, and the source does not, or the reverse.",
        _breaks,
        also=("begin_newline", "end_newline"),
    ),
    CheckRule(
        "newline-count",
        "hint",
        "line breaks",
        "More or fewer line breaks within the text.",
        _break_count,
    ),
    CheckRule("tabs", "warning", "tabs", "More or fewer tabs within the text.", _tabs),
    CheckRule(
        "startwhitespace",
        "warning",
        "white space",
        "Other white space before the text than in the source.",
        _start,
        also=("begin_space",),
    ),
    CheckRule(
        "endwhitespace",
        "warning",
        "white space",
        "Other white space after the text than in the source.",
        _end,
        also=("end_space",),
    ),
    CheckRule(
        "doublespacing",
        "warning",
        "white space",
        "Two spaces in a row, which the source has nowhere.",
        _doubled,
        also=("double_space",),
    ),
    CheckRule(
        "puncspacing",
        "warning",
        "white space",
        "White space before a mark, in a language that has none there.",
        _before_marks,
    ),
    CheckRule(
        "punctuation_spacing",
        "hint",
        "white space",
        "In French, no space before : ; ! ? or inside « ».",
        _french,
    ),
)
