"""Numbers in a text, and how its translation may write them: digits stay, separators may change."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from gridbeam.text.languages import language

NumberRule: TypeAlias = Literal["localise", "keep"]
"""Whether separators may become those of the target language, or every character stays."""
NUMBER_RULES: tuple[NumberRule, ...] = ("localise", "keep")
_PLAIN = r"\d+(?:[.,]\d+)*"
_TIME = r"\d{1,2}(?::|[ ]?h[ ]?)\d\d(?!\d|:\d)"
_TIME_JOINTS = (":", ".", "h", " h ")
"""What stands between hours and minutes in one language or another."""
_WITH_DOTS = "ca da de el es eu gl hr id is it mk nl pt ro sl sq sr tr vi"
"""Languages that write 1.000,5."""
_WITH_SPACES = "be bg cs et fi fr hu hy ka kk lt lv nb nn no pl ru sk sv uk"
"""Languages that write 1 000,5; all others write 1,000.5."""
_SPACES = " \u00a0\u202f"
_GROUPED = rf"\d{{1,3}}(?:[{_SPACES}]\d{{3}})+(?:,\d+)?"


@dataclass(frozen=True)
class FoundNumber:
    """A number in a text, and the ways in which a translation may write it, the usual one first."""

    start: int
    end: int
    forms: tuple[str, ...]


@dataclass(frozen=True)
class NumberStyle:
    """How numbers of a text in one language may be written in a text in another."""

    source: str | None = None
    target: str | None = None
    rule: NumberRule = "localise"

    def numbers(self, text: str, skipped: Iterable[tuple[int, int]] = ()) -> list[FoundNumber]:
        """The numbers of a text, but for those in a stretch that is skipped.

        >>> NumberStyle("en", "de").numbers("over 1,000.5 km")
        [FoundNumber(start=5, end=12, forms=('1.000,5', '1000,5', '1,000.5'))]
        """
        edges = list(skipped)
        return [
            FoundNumber(*match.span(), self.forms(match[0]))
            for match in _pattern(has_spaces=self._has_spaces).finditer(text)
            if all(match.end() <= start or end <= match.start() for start, end in edges)
        ]

    @property
    def _has_spaces(self) -> bool:
        return self.source is not None and _separators(self.source)[0] == " "

    def forms(self, written: str) -> tuple[str, ...]:
        """The ways to write a number, or a time of day."""
        if self.rule == "keep" or self.source is None or self.target is None:
            return (written,)
        if re.fullmatch(_TIME, written):
            hours, minutes = re.findall(r"\d+", written)
            times = (f"{hours}{joint}{minutes}" for joint in _TIME_JOINTS)
            return tuple(dict.fromkeys((written, *times)))
        written = _plain(written)
        group, point = _separators(self.source)
        found = re.fullmatch(
            rf"(\d{{1,3}}(?:{re.escape(group)}\d{{3}})+|\d+)(?:{re.escape(point)}(\d+))?", written
        )
        if found is None:
            return (written,)
        parts, decimals = found[1].split(group), found[2]
        there, comma = _separators(self.target)
        end = "" if decimals is None else comma + decimals
        joints = [there, ""] if len(parts) > 1 else [""]
        return tuple(dict.fromkeys([*(joint.join(parts) + end for joint in joints), written]))


def lacking(numbers: Sequence[FoundNumber], translated: str) -> list[FoundNumber]:
    """Those that a translation does not write in any of their ways, as often as they are there."""
    there = Counter(_plain(match[0]) for match in _pattern(has_spaces=True).finditer(translated))
    missing = []
    for number in numbers:
        form = next((form for form in number.forms if there[_plain(form)]), None)
        if form is None:
            missing.append(number)
        else:
            there[_plain(form)] -= 1
    return missing


def _plain(form: str) -> str:
    """A number with spaces of one kind."""
    return re.sub(rf"[{_SPACES}]", " ", form)


@lru_cache(2)
def _pattern(*, has_spaces: bool) -> re.Pattern[str]:
    """Numbers and times, and where they may have spaces, those between groups of three."""
    ways = [_TIME, *([_GROUPED] if has_spaces else []), _PLAIN]
    return re.compile(rf"(?<!\w)(?<!\d[.,])(?:{'|'.join(ways)})(?!\w|[.,]\d)")


def _separators(code: str) -> tuple[str, str]:
    """What stands between thousands, and before decimals."""
    if language(code) in _WITH_DOTS.split():
        return ".", ","
    return (" ", ",") if language(code) in _WITH_SPACES.split() else (",", ".")
