"""One glossary of several: the later ones win.

Where two of them require something else of one term, what the later one says is taken, and a notice
names both places; what the earlier one forbids stays forbidden. Within a glossary several rows of
one term are one entry, and any of their targets will do: as tables of other tools have it, which
give each part of speech a row. All are of the same languages.

>>> base = Glossary((Entry("disk", ("Platte",)), Entry("file", ("Datei",))), "en", "de", "base")
>>> own = Glossary((Entry("disk", ("Laufwerk",)),), name="own")
>>> import warnings
>>> with warnings.catch_warnings():
...     warnings.simplefilter("ignore")
...     print([entry.targets for entry in united([base, own]).entries])
[('Datei',), ('Laufwerk',)]
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

from gridbeam.errors import UserError, UserNotice
from gridbeam.glossary.entries import Entry, Glossary
from gridbeam.text.languages import is_same
from gridbeam.text.words import words

_SHOWN = 5
"""How many conflicts, or terms with several rows, are told."""
_TermKey: TypeAlias = tuple[str, ...]


def united(glossaries: Sequence[Glossary]) -> Glossary:
    """One glossary with the entries of all, those of later ones in place of earlier ones."""
    first = glossaries[0]
    source = _language("source", [(each.name, each.source_language) for each in glossaries])
    target = _language("target", [(each.name, each.target_language) for each in glossaries])
    conflicts: list[str] = []
    entries: list[Entry] = []
    for glossary in glossaries:
        later = _with_rows_as_one(glossary.entries)
        entries = [*_left(entries, later, conflicts), *later]
    if conflicts:
        _tell(conflicts, "Glossaries differ, and the later one is taken")
    return replace(
        first,
        entries=tuple(entries),
        source_language=source,
        target_language=target,
        name="+".join(each.name for each in glossaries),
        left_out=tuple(name for each in glossaries for name in each.left_out),
    )


def _language(role: str, said: Iterable[tuple[str, str | None]]) -> str | None:
    """The language that named glossaries share, those that say none aside; else raises."""
    known = [(name, code) for name, code in said if code]
    for name, code in known:
        first, taken = known[0]
        if not is_same(taken, code):
            raise UserError(
                f'Glossaries of different languages: the {role} language of "{first}" is {taken},'
                f' and that of "{name}" is {code}. Leave one of them out.'
            )
    return known[0][1] if known else None


def _with_rows_as_one(entries: Iterable[Entry]) -> list[Entry]:
    """The entries, those that require something of the same term as one, where the first stands."""
    found: list[Entry] = []
    places: dict[tuple[str, str], int] = {}
    several: list[str] = []
    for entry in entries:
        key = (" ".join(entry.source.split()), entry.case)
        place = places.setdefault(key, len(found)) if entry.targets else len(found)
        both = None if place == len(found) else _both(found[place], entry)
        if both is None:
            found.append(entry)
        else:
            if both != found[place]:
                several.append(f'"{entry.source}" at {found[place].where} and {entry.where}')
            found[place] = both
    if several:
        _tell(several, "Terms have several rows, and any of their targets will do")
    return found


def _both(one: Entry, other: Entry) -> Entry | None:
    """One entry that requires what one of two requires; None where they contradict each other."""
    try:
        return replace(
            one,
            targets=tuple(dict.fromkeys((*one.targets, *other.targets))),
            forbidden=tuple(dict.fromkeys((*one.forbidden, *other.forbidden))),
            forms=tuple(dict.fromkeys((*one.forms, *other.forms))),
            exact=one.exact or other.exact,
            note="\n".join(dict.fromkeys(filter(None, (one.note, other.note)))),
        )
    except UserError:
        return None


def _left(
    earlier: Sequence[Entry], later: Sequence[Entry], conflicts: list[str]
) -> Iterable[Entry]:
    """What is left of earlier entries, given later ones."""
    of_term: dict[_TermKey, list[Entry]] = {}
    for entry in later:
        of_term.setdefault(_term(entry), []).append(entry)
    for entry in earlier:
        left: Entry | None = entry
        for other in of_term.get(_term(entry), ()):
            left = None if left is None else _beside(left, other, conflicts)
        if left is not None:
            yield left


def _beside(entry: Entry, later: Entry, conflicts: list[str]) -> Entry | None:
    """What is left of an entry beside a later one of the same term."""
    if entry.required and later.required:
        if set(entry.required) != set(later.required):
            said, taken = " or ".join(entry.required), " or ".join(later.required)
            conflicts.append(
                f'"{entry.source}" is "{said}" at {entry.where}, and "{taken}" at {later.where}'
            )
        forbidden = _forbidden_beside(entry, later)
        if not forbidden:
            return None
        entry = replace(entry, targets=(), forbidden=forbidden, forms=(), do_not_translate=False)
    kept = [text for text in entry.targets if not later.forbids(text)]
    allowed = [text for text in entry.forbidden if not later.requires(text)]
    if len(kept) == len(entry.targets) and len(allowed) == len(entry.forbidden):
        return entry
    conflicts.append(
        f'"{entry.source}" at {entry.where} requires what {later.where} forbids'
        if entry.required
        else f'"{entry.source}" at {entry.where} forbids what {later.where} requires'
    )
    if not (kept or allowed):
        return None
    return replace(
        entry, targets=tuple(kept), forbidden=tuple(allowed), forms=entry.forms if kept else ()
    )


def _forbidden_beside(entry: Entry, later: Entry) -> tuple[str, ...]:
    """What an entry forbids and a later one, of the same term and case rule, does not."""
    is_alike = (entry.source, entry.case) == (later.source, later.case)
    said = later.forbidden if is_alike else ()
    return tuple(text for text in entry.forbidden if text not in said)


def _term(entry: Entry) -> _TermKey:
    """The words of a term; `Disk` and `disk` are the same, and `US` and `us` are not."""
    return tuple(
        word.lower() if word[1:].islower() or entry.case == "any" else word
        for word in words(entry.source)
    )


def _tell(what: Sequence[str], why: str) -> None:
    more = f"; and {len(what) - _SHOWN:,} more" if len(what) > _SHOWN else ""
    warnings.warn(f"{why}: {'; '.join(what[:_SHOWN])}{more}.", UserNotice, stacklevel=4)
