"""What is wrong with a glossary as a whole.

What is wrong with a single entry is refused when it is read.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from gridbeam.constraints.terms import Avoid, Constraint, Phrase
from gridbeam.errors import UserError
from gridbeam.glossary.entries import Entry, Glossary
from gridbeam.glossary.index import TermIndex, TextWords
from gridbeam.text.words import folded, words
from gridbeam.tokens.subwords import Subwords

ProblemKind: TypeAlias = Literal[
    "duplicate", "conflict", "contradiction", "case", "white space", "long", "unwritable"
]
_MOST_WORDS = 12
_MOST_CHARACTERS = 120
_ODD = re.compile(
    r"^\s|\s$|\s\s|[^\S ]|[\x00-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]"
)
"""White space that is none or not one plain space, and characters that nobody sees."""


@dataclass(frozen=True)
class Problem:
    """Something to mend in a glossary: its message has the remedy."""

    kind: ProblemKind
    entry: Entry
    message: str

    def __str__(self) -> str:
        return f"{self.entry.where}: {self.message}"


def check(glossary: Glossary, tokenizer: Subwords | None = None) -> list[Problem]:
    """All problems, in the order of the entries.

    With the tokenizer of a model, also what it cannot write.

    >>> [problem] = check(Glossary((Entry("disk", ("Platte",)), Entry("disk", ("Laufwerk",)))))
    >>> print(problem)  # doctest: +NORMALIZE_WHITESPACE
    entry "disk": "disk" has another target at entry "disk", and either holds.
    Put all targets into one entry.
    """
    finders: list[Callable[[Glossary], Iterator[Problem]]] = [
        _repeated,
        _case_variants,
        _contradictions,
        _odd_texts,
        _long_terms,
    ]
    found = [problem for finder in finders for problem in finder(glossary)]
    if tokenizer is not None:
        found += _unwritable(glossary, tokenizer)
    order = {id(entry): number for number, entry in enumerate(glossary.entries)}
    return sorted(found, key=lambda problem: order[id(problem.entry)])


def _repeated(glossary: Glossary) -> Iterator[Problem]:
    """Entries of the same term that say the same, or require something else."""
    first: dict[str, Entry] = {}
    for entry in glossary.entries:
        if not entry.required:
            continue  # what only forbids may stand beside what requires
        known = first.setdefault(entry.source, entry)
        if known is entry:
            continue
        if (set(known.required), set(known.forbidden)) == (
            set(entry.required),
            set(entry.forbidden),
        ):
            yield Problem(
                "duplicate",
                entry,
                f'"{entry.source}" is the same as at {known.where}. Remove one of the two.',
            )
        else:
            what = (
                "another target"
                if set(known.required) != set(entry.required)
                else "other forbidden texts"
            )
            remedy = (
                "and either holds. Put all"
                f" {'targets' if what == 'another target' else 'of them'} into one entry."
            )
            yield Problem(
                "conflict", entry, f'"{entry.source}" has {what} at {known.where}, {remedy}'
            )


def _case_variants(glossary: Glossary) -> Iterator[Problem]:
    """Terms that differ in nothing but capitals, unless each is for its own capitals only."""
    alike: dict[str, list[Entry]] = defaultdict(list)
    for entry in glossary.entries:
        earlier = next(
            (known for known in alike[entry.source.casefold()] if known.source != entry.source),
            None,
        )
        alike[entry.source.casefold()].append(entry)
        if earlier is not None and (earlier.case, entry.case) != ("exact", "exact"):
            yield Problem(
                "case",
                entry,
                f'"{entry.source}" and "{earlier.source}" ({earlier.where}) differ only in'
                " capitals. Give both the case rule exact, or keep one with the rule any.",
            )


def _contradictions(glossary: Glossary) -> Iterator[Problem]:
    """Entries that require what another forbids, so that no translation can meet both."""
    forbidding = [(TextWords(bad), entry) for entry in glossary.entries for bad in entry.forbidden]
    if not forbidding:
        return
    index = TermIndex(forbidding, folded)
    for entry in glossary.entries:
        suspects = {
            id(other): other
            for text in entry.required
            for *_, found in index.found(TextWords(text))
            for other in found
        }
        for other in suspects.values():
            bad = [other.forbids(text) for text in entry.required]
            if other is not entry and all(bad):
                yield Problem(
                    "contradiction",
                    entry,
                    f'"{entry.source}" requires "{entry.required[0]}", but "{other.source}"'
                    f' ({other.where}) forbids "{bad[0]}": a text with both terms cannot be'
                    " translated. Allow another target, or forbid less.",
                )


def _odd_texts(glossary: Glossary) -> Iterator[Problem]:
    for entry in glossary.entries:
        for text in (entry.source, *entry.targets, *entry.forms, *entry.forbidden):
            if odd := _ODD.search(text):
                character = next((c for c in odd[0] if c != " "), None)
                what = (
                    "a space too many"
                    if character is None
                    else f"the character U+{ord(character):04X}"
                )
                yield Problem(
                    "white space",
                    entry,
                    f"{text!r} has {what}. Write single spaces between words, and nothing unseen.",
                )


def _long_terms(glossary: Glossary) -> Iterator[Problem]:
    for entry in glossary.entries:
        for text in (entry.source, *entry.required, *entry.forbidden):
            if len(text) > _MOST_CHARACTERS or len(words(text)) > _MOST_WORDS:
                shown = text if len(text) < 40 else f"{text[:40]}…"
                yield Problem(
                    "long",
                    entry,
                    f'"{shown}" has {len(words(text))} words, long for a term. Is it a whole'
                    " sentence?",
                )
                break


def _unwritable(glossary: Glossary, tokenizer: Subwords) -> Iterator[Problem]:
    for entry in glossary.entries:
        terms: list[Constraint] = [Phrase(text, case=entry.case) for text in entry.required]
        terms += [Avoid(Phrase(text, case=entry.case)) for text in entry.forbidden]
        for term in terms:
            try:
                tokenizer.spelled(term)
            except UserError as error:
                yield Problem("unwritable", entry, f"{error}.")
