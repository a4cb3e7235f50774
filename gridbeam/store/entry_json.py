"""An entry of a glossary, as the store keeps it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from gridbeam.glossary.entries import Entry
from gridbeam.store.rows import Json


def entry_columns(entry: Entry) -> dict[str, Any]:
    """The columns of an entry, without the file that it was read in."""
    kept = asdict(entry)
    del kept["place"]
    return {"term": entry.source, "entry": kept}


def entry_of(kept: Json) -> Entry:
    """The entry that was kept as JSON."""
    lists = {name: tuple(kept[name]) for name in ("targets", "forbidden", "forms")}
    return Entry(**{**kept, **lists})
