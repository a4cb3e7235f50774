"""The glossary that a request names or brings along."""

from __future__ import annotations

from gridbeam.errors import UserError
from gridbeam.glossary.entries import Glossary
from gridbeam.server.asked import TermsWish, inline
from gridbeam.server.running import refuse_more
from gridbeam.server.services import Services
from gridbeam.store import Store


def glossary_of(
    services: Services, wish: TermsWish, source: str | None, target: str | None
) -> Glossary:
    """The entries of a request's glossary for a pair of languages; none where it has none."""
    if wish.glossary is None:
        return Glossary((), source, target)
    if isinstance(wish.glossary, str):
        return kept_glossary(services.store, wish.glossary, source, target)
    refuse_more("entries", len(wish.glossary), services.settings.limits.entries)
    return inline(wish.glossary, wish.case, source, target)


def kept_glossary(store: Store, name: str, source: str | None, target: str | None) -> Glossary:
    """The entries of a glossary of the store, by its id or its name, for a pair of languages."""
    known = store.glossaries.all()
    found = next((row for row in known if name in (row.id, row.name)), None)
    if found is None:
        raise UserError(f'there is no glossary "{name}". GET /api/glossaries lists them.')
    entries = (row.entry for row in store.entries.of(found.id, source, target))
    return Glossary(tuple(entries), source, target, found.name)
