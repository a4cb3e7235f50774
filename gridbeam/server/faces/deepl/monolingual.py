"""Glossaries in version 2 of DeepL's API: one pair of languages each."""

from __future__ import annotations

from typing import Any

from fastapi.responses import JSONResponse, Response
from starlette.requests import Request

from gridbeam.server.faces.deepl.codes import short
from gridbeam.server.faces.deepl.dictionaries import MOST_BYTES, bad, checked_name, entries_of
from gridbeam.server.faces.deepl.face import new_router
from gridbeam.server.faces.deepl.glossaries import (
    ORIGIN,
    added,
    in_store,
    moment,
    own,
    pair_of_fields,
    tsv_of_pair,
)
from gridbeam.server.faces.deepl.glossary_terms import glossary_of, not_found
from gridbeam.server.faces.fields import fields_of
from gridbeam.store.rows import GlossaryRow, NewDictionary
from gridbeam.store.store import Store

router = new_router()


@router.post("/v2/glossaries")
async def create(request: Request) -> Response:
    """A new glossary."""
    fields = await fields_of(request, most=MOST_BYTES)
    name = checked_name(fields.text("name"))
    source, target = pair_of_fields(fields)
    text, form = fields.text("entries"), fields.text("entries_format") or "tsv"
    if text is None:
        raise bad("Parameter 'entries' not specified.")
    part = NewDictionary(source, target, tuple(entries_of(text, form)))
    row = await in_store(request, lambda store: added(store, name, [part]))
    return JSONResponse(_shown(row), 201)


@router.get("/v2/glossaries")
async def listed(request: Request) -> Response:
    """The glossaries of one pair of languages that came by this door."""
    rows = await in_store(request, lambda store: store.glossaries.all(origin=ORIGIN))
    known = [_shown(row) for row in rows if len(row.dictionaries) == 1]
    return JSONResponse({"glossaries": known})


@router.get("/v2/glossaries/{identity}")
async def one(request: Request, identity: str) -> Response:
    """A glossary without its entries."""
    return JSONResponse(_shown(await in_store(request, lambda store: _of_pair(store, identity))))


@router.delete("/v2/glossaries/{identity}")
async def delete(request: Request, identity: str) -> Response:
    """Nothing: the glossary is gone."""
    await in_store(request, lambda store: store.glossaries.delete(own(store, identity).id))
    return Response(status_code=204)


@router.get("/v2/glossaries/{identity}/entries")
async def entries(request: Request, identity: str) -> Response:
    """The entries as a table with tabs."""

    def table(store: Store) -> str:
        (part,) = _of_pair(store, identity).dictionaries
        return tsv_of_pair(store, identity, part.source, part.target)

    kind = "text/tab-separated-values; charset=utf-8"
    return Response(await in_store(request, table), media_type=kind)


def _of_pair(store: Store, identity: str) -> GlossaryRow:
    row = glossary_of(store, identity)
    if len(row.dictionaries) != 1:
        raise not_found()
    return row


def _shown(row: GlossaryRow) -> dict[str, Any]:
    (part,) = row.dictionaries
    return {
        "glossary_id": row.id,
        "name": row.name,
        "ready": True,
        "source_lang": short(part.source),
        "target_lang": short(part.target),
        "creation_time": moment(row.created),
        "entry_count": part.count,
    }
