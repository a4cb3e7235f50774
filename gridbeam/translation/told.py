"""What a model is told in its source: the terms that the translation must say, beside their words.

A model that has learned to be told (`gridbeam.models.telling`) reads

    Remove the >>term<< hard disk >>as<< Festplatte >>end<<, please.

where it is known which words a term stands for, and `>>as<< Festplatte >>end<<` at the end of the
source where it is not. So it can write the sentence around the term; that the term is said is still
the work of the search. What may be said in several forms is told in its first, after `>>like<<`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gridbeam.constraints.occurrences import Span
from gridbeam.constraints.terms import AnyOf, Constraint, Phrase
from gridbeam.models.telling import Telling
from gridbeam.text.layout import single_spaced
from gridbeam.tokens.offsets import tokens_of_words
from gridbeam.tokens.subwords import Subwords


@dataclass(frozen=True)
class TermToTell:
    """A text that must be said, and whether other forms of it will do."""

    text: str
    has_forms: bool = False


@dataclass(frozen=True)
class ToldSource:
    """The tokens of a source, and the numbers of those terms that it tells of."""

    tokens: tuple[int, ...]
    told: tuple[int, ...] = ()


def to_tell(constraint: Constraint) -> TermToTell | None:
    """What a model is told of a constraint; nothing but for a text, or one of several.

    >>> to_tell(Phrase("Platte", inflect=["Platten"])), to_tell(Phrase([7, 8]))
    (TermToTell(text='Platte', has_forms=True), None)
    >>> to_tell(AnyOf("Laufwerk", "Platte"))
    TermToTell(text='Laufwerk', has_forms=True)
    """
    match constraint:
        case Phrase(content) if isinstance(content, str) and any(map(str.isalpha, content)):
            return TermToTell(content, bool(constraint.inflect))
        case AnyOf([only]):
            return to_tell(only)
        case AnyOf([Phrase() as first, *_]) if found := to_tell(first):
            return TermToTell(found.text, has_forms=True)
        case _:
            return None


class Teller:
    """Puts terms into sources.

    `positions` are the most tokens that the model can read: a source that would have more tells
    of nothing.
    """

    def __init__(self, telling: Telling, subwords: Subwords, positions: int | None) -> None:
        self._telling, self._subwords, self._positions = telling, subwords, positions
        self._special = frozenset(subwords.tokenizer.all_special_ids)

    def told(
        self,
        source: tuple[int, ...],
        text: str,
        terms: Iterable[tuple[TermToTell | None, Span | None]],
    ) -> ToldSource:
        """The tokens of a source of this text, with its terms.

        Each comes with the characters of the text that it is the translation of, if known. Of terms
        for the same words only the first is told.
        """
        beside: dict[Span, tuple[int, ...]] = {}
        appended, told = list[int](), list[int]()
        for number, (term, span) in enumerate(terms):
            written = None if term is None else self._written(term)
            if written is None:
                continue
            words = None if span is None else self._words(source, text, span)
            if words is None:
                appended += written
            elif all(words[1] <= start or end <= words[0] for start, end in beside):
                beside[words] = written
            else:
                continue
            told.append(number)
        tokens = self._put_together(source, beside, appended)
        is_too_long = self._positions is not None and len(tokens) > self._positions
        return ToldSource(source) if is_too_long else ToldSource(tokens, tuple(told))

    def _written(self, term: TermToTell) -> tuple[int, ...] | None:
        """The tokens that tell of a term; None where the tokenizer has no plain ones for it."""
        ids = self._subwords.tokenizer(
            single_spaced(term.text),
            add_special_tokens=False,
            split_special_tokens=True,
            verbose=False,
        )["input_ids"]
        if not self._special.isdisjoint(ids):
            return None
        mark = self._telling.like if term.has_forms else self._telling.as_
        return (mark, *ids, self._telling.end)

    def _words(self, source: Sequence[int], text: str, span: Span) -> Span | None:
        """The tokens of the source that write a stretch of its text, as whole words."""
        stretch = text[slice(*span)]
        trimmed = span[0] + len(stretch) - len(stretch.lstrip()), span[0] + len(stretch.rstrip())
        start, end = (len(single_spaced(text[:place])) for place in trimmed)
        tokenizer, vocabulary = self._subwords.tokenizer, self._subwords.vocabulary
        return tokens_of_words(tokenizer, vocabulary, source, single_spaced(text), (start, end))

    def _put_together(
        self,
        source: tuple[int, ...],
        beside: dict[Span, tuple[int, ...]],
        appended: Sequence[int],
    ) -> tuple[int, ...]:
        tokens, done = list[int](), 0
        for (start, end), written in sorted(beside.items()):
            tokens += (*source[done:start], self._telling.term, *source[start:end], *written)
            done = end
        last = self._end(source)
        return (*tokens, *source[done:last], *appended, *source[last:])

    def _end(self, source: Sequence[int]) -> int:
        """Where the tokens of the text end, and those begin that end every source."""
        ends = self._special - {self._subwords.tokenizer.unk_token_id}
        end = len(source)
        while end > 0 and source[end - 1] in ends:
            end -= 1
        return end
