"""What a model has no letters for is kept as it stands: the model reads and writes something short in its place.

For a letter that none of its tokens holds, a tokenizer has a token for each byte of it, or one that says nothing but that there
is something. Few models have learned to repeat either.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise

from gridbeam.characters import read
from gridbeam.constraints import Avoid, Constraint, InOrder, Phrase, phrases
from gridbeam.occurrences import Span
from gridbeam.placeholders import whole_word
from gridbeam.protection import overlap, stand_in, writable
from gridbeam.sentences import Sentences
from gridbeam.subwords import Subwords
from gridbeam.vocabulary import is_of_a_word

_LETTER = r"[^\W\d]"
_JOINTS = re.compile(r"[\s\d,'’-]*")
"""What may stand between two stretches that are kept as one."""
_NEVER = r"(?!)"
_MASK = "\0"
"""Stands for each character of what is left to the model."""


@dataclass(frozen=True)
class Readable:
    """A text as a model can read it, and what is kept: what stands in the text for each stretch, and the stretch."""

    text: str
    kept: tuple[tuple[str, str], ...] = ()

    @property
    def constraints(self) -> list[Constraint]:
        """What makes a translation hold each stretch as often as the source, and no more often."""
        times = Counter(Phrase(shown, case="exact", whole_word=True) for shown, _ in self.kept)
        return [*times.elements(), *(Avoid(InOrder(*[phrase] * (1 + often))) for phrase, often in times.items())]

    def restored(self, text: str) -> tuple[str, Callable[[Span], Span]]:
        """A translation with what was kept, and what tells where a stretch of the given text is in it."""
        swaps = list(self._swaps(text))

        def moved(place: int, *, is_end: bool) -> int:
            shift = 0
            for start, end, raw in swaps:
                if start < place < end:
                    return start + shift + (len(raw) if is_end else 0)
                shift += len(raw) - (end - start) if end <= place else 0
            return place + shift

        return _swapped(text, swaps), lambda span: (moved(span[0], is_end=False), moved(span[1], is_end=True))

    def _swaps(self, text: str) -> Iterator[tuple[int, int, str]]:
        """What goes where in a translation, with a space where it would grow into a word, and does not in the source."""
        meant = dict(self.kept)
        pattern = "|".join(map(re.escape, sorted(meant, key=len, reverse=True)))
        for match in re.finditer(pattern, text) if meant else ():
            raw, shown = meant[match[0]], re.escape(match[0])
            before = _is_one_word(text[: match.start()], raw) and not re.search(rf"\w{shown}", self.text)
            after = _is_one_word(raw, text[match.end() :]) and not re.search(rf"{shown}\w", self.text)
            yield *match.span(), " " * before + raw + " " * after


class Alphabet:
    """The letters that the tokens of a model hold."""

    def __init__(self, subwords: Subwords) -> None:
        self._subwords = subwords
        self._lacking: dict[str, bool] = {}

    def readable(
        self, sentences: Sentences, terms: Sequence[Constraint], places: Sequence[int | None] = ()
    ) -> tuple[Sentences, Callable[[str], Readable]]:
        """The sentences to translate, and what makes one readable; foreign signs around them stay as they are.

        What a constraint speaks of, or has its place in, is left to the model.
        """
        forms = dict(form for term in terms for form in self._forms(term))
        left = list(map(re.escape, self._at(sentences, places)))
        left += [whole_word(form) if is_whole else re.escape(form) for form, is_whole in forms.items()]
        hidden = partial(re.compile("|".join(left) or _NEVER, re.IGNORECASE).sub, lambda match: _MASK * len(match[0]))
        spoken = sentences.within([language(text, self.foreign(text)) for text in map(hidden, sentences.texts)])
        if not spoken.texts and not all(isinstance(term, Avoid) for term in terms):
            spoken = sentences
        return spoken, cache(lambda text: self._readable(text, self.foreign(hidden(text)), forms))

    def _at(self, sentences: Sentences, places: Sequence[int | None]) -> Iterator[str]:
        """The foreign stretches that something has its place in."""
        known = [place for place in places if place is not None]
        for text, begin in zip(sentences.texts, sentences.starts, strict=True) if known else ():
            for start, end in self.foreign(text):
                if any(begin + start <= place < begin + end for place in known):
                    yield text[start:end]

    def foreign(self, text: str) -> list[Span]:
        """Words with a letter that is lacking, and signs that are; those in a row, with numbers among them, are one stretch."""
        lacking = {letter for letter in set(text) if self._lacks(letter)}
        words = _words(lacking, text).finditer(text) if lacking else ()
        return _joined((match.span() for match in words if not lacking.isdisjoint(match[0])), text)

    def _readable(self, text: str, foreign: Sequence[Span], forms: Collection[str]) -> Readable:
        """The text with something else for these stretches, which cannot be taken for one of the forms or a part of it."""
        can_write, taken = writable(self._subwords), text
        shown: dict[str, str] = {}
        for raw in dict.fromkeys(text[start:end] for start, end in foreign):
            new = stand_in(taken, lambda new: can_write(new) and not any(overlap(new, form) for form in forms))
            if new is None:
                return Readable(text)
            shown[raw], taken = new, taken + new
        swaps = [(start, end, shown[text[start:end]]) for start, end in foreign]
        return Readable(_swapped(text, swaps), tuple((new, text[start:end]) for start, end, new in swaps))

    def _forms(self, term: Constraint) -> Iterator[tuple[str, bool]]:
        """The texts that a constraint speaks of, and whether they are whole words."""
        for phrase in phrases(term):
            if isinstance(phrase, Phrase):
                is_whole = self._subwords.whole_word if phrase.whole_word is None else phrase.whole_word
                given = phrase.content if isinstance(phrase.content, str) else read(self._subwords.tokenizer, phrase.content)
                yield from ((form, is_whole) for form in (given, *phrase.inflect) if form)

    def _lacks(self, letter: str) -> bool:
        """Whether the tokenizer has no more for a character than its bytes; white space and what is not seen do not count."""
        if letter not in self._lacking:
            self._lacking[letter] = self._is_lacking(letter)
        return self._lacking[letter]

    def _is_lacking(self, letter: str) -> bool:
        vocabulary, tokenizer = self._subwords.vocabulary, self._subwords.tokenizer
        if letter.isspace() or unicodedata.category(letter) in ("Cc", "Cf", "Cs") or vocabulary.holds(letter):
            return False
        ids = tokenizer(letter, add_special_tokens=False)["input_ids"]  # it may read another letter, as in ﬁ
        return tokenizer.unk_token_id in ids or not vocabulary.bytes_of_characters.isdisjoint(ids)


def language(text: str, foreign: Sequence[Span]) -> Span:
    """What is left of a text without foreign signs at its ends; nothing where only what is foreign has letters.

    >>> language("✓ The end → ", [(0, 1), (10, 11)])
    (2, 9)
    """
    rest = _swapped(text, [(start, end, "") for start, end in foreign])
    if not any(letter.isalpha() or letter == _MASK for letter in rest):
        return (0, 0) if foreign else (0, len(text))
    signs = [span for span in foreign if not any(map(str.isalnum, text[slice(*span)]))]
    begin = next((end for start, end in signs[:1] if not text[:start].strip()), 0)
    stop = next((start for start, end in signs[-1:] if not text[end:].strip()), len(text))
    return len(text) - len(text[begin:].lstrip()), len(text[:stop].rstrip())


def _joined(spans: Iterator[Span], text: str) -> list[Span]:
    """The spans, with those made one that hardly anything stands between."""
    joined: list[Span] = []
    for start, end in spans:
        if joined and _JOINTS.fullmatch(text, joined[-1][1], start):
            start, _ = joined.pop()
        joined.append((start, end))
    return joined


def _words(lacking: Collection[str], text: str) -> re.Pattern[str]:
    """Words, and signs that are lacking: as part of the word in £4, 25°C or Acme®, by themselves in File→Save or •Point."""
    marks = {letter for letter in set(text) if unicodedata.category(letter) in ("Mn", "Mc", "Me", "Cf")}
    within = "".join(map(re.escape, sorted(marks)))
    signs = "".join(re.escape(letter) for letter in sorted(lacking) if letter not in marks and not letter.isalnum())
    sign = f"[{signs}]" if signs else _NEVER
    return re.compile(rf"(?:[\w{within}]|(?<=\d)[.,](?=\d)|(?<=\d){sign}|{sign}(?!{_LETTER}{{2}}))+|{sign}")


def _is_one_word(before: str, after: str) -> bool:
    return bool(before and after) and is_of_a_word(before[-1]) and is_of_a_word(after[0])


def _swapped(text: str, swaps: Sequence[tuple[int, int, str]]) -> str:
    """The text with something else for some of its stretches, given from left to right."""
    edges = pairwise([(0, 0, ""), *swaps, (len(text), 0, "")])
    return "".join(text[end:start] + new for (_, end, _), (start, _, new) in edges)
