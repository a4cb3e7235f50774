"""TBX, the exchange format of term bases.

Its dialects: ISO 30042:2008 (martif), ISO 30042:2019 (DCA and DCT) and TBX-Min. All of them hold
concepts, which hold languages, which hold terms; only the names differ. A term that is deprecated,
superseded or the like is a forbidden target, a variant is another form of the targets, and each
source term of a concept is an entry. What TBX has no category for is a note: "do not translate",
and "case: exact".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import BinaryIO, cast

from gridbeam.constraints.terms import Case
from gridbeam.errors import UserError
from gridbeam.glossary.entries import Entry, Glossary
from gridbeam.glossary.formats.format import Dialect, GlossaryFormat, Reading, entries_or_mistakes
from gridbeam.glossary.formats.tbx_writing import document
from gridbeam.glossary.formats.termbase import Concept, Facts, TbxTerm, TermBase
from gridbeam.text.languages import is_same, language, varieties

_NOTES = ("note", "definition", "context", "Usage note")


def _read(path: Path, reading: Reading) -> Glossary:
    """The glossary of two languages of a file."""
    base = TermBase.read(path)
    if not base.concepts:
        return Glossary((), reading.source, reading.target, path.stem)
    source, target = _chosen_languages(base, reading, path)
    source_code, target_code = source[0], target[0][0]
    entries = entries_or_mistakes(
        each
        for concept in base.concepts
        for each in _entries(concept, source, target, reading.case)
    )
    if not entries:
        raise UserError(
            f'{path}: no concept has terms of both "{source_code}" and "{target_code}".'
            " Choose other languages."
        )
    languages = reading.source or source_code, reading.target or target_code
    return Glossary(entries, *languages, path.stem)


def _write(glossary: Glossary, file: BinaryIO, dialect: Dialect) -> None:
    """Writes each entry as a concept of its own."""
    file.write(document(glossary, dialect))


def _entries(
    concept: Concept, source: Sequence[str], target: Sequence[Sequence[str]], case: Case
) -> Iterator[Entry | UserError]:
    """An entry for each source term, if the concept has anything to say of its translation.

    The translation is in the first of the target's groups of codes that the concept has.
    """
    nearest: list[TbxTerm] = next(filter(None, map(concept.terms, target)), [])
    found = sorted(nearest, key=lambda term: not term.is_preferred)
    allowed = [term for term in found if not term.is_forbidden]
    named = [term for term in allowed if not term.is_variant] or allowed
    own = {term.text: term for term in reversed(concept.terms(source))}
    for term in reversed(own.values()):
        said = (*concept.facts, *term.facts)
        notes = [value for name, value in said if name in _NOTES]
        is_kept = "do not translate" in map(str.lower, notes) or ("translationNote", "no") in said
        if not found and not is_kept:
            continue
        try:
            yield Entry(
                term.text,
                () if is_kept else _texts(named),
                _texts([each for each in found if each.is_forbidden]),
                _case(said, notes) or case,
                is_kept,
                () if is_kept else _texts([each for each in allowed if each not in named]),
                "\n".join(note for note in notes if not _is_rule(note)),
                concept.place,
                exact="exact form" in map(str.lower, notes),
            )
        except UserError as mistake:
            yield mistake


def _texts(terms: Sequence[TbxTerm]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(term.text for term in terms))


def _is_rule(note: str) -> bool:
    return (
        note.lower() in ("do not translate", "exact form")
        or re.fullmatch("case: (exact|sentence|any)", note) is not None
    )


def _case(facts: Facts, notes: Sequence[str]) -> Case | None:
    for note in notes:
        if note.startswith("case: ") and _is_rule(note):
            return cast(Case, note.removeprefix("case: "))
    return next(
        ("exact" if value == "true" else "any" for name, value in facts if name == "caseSensitive"),
        None,
    )


def _chosen_languages(
    base: TermBase, reading: Reading, path: Path
) -> tuple[list[str], list[list[str]]]:
    """The codes of the source language, all of them, and those of the target, nearest first."""
    known = list(dict.fromkeys(code for concept in base.concepts for code in concept.languages))
    for asked in filter(None, (reading.source, reading.target)):
        _refuse_missing(known, asked, path)
    source, target = reading.source, reading.target
    source = source or _left_over(known, base.source, target, is_first=True)
    target = target or _left_over(known, base.target, source, is_first=False)
    if not source or not target:
        raise UserError(
            f"{path} has terms of {', '.join(known)}. Say with --source and --target (source=,"
            " target=) which to take."
        )
    return _all_of(known, source), _nearest(known, target)


def _left_over(
    known: Sequence[str], said: str | None, other: str | None, *, is_first: bool
) -> str | None:
    """A code of the language that the file says, or else of the only one that is left."""
    rest = [code for code in known if other is None or not is_same(code, other)]
    if said is not None and any(is_same(code, said) for code in rest):
        return _all_of(rest, said)[0]
    most = 2 if other is None and is_first else 1
    return rest[0] if rest and len(set(map(language, rest))) <= most else None


def _refuse_missing(known: Sequence[str], asked: str, path: Path) -> None:
    if not _nearest(known, asked) and not _all_of(known, asked):
        raise UserError(
            f'{path} has no terms of "{asked}". It has those of {", ".join(known)}: choose among'
            " these."
        )


def _all_of(known: Sequence[str], asked: str) -> list[str]:
    """The codes of a language, whatever the region: a text may have the words of any.

    >>> _all_of(["de", "en-GB", "en", "en-US"], "en-US")
    ['en-US', 'en', 'en-GB']
    """
    nearest = list(chain.from_iterable(_nearest(known, asked)))
    return [*nearest, *(code for code in known if is_same(code, asked) and code not in nearest)]


def _nearest(known: Sequence[str], asked: str) -> list[list[str]]:
    """The codes for a language in groups: its own, those without its region, those of its regions.

    >>> _nearest(["en-US", "en", "en-GB", "de"], "en"), _nearest(["en-GB", "en"], "en_us")
    ([['en'], ['en-US', 'en-GB']], [['en']])
    """
    narrower = [code for code in known if varieties([code], asked)]
    wider = [code for code in known if varieties([asked], code)]
    own = [code for code in narrower if code in wider]
    groups = (own, [c for c in wider if c not in own], [c for c in narrower if c not in own])
    return [group for group in groups if group]


FORMAT = GlossaryFormat(suffix=".tbx", read=_read, write=_write)
