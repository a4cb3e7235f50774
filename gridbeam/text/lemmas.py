"""Lemmas of words, by the dictionaries that come with simplemma."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache

from gridbeam.errors import UserError


def base_language(code: str) -> str:
    """The language of a code without region or script.

    >>> base_language("de_AT")
    'de'
    """
    return code.replace("_", "-").split("-")[0].lower()


def has_lemmas(language: str | None) -> bool:
    """Whether there are lemmas for the words of a language.

    >>> has_lemmas("de-AT"), has_lemmas("tlh"), has_lemmas(None)
    (True, False, False)
    """
    from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

    return language is not None and base_language(language) in SUPPORTED_LANGUAGES


@cache
def lemmatizer(language: str | None, side: str) -> Callable[[str], str]:
    """From a word to its lemma, without capitals; `side` is source or target, for the message.

    >>> lemma = lemmatizer("en-GB", "source")
    >>> lemma("Disks"), lemma("C"), lemma("+")
    ('disk', 'c', '+')
    """
    import simplemma
    from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

    if language is None:
        raise UserError(
            f"lemmas need a language, and the glossary names no {side} language. Give --{side}"
            f" ({side}=), such as en; for scores --languages, such as en-de."
        )
    known = base_language(language)
    if not has_lemmas(language):
        codes = " ".join(sorted(SUPPORTED_LANGUAGES))
        raise UserError(
            f'there are no lemmas for "{language}": match without them, or choose among {codes}.'
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
