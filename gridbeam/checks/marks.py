"""Rules on marks: brackets, quotation marks, what a text begins and ends with."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from gridbeam.checks.pair import COVER, CheckedPair, CheckedText
from gridbeam.checks.rule import CheckRule, Flaw

_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_WIDE = str.maketrans("（）［］｛｝", "()[]{}")
_ENDING_OF_A_WORD = re.compile(r"(?<=\w)\([\w/-]{1,4}\)|\([\w-]{1,4}\)(?=\w)")
"""As in file(s) and Datei(en), which a translation may well do without."""
_EMOTICON_OR_ITEM = re.compile(r"[:;][-']?[()](?!\w)|(?:^|(?<=\s))\w{1,3}\)(?=\s)")
_DOUBLE = '"“”„‟«»『』「」'
_QUOTED = re.compile(
    rf"[{_DOUBLE}]|''|``|,,"
    r"|(?<![\w'])['‘’‚‛‹›](?=\S)|(?<=[^\s\w])['’‘‹›](?!\w)|(?<=\w)['’‘‹›](?![\w])"
)
_INCHES = re.compile(r"(?<=\d)\"")
_ENDINGS = {"...": "…", "。": ".", "．": ".", "！": "!", "？": "?", "：": ":", "؟": "?"}
_TAIL = f" \t\r\n\u00a0\u2009\u202f\u3000{COVER}\"'“”„«»‘’‚‹›)]}}<>|*_.,:;!?…。．！？：؟"
"""What may stand behind the last word of a text."""
_END_MARKS = re.compile(r"\.\.\.|[.:;!?…。．！？：؟]")
_HEAD = re.compile(r"[\W_]*")
_START_MARKS = re.compile(r"\.\.\.|…|[-–—•*+#>/\\.:;,!?]")
_DASHES = str.maketrans("–—−", "---")


def _brackets(pair: CheckedPair) -> Iterator[Flaw]:
    ours, theirs = Counter(_bracketed(pair.source)), Counter(_bracketed(pair.target))
    for opening, closing in _BRACKETS.items():
        wanted, found = (
            tuple(counts[mark] for mark in (opening, closing)) for counts in (ours, theirs)
        )
        if found != wanted:
            shown = [
                f"{count} of {mark}"
                for count, mark in zip((*found, *wanted), (opening, closing) * 2, strict=True)
            ]
            yield Flaw(
                f"{' and '.join(shown[:2])} where the source has {' and '.join(shown[2:])}",
                _stretches(pair.target, opening) + _stretches(pair.target, closing),
                _stretches(pair.source, opening) + _stretches(pair.source, closing),
            )


def _bracketed(text: CheckedText) -> str:
    """The text without what looks like brackets and is none."""
    wide = text.plain.translate(_WIDE)
    return _EMOTICON_OR_ITEM.sub("", _ENDING_OF_A_WORD.sub("", wide))


def _stretches(text: CheckedText, mark: str) -> tuple[tuple[int, int], ...]:
    return tuple(
        found.span() for found in re.finditer(re.escape(mark), text.plain.translate(_WIDE))
    )


def _quotes(pair: CheckedPair) -> Iterator[Flaw]:
    source, target = _quotation_marks(pair.source), _quotation_marks(pair.target)
    if (len(source) + 1) // 2 != (len(target) + 1) // 2:
        yield Flaw(
            f"{len(target)} quotation marks where the source has {len(source)}",
            tuple(target),
            tuple(source),
        )


def _quotation_marks(text: CheckedText) -> list[tuple[int, int]]:
    """Where quotation marks stand, single ones only where they come in pairs."""
    plain = _INCHES.sub(" ", text.plain) if text.plain.count('"') % 2 else text.plain
    found = [each.span() for each in _QUOTED.finditer(plain)]
    double = [(start, end) for start, end in found if plain[start:end] not in _SINGLE]
    single = [(start, end) for start, end in found if plain[start:end] in _SINGLE]
    return sorted(double + (single if len(single) % 2 == 0 else []))


_SINGLE = frozenset("'‘’‚‛‹›")


def _ends(pair: CheckedPair) -> Iterator[Flaw]:
    source, target = _last_marks(pair.source), _last_marks(pair.target)
    if source != target and {source, target} != {"", "."}:
        yield _ending(pair, source, target)


def _stops(pair: CheckedPair) -> Iterator[Flaw]:
    source, target = _last_marks(pair.source), _last_marks(pair.target)
    if {source, target} == {"", "."}:
        yield _ending(pair, source, target)


def _ending(pair: CheckedPair, source: str, target: str) -> Flaw:
    at = len(pair.target.plain.rstrip(_TAIL))
    tail = ((at, len(pair.target.plain.rstrip())),)
    return Flaw(f"ends with {_shown(target)}, the source with {_shown(source)}", tail)


def _last_marks(text: CheckedText) -> str:
    """The marks that a text ends with, alike in all scripts, within brackets and quotes or not."""
    found = _END_MARKS.findall(text.plain[len(text.plain.rstrip(_TAIL)) :])
    return "".join(dict.fromkeys(_ENDINGS.get(mark, mark) for mark in found))


def _starts(pair: CheckedPair) -> Iterator[Flaw]:
    source, target = _first_marks(pair.source), _first_marks(pair.target)
    if source != target:
        yield Flaw(f"begins with {_shown(target)}, the source with {_shown(source)}", ((0, 1),))


def _first_marks(text: CheckedText) -> str:
    head = _HEAD.match(text.plain)
    found = _START_MARKS.findall((head[0] if head else "").split(COVER)[0])
    return "".join(_ENDINGS.get(mark, mark) for mark in found).translate(_DASHES)


def _shown(marks: str) -> str:
    return marks or "no mark"


def _inverted(pair: CheckedPair) -> Iterator[Flaw]:
    if pair.target_language != "es":
        return
    for mark, inverted in ("?", "¿"), ("!", "¡"):
        if mark in pair.target.plain and inverted not in pair.target.plain:
            yield Flaw(f"{mark} without {inverted}", _stretches(pair.target, mark))


RULES = (
    CheckRule("brackets", "warning", "brackets", "A bracket is missing or too many.", _brackets),
    CheckRule(
        "doublequoting",
        "warning",
        "quotation marks",
        "More or fewer quotations than in the source; each language may write its own marks.",
        _quotes,
        also=("singlequoting",),
    ),
    CheckRule(
        "startpunc",
        "warning",
        "the first mark",
        "It begins with another mark, such as the dash of a list.",
        _starts,
    ),
    CheckRule(
        "endpunc",
        "warning",
        "the last mark",
        "It ends with another mark: a colon, question mark or the like is missing or too many.",
        _ends,
        also=("end_colon", "end_question", "end_exclamation", "end_ellipsis", "end_semicolon"),
    ),
    CheckRule(
        "end_stop",
        "hint",
        "the last mark",
        "It ends with a full stop, and the source with no mark, or the reverse.",
        _stops,
    ),
    CheckRule(
        "inverted_marks",
        "hint",
        "the first mark",
        "In Spanish, a ? or ! without ¿ or ¡.",
        _inverted,
    ),
)
