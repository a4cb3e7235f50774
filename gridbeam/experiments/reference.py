"""The reference of a sentence as words, so that a simulated user can point at some of them.

Words are those of `gridbeam.text.marks`: marks are words of their own, numbers and file names are
whole. What an apostrophe joins is one word here, as in the paper's third table, where `j'ai pu` is
a phrase of two. Or they are the tokens of a model, as the authors' scripts have it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from gridbeam.constraints.occurrences import Span
from gridbeam.constraints.terms import Phrase
from gridbeam.text import marks as tokenise
from gridbeam.text.words import WordRange, spans
from gridbeam.tokens.offsets import stretches as stretches_of_tokens
from gridbeam.translation.translator import Translator


@dataclass(frozen=True)
class ReferenceText:
    """A text, its words, and where they stand; white space is a single space each."""

    text: str
    words: tuple[str, ...]
    places: tuple[Span, ...]
    tokens: tuple[int, ...] = ()
    """The ids of the words, where these are tokens of a model."""

    @staticmethod
    def of(text: str) -> ReferenceText:
        """The words of a text.

        >>> ReferenceText.of("J'ai  pu l'aimer.").words
        ("J'ai", 'pu', "l'aimer", '.')
        """
        text = " ".join(text.split())
        places: list[Span] = []
        for start, end in spans(text, tokenise.split(text)):
            joined = (
                bool(places)
                and places[-1][1] == start
                and text[start - 1] in "'’"
                and text[start].isalnum()
            )
            places[-1:] = [(places[-1][0], end)] if joined else [*places[-1:], (start, end)]
        return ReferenceText(text, tuple(text[start:end] for start, end in places), tuple(places))

    def __getitem__(self, stretch: WordRange) -> str:
        """The text of a stretch of words, as it stands there.

        >>> ReferenceText.of("Ja, er kam.")[0, 3]
        'Ja, er'
        """
        first, end = stretch
        return self.text[self.places[first][0] : self.places[end - 1][1]]

    def __len__(self) -> int:
        return len(self.words)

    def phrase(self, stretch: WordRange) -> Phrase:
        """The constraint that a stretch of words makes: their text, or their tokens."""
        return Phrase(self.tokens[slice(*stretch)] if self.tokens else self[stretch])


WordReader: TypeAlias = Callable[[str], ReferenceText]
"""How a text is divided into words."""


def in_tokens(translator: Translator) -> WordReader:
    """Texts as the tokens that a model would write them with; a word may be cut anywhere."""
    tokenizer, vocabulary = translator.tokenizer, translator.subwords.vocabulary

    def read(text: str) -> ReferenceText:
        text = " ".join(text.split())
        ids = tokenizer(text_target=text, add_special_tokens=False, verbose=False)["input_ids"]
        places = stretches_of_tokens(tokenizer, vocabulary, ids, text)
        bare = tuple(_without_space(text, place) for place in places)
        return ReferenceText(text, tuple(map(translator.word, ids)), bare, tuple(ids))

    return read


def _without_space(text: str, place: Span) -> Span:
    """The characters of a token but for the space that it may begin with."""
    start, end = place
    return end - len(text[start:end].lstrip()), end


def stretches(numbers: Iterable[int]) -> list[WordRange]:
    """Numbers of words as stretches, each as long as can be.

    >>> stretches([7, 1, 2, 3])
    [(1, 4), (7, 8)]
    """
    found: list[WordRange] = []
    for number in sorted(numbers):
        if found and found[-1][1] == number:
            found[-1] = found[-1][0], number + 1
        else:
            found.append((number, number + 1))
    return found


def numbers(given: Iterable[WordRange]) -> set[int]:
    """The numbers of all words in these stretches."""
    return {number for stretch in given for number in range(*stretch)}
