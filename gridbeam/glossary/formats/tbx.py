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
from pathlib import Path
from typing import BinaryIO, cast

from gridbeam.constraints.terms import Case
from gridbeam.errors import UserError
from gridbeam.glossary.entries import Entry, Glossary
from gridbeam.glossary.formats.format import Dialect, GlossaryFormat, Reading, entries_or_mistakes
from gridbeam.glossary.formats.tbx_writing import document
from gridbeam.glossary.formats.termbase import Concept, Facts, TbxTerm, TermBase
from gridbeam.text.languages import varieties

_NOTES = ("note", "definition", "context", "Usage note")


def _read(path: Path, reading: Reading) -> Glossary:
    """The glossary of two languages of a file."""
    base = TermBase.read(path)
    if not base.concepts:
        return Glossary((), reading.source, reading.target, path.stem)
    source, target = _chosen_languages(base, reading, path)
    entries = entries_or_mistakes(
        each
        for concept in base.concepts
        for each in _entries(concept, source, target, reading.case)
    )
    if not entries:
        raise UserError(
            f'{path}: no concept has terms of both "{source[0]}" and "{target[0]}". Choose'
            " other languages."
        )
    return Glossary(entries, reading.source or source[0], reading.target or target[0], path.stem)


def _write(glossary: Glossary, file: BinaryIO, dialect: Dialect) -> None:
    """Writes each entry as a concept of its own."""
    file.write(document(glossary, dialect))


def _entries(
    concept: Concept, source: Sequence[str], target: Sequence[str], case: Case
) -> Iterator[Entry | UserError]:
    """An entry for each source term, if the concept has anything to say of its translation."""
    found = sorted(concept.terms(target), key=lambda term: not term.is_preferred)
    allowed = [term for term in found if not term.is_forbidden]
    named = [term for term in allowed if not term.is_variant] or allowed
    for term in concept.terms(source):
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
            )
        except UserError as mistake:
            yield mistake


def _texts(terms: Sequence[TbxTerm]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(term.text for term in terms))


def _is_rule(note: str) -> bool:
    return (
        note.lower() == "do not translate"
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


def _chosen_languages(base: TermBase, reading: Reading, path: Path) -> tuple[list[str], list[str]]:
    """The codes in the file that stand for the source language, and those for the target."""
    known = list(dict.fromkeys(code for concept in base.concepts for code in concept.languages))
    source = _matching(known, reading.source, path) if reading.source else None
    target = _matching(known, reading.target, path) if reading.target else None
    if source is None:
        rest = [code for code in known if code not in (target or ())]
        own = _alike(rest, base.source) if base.source else []
        source = own or (rest[:1] if len(rest) + (target is not None) <= 2 else [])
    if target is None:
        rest = [code for code in known if code not in source]
        target = (_alike(rest, base.target) if base.target else []) or (
            rest if len(rest) == 1 else []
        )
    if not source or not target:
        raise UserError(
            f"{path} has terms of {', '.join(known)}. Say with --source and --target (source=,"
            " target=) which to take."
        )
    return source, target


def _matching(known: Sequence[str], asked: str, path: Path) -> list[str]:
    if not (found := _alike(known, asked)):
        raise UserError(
            f'{path} has no terms of "{asked}". It has those of {", ".join(known)}: choose among'
            " these."
        )
    return found


def _alike(known: Sequence[str], asked: str) -> list[str]:
    """The codes for a language: its own, else those of its regions, else that without region.

    >>> _alike(["en-US", "en-GB", "de"], "en")
    ['en-US', 'en-GB']
    >>> _alike(["en-US", "de"], "de_AT"), _alike(["en-US", "de"], "en_us")
    (['de'], ['en-US'])
    """
    return varieties(known, asked) or [code for code in known if varieties([asked], code)]


FORMAT = GlossaryFormat(suffix=".tbx", read=_read, write=_write)
