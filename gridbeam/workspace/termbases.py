"""Glossaries as people keep them: uploaded, edited entry by entry, counted in a project."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from gridbeam.errors import UserError
from gridbeam.glossary.entries import Entry, Glossary
from gridbeam.glossary.formats import read
from gridbeam.glossary.problems import check
from gridbeam.store import EntryRow, GlossaryRow, NewDictionary, Store
from gridbeam.workspace.glossaries import Glossaries
from gridbeam.workspace.judging import matches_in, said_of, terms_of
from gridbeam.workspace.kept import restored
from gridbeam.workspace.upload import Upload, on_disk


@dataclass(frozen=True)
class Termbases:
    """The glossaries of a store."""

    store: Store
    glossaries: Glossaries

    def create(
        self, name: str, source: str | None, target: str | None, upload: Upload | None
    ) -> dict[str, Any]:
        """A new glossary, of a file if there is one."""
        read_in = self._read(upload, source, target) if upload else Glossary((), source, target)
        languages = read_in.source_language or source, read_in.target_language or target
        if not languages[0] or not languages[1]:
            raise UserError("a glossary has two languages: say source and target.")
        part = NewDictionary(languages[0], languages[1], read_in.entries)
        title = name.strip() or (upload.title if upload else "glossary")
        return glossary_view(self.store.glossaries.add(title, [part]))

    def replace(self, glossary: str, entries: Iterable[Entry]) -> None:
        """Puts these entries in the place of all that a glossary has."""
        source, target = self.languages(glossary)
        self.store.glossaries.put(glossary, NewDictionary(source, target, tuple(entries)))

    def languages(self, glossary: str) -> tuple[str, str]:
        """The languages of a glossary: those of its first dictionary."""
        parts = self.store.glossaries.get(glossary).dictionaries
        if not parts:
            raise UserError("this glossary has no languages yet. Upload a file to a new one.")
        return parts[0].source, parts[0].target

    def contents(self, glossary: str, project: int | None = None) -> dict[str, Any]:
        """The entries of a glossary, what is wrong with it, and how a project meets them."""
        rows = self.store.entries.of(glossary)
        whole = Glossary(tuple(row.entry for row in rows))
        numbers = {id(row.entry): row.id for row in rows}
        conflicts = [
            {"kind": each.kind, "entry": numbers[id(each.entry)], "message": str(each)}
            for each in check(whole)
        ]
        counts = None if project is None else self._counted(project)
        return {"entries": [entry_view(row, counts) for row in rows], "conflicts": conflicts}

    def _counted(self, number: int) -> Counter[tuple[Entry, str]]:
        """How often each entry is met, missing or forbidden in the translations of a project."""
        project = self.store.projects.get(number)
        terms, counts = self.glossaries.of(project), Counter[tuple[Entry, str]]()
        for row in self.store.segments.of(number).rows:
            if row.target is not None:
                matches = matches_in(restored(row, project.file), terms)
                found = terms_of(matches, row.target["text"])
                for match, each in zip(matches, found, strict=True):
                    counts[match.entry, each["state"]] += 1
        return counts

    def _read(self, upload: Upload, source: str | None, target: str | None) -> Glossary:
        with on_disk(upload) as path:
            return read(path, source=source, target=target)


def glossary_view(row: GlossaryRow) -> dict[str, Any]:
    """A glossary without its entries."""
    first = row.dictionaries[0] if row.dictionaries else None
    return {
        "id": row.id,
        "name": row.name,
        "origin": row.origin,
        "source": first.source if first else "",
        "target": first.target if first else "",
        "count": row.count,
        "created": row.created.isoformat(),
        "touched": row.touched.isoformat(),
    }


def entry_view(row: EntryRow, counts: Counter[tuple[Entry, str]] | None = None) -> dict[str, Any]:
    """An entry, and how often a project meets it."""
    entry = row.entry
    shown: dict[str, Any] = {
        "id": row.id,
        "source": entry.source,
        "target": said_of(entry),
        "targets": list(entry.targets),
        "forbidden": list(entry.forbidden) or None,
        "forms": list(entry.forms),
        "case": entry.case,
        "do_not_translate": entry.do_not_translate,
        "note": entry.note,
    }
    if counts is None:
        return shown
    states = ("met", "missing", "forbidden")
    met, missing, bad = (counts[entry, state] for state in states)
    return {**shown, "met": met, "missing": missing + bad}
