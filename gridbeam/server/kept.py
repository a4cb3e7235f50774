"""Glossary files that are put into the store when a server starts."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from gridbeam.glossary.formats import read
from gridbeam.store import NewDictionary, Store
from gridbeam.text.languages import pair_of


def keep_glossaries(store: Store, files: Iterable[Path]) -> None:
    """Puts the entries of each file into the glossary of its name, in place of those there.

    `FILE@en-de` says for which languages they are; without it they hold for those that the file
    names, or for any.
    """
    for each in files:
        name, _, languages = str(each).rpartition("@") if _has_languages(each) else (each, "", None)
        source, target = pair_of(languages or None)
        found = read(Path(name), source=source, target=target)
        part = NewDictionary(
            source or found.source_language or "",
            target or found.target_language or "",
            found.entries,
        )
        kept = {row.name: row.id for row in store.glossaries.all(origin="own")}
        title = Path(name).stem
        identity = kept[title] if title in kept else store.glossaries.add(title).id
        store.glossaries.put(identity, part)


def _has_languages(file: Path) -> bool:
    return not file.exists() and "@" in file.name
