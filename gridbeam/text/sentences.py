"""A text as sentences and the white space around them.

Put back together, they are the text, character by character.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, islice

import sentencex  # type: ignore[import-untyped]

from gridbeam.text import languages
from gridbeam.text.layout import set_apart

_CLAUSE_ENDS = re.compile(r"(?<=[,;:)–—。，、；：])\s*(?=\S)|(?<=[.!?…])\s+(?=\S)")  # fmt: skip
_ABBREVIATION = re.compile(
    r"\b(?:approx|appx|avg|chap|eqs?|excl|figs|incl|max|orig|para|prev|resp|tel|vols?)\.\s*$",
    re.IGNORECASE,
)
"""Those that sentencex does not know, and that hardly end a sentence."""
_SPACES = re.compile(r"(?<=\S)\s+(?=\S)")


@dataclass(frozen=True)
class Sentences:
    """The sentences of a text, without white space at their ends, and what stands between them.

    >>> split("Hello there.  It rains.", "en")
    Sentences(texts=('Hello there.', 'It rains.'), between=('', '  ', ''))
    """

    texts: tuple[str, ...]
    between: tuple[str, ...]
    """What stands before each sentence, and after the last."""

    @property
    def starts(self) -> list[int]:
        """The character of the text that each sentence begins at."""
        ends = accumulate(
            map(len, chain.from_iterable(zip(self.between, self.texts, strict=False)))
        )
        return list(islice(ends, 0, None, 2))

    def at(self, place: int) -> int:
        """The number of the sentence at a character of the text; between two it is the first.

        >>> [split("Hello there.  It rains.", "en").at(place) for place in (0, 13, 14, 22)]
        [0, 0, 1, 1]
        """
        return max(0, sum(start <= place for start in self.starts) - 1)

    def as_one(self, first: int, after: int) -> Sentences:
        """The same text, with the sentences from `first` up to `after` as a single one.

        >>> split("Hello there.  It rains. So what?", "en").as_one(0, 2)
        Sentences(texts=('Hello there.  It rains.', 'So what?'), between=('', ' ', ''))
        """
        spaces = ("", *self.between[first + 1 : after])
        text = "".join(
            space + text for space, text in zip(spaces, self.texts[first:after], strict=True)
        )
        return Sentences(
            (*self.texts[:first], text, *self.texts[after:]),
            self.between[: first + 1] + self.between[after:],
        )

    def within(self, spans: Sequence[tuple[int, int]]) -> Sentences:
        """The same text, with a stretch of each sentence as a sentence and the rest of it between.

        An empty one is none.

        >>> split("Hello there.  It rains.", "en").within([(0, 0), (3, 9)])
        Sentences(texts=('rains.',), between=('Hello there.  It ', ''))
        """
        texts, between = list[str](), [self.between[0]]
        for text, space, (start, end) in zip(self.texts, self.between[1:], spans, strict=True):
            between[-1] += text[:start]
            if start < end:
                texts.append(text[start:end])
                between.append("")
            between[-1] += text[end:] + space
        return Sentences(tuple(texts), tuple(between))

    def joined(self, texts: Sequence[str]) -> str:
        """Other texts, one for each sentence, with the same white space around them."""
        return self.between[0] + "".join(
            text + space for text, space in zip(texts, self.between[1:], strict=True)
        )


def split(text: str, language: str | None = None) -> Sentences:
    """The sentences of a text; layout ends one, always, and nothing within a word does."""
    code = languages.language(language or "en")
    return _trimmed(
        sentence
        for part in set_apart(text)
        for sentence in _unbroken(sentencex.segment(code, part))
    )


def _unbroken(parts: Iterable[str]) -> Iterator[str]:
    """The parts, of which two are one where a sentence goes on across."""
    before = ""
    for part in parts:
        if before and not _goes_on(before, part):
            yield before
            before = ""
        before += part
    yield before


def _goes_on(before: str, after: str) -> bool:
    """Whether no sentence ends here: within a word, after an abbreviation, or after a name.

    As in ASP.NET, or in: Yahoo! is old. After 。no white space is needed, and iPhone may begin a
    sentence.
    """
    if before[-1] in ".?!" and after[:1].isalnum():
        return True
    rest = after.lstrip()
    is_small = rest[:1].islower() and not rest[1:2].isupper()
    if before.rstrip()[-1:] in ("!", "?"):
        return is_small
    return (is_small or rest[:1].isdigit()) and _ABBREVIATION.search(before) is not None


def whole(text: str) -> Sentences:
    """The text as one sentence; none where it is blank."""
    return _trimmed([text])


def shortened(sentences: Sentences, fits: Callable[[str], bool]) -> Sentences:
    """The same text, with sentences that do not fit cut into parts.

    They are cut where a clause ends, else between words, else anywhere.
    """
    parts = (
        part
        for space, text in zip(sentences.between, [*sentences.texts, ""], strict=True)
        for part in (space, *_cut(text, fits))
    )
    return _trimmed(parts)


def _cut(text: str, fits: Callable[[str], bool]) -> Iterator[str]:
    if len(text) < 2 or fits(text):
        yield text
        return
    middle = len(text) // 2
    clauses, words = (
        [match.start() for match in pattern.finditer(text)] for pattern in (_CLAUSE_ENDS, _SPACES)
    )
    inner = [place for place in clauses if len(text) // 8 <= place <= len(text) - len(text) // 8]
    place = min(inner or words or [middle], key=lambda place: abs(place - middle))
    yield from _cut(text[:place], fits)
    yield from _cut(text[place:], fits)


def _trimmed(parts: Iterator[str] | Sequence[str]) -> Sentences:
    """The parts less the white space at their ends, which stands between them.

    Blank ones are nothing else.
    """
    texts, between = list[str](), [""]
    for part in parts:
        text = part.strip()
        if not text:
            between[-1] += part
            continue
        begin = part.index(text)
        between[-1] += part[:begin]
        texts.append(text)
        between.append(part[begin + len(text) :])
    return Sentences(tuple(texts), tuple(between))
