"""Glossaries in version 3 of DeepL's API: several dictionaries, each for a pair of languages."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from fastapi.responses import JSONResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from gridbeam.server.faces.deepl.codes import ours, short
from gridbeam.server.faces.deepl.dictionaries import (
    MOST_BYTES,
    bad,
    checked_name,
    entries_of,
    tsv_of,
)
from gridbeam.server.faces.deepl.face import new_router
from gridbeam.server.faces.deepl.glossary_terms import glossary_of, not_found
from gridbeam.server.faces.fields import Fields, fields_of
from gridbeam.server.refusal import Refusal, Refused
from gridbeam.store.refusals import Absent
from gridbeam.store.rows import DictionaryRow, GlossaryRow, NewDictionary
from gridbeam.store.store import Store
from gridbeam.text.languages import has_name, language

router = new_router()

ORIGIN = "deepl"
"""What the store calls glossaries that came by this door; others are not changed by it."""
_MOST = 1000
_IN_FORM = re.compile(r"dictionaries\[(\d{1,4})\]\.?\[?(\w+)\]?")


@router.post("/v3/glossaries")
async def create(request: Request) -> Response:
    """A new glossary."""
    fields = await fields_of(request, most=MOST_BYTES)
    name = checked_name(fields.text("name"))
    parts = dictionaries_of(fields)
    if not parts:
        raise bad("Parameter 'dictionaries' not specified.")
    row = await in_store(request, lambda store: added(store, name, parts))
    return JSONResponse(_shown(row), 201)


@router.get("/v3/glossaries")
async def listed(request: Request) -> Response:
    """All glossaries that came by this door."""
    rows = await in_store(request, lambda store: store.glossaries.all(origin=ORIGIN))
    return JSONResponse({"glossaries": [_shown(row) for row in rows]})


@router.get("/v3/glossaries/{identity}")
async def one(request: Request, identity: str) -> Response:
    """A glossary without its entries."""
    return JSONResponse(_shown(await in_store(request, lambda store: glossary_of(store, identity))))


@router.patch("/v3/glossaries/{identity}")
async def change(request: Request, identity: str) -> Response:
    """The glossary with another name, and with more entries."""
    fields = await fields_of(request, most=MOST_BYTES)
    name = checked_name(fields.text("name")) if "name" in fields.values else None
    parts = dictionaries_of(fields)

    def changed(store: Store) -> GlossaryRow:
        row = own(store, identity)
        if name is not None:
            row = store.glossaries.rename(identity, name)
        for part in parts:
            row = store.glossaries.merge(identity, part)
        return row

    return JSONResponse(_shown(await in_store(request, changed)))


@router.delete("/v3/glossaries/{identity}")
async def delete(request: Request, identity: str) -> Response:
    """Nothing: the glossary is gone."""
    await in_store(request, lambda store: store.glossaries.delete(own(store, identity).id))
    return Response(status_code=204)


@router.get("/v3/glossaries/{identity}/entries")
async def entries(request: Request, identity: str) -> Response:
    """The entries for a pair of languages, as a table with tabs."""
    source, target = pair_of_fields(await fields_of(request))
    text = await in_store(request, lambda store: tsv_of_pair(store, identity, source, target))
    told = {"source_lang": short(source), "target_lang": short(target)}
    whole = {**told, "entries": text, "entries_format": "tsv"}
    return JSONResponse({"dictionaries": [whole]})


@router.put("/v3/glossaries/{identity}/dictionaries")
async def put_dictionary(request: Request, identity: str) -> Response:
    """The dictionary that takes the place of what was there for its languages."""
    part = _dictionary(await fields_of(request, most=MOST_BYTES))

    def put(store: Store) -> GlossaryRow:
        return store.glossaries.put(own(store, identity).id, part)

    row = await in_store(request, put)
    pair = (part.source, part.target)
    (found,) = [each for each in row.dictionaries if (each.source, each.target) == pair]
    return JSONResponse(_dictionary_shown(found))


@router.delete("/v3/glossaries/{identity}/dictionaries")
async def delete_dictionary(request: Request, identity: str) -> Response:
    """Nothing: the dictionary is gone."""
    source, target = pair_of_fields(await fields_of(request))

    def removed(store: Store) -> None:
        try:
            store.glossaries.remove(own(store, identity).id, source, target)
        except Absent:
            raise no_dictionary() from None

    await in_store(request, removed)
    return Response(status_code=204)


async def in_store(request: Request, work: Callable[[Store], Any]) -> Any:
    """What some work with the store gives, in a thread."""
    return await run_in_threadpool(work, request.app.state.services.store)


def added(store: Store, name: str, parts: list[NewDictionary]) -> GlossaryRow:
    """A new glossary; raises where there are too many."""
    if len(store.glossaries.all(origin=ORIGIN)) >= _MOST:
        raise Refused(Refusal(456, "Quota exceeded", more={"detail": f"There are {_MOST:,}."}))
    return store.glossaries.add(name, parts, origin=ORIGIN)


def own(store: Store, identity: str) -> GlossaryRow:
    """A glossary that came by this door, and may be changed by it."""
    row = glossary_of(store, identity)
    if row.origin != ORIGIN:
        raise not_found()
    return row


def tsv_of_pair(store: Store, identity: str, source: str, target: str) -> str:
    """The entries of a glossary for a pair of languages; raises where it has none."""
    row = glossary_of(store, identity)
    if not any((each.source, each.target) == (source, target) for each in row.dictionaries):
        raise no_dictionary()
    return tsv_of(each.entry for each in store.entries.of(identity, source, target))


def no_dictionary() -> Refused:
    """The refusal of a pair of languages that a glossary has no entries for."""
    return Refused(Refusal(404, "Not found", more={"detail": "Dictionary not found."}))


def dictionaries_of(fields: Fields) -> list[NewDictionary]:
    """The dictionaries that a body has; raises where one cannot be, or two are of one pair."""
    given = fields.values.get("dictionaries") or _numbered(fields)
    if not all(isinstance(each, dict) for each in given):
        raise bad("Value for 'dictionaries' not supported: it must be a list of objects.")
    parts = [_dictionary(_fields(each)) for each in given]
    if len({(part.source, part.target) for part in parts}) < len(parts):
        raise bad("Two dictionaries are of the same languages.")
    return parts


def pair_of_fields(fields: Fields) -> tuple[str, str]:
    """The pair of languages that is named; raises where one is none."""
    source, target = (_language(fields, name) for name in ("source_lang", "target_lang"))
    if source == target:
        raise bad("'source_lang' and 'target_lang' must differ.")
    return source, target


def moment(time: datetime) -> str:
    """A time as DeepL writes it, which always has a fraction.

    >>> moment(datetime(2026, 11, 16, 14, 16, 18, tzinfo=UTC))
    '2026-11-16T14:16:18.000Z'
    """
    utc = time.astimezone(UTC)
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z"


def _numbered(fields: Fields) -> list[dict[str, Any]]:
    """The dictionaries of a form, whose names are such as `dictionaries[0].entries`."""
    found: dict[int, dict[str, Any]] = {}
    for name in fields.values:
        if match := _IN_FORM.fullmatch(name):
            found.setdefault(int(match[1]), {})[match[2]] = fields.given(name)
    return [found[number] for number in sorted(found)]


def _fields(values: dict[str, Any]) -> Fields:
    return Fields({name: [value] for name, value in values.items() if value is not None})


def _dictionary(fields: Fields) -> NewDictionary:
    source, target = pair_of_fields(fields)
    text, form = fields.text("entries"), fields.text("entries_format") or "tsv"
    if text is None:
        raise bad("Parameter 'entries' not specified.")
    return NewDictionary(source, target, tuple(entries_of(text, form)))


def _language(fields: Fields, name: str) -> str:
    given = fields.text(name)
    if not given:
        raise bad(f"Parameter '{name}' not specified.")
    if not has_name(ours(given)):
        raise bad(f"Value for '{name}' not supported.")
    return language(ours(given))


def _shown(row: GlossaryRow) -> dict[str, Any]:
    return {
        "glossary_id": row.id,
        "name": row.name,
        "dictionaries": [_dictionary_shown(each) for each in row.dictionaries],
        "creation_time": moment(row.created),
    }


def _dictionary_shown(row: DictionaryRow) -> dict[str, Any]:
    pair = {"source_lang": short(row.source), "target_lang": short(row.target)}
    return {**pair, "entry_count": row.count}
