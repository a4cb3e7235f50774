"""A translation as it is written: what was kept from the model put back, and what is broken out.

A model with a token for each byte may write bytes that are no character. They are read as the mark
of damage, U+FFFD, which says nothing, and is left out. One that the source has is kept from the
model like all that it has no letters for, and comes back. Control characters that are no layout are
left out, too, unless the source has them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property

from gridbeam.constraints.occurrences import Span
from gridbeam.text.letters import is_of_a_word, letter
from gridbeam.translation.unwritable import BROKEN, Readable, swapped

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]")
"""Control characters but for those that part words and lines."""


class WrittenText:
    """What a model has written for a text, as it is read.

    `spoken` are stretches that it had to say, in which nothing is broken.
    """

    def __init__(self, source: Readable, text: str, spoken: Sequence[Span] = ()) -> None:
        self._source, self._given = source, text
        self._swaps = list(_swaps(source, text, spoken))

    @cached_property
    def text(self) -> str:
        """The text with all put back."""
        return swapped(self._given, self._swaps)

    def moved(self, span: Span) -> Span:
        """A stretch of what the model has written as one of the text."""
        return self._place(span[0], is_end=False), self._place(span[1], is_end=True)

    def _place(self, place: int, *, is_end: bool) -> int:
        shift = 0
        for start, end, raw in self._swaps:
            if start < place < end:
                return start + shift + (len(raw) if is_end else 0)
            shift += len(raw) - (end - start) if end <= place else 0
        return place + shift

    def repeated(self) -> Iterator[tuple[Span, Span]]:
        """Where each stretch that was kept stands in the source as given, and in the text.

        Of what stands there several times the first goes with the first.
        """
        left = list(zip(self._source.kept, self._source.places, strict=True))
        for start, end, raw in self._swaps:
            key = (self._given[start:end], raw.strip())
            known = next((each for each in left if each[0] == key), None)
            if known is not None:
                left.remove(known)
                first, last = self.moved((start, end))
                part = self.text[first:last]
                yield known[1], (last - len(part.lstrip()), first + len(part.rstrip()))


def _swaps(source: Readable, text: str, spoken: Sequence[Span]) -> Iterator[tuple[int, int, str]]:
    """What goes where in a translation.

    A space comes before or after it where it would else become part of a word, and is not in the
    source.
    """
    meant = dict(source.kept)
    broken = {BROKEN, *_CONTROL.findall(text)}.difference(_CONTROL.findall(source.text))
    if not meant and broken.isdisjoint(text):
        return
    shown = map(re.escape, sorted(meant, key=len, reverse=True))
    for match in re.finditer("|".join([*shown, _stretch(broken)]), text):
        if match[0] not in meant:
            if not any(start < match.end() and match.start() < end for start, end in spoken):
                yield *match.span(), ""
            continue
        raw, form = meant[match[0]], re.escape(match[0])
        before = _is_one_word(text[: match.start()], raw) and not re.search(
            rf"{letter()}{form}", source.text
        )
        after = _is_one_word(raw, text[match.end() :]) and not re.search(
            rf"{form}{letter()}", source.text
        )
        yield *match.span(), " " * before + raw + " " * after


def _stretch(broken: Collection[str]) -> str:
    """What is broken, with white space that would be there twice without it."""
    signs = "".join(map(re.escape, sorted(broken)))
    some, space = f"[{signs}]+", rf"(?:(?![{signs}])\s)"  # some control characters are white space
    ends = rf"(?<!\s){space}*{some}{space}*\Z|\A{some}{space}*"
    return rf"{ends}|(?<=\s){some}{space}+|{some}"


def _is_one_word(before: str, after: str) -> bool:
    return bool(before and after) and is_of_a_word(before[-1]) and is_of_a_word(after[0])
