"""Lemmas of words, by the dictionaries that come with simplemma."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import TypeAlias

from gridbeam.errors import UserError
from gridbeam.text.languages import language

Lemma: TypeAlias = Callable[[str], str]
"""From a word to what all its forms have in common."""
_DICTIONARIES = {"no": "nb"}
"""The codes of simplemma's dictionaries that are not the plain ones of their languages."""


def dictionary_of(code: str) -> str:
    """The code of the dictionary for a language.

    >>> [dictionary_of(code) for code in ("de_AT", "deu", "nob", "nn")]
    ['de', 'de', 'nb', 'nn']
    """
    return _DICTIONARIES.get(language(code), language(code))


def has_lemmas(code: str | None) -> bool:
    """Whether there are lemmas for the words of a language.

    >>> has_lemmas("de-AT"), has_lemmas("tlh"), has_lemmas(None)
    (True, False, False)
    """
    from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

    return code is not None and dictionary_of(code) in SUPPORTED_LANGUAGES


def is_known(word: str, code: str | None) -> bool:
    """Whether a word is in the dictionary of a language; not so where there is none.

    >>> is_known("Exit", "en"), is_known("maxsize", "en"), is_known("Exit", None)
    (True, False, False)
    """
    import simplemma

    if code is None or not has_lemmas(code):
        return False
    return simplemma.is_known(word, lang=dictionary_of(code))


@cache
def lemmatizer(code: str | None, side: str) -> Callable[[str], str]:
    """From a word to its lemma, without capitals; `side` is source or target, for the message.

    >>> lemma = lemmatizer("en-GB", "source")
    >>> lemma("Disks"), lemma("C"), lemma("+")
    ('disk', 'c', '+')
    """
    import simplemma
    from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

    if code is None:
        raise UserError(
            f"lemmas need a language, and the glossary names no {side} language. Give --{side}"
            f" ({side}=), such as en; for scores --languages, such as en-de."
        )
    known = dictionary_of(code)
    if not has_lemmas(code):
        codes = " ".join(sorted(SUPPORTED_LANGUAGES))
        raise UserError(
            f'there are no lemmas for "{code}": match without them, or choose among {codes}.'
        )

    @lru_cache(maxsize=1 << 18)
    def lemma(word: str) -> str:
        if not word[:1].isalpha():
            return word
        # A heading in capitals is looked up as if it had none; guesses are for what the dictionary
        # lacks, such as compounds.
        looked_up = word.lower() if has_inner_capitals(word) else word
        return simplemma.lemmatize(
            looked_up, lang=known, greedy=not simplemma.is_known(looked_up, lang=known)
        ).casefold()

    return lemma


def has_inner_capitals(word: str) -> bool:
    """Whether a word has capitals after its first letter, as PC and iPhone do.

    >>> [has_inner_capitals(word) for word in ("Disk", "PC", "iPhone")]
    [False, True, True]
    """
    return word[1:] != word[1:].lower()
