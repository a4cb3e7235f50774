"""Inflected forms of required and forbidden terms, harvested from a text in the target language.

A form is what has the same lemmas, word by word. The dictionaries of simplemma know one lemma for a
word, so a form of two words may be missed, and is never made up: whatever is found stands in the
text.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from gridbeam.glossary.entries import Entry, Glossary
from gridbeam.glossary.index import TermIndex, TextWords
from gridbeam.text.lemmas import has_inner_capitals, lemmatizer
from gridbeam.text.words import begins_sentence


def harvest_forms(
    glossary: Glossary,
    lines: Iterable[str],
    language: str | None = None,
    *,
    at_most: int = 8,
    at_least: int = 1,
) -> Glossary:
    """The glossary with those forms of its targets that the lines hold, besides known forms.

    No more than `at_most` for an entry, the most frequent first, none that occurs fewer than
    `at_least` times, and none for an entry of which only the `exact` form will do. Every form of
    what is forbidden is forbidden too, unless it is one of a target as well.

    >>> disks = Glossary((Entry("disk", ("Laufwerk",)),), "en", "de")
    >>> lines = ["Alle Laufwerke sind voll.", "Den Laufwerken fehlt Platz.", "Laufwerke"]
    >>> harvest_forms(disks, lines).entries[0].forms
    ('Laufwerke', 'Laufwerken')
    """
    counts = count_forms(glossary, lines, language)
    return replace(
        glossary,
        entries=tuple(_with_forms(entry, counts, at_most, at_least) for entry in glossary.entries),
    )


def count_forms(
    glossary: Glossary, lines: Iterable[str], language: str | None = None
) -> dict[str, Counter[str]]:
    """How often each other form of each target, and of each forbidden text, occurs in the lines.

    >>> count_forms(Glossary((Entry("disk", ("Laufwerk",)),)), ["Laufwerke! Laufwerke!"], "de")
    {'Laufwerk': Counter({'Laufwerke': 2})}
    """
    lemma = lemmatizer(language or glossary.target_language, "target")
    targets = dict.fromkeys(
        target for entry in glossary.entries for target in (*entry.targets, *entry.forbidden)
    )
    index = TermIndex([(line, line) for line in map(TextWords, targets)], lemma)
    counts: dict[str, Counter[str]] = {}
    for text in lines:
        line = TextWords(text)
        for start, _, found in index.found(line):
            for target in found:
                form = _form(target, line, start)
                if form is not None and form != target.text:
                    counts.setdefault(target.text, Counter())[form] += 1
    return counts


def _form(target: TextWords, line: TextWords, start: int) -> str | None:
    """The words at `start` as a form of the target.

    None where their capitals or gaps make them another term.
    """
    size = len(target.words)
    said = line.words[start : start + size]
    first, end = line.spans[start][0], line.spans[start + size - 1][1]
    text = " ".join(line.text[first:end].split())
    if (
        target.words[0][:1].islower()
        and said[0][:1].isupper()
        and begins_sentence(line.text, first)
    ):
        said, text = [_lowered(said[0]), *said[1:]], _lowered(text)
    if not line.is_spaced_like(target, start) or not all(map(_has_capitals_of, said, target.words)):
        return None
    return unicodedata.normalize("NFC", text)


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]


def _has_capitals_of(said: str, own: str) -> bool:
    if has_inner_capitals(said) or has_inner_capitals(own):
        return said == own
    return said[:1].isupper() == own[:1].isupper()


def _with_forms(
    entry: Entry, counts: dict[str, Counter[str]], at_most: int, at_least: int
) -> Entry:
    targets = () if entry.exact else entry.targets
    found = sum((counts.get(target, Counter()) for target in targets), Counter[str]())
    bad = dict.fromkeys(form for text in entry.forbidden for form in counts.get(text, ()))
    more_bad = [
        form
        for form in bad
        if form not in found and form not in entry.forbidden and not entry.requires(form)
    ]
    entry = replace(entry, forbidden=(*entry.forbidden, *more_bad))
    known = set(entry.required)
    new = [
        form
        for form, count in found.most_common()
        if count >= at_least and form not in known and not entry.forbids(form)
    ]
    return replace(entry, forms=(*entry.forms, *new[:at_most]))
