"""The terms of glossaries that a call names, for one pair of languages."""

from __future__ import annotations

from collections.abc import Sequence

from gridbeam.glossary.entries import Glossary
from gridbeam.glossary.union import united
from gridbeam.server.faces.deepl.codes import short
from gridbeam.server.faces.deepl.dictionaries import bad
from gridbeam.server.refusal import Refusal, Refused
from gridbeam.store.refusals import Absent
from gridbeam.store.rows import GlossaryRow
from gridbeam.store.store import Store
from gridbeam.text.languages import is_same, language


def terms_of(store: Store, names: Sequence[str], source: str, target: str) -> Glossary:
    """One glossary of all that are named, of which later ones win."""
    found = [_terms(store, name, source, target) for name in names]
    return united(found) if found else Glossary(())


def glossary_of(store: Store, identity: str) -> GlossaryRow:
    """A glossary by its id, whoever made it; raises in DeepL's words where there is none."""
    try:
        return store.glossaries.get(identity)
    except Absent:
        raise not_found() from None


def not_found() -> Refused:
    """The refusal of a glossary that is not there."""
    return Refused(Refusal(404, "Not found", more={"detail": "Glossary not found."}))


def _terms(store: Store, name: str, source: str, target: str) -> Glossary:
    row = glossary_of(store, name)
    entries = tuple(
        each.entry
        for each in store.entries.of(name)
        if _is_for(each.source, source) and _is_for(each.target, target)
    )
    if not entries:
        told = f"{short(source).upper()} to {short(target).upper()}"
        raise bad(f"Glossary {row.id} has no dictionary from {told}.")
    return Glossary(entries, language(source), language(target), name=row.name)


def _is_for(code: str, asked: str) -> bool:
    """Whether a dictionary for a language, or for any, is one for this."""
    return not code or is_same(code, asked)
