"""Rules on words: nothing translated, the same words left, words twice, too short or too long."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gridbeam.checks.pair import CheckedPair
from gridbeam.checks.rule import CheckRule, Flaw

_MAY_DOUBLE = {
    "de": "das dem den der des die ihr sie es",
    "en": "had that",
    "fr": "nous vous",
    "nl": "die dat",
    "pt": "",
    "es": "",
    "it": "",
}
"""Words that good texts of a language have twice in a row."""
_DOUBLED = re.compile(r"(?<![\w-])([^\W\d_]\w*(?:[ \u00a0][^\W\d_]\w*){0,5})[ \u00a0]\1(?![\w'’-])")
_LEFT = 4
"""So many words in a row that are the source's are no coincidence."""
_LETTERS_OF_A_LABEL = 20
"""Shorter texts may be much shorter or longer than their translations."""


def _untranslated(pair: CheckedPair) -> Iterator[Flaw]:
    if not pair.is_translated and not pair.source.is_blank:
        yield Flaw("there is no translation")


def _blank(pair: CheckedPair) -> Iterator[Flaw]:
    if pair.is_translated and pair.says_nothing and not pair.source.is_blank:
        yield Flaw("the translation says nothing")


def _unchanged(pair: CheckedPair) -> Iterator[Flaw]:
    if not pair.source.words or pair.source_language == pair.target_language != "":
        return
    if pair.source.text.strip() == pair.target.text.strip():
        yield Flaw("the same as the source", ((0, len(pair.target.text)),))


def _left_over(pair: CheckedPair) -> Iterator[Flaw]:
    """Words of the source that stand in the translation in a row, in small letters."""
    if pair.source_language == pair.target_language != "":
        return
    source = [found[0] for found in pair.source.words]
    runs = {tuple(source[at : at + _LEFT]) for at in range(len(source) - _LEFT + 1)}
    words = pair.target.words
    for at in range(len(words) - _LEFT + 1):
        run = tuple(found[0] for found in words[at : at + _LEFT])
        if run in runs and sum(map(str.islower, run)) >= _LEFT - 1:
            start, end = words[at].start(), words[at + _LEFT - 1].end()
            yield Flaw(f'"{pair.target.text[start:end]}" is not translated', ((start, end),))
            return


def _doubled(pair: CheckedPair) -> Iterator[Flaw]:
    if _DOUBLED.search(pair.source.plain.lower()):
        return
    allowed = _MAY_DOUBLE.get(pair.target_language, "").split()
    for found in _DOUBLED.finditer(pair.target.plain.lower()):
        if found[1] not in allowed and found.end() <= len(pair.target.text):
            yield Flaw(f'"{found[1]}" twice in a row', (found.span(),))


def _long(pair: CheckedPair) -> Iterator[Flaw]:
    source, target = _letters(pair.source.plain), _letters(pair.target.plain)
    if target > _LETTERS_OF_A_LABEL + 2 * source:
        yield Flaw(f"{target} letters for {source} of the source")


def _short(pair: CheckedPair) -> Iterator[Flaw]:
    source, target = _letters(pair.source.plain), _letters(pair.target.plain)
    if target and source > _LETTERS_OF_A_LABEL + 2 * target:
        yield Flaw(f"{target} letters for {source} of the source")


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))


RULES = (
    CheckRule("untranslated", "warning", "all of it", "There is no translation.", _untranslated),
    CheckRule(
        "blank",
        "error",
        "all of it",
        "The translation is empty, or nothing but white space.",
        _blank,
    ),
    CheckRule(
        "unchanged",
        "hint",
        "all of it",
        "The translation is the source, as names and loanwords are.",
        _unchanged,
        also=("same",),
    ),
    CheckRule(
        "sourcewords",
        "warning",
        "words",
        f"{_LEFT} words in a row are those of the source.",
        _left_over,
    ),
    CheckRule(
        "doublewords",
        "warning",
        "words",
        "A word, or some words, twice in a row.",
        _doubled,
        also=("duplicate",),
    ),
    CheckRule("long", "warning", "length", "Far longer than the source.", _long),
    CheckRule("short", "warning", "length", "Far shorter than the source.", _short),
)
