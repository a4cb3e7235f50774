"""What a model has no letters for is kept as it is; the model sees something short instead.

For a letter that none of its tokens holds, a tokenizer has a token for each byte of it, or one that
says nothing but that there is something. Few models have learned to repeat either.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate, pairwise

from gridbeam.constraints.occurrences import Span, Spans
from gridbeam.constraints.roles import Role
from gridbeam.constraints.terms import Avoid, Constraint, InOrder, Phrase
from gridbeam.constraints.walk import phrases, rebuilt
from gridbeam.markup.protect import overlap, stand_in, writable
from gridbeam.text.letters import is_whole
from gridbeam.text.sentences import Sentences
from gridbeam.text.words import typed
from gridbeam.tokens.offsets import read
from gridbeam.tokens.subwords import Subwords

_LETTER = r"[^\W\d]"
_JOINTS = re.compile(r"[\s\d,'’-]*")
"""What may stand between two stretches that are kept as one."""
_NEVER = r"(?!)"
_MARKUP = frozenset("#*<>\\^_`|~")
_LAST_OF_EUROPE = "ſ"
"""The end of the block Latin Extended-A."""
BROKEN = "\ufffd"
"""The mark of damage, which is read where bytes are no character: no model is shown it."""
_MASK = "\0"
"""Stands for each character of what is left to the model."""


@dataclass(frozen=True)
class Readable:
    """A text whose characters are all in the vocabulary, and what was kept out of it.

    `kept` has (placeholder, original) for each part that is not: ("{1}", "добрый день").
    """

    text: str
    kept: tuple[tuple[str, str], ...] = ()
    places: Spans = ()
    """Where each stretch stands in the text as it was given."""

    def constraints(self, terms: Sequence[Constraint]) -> list[Constraint]:
        """These constraints over texts with placeholders, and those that keep the placeholders.

        A stretch is said as often as in the source, and no more often, unless more of it is
        required.
        """
        given = Counter(term.content for term in terms if isinstance(term, Phrase))
        required = [text for term in terms if term.role.must_occur for text in _texts(term)]
        kept, surplus = list[Constraint](), list[Constraint]()
        for (new, raw), often in Counter(self.kept).items():
            phrase = Phrase(new, case="exact", whole_word=True)
            kept += [phrase] * (often - given[raw])
            surplus.append(
                Avoid(
                    InOrder(*[phrase] * (1 + max(often, sum(text.count(raw) for text in required))))
                )
            )
        # What is avoided is so in the model's own bytes as well.
        literal = [term for term in terms if not term.role.must_occur and self.spoken(term) != term]
        return [*map(self.spoken, terms), *kept, *surplus, *literal]

    def spoken(self, term: Constraint) -> Constraint:
        """The constraint on a translation that holds what stands for each stretch."""
        shown = {raw: new for new, raw in self.kept}
        if not shown:
            return term
        pattern = re.compile("|".join(map(re.escape, sorted(shown, key=len, reverse=True))))

        def said(text: str) -> str:
            return pattern.sub(lambda match: shown[match[0]], text)

        def phrase(given: Phrase) -> Phrase:
            if not isinstance(given.content, str):
                return given
            return replace(
                given, content=said(given.content), inflect=tuple(map(said, given.inflect))
            )

        return rebuilt(term, phrase=phrase)


class Alphabet:
    """The letters that the tokens of a model hold."""

    def __init__(self, subwords: Subwords) -> None:
        self._subwords = subwords
        self._lacking: dict[str, bool] = {}

    def readable(
        self, sentences: Sentences, terms: Sequence[Constraint], places: Sequence[int | None] = ()
    ) -> tuple[Sentences, Callable[[str], Readable]]:
        """The sentences to translate, and what makes one readable.

        Foreign signs around them stay as they are.

        What a constraint has its place in, forbids, or speaks of in part, is left to the model.
        """
        forms = dict(form for term in terms for form in self._forms(term))
        foreign = {form for form in forms if self.foreign(form)}
        hidden = _hidden({form: each for form, each in forms.items() if form not in foreign})
        known = [place for place in places if place is not None]
        avoided = {text for term in terms if not term.role.must_occur for text in _texts(term)}
        left = {*self._at(sentences, known), *avoided}

        def stretches(text: str) -> list[Span]:
            found = self.foreign(hidden(text))
            return [
                span
                for span in found
                if text[slice(*span)] not in left and not self._is_part(text[slice(*span)], foreign)
            ]

        spoken = sentences
        if not foreign and all(term.role is Role.REQUIRED for term in terms):
            spoken = self._spoken(
                sentences, known, lambda text: language(hidden(text), stretches(text))
            )
        if not spoken.texts and terms:
            spoken = sentences
        return spoken, cache(lambda text: self._readable(text, stretches(self._typed(text)), forms))

    def _spoken(
        self, sentences: Sentences, places: Sequence[int], language: Callable[[str], Span]
    ) -> Sentences:
        """The sentences without what is no language, unless something has its place there."""
        begun = zip(sentences.texts, sentences.starts, strict=True)
        held = [
            any(begin <= place < begin + len(text) for place in places) for text, begin in begun
        ]
        return sentences.within(
            [
                (0, len(text)) if is_held else language(text)
                for text, is_held in zip(sentences.texts, held, strict=True)
            ]
        )

    def _at(self, sentences: Sentences, places: Sequence[int]) -> Iterator[str]:
        """The foreign stretches that something has its place in."""
        for text, begin in zip(sentences.texts, sentences.starts, strict=True) if places else ():
            for start, end in self.foreign(text):
                if any(begin + start <= place < begin + end for place in places):
                    yield text[start:end]

    def _is_part(self, raw: str, forms: Collection[str]) -> bool:
        """Whether one of the forms names a part of a stretch, or the stretch in other capitals.

        Nothing can stand for it then.
        """
        for form in forms:
            pieces = [form[start:end].casefold() for start, end in self.foreign(form)]
            if raw not in form and any(overlap(piece, raw.casefold()) for piece in pieces):
                return True
        return False

    def _typed(self, text: str) -> str:
        """The text with hyphens, ligatures and the like that the model lacks as ones it has."""
        if text.isascii():
            return text
        return "".join(
            self._plainer(letter) if self._lacks(letter, as_written=True) else letter
            for letter in text
        )

    def shown(self, given: str, source: Readable, span: Span) -> Span | None:
        """Where the model is shown a stretch of a text; None where some of it is kept."""
        if any(start < span[1] and span[0] < end for start, end in source.places):
            return None
        start, end = (self._moved(given, source, place) for place in span)
        return start, end

    def _moved(self, given: str, source: Readable, place: int) -> int:
        kept = zip(source.kept, source.places, strict=True)
        grown = (len(new) - len(raw) for (new, raw), (_, end) in kept if end <= place)
        return len(self._typed(given[:place])) + sum(grown)

    def foreign(self, text: str) -> list[Span]:
        """Words with a letter that is lacking, and signs that are.

        Those in a row, with numbers among them, are one stretch.
        """
        lacking = {letter for letter in set(text) if self._lacks(letter)}
        words = _words(lacking, text).finditer(text) if lacking else ()
        return _joined((match.span() for match in words if not lacking.isdisjoint(match[0])), text)

    def _readable(self, given: str, foreign: Sequence[Span], forms: Collection[str]) -> Readable:
        """The text with placeholders for these spans that are unlike any form or part of one."""
        text = self._typed(given)
        can_write, taken = writable(self._subwords), text
        shown: dict[str, str] = {}
        for raw in dict.fromkeys(text[start:end] for start, end in foreign):
            new = stand_in(
                taken, lambda new: can_write(new) and not any(overlap(new, form) for form in forms)
            )
            if new is None:
                return Readable(text)
            shown[raw], taken = new, taken + new
        swaps = [(start, end, shown[text[start:end]]) for start, end in foreign]
        kept = tuple((new, text[start:end]) for start, end, new in swaps)
        return Readable(swapped(text, swaps), kept, tuple(self._places(given, foreign)))

    def _places(self, given: str, spans: Sequence[Span]) -> Iterator[Span]:
        """Where stretches of a text as it is typed stand in the text that was given."""
        ends = list(accumulate(len(self._typed(letter)) for letter in given)) if spans else []
        for start, end in spans:
            yield bisect_right(ends, start), bisect_left(ends, end) + 1

    def _forms(self, term: Constraint) -> Iterator[tuple[str, bool]]:
        """The texts that a constraint speaks of, and whether they are whole words."""
        for phrase in phrases(term):
            if isinstance(phrase, Phrase):
                is_whole = (
                    self._subwords.whole_word if phrase.whole_word is None else phrase.whole_word
                )
                given = (
                    phrase.content
                    if isinstance(phrase.content, str)
                    else read(self._subwords.tokenizer, phrase.content)
                )
                yield from ((form, is_whole) for form in (given, *phrase.inflect) if form)

    def _lacks(self, letter: str, *, as_written: bool = False) -> bool:
        """Whether the model cannot write a character, nor another as good unless `as_written`."""
        if letter not in self._lacking:
            self._lacking[letter] = self._is_lacking(letter)
        is_lacking = self._lacking[letter]
        return is_lacking if as_written or not is_lacking else self._plainer(letter) == letter

    def _plainer(self, letter: str) -> str:
        """Another way to write a character that the model has letters for, or the character."""
        is_ligature = letter.isalpha() and unicodedata.decomposition(letter).startswith("<compat>")
        plainer = unicodedata.normalize("NFKC", letter) if is_ligature else typed(letter)
        return (
            letter
            if any(self._lacks(each, as_written=True) for each in plainer if each != letter)
            else plainer
        )

    def _is_lacking(self, letter: str) -> bool:
        """Whether a tokenizer has no more for a character than its bytes, or nothing.

        White space and what is not seen do not count.
        """
        vocabulary, tokenizer = self._subwords.vocabulary, self._subwords.tokenizer
        if letter == BROKEN:
            return True
        if (
            letter.isspace()
            or unicodedata.category(letter) in ("Cc", "Cf", "Cs")
            or vocabulary.holds(letter)
        ):
            return False
        if vocabulary.bytes_of_characters and _is_learned_by_bytes(letter):
            return False
        ids = tokenizer(letter, add_special_tokens=False)[
            "input_ids"
        ]  # it may read another letter, as in ﬁ
        return tokenizer.unk_token_id in ids or not vocabulary.bytes_of_characters.isdisjoint(ids)


def _is_learned_by_bytes(letter: str) -> bool:
    """Whether a character is so frequent that models learn to write it by its bytes.

    ASCII but for markup, and Europe's letters.
    """
    if letter.isascii():
        return letter not in _MARKUP
    return letter <= _LAST_OF_EUROPE and unicodedata.name(letter, "").startswith("LATIN")


def _texts(term: Constraint) -> Iterator[str]:
    """The texts that a constraint speaks of."""
    for phrase in phrases(term):
        if isinstance(phrase, Phrase) and isinstance(phrase.content, str):
            yield from (phrase.content, *phrase.inflect)


def language(text: str, foreign: Sequence[Span]) -> Span:
    """What is left of a text without foreign signs at its ends.

    Nothing where nothing else has letters.

    >>> language("✓ The end → ", [(0, 1), (10, 11)])
    (2, 9)
    """
    rest = swapped(text, [(start, end, "") for start, end in foreign])
    if not any(letter.isalpha() or letter == _MASK for letter in rest):
        return (0, 0)
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


def _hidden(forms: Mapping[str, bool]) -> Callable[[str], str]:
    """Masks these forms in a text, whole words where they must be.

    Where words begin and end is asked of the few places that have the letters of a form: a pattern
    that knows it takes long to compile.
    """
    loose = re.compile("|".join(map(re.escape, forms)) or _NEVER, re.IGNORECASE)

    def end_at(text: str, start: int) -> int | None:
        """Where the first of the forms ends that stands here."""
        for form, is_word in forms.items():
            found = re.compile(re.escape(form), re.IGNORECASE).match(text, start)
            if found and (not is_word or is_whole(text, start, found.end())):
                return found.end()
        return None

    def hidden(text: str) -> str:
        at, masked = 0, list(text)
        while found := loose.search(text, at):
            end = end_at(text, found.start())
            at = end or found.start() + 1
            if end is not None:
                masked[found.start() : end] = _MASK * (end - found.start())
        return "".join(masked)

    return hidden


def _words(lacking: Collection[str], text: str) -> re.Pattern[str]:
    """Words, and signs that are lacking: part of the word in £4, 25°C or Acme®, alone in File→Save.

    As all of it is put aside, a row of letters is one word here, also in scripts without spaces.
    """
    marks = {
        letter for letter in set(text) if unicodedata.category(letter) in ("Mn", "Mc", "Me", "Cf")
    }
    within = "".join(map(re.escape, sorted(marks)))
    signs = "".join(
        re.escape(letter)
        for letter in sorted(lacking)
        if letter not in marks and not letter.isalnum()
    )
    sign = f"[{signs}]" if signs else _NEVER
    return re.compile(
        rf"(?:[\w{within}]|(?<=\d)[.,](?=\d)|(?<=\d){sign}|{sign}(?!{_LETTER}{{2}}))+|{sign}"
    )


def swapped(text: str, swaps: Sequence[tuple[int, int, str]]) -> str:
    """The text with something else for some of its stretches, given from left to right."""
    edges = pairwise([(0, 0, ""), *swaps, (len(text), 0, "")])
    return "".join(text[end:start] + new for (_, end, _), (start, _, new) in edges)
